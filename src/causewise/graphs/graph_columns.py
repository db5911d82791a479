"""The columns of a table that can stand in a graph, in complete rows, why the others cannot, and constraints on them.

A place is found by the noise that is left, which needs a density: ties of a few equal values are broken within their
cells. Where a value holds a tenth of the rows (few values, counts, point masses) that density would be made up, and
edges are turned round, ties broken or not (`python benchmarks/graph_column_types.py`). A place that is given needs no
density: there such columns are parents and children like all others.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.column_types import ColumnType, Tally, explain_unusable, tally
from causewise.errors import InputError
from causewise.knowledge.background import Knowledge
from causewise.numerics.native import FloatArray
from causewise.numerics.row_sampling import break_ties, scramble
from causewise.pair import Pair, date_note, has_date_note, one_variable, standard_deviation, standardise
from causewise.scanning.table import check_two_columns, choose_columns, read_columns
from causewise.tables import table_from
from causewise.tables.choose import explain_unreadable, find_column, list_names

LEAST_ROWS, ENOUGH_ROWS = 60, 100
"""Fewer do not carry straight lines of a few parents. A column with which fewer than the second number of rows would be
complete, or of a short table two thirds, is left out."""
LEAST_OTHERS = 20
"""Rows that do not hold the commonest value: of fewer, a random part of the rows may have none."""
MOST_COLUMNS = 300
"""The work grows a little faster than they do; it was tried on as many (`python benchmarks/graph_studies.py cost`)."""


BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Background knowledge as matrices; row: the first column of a statement, column: the second."""

    before: BoolArray
    """The first stands before the second; transitive."""
    barred: BoolArray
    """The first is no parent of the second, though it may stand before it."""
    required: BoolArray
    """The first is a parent of the second, whatever the data say."""
    log_odds: FloatArray
    """That the first stands before the second: antisymmetric, 0 where nothing is said."""

    @classmethod
    def none(cls, count: int) -> "Constraints":
        """No background knowledge."""
        return cls(*(np.zeros((count, count), dtype=kind) for kind in (bool, bool, bool, float)))

    @classmethod
    def of(cls, knowledge: Knowledge, names: Sequence[str]) -> "Constraints":
        """What a table's knowledge says about these columns."""
        constraints = cls.none(len(names))
        for (i, first), (j, second) in permutations(enumerate(names), 2):
            constraints.before[i, j] = bool(knowledge.explain_order(first, second))
            constraints.barred[i, j] = (first, second) in knowledge.forbidden
            constraints.required[i, j] = knowledge.requires(first, second)
            odds = knowledge.soft.get((first, second), 0.0)
            constraints.log_odds[i, j] += odds
            constraints.log_odds[j, i] -= odds
        return constraints


