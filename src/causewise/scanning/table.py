"""The columns of a table that can be scored, here or on workers, why the others cannot, and the pairs to score."""

import csv
import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from causewise.column_types import ColumnType, explain_unusable, tally
from causewise.errors import InputError
from causewise.pair import MIN_ROWS, FloatArray, as_column, has_date_note
from causewise.parallel import OnProgress
from causewise.scanning.adjustment import Adjustment
from causewise.scanning.mapped import ColumnStore, MappedColumns
from causewise.tables import read_table, table_from
from causewise.tables.choose import ColumnTable, explain_unreadable, find_column, list_names
from causewise.tables.source import PARQUET

Pairs = list[tuple[int, int]]

EXCLUDED = "it is excluded"
"""Why a column is left out that was asked to be."""
MANY = 1_000_000
"""Pairs that are not begun without being asked for by `pairs` or `target`: days of work, more often than not a slip."""
BLOCK = 16
"""Columns a side of a tile: what is remembered of a tile's columns stays at hand while its pairs are scored."""
MOST = 64
"""Pairs of a tile: half a second of work, so that no process waits long for the last one, and little is done twice."""


@dataclass(frozen=True, eq=False)
class ScanTable:
    """Columns of numbers, side by side; what is missing is NaN."""

    names: tuple[str, ...]
    values: FloatArray | MappedColumns
    """One line a column; of a large table on disk."""
    left_out: Mapping[str, str]
    """Columns that cannot be scored, with the reason."""
    every: tuple[str, ...]
    """Names of all columns, those too that were not asked for."""
    kinds: Mapping[str, ColumnType]
    """What each column is, before it is adjusted."""
    notes: Mapping[str, tuple[str, ...]]
    """By column, what had to be understood to make numbers of it; of most columns nothing."""
    adjusted: tuple[str, ...] = ()
    """Columns that all others are adjusted for."""
    unreadable: Mapping[str, InputError] = field(default_factory=dict)
    """Those of the columns left out that no numbers could be made of, with the error for who asks for one by name."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.values.shape[1]

    def place(self, wanted: str | int) -> int:
        """Where a column stands among those that are scored, given by its name or number in the whole table."""
        name = self.every[find_column(self.every, wanted)]
        refuse_unreadable([name], self.unreadable)
        if name not in self.names:
            why = self.left_out.get(name, "it is not among the columns asked for")
            raise InputError(
                f"Got the column {name!r} in a pair, and {why}; expected one that is scored{list_names(self.names)}."
            )
        return self.names.index(name)


class UnseenError(Exception):
    """The file is not there for this process, or is not the one that was meant."""


@dataclass(frozen=True, eq=False)
class FileColumns:
    """The columns of a Parquet file, read one by one on a worker that sees the file.

    It takes the place of a matrix with one line a column: has a shape, and each line by its number. A worker compares
    a hash of each column, so that another file of the same name, or one that was written anew meanwhile, is never
    mistaken for the table: the columns are then sent instead.
    """

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
            _, column, _ = next(read_columns(self._table, [self.places[k]]))
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


def read_scan_table(
    data: Any,
    wanted: Sequence[str | int] | None = None,
    adjust: Sequence[str | int] = (),
    tell: OnProgress = lambda what, done, of: None,
    exclude: Sequence[str | int] = (),
    **asked: Any,
) -> ScanTable:
    """Read the columns `wanted`, or all that numbers can be made of, one after the other, adjusted for others.

    A column that was named and cannot be scored is refused.
    """
    table, where = table_from(data, **asked)
    others = _find_columns(table, adjust)
    chosen, left_out = choose_columns(table, None if wanted is None else _find_columns(table, wanted), exclude)
    if clash := [table.names[k] for k in others if left_out.get(table.names[k]) == EXCLUDED]:
        raise _excluded_error(clash[0])
    left_out |= {table.names[k]: "the others are adjusted for it" for k in others}
    unreadable = dict[str, InputError]()
    named = [table.names[k] for k in (others if wanted is None else [*others, *chosen])]
    read = read_columns(table, [*others, *sorted(set(chosen) - set(others))], unreadable, named)
    adjustment = Adjustment.of({name: column for name, column, _ in islice(read, len(others))})
    names: list[str] = []
    kinds, notes = dict[str, ColumnType](), dict[str, tuple[str, ...]]()
    store = ColumnStore()
    expected = len(set(chosen) - set(others))
    for done, (name, column, column_notes) in enumerate(read, start=1):
        residual: FloatArray | str = explain_unusable(column, MIN_ROWS, has_date_note(name, column_notes))
        if not residual:
            values = tally(column[~np.isnan(column)])
            residual = adjustment.residual(column)
            # What others leave of steps and point masses looks continuous, and is not: no data check would see it.
            if (
                others
                and not isinstance(residual, str)
                and values.column_type in (ColumnType.BINARY, ColumnType.LEVELS, ColumnType.POINT_MASS)
            ):
                residual = f"it {values.concentration}, and cannot be adjusted"
        if isinstance(residual, str):
            if wanted is not None:
                raise InputError(f"Got the column {name!r}, and {residual}; expected one that can be scored.")
            left_out[name] = residual
        else:
            names.append(name)
            store.add(residual)
            kinds[name] = values.column_type
            if others and values.is_coarse:
                column_notes = (*column_notes, f"{name!r} takes only {values.distinct} values before it is adjusted.")
            if column_notes:
                notes[name] = column_notes
        if others:  # a fit a column, which may take longer than the scan
            tell("adjusting", done, expected)
    left_out |= {name: explain_unreadable(problem, name) for name, problem in unreadable.items()}
    left_out = {name: left_out[name] for name in table.names if name in left_out}
    check_two_columns(names, left_out, unreadable, where)
    return ScanTable(
        tuple(names), store.values, left_out, tuple(table.names), kinds, notes, adjustment.names, unreadable
    )


def check_two_columns(
    names: Sequence[str], left_out: Mapping[str, str], unreadable: Mapping[str, InputError], where: str
) -> None:
    """Refuse a table of which fewer than two columns are left; that one cannot be read comes first."""
    if len(names) < 2:
        refuse_unreadable(unreadable, unreadable)
        reasons = "; ".join(f"{name!r}: {why}" for name, why in list(left_out.items())[:5])
        raise InputError(
            f"Got {len(names)} column{'s' * (len(names) != 1)} that can be used{list_names(names)} in {where}; "
            f"expected "
            f"at least two{f' ({reasons})' if reasons else ''}: give a table with more columns of numbers."
        )


def refuse_unreadable(names: Iterable[str], unreadable: Mapping[str, InputError]) -> None:
    """Refuse the first of these columns that cannot be read, with the sentence that says why."""
    for name in names:
        if name in unreadable:
            raise unreadable[name]


def choose_columns(
    table: ColumnTable, wanted: list[int] | None, exclude: Sequence[str | int] = ()
) -> tuple[list[int], dict[str, str]]:
    """Positions of the columns to read, and by name why the others are left out; all that can be by default."""
    excluded = _find_columns(table, [exclude] if isinstance(exclude, str | int) else exclude)
    if clash := [k for k in excluded if k in (wanted or ())]:
        raise _excluded_error(table.names[clash[0]])
    passed_over = {} if wanted is not None else table.passed_over
    reasons = {**passed_over, **dict.fromkeys(excluded, EXCLUDED)}
    places = range(len(table.names)) if wanted is None else wanted
    return [k for k in places if k not in reasons], {table.names[k]: why for k, why in sorted(reasons.items())}


def _excluded_error(name: str) -> InputError:
    return InputError(f"Got the column {name!r} both to use and to exclude; expected one of the two: take one back.")


def _find_columns(table: ColumnTable, wanted: Sequence[str | int]) -> list[int]:
    chosen = [find_column(table.names, each) for each in wanted]
    if len(set(chosen)) < len(chosen):
        twice = next(table.names[k] for k in chosen if chosen.count(k) > 1)
        raise InputError(f"Got the column {twice!r} twice; expected every column once: leave one of them out.")
    return chosen


def read_columns(
    table: ColumnTable,
    places: Sequence[int],
    unreadable: dict[str, InputError] | None = None,
    named: Collection[str] = (),
) -> Iterator[tuple[str, FloatArray, tuple[str, ...]]]:
    """Name, numbers, and what had to be understood to make them.

    A column that cannot be read is noted under `unreadable`, and refused where it was named or nothing can be noted.
    """
    first: tuple[str, int] | None = None
    for k, raw in zip(places, table.columns_or_errors(*places), strict=True):
        name = table.names[k]
        try:
            column, notes = read_column(raw, name)
        except InputError as problem:
            if unreadable is None or name in named:
                raise
            unreadable[name] = problem
            continue
        first = first or (name, len(column))
        if len(column) != first[1]:
            raise InputError(
                f"Got {len(column)} values for {name!r} and {first[1]} for {first[0]!r}; expected columns of equal "
                "length, one row per observation."
            )
        yield name, column, (*table.notes(k), *notes)


def read_column(raw: ArrayLike | InputError, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """A column as numbers and what is to be said of it, or the error that stands in its place."""
    if isinstance(raw, InputError):
        raise raw
    return as_column(raw, name)


def choose_pairs(table: ScanTable, pairs: Any = None) -> Pairs:
    """All pairs, those with one column, or those of a list or a CSV file; the table's earlier column first."""
    if isinstance(pairs, str | int):
        t = table.place(pairs)
        return [(min(k, t), max(k, t)) for k in range(len(table.names)) if k != t]
    if pairs is not None:
        return _check_pairs(table, pairs)
    columns = len(table.names)
    count = columns * (columns - 1) // 2
    if count > MANY:
        raise InputError(
            f"Got {columns} columns, which are {count:,} pairs; expected at most {MANY:,}: choose columns, a target "
            "or a list of pairs."
        )
    return [(i, j) for i in range(columns) for j in range(i + 1, columns)]


