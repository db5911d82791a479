"""What a scan has finished, in one file that grows line by line and survives a killed process.

A line is one finished tile, in JSON, behind the hash of the line itself; the first says which scan this is. A line that
was cut short, by a full disk or a kill, and all after it are passed over. When the scan is complete the file goes.

Not the database of `lab.benchmark.store`: one process writes this file and nobody asks it anything, and a database
would leave two more files beside it when the scan is killed.
"""

import json
import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from causewise.errors import InputError


class Journal:
    """The finished tiles of one scan; `place` None keeps nothing."""

    def __init__(self, place: Path | None, identity: str) -> None:
        self._place, self.identity = place, identity
        self.known: dict[str, list[Any]] = self._read()

    def _read(self) -> dict[str, list[Any]]:
        if self._place is None or not self._place.exists():
            return {}
        known: dict[str, list[Any]] = {}
        length = 0
        with self._place.open("rb") as stream:
            for number, line in enumerate(stream):
                record = _read_line(line)
                if record is None or (number == 0 and record != [self.identity]):
                    break
                length += len(line)
                if number:
                    key, rows = record
                    known[key] = rows
        os.truncate(self._place, length)
        return known

    def count(self, what: str) -> int:
        """How many results are known already of one kind of work, whose tiles' keys begin with its name."""
        return sum(len(rows) for key, rows in self.known.items() if key.startswith(what))

    def add(self, key: str, rows: Sequence[Any]) -> None:
        """Keep a finished tile."""
        if self._place is None:
            return
        try:
            with self._place.open("ab") as stream:
                if stream.tell() == 0:
                    stream.write(_line([self.identity]))
                stream.write(_line([key, rows]))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            raise InputError(
                f"Could not write {str(self._place)!r} ({reason}); what is finished is kept: make room, and start the "
                "same scan again to go on."
            ) from None

    def close(self) -> None:
        """The scan is complete and stands elsewhere."""
        if self._place is not None:
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
