"""The columns of a table that can stand in a graph, in complete rows, and why the others cannot."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from whence.numerics.native import FloatArray
from whence.pair import LARGEST, InputError, Pair, as_column, one_variable, standardise
from whence.tables import table_from
from whence.tables.choose import listed, position

LEAST_ROWS = 100
"""Fewer do not carry a spline of one parent and its test."""
MOST_TIES = 0.1
"""Share of the rows that may hold one value."""
MOST_COLUMNS = 60
"""The work grows between their square and their cube; it was tried on up to 40."""


@dataclass(frozen=True, eq=False)
class GraphColumns:
    """Columns of numbers without missing values."""

    names: tuple[str, ...]
    values: FloatArray
    """One line a column, in the units of the table."""
    left_out: Mapping[str, str]
    """Columns that cannot be judged, with the reason."""
    every: tuple[str, ...]
    """Names of all columns, those too that were not asked for."""
    missing: int
    """Rows that were left out because a value was missing."""
    notes: tuple[str, ...] = ()
    """What was done to columns, a sentence each."""

    def canonical(self) -> "GraphColumns":
        """The same columns standardised, such that nothing found of them depends on how the table was written down.

        Rows are sorted before anything is summed; units are divided out, and signs turned so that the longer tail is on
        the right; columns are sorted by their mean distance from the middle, which none of these changes.
        """
        columns = {name: _upright(standardise(np.sort(column)), column) for name, column in self._named()}
        names = sorted(columns, key=lambda name: (round(float(np.mean(np.abs(np.sort(columns[name])))), 9), name))
        values = np.array([columns[name] for name in names])
        values = values[:, np.lexsort(values[::-1])]
        tied = {name: k for k, name in enumerate(names) if _longest_tie(values[k]) > _few(values.shape[1])}
        for k in tied.values():
            values[k] = standardise(_untied(values[k], k))
        notes = tuple(
            f"{name!r} has many equal values, which are spread at random to their neighbours'." for name in tied
        )
        return GraphColumns(tuple(names), values, self.left_out, self.every, self.missing, (*self.notes, *notes))

    def _named(self) -> list[tuple[str, FloatArray]]:
        return list(zip(self.names, self.values, strict=True))


def graph_columns(data: Any, wanted: Sequence[str | int] | None = None, **asked: Any) -> GraphColumns:
    """Read the columns `wanted`, or all columns of numbers; one that was named and cannot be judged is refused."""
    table, where = table_from(data, **asked)
    chosen = list(table.numeric) if wanted is None else [position(table.names, each) for each in wanted]
    left_out = {name: "it holds no numbers" for k, name in enumerate(table.names) if wanted is None and k not in chosen}
    raw = zip(chosen, table.columns(*chosen), strict=True)
    told = {table.names[k]: as_column(column, table.names[k]) for k, column in raw}
    read, notes = {name: column for name, (column, _) in told.items()}, {name: said for name, (_, said) in told.items()}
    if len({len(column) for column in read.values()}) > 1:
        lengths = ", ".join(f"{len(column)} for {name!r}" for name, column in list(read.items())[:5])
        raise InputError(f"Got columns of different lengths ({lengths}); expected one row per observation.")
    kept = _fitting({name: column[~np.isnan(column)] for name, column in read.items()}, left_out)
    whole = ~np.any(np.isnan([read[name] for name in kept]), axis=0) if kept else np.zeros(0, dtype=bool)
    if kept and np.count_nonzero(whole) < LEAST_ROWS:
        raise _too_few(int(np.count_nonzero(whole)), {name: read[name] for name in kept}, where)
    columns = {name: read[name][whole] for name in _fitting({name: read[name][whole] for name in kept}, left_out)}
    _leave_out_copies(columns, left_out)
    refused = [] if wanted is None else [name for name in read if name in left_out]
    if refused:
        raise InputError(
            f"Got the column {refused[0]!r}, and {left_out[refused[0]]}; expected columns of numbers with a density."
        )
    if not 2 <= len(columns) <= MOST_COLUMNS:
        raise _not_as_many(list(columns), left_out, where)
    values = np.array(list(columns.values()))
    said = tuple(note for name in columns for note in notes[name])
    return GraphColumns(tuple(columns), values, left_out, tuple(table.names), int(np.count_nonzero(~whole)), said)


def _upright(ordered: FloatArray, column: FloatArray) -> FloatArray:
    """The column with the mean and the scale that its values have in ascending order, its longer tail on the right."""
    rank = np.argsort(np.argsort(column, kind="stable"), kind="stable")
    # Cubes of equal and opposite values cancel in pairs, so that a turned column sums to the same with another sign.
    skew = math.fsum(ordered**3)
    return ordered[rank] if skew >= 0 else -ordered[rank]


def _fitting(columns: Mapping[str, FloatArray], left_out: dict[str, str]) -> list[str]:
    """Names of the columns that can be judged; the reasons of the others are noted down."""
    left_out |= {name: why for name, column in columns.items() if (why := _unfit(column))}
    return [name for name in columns if name not in left_out]


def _unfit(column: FloatArray) -> str:
    if len(column) < LEAST_ROWS:
        return f"it has {len(column)} values where at least {LEAST_ROWS} are needed"
    if np.any(np.isinf(column)) or np.max(np.abs(column)) > LARGEST:
        return "it has infinite or too large values"
    values, times = np.unique(column, return_counts=True)
    if times.max() > MOST_TIES * len(column):
        often = f"{times.max()} of its {len(column)} rows hold {values[times.argmax()]:g}"
        return f"{often}, and noise with such steps has no density"
    return ""


def _longest_tie(column: FloatArray) -> int:
    return int(np.unique(column, return_counts=True)[1].max())


def _few(rows: int) -> int:
    """Equal values that leave gaps: the noise's density is taken from rows √n apart, in parts of the rows too."""
    return math.isqrt(rows) // 2


