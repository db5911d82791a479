"""Columns that lie on disk, one line each, and are mapped into memory when they are asked for.

A table of ten million rows takes 80 MB a column; a pair needs two of them. A line that nobody holds any more leaves the
memory, and processes that hold the same one share it.
"""

import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from causewise.errors import InputError
from causewise.pair import FloatArray

IN_MEMORY = 1 << 26
"""Bytes of a table that is kept in memory as it is."""
_NUMBER = 8


class _ScratchFile:
    """A file that lasts as long as this does, and leaves nothing behind: on Linux not even when the process is killed.

    There it has no name, and other processes open it through this one's.
    """

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="causewise-")
        self.file, self.path = os.fdopen(handle, "wb"), name
        if sys.platform == "linux":
            Path(name).unlink()
            self.path = f"/proc/{os.getpid()}/fd/{handle}"
        else:
            finalize(self, Path(name).unlink, missing_ok=True)
        finalize(self, self.file.close)  # the last is called first


@dataclass(frozen=True)
class MappedColumns:
    """Takes the place of a matrix with one line a column: has a shape, and each line by its number.

    It pickles as the path of its file, so that processes of one machine hand no columns to each other.
    """

    path: str
    shape: tuple[int, int]
    file: _ScratchFile | None = field(default=None, compare=False, repr=False)
    """What lasts as long as this does; another process only looks on."""

    def __reduce__(self) -> Any:
        return MappedColumns, (self.path, self.shape)

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
    """Columns as they come: in memory while the table is small, in a file from then on."""

    def __init__(self) -> None:
        self._held, self._written = list[FloatArray](), 0
        self._file: _ScratchFile | None = None

    def add(self, column: FloatArray) -> None:
        """One more line."""
        self._held.append(column)
        if self._written or sum(each.nbytes for each in self._held) > IN_MEMORY:
            self._write()

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = _ScratchFile()
            for column in self._held:
                self._file.file.write(np.ascontiguousarray(column).data)
            self._file.file.flush()
        except OSError as problem:
            raise InputError(
                f"Could not write the table's columns to {tempfile.gettempdir()!r} ({problem.strerror}); expected "
                f"room for {_NUMBER * len(self._held[0]):,} bytes a column there: make room, or name another folder "
                "in TMPDIR."
            ) from None
        self._rows, self._written = len(self._held[0]), self._written + len(self._held)
        self._held.clear()

    @property
    def values(self) -> FloatArray | MappedColumns:
        """All lines, in the order in which they came."""
        if self._file is None:
            return np.array(self._held)
        return MappedColumns(self._file.path, (self._written, self._rows), self._file)


def map_columns(values: FloatArray) -> FloatArray | MappedColumns:
    """The lines of a matrix in a file, for several processes."""
    store = ColumnStore()
    store._held.extend(values)
    store._write()
    return store.values
