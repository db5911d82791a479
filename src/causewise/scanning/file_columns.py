"""The columns of a Parquet file, read one by one where they are needed: on a worker that sees the file.

Whoever asks has read the table and kept a hash of each column. A worker compares, so that another file of the same
name, or one that was written anew meanwhile, is never mistaken for the table: the columns are then sent instead.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.pair import FloatArray, as_column
from causewise.scanning.table import ScanTable
from causewise.tables import read_table
from causewise.tables.choose import ColumnTable
from causewise.tables.source import PARQUET


class UnseenError(Exception):
    """The file is not there for this process, or is not the one that was meant."""


@dataclass(frozen=True, eq=False)
class FileColumns:
    """Takes the place of a matrix with one line a column: has a shape, and each line by its number."""

    path: str
    places: Sequence[int]
    """Where each column stands in the file."""
    digests: Sequence[bytes]
    """What each column's bytes must come to."""
    rows: int
    asked: Mapping[str, Any]
    """How the file was read."""

    @classmethod
    def of(cls, data: Any, table: ScanTable, asked: Mapping[str, Any]) -> "FileColumns | None":
        """The columns of a table that was read from a Parquet file and left as they are there; None for any other."""
        if table.adjusted or not isinstance(data, str | os.PathLike) or not _is_parquet(Path(data)):
            return None
        places = [table.every.index(name) for name in table.names]
        digests = [_digest(table.values[k]) for k in range(len(places))]
        return cls(str(Path(data).absolute()), places, digests, table.n, dict(asked))

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self.places), self.rows

    def __getitem__(self, k: int) -> FloatArray:
        try:
            (raw,) = self._table.columns(self.places[k])
            column, _ = as_column(raw, self._table.names[self.places[k]])
        except (InputError, IndexError) as problem:
            raise UnseenError(str(problem)) from None
        if _digest(column) != self.digests[k]:
            raise UnseenError(f"Column {self.places[k]} of {self.path!r} is not what it was.")
        return column

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_table"}  # it is an open file

    @cached_property
    def _table(self) -> ColumnTable:
        table, _ = read_table(self.path, **self.asked)
        return table


def _is_parquet(path: Path) -> bool:
    # A pipe would be emptied by a second look.
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(PARQUET)) == PARQUET


def _digest(column: FloatArray) -> bytes:
    return blake2b(np.ascontiguousarray(column, np.float64).data, digest_size=16).digest()
