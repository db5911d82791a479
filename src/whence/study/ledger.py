"""The file of finished cells: one row each, committed as it is made, so that a stopped study carries on."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from whence.pair import InputError

Cell = dict[str, Any]
"""The settings of one piece of work: JSON values, and the same cell always gives the same rows."""
Row = dict[str, Any]


class Ledger:
    """SQLite in WAL mode: a kill at any moment loses at most what was not finished."""

    def __init__(self, path: Path, study: str) -> None:
        self._study = study
        self._file = _opened(path)
        try:
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")  # a power cut may lose the last cells, never the file
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS finished (study TEXT, cell TEXT, rows TEXT, PRIMARY KEY (study, cell))"
            )
        except sqlite3.DatabaseError as problem:
            self._file.close()
            raise _unusable(path, problem) from None

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """Those cells that are not finished, in their order."""
        there = {cell for (cell,) in self._file.execute("SELECT cell FROM finished WHERE study = ?", (self._study,))}
        return [cell for cell in cells if key(cell) not in there]

    def add(self, cell: Cell, rows: list[Row]) -> None:
        """Commit a finished cell."""
        entry = (self._study, key(cell), json.dumps(rows))
        self._file.execute("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", entry)

    def rows(self, cells: Iterable[Cell]) -> list[Row]:
        """The rows of these cells, each with its cell's settings, in the cells' order whoever finished first."""
        stored = dict(self._file.execute("SELECT cell, rows FROM finished WHERE study = ?", (self._study,)).fetchall())
        return [{**cell, **row} for cell in cells if key(cell) in stored for row in json.loads(stored[key(cell)])]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def key(cell: Cell) -> str:
    """A cell as text, the same whatever the order of its settings."""
    return json.dumps(cell, sort_keys=True)


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(path, isolation_level=None)
    except sqlite3.DatabaseError as problem:
        raise _unusable(path, problem) from None


def _unusable(path: Path, problem: Exception) -> InputError:
    return InputError(
        f"Got {path}, which cannot be used as a file of results ({problem}); name another folder with --out."
    )
