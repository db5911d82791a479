"""The columns of a table that can stand in a graph, in complete rows, and why the others cannot.

A place is found by the noise that is left, which needs a density: a few equal values are spread over their cells. Where
a value holds a tenth of the rows (few levels, counts, heaps) that density would be made up, and edges are turned round,
spread or not (`python benchmarks/graph_kinds.py`). A place that is known needs no density: there such columns are
parents and children like all others.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from causewise.column_types import Kind, Tally, tally, unfit
from causewise.errors import InputError
from causewise.graphs.constraints import Constraints
from causewise.knowledge.knowledge import Knowledge
from causewise.numerics.native import FloatArray
from causewise.numerics.row_sampling import break_ties, scramble
from causewise.pair import Pair, as_column, has_date_note, one_variable, standardise
from causewise.scanning.table import chosen_columns
from causewise.tables import table_from
from causewise.tables.choose import listed, position

LEAST_ROWS = 100
"""Fewer do not carry a spline of one parent and its test."""
LEAST_OTHERS = 20
"""Rows that do not hold the commonest value: of fewer, a random part of the rows may have none."""
MOST_COLUMNS = 60
"""The work grows between their square and their cube; it was tried on up to 40."""


@dataclass(frozen=True, eq=False)
class GraphColumns:
    """Columns of numbers without missing values, and what is known of them."""

    names: tuple[str, ...]
    values: FloatArray
    """One line a column, in the units of the table."""
    kinds: Mapping[str, Kind]
    placed: frozenset[str]
    """Columns that are too coarse for a place to be found by, and stand where they are known to."""
    knowledge: Knowledge
    left_out: Mapping[str, str]
    """Columns that cannot be judged, with the reason."""
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
        tied = [k for k, name in enumerate(names) if name not in self.placed and _has_long_ties(values[k])]
        for k in tied:
            # Spread in the order of the rows, equal values would follow the column that the rows are sorted by.
            key = scramble(np.arange(values.shape[1], dtype=np.uint64) + np.uint64(k << 32))
            values[k] = standardise(break_ties(values[k], values[k], key))
        notes = (f"{names[k]!r} has many equal values, which are spread at random to their neighbours'." for k in tied)
        return replace(self, names=tuple(names), values=values, notes=(*self.notes, *notes))

    def constraints(self) -> Constraints:
        """What is known, in the order of the columns; between two whose place is not found there is no edge."""
        known = Constraints.of(self.knowledge, self.names)
        placed = np.array([name in self.placed for name in self.names])
        loose = np.outer(placed, placed) & ~known.before & ~known.before.T
        return replace(known, barred=known.barred | (loose & ~known.required))

    def _named(self) -> list[tuple[str, FloatArray]]:
        return list(zip(self.names, self.values, strict=True))


def graph_columns(
    data: Any, wanted: Sequence[str | int] | None = None, known: Any = None, **asked: Any
) -> GraphColumns:
    """Read the columns `wanted`, or all that can be judged; one that was named and cannot be is refused."""
    table, where = table_from(data, **asked)
    knowledge = Knowledge.of(known, table.names)
    chosen, left_out = chosen_columns(table, None if wanted is None else [position(table.names, k) for k in wanted])
    raw = zip(chosen, table.columns(*chosen), strict=True)
    told = {table.names[k]: as_column(column, table.names[k]) for k, column in raw}
    read = {name: column for name, (column, _) in told.items()}
    if len({len(column) for column in read.values()}) > 1:
        lengths = ", ".join(f"{len(column)} for {name!r}" for name, column in list(read.items())[:5])
        raise InputError(f"Got columns of different lengths ({lengths}); expected one row per observation.")
    rows = max(map(len, read.values()), default=LEAST_ROWS)
    if rows < LEAST_ROWS:
        raise InputError(f"Got {rows} rows in {where}; expected at least {LEAST_ROWS}: a graph takes more than a pair.")
    said = {table.names[k]: (*table.notes(k), *told[table.names[k]][1]) for k in chosen}
    dated = {name for name, notes in said.items() if has_date_note(name, notes)}
    # Twice, since what is left out must cost no rows, and fewer rows may be of another kind.
    kept = _fitting({name: column[~np.isnan(column)] for name, column in read.items()}, dated, knowledge, left_out)
    whole = ~np.any(np.isnan([read[name] for name in kept]), axis=0) if kept else np.zeros(0, dtype=bool)
    if kept and np.count_nonzero(whole) < LEAST_ROWS:
        raise _too_few(int(np.count_nonzero(whole)), {name: read[name] for name in kept}, where)
    found = _fitting({name: read[name][whole] for name in kept}, dated, knowledge, left_out)
    columns = {name: read[name][whole] for name in found}
    _leave_out_copies(columns, left_out)
    refused = [] if wanted is None else [name for name in read if name in left_out]
    if refused:
        raise InputError(
            f"Got the column {refused[0]!r}, and {left_out[refused[0]]}; expected columns that can be judged."
        )
    if not 2 <= len(columns) <= MOST_COLUMNS:
        raise _not_as_many(list(columns), left_out, where)
    places = [table.names.index(name) for name in columns]
    notes = [*table.notes(*places), *(note for name in columns for note in told[name][1])]
    placed = {
        name: f"{name!r} {found[name].lump}: its place is known, not found." for name in columns if found[name].lump
    }
    return GraphColumns(
        tuple(columns),
        np.array(list(columns.values())),
        {name: found[name].kind for name in columns},
        frozenset(placed),
        knowledge,
        left_out,
        int(np.count_nonzero(~whole)),
        tuple(sorted({*notes, *placed.values()})),
    )


def _upright(ordered: FloatArray, column: FloatArray) -> FloatArray:
    """The column with the mean and the scale that its values have in ascending order, its longer tail on the right."""
    rank = np.argsort(np.argsort(column, kind="stable"), kind="stable")
    # Cubes of equal and opposite values cancel in pairs, so that a turned column sums to the same with another sign.
    skew = math.fsum(ordered**3)
    return ordered[rank] if skew >= 0 else -ordered[rank]


def _fitting(
    columns: Mapping[str, FloatArray], dated: Collection[str], knowledge: Knowledge, left_out: dict[str, str]
) -> dict[str, Tally]:
    """The columns that can be judged, with how their values repeat; the reasons of the others are noted down."""
    left_out |= {name: why for name, column in columns.items() if (why := unfit(column, LEAST_ROWS, name in dated))}
    found = {name: tally(column) for name, column in columns.items() if name not in left_out}
    firm = [name for name, each in found.items() if not each.lump]
    left_out |= {name: why for name, each in found.items() if (why := _too_coarse(name, each, firm, knowledge))}
    return {name: each for name, each in found.items() if name not in left_out}


def _too_coarse(name: str, found: Tally, firm: Sequence[str], knowledge: Knowledge) -> str:
    """Why a column's steps keep it out of a graph; empty where they do not, or its place among the others is known."""
    if found.n - found.most < LEAST_OTHERS:
        return f"it is {found.common:g} in all but {found.n - found.most} rows"
    known = (knowledge.on(name, other) for other in firm)
    if not found.lump or (firm and all(each.direction is not None or each.unrelated for each in known)):
        return ""
    return f"it {found.lump}: too coarse for a graph unless its place is stated (known)"


def _has_long_ties(column: FloatArray) -> bool:
    """Whether equal values leave gaps: the noise's density is taken from rows √n apart, in parts of the rows too."""
    return int(np.unique(column, return_counts=True)[1].max()) > math.isqrt(len(column)) // 2


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