def _untied(column: FloatArray, seed: int) -> FloatArray:
    """Equal values spread over the room half way to their neighbours, as if their last digit had not been lost.

    At random: spread in the order of the rows, they would follow the column that the rows are sorted by.
    """
    values, place, times = np.unique(column, return_inverse=True, return_counts=True)
    edges = np.concatenate([[values[0]], (values[1:] + values[:-1]) / 2, [values[-1]]])
    # The first and the last have a neighbour on one side alone, and get the same room on the other.
    edges[0], edges[-1] = 2 * values[0] - edges[1], 2 * values[-1] - edges[-2]
    drawn = edges[place] + np.diff(edges)[place] * np.random.default_rng(seed).uniform(size=len(column))
    return np.where(times[place] > 1, drawn, column)


def _leave_out_copies(columns: dict[str, FloatArray], left_out: dict[str, str]) -> None:
    for first, second in combinations(list(columns), 2):
        if first in columns and second in columns and one_variable(Pair(columns[first], columns[second])):
            left_out[second] = f"it is {first!r} in another unit"
            del columns[second]


def _too_few(rows: int, columns: Mapping[str, FloatArray], where: str) -> InputError:
    worst = max(columns, key=lambda name: np.count_nonzero(np.isnan(columns[name])))
    lacking = int(np.count_nonzero(np.isnan(columns[worst])))
    most = f": {worst!r} lacks {lacking} values, leave it out" if lacking else ""
    return InputError(f"Got {rows} complete rows in {where}; expected at least {LEAST_ROWS}{most}.")


def _not_as_many(names: list[str], left_out: Mapping[str, str], where: str) -> InputError:
    if len(names) > MOST_COLUMNS:
        return InputError(
            f"Got {len(names)} columns in {where}; expected at most {MOST_COLUMNS}: choose some of them with columns."
        )
    reasons = "; ".join(f"{name!r}: {why}" for name, why in list(left_out.items())[:5])
    return InputError(
        f"Got {len(names)} column{'s' * (len(names) != 1)} that can be judged{listed(names)} in {where}; expected at "
        f"least two{f' ({reasons})' if reasons else ''}: give a table with more columns of numbers."
    )
