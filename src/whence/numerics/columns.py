"""What depends on one column alone, remembered while the pairs of a table are judged.

A table of d columns has d of them and d² pairs. Inside `shared_columns` a result is found again by the bytes of its
column: no method has to know that it is asked about a table, and not a bit of an answer changes.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from typing import Any, TypeVar

from whence.numerics.native import FloatArray

_T = TypeVar("_T")
_remembered: ContextVar["OrderedDict[Hashable, Any] | None"] = ContextVar("remembered", default=None)
_most: ContextVar[int] = ContextVar("most", default=0)


@contextmanager
def shared_columns(most: int) -> Iterator[None]:
    """Remember up to `most` results, and forget those that were not asked for longest."""
    before = _remembered.set(OrderedDict()), _most.set(most)
    try:
        yield
    finally:
        _remembered.reset(before[0])
        _most.reset(before[1])


def once(function: Callable[..., _T], column: FloatArray, *arguments: Hashable) -> _T:
    """`function(column, *arguments)`; what it returns is shared and must not be changed."""
    known = _remembered.get()
    if known is None:
        return function(column, *arguments)
    key = (function, arguments, column.shape, blake2b(column.data, digest_size=16).digest())
    if key in known:
        known.move_to_end(key)
        return known[key]
    found = known[key] = function(column, *arguments)
    if len(known) > _most.get():
        known.popitem(last=False)
    return found
