"""What depends on one column alone, remembered while the pairs of a table are judged.

A table of d columns has d of them and d² pairs. Inside `shared_columns` a result is found again by the bytes of its
column: no method has to know that it is asked about a table, and not a bit of an answer changes.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_AT_HAND = 12
"""Arrays whose bytes have been hashed last; one array is asked about several times in a row."""


class ColumnMemory:
    """Up to `most` results by function, arguments and content; those not asked for longest are forgotten first."""

    def __init__(self, most: int) -> None:
        self._most, self._results = most, OrderedDict[Hashable, Any]()
        self._hashed = OrderedDict[int, tuple[NDArray[np.float64], bytes]]()
        self._lock = Lock()

    def find(self, function: Callable[..., _T], column: NDArray[np.float64], arguments: tuple[Hashable, ...]) -> _T:
        """`function(column, *arguments)`, computed now or earlier."""
        with self._lock:
            key = (function, arguments, column.shape, self._digest(column))
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        found = function(column, *arguments)
        with self._lock:
            self._results[key] = found
            if len(self._results) > self._most:
                self._results.popitem(last=False)
        return found

    def _digest(self, column: NDArray[np.float64]) -> bytes:
        known = self._hashed.get(id(column))  # which is its own while the array is kept here
        if known is not None and not column.flags.writeable:
            return known[1]
        digest = blake2b(column.data, digest_size=16).digest()
        if not column.flags.writeable:
            self._hashed[id(column)] = column, digest
            if len(self._hashed) > _AT_HAND:
                self._hashed.popitem(last=False)
        return digest


_memory: ContextVar[ColumnMemory | None] = ContextVar("memory", default=None)


@contextmanager
def shared_columns(memory: ColumnMemory) -> Iterator[None]:
    """Remember results, and find those again that were remembered earlier."""
    before = _memory.set(memory)
    try:
        yield
    finally:
        _memory.reset(before)


def once(function: Callable[..., _T], column: NDArray[np.float64], *arguments: Hashable) -> _T:
    """`function(column, *arguments)`; what it returns is shared and must not be changed.

    A column that is read-only is hashed once, however often it is asked about.
    """
    memory = _memory.get()
    return function(column, *arguments) if memory is None else memory.find(function, column, arguments)


def frozen(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same array, read-only from now on where a table is judged."""
    if _memory.get() is not None:
        column.flags.writeable = False
    return column
