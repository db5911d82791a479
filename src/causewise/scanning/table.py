"""The columns of a table that can be judged, and why the others cannot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from causewise.column_types import Kind, tally, unfit
from causewise.errors import InputError
from causewise.pair import MIN_ROWS, FloatArray, as_column, has_date_note
from causewise.scanning.adjusting import Adjustment
from causewise.scanning.mapped import ColumnStore, MappedColumns
from causewise.tables import table_from
from causewise.tables.choose import ColumnTable, listed, position

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how many pairs or columns are done, and of how many."""


@dataclass(frozen=True, eq=False)
class ScanTable:
    """Columns of numbers, side by side; what is missing is NaN."""

    names: tuple[str, ...]
    values: FloatArray | MappedColumns
    """One line a column; of a large table on disk."""
    left_out: Mapping[str, str]
    """Columns that cannot be judged, with the reason."""
    every: tuple[str, ...]
    """Names of all columns, those too that were not asked for."""
    kinds: Mapping[str, Kind]
    """What each column is, before it is adjusted."""
    notes: Mapping[str, tuple[str, ...]]
    """By column, what had to be understood to make numbers of it; of most columns nothing."""
    adjusted: tuple[str, ...] = ()
    """Columns that all others are adjusted for."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.values.shape[1]

    def place(self, wanted: str | int) -> int:
        """Where a column stands among those that are judged, given by its name or number in the whole table."""
        name = self.every[position(self.every, wanted)]
        if name not in self.names:
            why = self.left_out.get(name, "it is not among the columns asked for")
            raise InputError(
                f"Got the column {name!r} in a pair, and {why}; expected one that is judged{listed(self.names)}."
            )
        return self.names.index(name)


def scan_table(
    data: Any,
    wanted: Sequence[str | int] | None = None,
    adjust: Sequence[str | int] = (),
    tell: OnProgress = lambda what, done, of: None,
    **asked: Any,
) -> ScanTable:
    """Read the columns `wanted`, or all that numbers can be made of, one after the other, adjusted for others.

    A column that was named and cannot be judged is refused.
    """
    table, where = table_from(data, **asked)
    others = _distinct(table, adjust)
    chosen, left_out = chosen_columns(table, None if wanted is None else _distinct(table, wanted))
    left_out |= {table.names[k]: "the others are adjusted for it" for k in others}
    read = _columns(table, [*others, *sorted(set(chosen) - set(others))])
    adjustment = _adjustment({name: column for name, column, _ in islice(read, len(others))})
    names: list[str] = []
    kinds, notes = dict[str, Kind](), dict[str, tuple[str, ...]]()
    store = ColumnStore()
    expected = len(set(chosen) - set(others))
    for done, (name, column, said) in enumerate(read, start=1):
        left: FloatArray | str = unfit(column, MIN_ROWS, has_date_note(name, said))
        if not left:
            found = tally(column[~np.isnan(column)])
            left = adjustment.residual(column)
            # What others leave of steps and heaps looks continuous, and is not: no look at a pair would tell.
            if others and not isinstance(left, str) and found.kind in (Kind.BINARY, Kind.LEVELS, Kind.HEAPED):
                left = f"it {found.lump}, and cannot be adjusted"
        if isinstance(left, str):
            if wanted is not None:
                raise InputError(f"Got the column {name!r}, and {left}; expected one that can be judged.")
            left_out[name] = left
        else:
            names.append(name)
            store.add(left)
            kinds[name] = found.kind
            if others and found.is_coarse:
                said = (*said, f"{name!r} takes only {found.distinct} values before it is adjusted.")
            if said:
                notes[name] = said
        if others:  # a fit a column, which may take longer than the scan
            tell("adjusting", done, expected)
    if len(names) < 2:
        reasons = "; ".join(f"{name!r}: {why}" for name, why in list(left_out.items())[:5])
        raise InputError(
            f"Got {len(names)} column{'s' * (len(names) != 1)} that can be judged{listed(names)} in {where}; expected "
            f"at least two{f' ({reasons})' if reasons else ''}: give a table with more columns of numbers."
        )
    return ScanTable(tuple(names), store.values, left_out, tuple(table.names), kinds, notes, adjustment.names)


def chosen_columns(table: ColumnTable, wanted: list[int] | None) -> tuple[list[int], dict[str, str]]:
    """Positions of the columns to read, and by name why the others are left out; all that can be unless told."""
    if wanted is not None:
        return wanted, {}
    places = range(len(table.names))
    return [k for k in places if k not in table.passed_over], {table.names[k]: w for k, w in table.passed_over.items()}


def _distinct(table: ColumnTable, wanted: Sequence[str | int]) -> list[int]:
    chosen = [position(table.names, each) for each in wanted]
    if len(set(chosen)) < len(chosen):
        twice = next(table.names[k] for k in chosen if chosen.count(k) > 1)
        raise InputError(f"Got the column {twice!r} twice; expected every column once: leave one of them out.")
    return chosen


def _columns(table: ColumnTable, places: Sequence[int]) -> Iterator[tuple[str, FloatArray, tuple[str, ...]]]:
    """Name, numbers, and what had to be understood to make them."""
    rows: dict[str, int] = {}
    for k, raw in zip(places, table.each(*places), strict=True):
        name = table.names[k]
        column, said = as_column(raw, name)
        first, count = next(iter(rows.items()), (name, len(column)))
        rows[name] = len(column)
        if len(column) != count:
            raise InputError(
                f"Got {len(column)} values for {name!r} and {count} for {first!r}; expected columns of equal length, "
                "one row per observation."
            )
        yield name, column, (*table.notes(k), *said)


def _adjustment(columns: Mapping[str, FloatArray]) -> Adjustment:
    for name, column in columns.items():
        if why := unfit(column, MIN_ROWS, dated=True):  # a trend along the rows is a thing to adjust for
            raise InputError(f"Got the column {name!r} to adjust for, and {why}; expected numbers that vary.")
    return Adjustment.of(list(columns), list(columns.values()))
