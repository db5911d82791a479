"""What depends on one column alone, remembered while the pairs of a table are judged.

A table of d columns has d of them and d² pairs. Inside `shared_columns` a result is found again by the bytes of its
column: no method has to know that it is asked about a table, and not a bit of an answer changes.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
_AT_HAND = 12
"""Arrays whose bytes have been hashed last; one array is asked about several times in a row."""
AN_ENTRY = 512
"""Bytes that a result takes beside its arrays."""
_A_PAIR, _A_ROW = 1 << 26, 32
"""Bytes to remember a pair in, and more for every row: its two orders take half of that."""


@dataclass
class _Remembered:
    """A result, how often it was asked for, and its bytes."""

    result: Any
    asked: int = 0
    weight: int = 0


class ColumnMemory:
    """Results by function, arguments and content, up to `room` bytes; those not asked for longest are forgotten first.

    Bytes, not a number of results: what is known of a column of ten million rows takes gigabytes, of a thousand rows a
    thousandth of one. Columns that are read-only, and those that are said not to change, are hashed once.
    """

    def __init__(self, room: int, unchanging: Sequence[NDArray[np.float64]] = ()) -> None:
        self._room, self._held = room, 0
        self._unchanging = {id(column): column for column in unchanging}
        self._results = OrderedDict[Hashable, _Remembered]()
        self._hashed = OrderedDict[int, tuple[ReferenceType[NDArray[np.float64]], bytes]]()
        self._lock = Lock()

    def find(self, function: Callable[..., _T], column: NDArray[np.float64], arguments: tuple[Hashable, ...]) -> _T:
        """What was remembered, or is from now on."""
        with self._lock:
            key = (function, arguments, column.shape, self._digest(column))
            if key in self._results:
                known = self._results[key]
                self._results.move_to_end(key)
                self._weigh(known)
                return known.result
        found = function(column, *arguments)
        if isinstance(found, np.ndarray):
            found.flags.writeable = False  # it is shared, and may be asked about itself
        with self._lock:
            self._results[key] = _Remembered(found)
            self._weigh(self._results[key])
        return found

    def _weigh(self, known: "_Remembered") -> None:
        """At the first, second, fourth … time, since a result may find out more about its column as it is asked."""
        known.asked += 1
        if known.asked & (known.asked - 1):
            return
        before, known.weight = known.weight, AN_ENTRY + bytes_in(known.result)
        self._held += known.weight - before
        while self._held > self._room:
            _, forgotten = self._results.popitem(last=False)
            self._held -= forgotten.weight

    def _digest(self, column: NDArray[np.float64]) -> bytes:
        unchanging = not column.flags.writeable or id(column) in self._unchanging
        same, digest = self._hashed.get(id(column), (None, b""))
        if same is not None and same() is column and unchanging:
            return digest
        digest = blake2b(np.ascontiguousarray(column).data, digest_size=16).digest()
        if unchanging:
            self._hashed[id(column)] = ref(column), digest  # which keeps no column alive
            if len(self._hashed) > _AT_HAND:
                self._hashed.popitem(last=False)
        return digest


def bytes_in(result: Any) -> int:
    """Bytes of all arrays in a result: a tuple, a record, or one of them."""
    if isinstance(result, np.ndarray):
        return result.nbytes
    if isinstance(result, tuple):
        return sum(map(bytes_in, result))
    return sum(map(bytes_in, vars(result).values())) if hasattr(result, "__dict__") else 0


_memory: ContextVar[ColumnMemory | None] = ContextVar("memory", default=None)


@contextmanager
def shared_columns(memory: ColumnMemory) -> Iterator[None]:
    """Remember results, and find those again that were remembered earlier."""
    before = _memory.set(memory)
    try:
        yield
    finally:
        _memory.reset(before)


@contextmanager
def remembering(columns: Sequence[NDArray[np.float64]]) -> Iterator[None]:
    """Remember what is found out about these columns, which nobody changes inside; a table has a memory of its own."""
    if _memory.get() is not None:
        yield
        return
    room = _A_PAIR + _A_ROW * max(map(len, columns), default=0)
    with shared_columns(ColumnMemory(room, columns)):
        yield


def once(function: Callable[..., _T], column: NDArray[np.float64], *arguments: Hashable) -> _T:
    """`function(column, *arguments)`; what it returns is shared and must not be changed.

    A column that does not change is hashed once, however often it is asked about.
    """
    memory = _memory.get()
    return function(column, *arguments) if memory is None else memory.find(function, column, arguments)


def frozen(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same array, read-only from now on where a table is judged."""
    if _memory.get() is not None:
        column.flags.writeable = False
    return column
