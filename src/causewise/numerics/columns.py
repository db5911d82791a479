"""A least-recently-used cache of what depends on one column alone, for the pairs of a table.

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

from causewise.numerics.native import FloatArray

_T = TypeVar("_T")
_HASHED = 12
"""Arrays whose bytes have been hashed last; one array is asked about several times in a row."""
ENTRY_BYTES = 512
"""Bytes that a result takes beside its arrays."""
_PAIR_BYTES, _ROW_BYTES = 1 << 26, 32
"""Capacity for a pair, and more for every row: its two orders take half of that."""


@dataclass
class _Entry:
    """A result, how often it was asked for, and its bytes."""

    result: Any
    asked: int = 0
    weight: int = 0


class ColumnCache:
    """Results by function, arguments and content, up to `capacity` bytes, the least recently used dropped first.

    Bytes, not a number of results: what is known of a column of ten million rows takes gigabytes, of a thousand rows a
    thousandth of one. Columns that are read-only, and those that are said not to change, are hashed once.
    """

    def __init__(self, capacity: int, unchanging: Sequence[FloatArray] = ()) -> None:
        self._capacity, self._held = capacity, 0
        self._unchanging = {id(column): column for column in unchanging}
        self._results = OrderedDict[Hashable, _Entry]()
        self._hashed = OrderedDict[int, tuple[ReferenceType[FloatArray], bytes]]()
        self._lock = Lock()

    def find(self, function: Callable[..., _T], column: FloatArray, arguments: tuple[Hashable, ...]) -> _T:
        """The cached result, or a new one that is cached from now on."""
        with self._lock:
            key = (function, arguments, column.shape, self._digest(column))
            if key in self._results:
                entry = self._results[key]
                self._results.move_to_end(key)
                self._weigh(entry)
                return entry.result
        result = function(column, *arguments)
        if isinstance(result, np.ndarray):
            result.flags.writeable = False  # it is shared, and may be asked about itself
        with self._lock:
            self._results[key] = _Entry(result)
            self._weigh(self._results[key])
        return result

    def _weigh(self, entry: _Entry) -> None:
        """At the first, second, fourth … time, since a result may find out more about its column as it is asked."""
        entry.asked += 1
        if entry.asked & (entry.asked - 1):
            return
        before, entry.weight = entry.weight, ENTRY_BYTES + bytes_in(entry.result)
        self._held += entry.weight - before
        while self._held > self._capacity:
            _, dropped = self._results.popitem(last=False)
            self._held -= dropped.weight

    def _digest(self, column: FloatArray) -> bytes:
        unchanging = not column.flags.writeable or id(column) in self._unchanging
        same, digest = self._hashed.get(id(column), (None, b""))
        if same is not None and same() is column and unchanging:
            return digest
        digest = blake2b(np.ascontiguousarray(column).data, digest_size=16).digest()
        if unchanging:
            self._hashed[id(column)] = ref(column), digest  # which keeps no column alive
            if len(self._hashed) > _HASHED:
                self._hashed.popitem(last=False)
        return digest


def bytes_in(result: Any) -> int:
    """Bytes of all arrays in a result: a tuple, a record, or one of them."""
    if isinstance(result, np.ndarray):
        return result.nbytes
    if isinstance(result, tuple):
        return sum(map(bytes_in, result))
    return sum(map(bytes_in, vars(result).values())) if hasattr(result, "__dict__") else 0


_active: ContextVar[ColumnCache | None] = ContextVar("column_cache", default=None)


@contextmanager
def shared_columns(cache: ColumnCache) -> Iterator[None]:
    """Keep results of `once` in a cache, and find those again that it holds."""
    before = _active.set(cache)
    try:
        yield
    finally:
        _active.reset(before)


@contextmanager
def cache_columns(columns: Sequence[FloatArray]) -> Iterator[None]:
    """Cache what is computed of these columns, which nobody changes inside; a table has a cache of its own."""
    if _active.get() is not None:
        yield
        return
    capacity = _PAIR_BYTES + _ROW_BYTES * max(map(len, columns), default=0)
    with shared_columns(ColumnCache(capacity, columns)):
        yield


def once(function: Callable[..., _T], column: FloatArray, *arguments: Hashable) -> _T:
    """`function(column, *arguments)`; what it returns is shared and must not be changed.

    A column that does not change is hashed once, however often it is asked about.
    """
    cache = _active.get()
    return function(column, *arguments) if cache is None else cache.find(function, column, arguments)


def freeze(column: FloatArray) -> FloatArray:
    """The same array, read-only from now on where results are cached."""
    if _active.get() is not None:
        column.flags.writeable = False
    return column
