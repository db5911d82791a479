"""Tables and answers that are kept in memory: so many, so many bytes; what was not asked for longest leaves."""

import secrets
import threading
from collections import OrderedDict
from typing import Generic, Protocol, TypeVar

from causewise.web.refusal import nowhere


class Sized(Protocol):
    """Anything that knows its size."""

    @property
    def size(self) -> int:
        """Bytes."""


T = TypeVar("T", bound=Sized)


class Shelf(Generic[T]):
    """Things by a name that cannot be guessed; threads may share it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Text:
    ...     size: int
    >>> shelf = Shelf("text", most=2, most_bytes=100)
    >>> first, second, third = (shelf.put(Text(10)) for _ in range(3))
    >>> first in shelf, second in shelf, third in shelf
    (False, True, True)
    """

    def __init__(self, what: str, most: int, most_bytes: int) -> None:
        self._what, self._most, self._most_bytes = what, most, most_bytes
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, thing: T) -> str:
        """Keep it, under a new name; what was used longest ago makes room. The newest stays, whatever its size."""
        identity = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[identity] = thing
            while len(self._kept) > 1 and (len(self._kept) > self._most or self._bytes() > self._most_bytes):
                self._kept.popitem(last=False)
        return identity

    def get(self, identity: str) -> T:
        """What is kept under a name; a refusal where nothing is."""
        with self._lock:
            if identity not in self._kept:
                raise nowhere(self._what, identity)
            self._kept.move_to_end(identity)
            return self._kept[identity]

    def __contains__(self, identity: str) -> bool:
        return identity in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def _bytes(self) -> int:
        return sum(thing.size for thing in self._kept.values())
