"""Columns that lie on disk, one line each, and are mapped into memory when they are asked for.

A table of ten million rows takes 80 MB a column; a pair needs two of them. A line that nobody holds any more leaves the
memory, and processes that hold the same one share it.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from whence.pair import FloatArray, InputError

IN_MEMORY = 1 << 26
"""Bytes of a table that is kept in memory as it is."""
_NUMBER = 8


@dataclass(frozen=True)
class MappedColumns:
    """Takes the place of a matrix with one line a column: has a shape, and each line by its number.

    It pickles as the path of its file, so that processes of one machine hand no columns to each other.
    """

    path: str
    shape: tuple[int, int]

    @property
    def nbytes(self) -> int:
        """Bytes on disk."""
        return _NUMBER * self.shape[0] * self.shape[1]

    def __getitem__(self, k: int) -> FloatArray:
        columns, rows = self.shape
        if not 0 <= k < columns:
            raise IndexError(k)
        return np.memmap(self.path, np.float64, "r", offset=_NUMBER * k * rows, shape=(rows,))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        """The whole table in memory, for those who cannot read the file."""
        return np.array([self[k] for k in range(self.shape[0])], dtype)


class ColumnStore:
    """Columns as they come: in memory while the table is small, in a file of the folder from then on."""

    def __init__(self, folder: str) -> None:
        self._path, self._held, self._written = Path(folder) / "columns", list[FloatArray](), 0

    def add(self, column: FloatArray) -> None:
        """One more line."""
        self._held.append(column)
        if self._written or sum(each.nbytes for each in self._held) > IN_MEMORY:
            self._write()

    def _write(self) -> None:
        try:
            with self._path.open("ab") as file:
                for column in self._held:
                    file.write(np.ascontiguousarray(column).data)
        except OSError as problem:
            raise InputError(
                f"Could not write the table's columns to {str(self._path.parent)!r} ({problem.strerror}); expected "
                f"room for {_NUMBER * len(self._held[0]):,} bytes a column there: make room, or name another folder "
                "in TMPDIR."
            ) from None
        self._rows, self._written = len(self._held[0]), self._written + len(self._held)
        self._held.clear()

    @property
    def values(self) -> FloatArray | MappedColumns:
        """All lines, in the order in which they came."""
        if not self._written:
            return np.array(self._held)
        return MappedColumns(os.fspath(self._path), (self._written, self._rows))


@contextmanager
def column_store() -> Iterator[ColumnStore]:
    """A store whose file lasts as long as the work on it."""
    with tempfile.TemporaryDirectory(prefix="whence-") as folder:
        yield ColumnStore(folder)
