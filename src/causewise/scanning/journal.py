"""What a scan or a graph has finished, in one file that grows line by line and survives a killed process.

A line is one finished tile or part, in JSON, behind the hash of the line itself; the first says whose they are. A line
that was cut short, by a full disk or a kill, and all after it are passed over. When all is complete the file goes.

Whatever else stands in its place, another scan's journal too, is somebody's: it is refused, and left as it is.

Not the database of `lab.benchmark.store`: one process writes this file and nobody asks it anything, and a database
would leave two more files beside it when the scan is killed.
"""

import errno
import json
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from causewise.errors import InputError

_LONGEST = 1 << 16
"""Bytes that are looked at of a first line: a file of something else may have no other."""
# Windows has neither links that anybody may make nor pipes among files, and tells text from bytes.
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class ScanIdentity:
    """Which scan this is; journals are compared by it, and a difference has words."""

    version: str
    layout: str
    """Digest of the fields of what is kept, which change between builds of one version."""
    table: str
    """Digest of the columns and their names."""
    method: str
    seed: int
    others: str
    """Digest of all other settings, and of the pairs."""
    kind: ClassVar[str] = "scan"
    items: ClassVar[str] = "pairs"
    """What is finished one after the other."""

    @property
    def digest(self) -> str:
        """All of it in one word."""
        return blake2b(json.dumps(asdict(self)).encode(), digest_size=16).hexdigest()

    def describe_other(self, other: Mapping[str, Any]) -> str:
        """How another one differs from this."""
        if (other.get("version"), other.get("layout")) != (self.version, self.layout):
            same = other.get("version") == self.version
            return "by another build of causewise" if same else f"by causewise {other.get('version')}"
        words = {
            "table": "of another table",
            "method": f"by the method {other.get('method')!r}",
            "seed": f"with the seed {other.get('seed')}",
            "others": f"with other settings{' or other pairs' * (self.kind == 'scan')}",
        }
        return ", ".join(word for name, word in words.items() if other.get(name) != getattr(self, name))


@dataclass(frozen=True)
class GraphIdentity(ScanIdentity):
    """Which graph this is."""

    kind: ClassVar[str] = "graph"
    items: ClassVar[str] = "parts"


_KINDS = {each.kind: each for each in (ScanIdentity, GraphIdentity)}


class Journal:
    """The finished tiles of one scan, or parts of one graph; `place` None keeps nothing."""

    def __init__(self, place: Path | None, identity: ScanIdentity) -> None:
        self._place, self._identity = place, identity
        self._first = _line({identity.kind: asdict(identity)})
        self._file: tuple[int, int] | None = None
        """Device and number of the file that is this journal, once there is one."""
        self.known: dict[str, list[Any]] = {} if place is None else self._read(place)

    def _read(self, place: Path) -> dict[str, list[Any]]:
        try:
            stream = self._open(place, os.O_RDWR)
        except FileNotFoundError:
            return {}
        known: dict[str, list[Any]] = {}
        with stream:
            first = stream.readline(_LONGEST)
            if first != self._first:
                self._check_beginning(first)
                stream.truncate(0)
                return {}
            length = len(first)
            for line in stream:
                record = _read_line(line)
                if record is None:
                    stream.truncate(length)
                    break
                length += len(line)
                key, rows = record
                known[key] = rows
        return known

    def _check_beginning(self, first: bytes) -> None:
        """Refuse a file whose first line is not what was about to be written when this was killed."""
        if self._first.startswith(first):
            return
        record = _read_line(first)
        kind, items = self._identity.kind, self._identity.items
        if isinstance(record, dict) and isinstance(record.get(kind), dict):
            whose = f"{items} of another {kind} ({self._identity.describe_other(record[kind])})"
        elif isinstance(record, dict) and (other := next(iter(record), "")) in _KINDS:
            kind, whose = other, f"{_KINDS[other].items} of a {other}"
        elif isinstance(record, list) and len(record) == 1:  # as journals began before they said whose they are
            whose = "pairs of another scan (by an earlier build of causewise)"
        else:
            raise self._refuse("Got the file of something else,")
        raise InputError(
            f"Got {str(self._place)!r}, which keeps the finished {whose}; expected no such file, or the one that this "
            f"{self._identity.kind} left: finish that {kind} first, choose another name, or delete the file if its "
            "work is no longer needed."
        )

    def _refuse(self, got: str) -> InputError:
        kind, items = self._identity.kind, self._identity.items
        return InputError(
            f"{got} {str(self._place)!r}, where a {kind} keeps its finished {items}; expected no such file, or the one "
            f"that this {kind} left: choose another name, or move it away; it was left as it is."
        )

    def _open(self, place: Path, flags: int) -> BinaryIO:
        """The plain file itself, and no other once it is known; never what a link leads to."""
        if place.is_symlink():
            raise self._refuse("Got the symbolic link")
        try:
            handle = os.open(place, flags | _SAFELY, 0o666)
        except FileNotFoundError:
            raise
        except FileExistsError:
            raise self._refuse(f"Got, while the {self._identity.kind} ran, the new file") from None
        except OSError as problem:
            if problem.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            reason = (problem.strerror or str(problem)).lower()
            raise self._refuse(f"Got what cannot be opened ({reason}),") from None
        about = os.fstat(handle)
        file = (about.st_dev, about.st_ino)
        plain = stat.S_ISREG(about.st_mode)
        if not plain or self._file not in (None, file):
            os.close(handle)
            ran = f"Got, while the {self._identity.kind} ran, another file in"
            raise self._refuse(ran if plain else "Got what is no plain file,")
        self._file = file
        return os.fdopen(handle, "r+b" if flags & os.O_RDWR else "ab")

    def count(self, what: str) -> int:
        """How many results are known already of one kind of work, whose tiles' keys begin with its name."""
        return sum(len(rows) for key, rows in self.known.items() if key.startswith(what))

    def add(self, key: str, rows: Sequence[Any]) -> None:
        """Keep a finished tile."""
        if self._place is None:
            return
        try:
            with self._open_end(self._place) as stream:
                if stream.tell() == 0:
                    stream.write(self._first)
                stream.write(_line([key, rows]))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            raise InputError(
                f"Could not write {str(self._place)!r} ({reason}); what is finished is kept: make room, and start the "
                f"same {self._identity.kind} again to go on."
            ) from None

    def _open_end(self, place: Path) -> BinaryIO:
        if self._file is not None:
            try:
                return self._open(place, os.O_WRONLY | os.O_APPEND)
            except FileNotFoundError:  # somebody has removed it: what is still to come can be kept
                self._file = None
        return self._open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)

    def close(self) -> None:
        """The work is complete and stands elsewhere."""
        if self._place is None or self._file is None:
            return
        try:
            about = self._place.lstat()
        except FileNotFoundError:
            return
        # The result itself may have been written in its place.
        if (about.st_dev, about.st_ino) == self._file:
            self._place.unlink(missing_ok=True)


def _line(record: Any) -> bytes:
    text = json.dumps(record, ensure_ascii=True).encode()
    return blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n"


def _read_line(line: bytes) -> Any:
    """What a line says; None where it is not whole."""
    mark, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or blake2b(text, digest_size=8).hexdigest().encode() != mark:
        return None
    return json.loads(text)