@dataclass(frozen=True, eq=False)
class GraphColumns:
    """Columns of numbers without missing values, and background knowledge about them."""

    names: tuple[str, ...]
    values: FloatArray
    """One line a column, in the units of the table."""
    kinds: Mapping[str, ColumnType]
    placed: frozenset[str]
    """Columns that are too coarse to find their place, and stand where it is given."""
    knowledge: Knowledge
    left_out: Mapping[str, str]
    """Columns that cannot be used, with the reason."""
    missing: int
    """Rows that were left out because a value was missing."""
    notes: tuple[str, ...] = ()
    """What was done to columns, a sentence each."""

    def to_canonical(self) -> "GraphColumns":
        """The same columns standardised, such that no result depends on how the table was written down.

        Rows are sorted before anything is summed; units are divided out, and signs turned so that the longer tail is on
        the right; columns are sorted by their mean distance from the middle, which none of these changes.
        """
        columns = {
            name: _upright(standardise(np.sort(column)), column)
            for name, column in zip(self.names, self.values, strict=True)
        }
        names = sorted(columns, key=lambda name: (round(float(np.mean(np.abs(np.sort(columns[name])))), 9), name))
        values = np.array([columns[name] for name in names])
        values = values[:, np.lexsort(values[::-1])]
        tied = [k for k, name in enumerate(names) if name not in self.placed and _has_long_ties(values[k])]
        for k in tied:
            # Broken in the order of the rows, ties would follow the column that the rows are sorted by.
            key = scramble(np.arange(values.shape[1], dtype=np.uint64) + np.uint64(k << 32))
            values[k] = standardise(break_ties(values[k], values[k], key))
        notes = (*self.notes, *_note_ties([names[k] for k in tied]))
        return replace(self, names=tuple(names), values=values, notes=notes)

    def units(self, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Middle and unit of these columns, such that middle + unit · canonical column is the column of the table."""
        columns = [np.sort(self.values[self.names.index(name)]) for name in names]
        signs = [_long_side(standardise(column)) for column in columns]
        deviations = [standard_deviation(column) for column in columns]
        return np.array([np.mean(column) for column in columns]), np.array(signs) * np.array(deviations)

    def constraints(self) -> Constraints:
        """Background knowledge in the order of the columns; where an order is neither given nor found is no edge."""
        constraints = Constraints.of(self.knowledge, self.names)
        placed = np.array([name in self.placed for name in self.names])
        both, either = np.outer(placed, placed), placed[:, None] | placed
        free = ~(constraints.barred | constraints.barred.T)
        loose = (both | (either & free)) & ~(constraints.before | constraints.before.T)
        return replace(constraints, barred=constraints.barred | loose)


def read_graph_columns(
    data: Any,
    wanted: Sequence[str | int] | None = None,
    knowledge: Any = None,
    exclude: Sequence[str | int] = (),
    **asked: Any,
) -> GraphColumns:
    """Read the columns `wanted`, or all that can be used; one that was named and cannot be is refused."""
    table, where = table_from(data, **asked)
    background = Knowledge.of(knowledge, table.names)
    places = None if wanted is None else [find_column(table.names, k) for k in wanted]
    chosen, left_out = choose_columns(table, places, exclude)
    unreadable = dict[str, InputError]()
    named = background.required_columns if wanted is None else table.names
    columns_and_notes = list(read_columns(table, chosen, unreadable, named))
    left_out |= {name: explain_unreadable(problem, name) for name, problem in unreadable.items()}
    read = {name: column for name, column, _ in columns_and_notes}
    dated = {name for name, _, notes in columns_and_notes if has_date_note(name, notes)}
    rows = max(map(len, read.values()), default=LEAST_ROWS)
    if rows < LEAST_ROWS:
        raise InputError(f"Got {rows} rows in {where}; expected at least {LEAST_ROWS}: a graph takes more than a pair.")
    least = max(LEAST_ROWS, min(ENOUGH_ROWS, rows * 2 // 3))
    # Twice, since what is left out must cost no rows, and fewer rows may be of another kind.
    kept = _tally_usable(
        {name: values[~np.isnan(values)] for name, values in read.items()}, dated, background, left_out, least
    )
    complete = _find_complete({name: read[name] for name in kept}, named, where, left_out, least)
    kept = {name: each for name, each in kept.items() if name not in left_out}
    tallies = _tally_usable({name: read[name][complete] for name in kept}, dated, background, left_out, least)
    columns = {name: read[name][complete] for name in tallies}
    for first, second in combinations(tallies, 2):
        if first in columns and second in columns and one_variable(Pair(columns[first], columns[second])):
            left_out[second] = f"it is {first!r} in another unit"
            del columns[second]
    refused = [] if wanted is None else [name for name in read if name in left_out]
    if refused:
        raise InputError(
            f"Got the column {refused[0]!r}, and {left_out[refused[0]]}; expected columns that can be used."
        )
    check_two_columns(list(columns), left_out, unreadable, where)
    if len(columns) > MOST_COLUMNS:
        raise InputError(
            f"Got {len(columns)} columns in {where}; expected at most {MOST_COLUMNS}: choose some of them with columns."
        )
    placed = frozenset(name for name in columns if tallies[name].concentration)
    notes = {note for name, _, notes in columns_and_notes if name in columns for note in notes}
    firm = [name for name in columns if name not in placed]
    for name in placed:
        notes.add(f"{name!r} {tallies[name].concentration}: its place is given, not found.")
        if beside := _find_beside(name, firm, background):
            shown = list_names([repr(other) for other in beside], "", "")
            notes.add(f"Between {name!r} and {shown} no edge is looked for: which comes first is not given.")
    notes |= {
        f"{name!r} holds dates, which no other column causes: with first: [{name}] as knowledge none will."
        for name in columns
        if date_note(name) in notes and not _is_given_as_first(name, list(columns), background)
    }
    return GraphColumns(
        tuple(columns),
        np.array(list(columns.values())),
        {name: tallies[name].column_type for name in columns},
        placed,
        background,
        {name: left_out[name] for name in table.names if name in left_out},
        int(np.count_nonzero(~complete)),
        tuple(sorted(notes)),
    )


def _upright(ordered: FloatArray, column: FloatArray) -> FloatArray:
    """The column with the mean and the scale that its values have in ascending order, its longer tail on the right."""
    rank = np.argsort(np.argsort(column, kind="stable"), kind="stable")
    return ordered[rank] * _long_side(ordered)


def _long_side(ordered: FloatArray) -> float:
    """Whether the longer tail is on the right, 1, or on the left, -1."""
    # Cubes of equal and opposite values cancel in pairs, so that a turned column sums to the same with another sign.
    return 1.0 if math.fsum(ordered**3) >= 0 else -1.0


def _tally_usable(
    columns: Mapping[str, FloatArray],
    dated: Collection[str],
    knowledge: Knowledge,
    left_out: dict[str, str],
    least: int,
) -> dict[str, Tally]:
    """The columns that can be used, with how their values repeat; the reasons of the others are noted down."""
    left_out |= {
        name: why for name, column in columns.items() if (why := explain_unusable(column, least, name in dated))
    }
    tallies = {name: tally(column) for name, column in columns.items() if name not in left_out}
    firm = [name for name, each in tallies.items() if not each.concentration]
    left_out |= {name: why for name, each in tallies.items() if (why := _too_coarse(name, each, firm, knowledge))}
    return {name: each for name, each in tallies.items() if name not in left_out}


def _too_coarse(name: str, values: Tally, firm: Sequence[str], knowledge: Knowledge) -> str:
    """Why a column's steps keep it out of a graph; empty where they do not, or its place among the others is given."""
    if values.n - values.most < LEAST_OTHERS:
        return f"it is {values.common:g} in all but {values.n - values.most} rows"
    if not values.concentration:
        return ""
    if not firm:
        return f"it {values.concentration}: too coarse for a graph, as all other columns are"
    beside = _find_beside(name, firm, knowledge)
    unsettled = [repr(other) for other in firm if other not in beside and _is_open(name, other, knowledge)]
    if not unsettled:
        return ""
    others = "all others is given" if len(unsettled) == len(firm) else f"{list_names(unsettled, '', '')} is given too"
    ways = "knowledge: first, last, tiers or before"
    return f"it {values.concentration}: too coarse for a graph unless its order with {others} ({ways})"


def _find_beside(name: str, others: Sequence[str], knowledge: Knowledge) -> list[str]:
    """The columns that are given as first together with this one: before the same others, and behind none.

    The order of two such columns changes nothing behind them, so it may stay open, as path analysis leaves the
    relations of exogenous variables open. Elsewhere it may not: an edge that nobody looked for would be taken for none.
    """
    behind = [other for other in others if knowledge.explain_order(name, other)]
    if not behind or any(knowledge.explain_order(other, name) for other in others):
        return []
    is_first = {other: all(knowledge.explain_order(other, each) for each in behind) for other in others}
    return [other for other in others if is_first[other] and _is_open(name, other, knowledge)]


def _is_given_as_first(name: str, columns: Sequence[str], knowledge: Knowledge) -> bool:
    """Whether no column may cause this one, but for those that are given as first with it."""
    others = [other for other in columns if other != name]
    beside = _find_beside(name, others, knowledge)
    return all(_excludes(other, name, knowledge) for other in others if other not in beside)


def _excludes(cause: str, effect: str, knowledge: Knowledge) -> bool:
    """Whether it is given that the one does not cause the other."""
    stated = knowledge.on(cause, effect)
    return stated.direction == "y->x" or stated.unrelated


def _is_open(name: str, other: str, knowledge: Knowledge) -> bool:
    """Whether either of two columns may cause the other, as far as is given."""
    return not (_excludes(name, other, knowledge) or _excludes(other, name, knowledge))


def _has_long_ties(column: FloatArray) -> bool:
    """Whether equal values leave gaps: the noise's density is taken from rows √n apart, in parts of the rows too."""
    return int(np.unique(column, return_counts=True)[1].max()) > math.isqrt(len(column)) // 2


def _find_complete(
    columns: Mapping[str, FloatArray], named: Collection[str], where: str, left_out: dict[str, str], least: int
) -> BoolArray:
    """The rows in which no column lacks its value; while they are too few, one that lacks most of its is left out."""
    gaps = {name: np.isnan(column) for name, column in columns.items()}
    while gaps:
        complete = ~np.any(list(gaps.values()), axis=0)
        rows = int(np.count_nonzero(complete))
        if rows >= least:
            return complete
        worst = max(gaps, key=lambda name: (np.count_nonzero(gaps[name]), name))
        lacking = int(np.count_nonzero(gaps.pop(worst)))
        if worst in named or lacking <= len(complete) / 2:
            raise InputError(
                f"Got {rows} complete rows in {where}; expected at least {least}: {worst!r} lacks {lacking} "
                "values, leave it out."
            )
        left_out[worst] = f"it lacks {lacking} values, and with it {rows} rows are complete"
    return np.zeros(0, dtype=bool)


def _note_ties(names: Sequence[str]) -> list[str]:
    """One sentence about all columns whose ties are broken, in the order of their names."""
    listed, has = ", ".join(map(repr, sorted(names))), "has" if len(names) == 1 else "have"
    return [f"{listed} {has} many equal values: ties are broken at random."] if names else []
