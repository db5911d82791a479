"""The columns of a table that can be judged, and why the others cannot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from whence.pair import LARGEST, MIN_ROWS, FloatArray, InputError, as_column
from whence.scanning.adjusting import Adjustment
from whence.scanning.mapped import ColumnStore, MappedColumns
from whence.tables import table_from
from whence.tables.choose import ColumnTable, listed, position


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
    store: ColumnStore,
    data: Any,
    wanted: Sequence[str | int] | None = None,
    adjust: Sequence[str | int] = (),
    **asked: Any,
) -> ScanTable:
    """Read the columns `wanted`, or all columns of numbers, one after the other, adjusted for others.

    A column that was named and cannot be judged is refused.
    """
    table, where = table_from(data, **asked)
    others = _distinct(table, adjust)
    chosen = list(table.numeric) if wanted is None else _distinct(table, wanted)
    left_out = {name: "it holds no numbers" for k, name in enumerate(table.names) if wanted is None and k not in chosen}
    left_out |= {table.names[k]: "the others are adjusted for it" for k in others}
    read = _columns(table, [*others, *sorted(set(chosen) - set(others))])
    adjustment = _adjustment(dict(islice(read, len(others))))
    names: list[str] = []
    for name, column in read:
        left = _unfit(column) or adjustment.residual(column)
        if isinstance(left, str):
            if wanted is not None:
                raise InputError(f"Got the column {name!r}, and {left}; expected a column of numbers that varies.")
            left_out[name] = left
        else:
            names.append(name)
            store.add(left)
    if len(names) < 2:
        reasons = "; ".join(f"{name!r}: {why}" for name, why in list(left_out.items())[:5])
        raise InputError(
            f"Got {len(names)} column{'s' * (len(names) != 1)} that can be judged{listed(names)} in {where}; expected "
            f"at least two{f' ({reasons})' if reasons else ''}: give a table with more columns of numbers."
        )
    return ScanTable(tuple(names), store.values, left_out, tuple(table.names), adjustment.names)


def _distinct(table: ColumnTable, wanted: Sequence[str | int]) -> list[int]:
    chosen = [position(table.names, each) for each in wanted]
    if len(set(chosen)) < len(chosen):
        twice = next(table.names[k] for k in chosen if chosen.count(k) > 1)
        raise InputError(f"Got the column {twice!r} twice; expected every column once: leave one of them out.")
    return chosen


def _columns(table: ColumnTable, places: Sequence[int]) -> Iterator[tuple[str, FloatArray]]:
    rows: dict[str, int] = {}
    for k, raw in zip(places, table.each(*places), strict=True):
        name = table.names[k]
        column, _ = as_column(raw, name)
        first, count = next(iter(rows.items()), (name, len(column)))
        rows[name] = len(column)
        if len(column) != count:
            raise InputError(
                f"Got {len(column)} values for {name!r} and {count} for {first!r}; expected columns of equal length, "
                "one row per observation."
            )
        yield name, column


def _adjustment(columns: Mapping[str, FloatArray]) -> Adjustment:
    for name, column in columns.items():
        if why := _unfit(column):
            raise InputError(f"Got the column {name!r} to adjust for, and {why}; expected numbers that vary.")
    return Adjustment.of(list(columns), list(columns.values()))


def _unfit(column: FloatArray) -> str:
    """Why a column cannot be judged against any other; empty where it can."""
    present = column[~np.isnan(column)]
    if len(present) < MIN_ROWS:
        return f"it has {len(present)} values where at least {MIN_ROWS} are needed"
    if np.any(np.isinf(present)) or np.max(np.abs(present)) > LARGEST:
        return "it has infinite or too large values"
    return f"it is {present[0]:g} in every row" if np.min(present) == np.max(present) else ""