def _check_pairs(table: ScanTable, pairs: Any) -> Pairs:
    lines = _read_pairs(pairs) if isinstance(pairs, Path) else [tuple(each) for each in pairs]
    chosen: dict[tuple[int, int], None] = {}
    for line in lines:
        if len(line) != 2:
            raise InputError(
                f"Got {', '.join(map(repr, line))} as a pair; expected two columns: write one pair a line, as in a,b."
            )
        i, j = sorted(table.place(each) for each in line)
        if i == j:
            raise InputError(f"Got the pair {line[0]!r}, {line[1]!r}; expected two different columns.")
        chosen[i, j] = None
    if not chosen:
        raise InputError("Got no pairs; expected at least one: write one pair a line, as in a,b.")
    return sorted(chosen)


def _read_pairs(path: Path) -> list[tuple[str, ...]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no UTF-8 text"
        raise InputError(f"Could not read the pairs in {str(path)!r} ({reason}); expected a CSV file.") from None
    rows = [tuple(cell.strip() for cell in row) for row in csv.reader(io.StringIO(text)) if any(row)]
    return rows[1:] if rows and tuple(cell.lower() for cell in rows[0]) in (("x", "y"), ("cause", "effect")) else rows


def cut_tiles(pairs: Pairs, most: int = MOST) -> Iterator[Pairs]:
    """The pairs in parts that share columns: those between one block of columns and another, `most` at a time."""
    by_tile: dict[tuple[int, int], Pairs] = {}
    for i, j in pairs:
        by_tile.setdefault((i // BLOCK, j // BLOCK), []).append((i, j))
    for tile in by_tile.values():
        yield from (tile[k : k + most] for k in range(0, len(tile), most))


def _is_parquet(path: Path) -> bool:
    # A pipe would be emptied by a second look.
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(PARQUET)) == PARQUET


def _digest(column: FloatArray) -> bytes:
    return blake2b(np.ascontiguousarray(column, np.float64).data, digest_size=16).digest()
