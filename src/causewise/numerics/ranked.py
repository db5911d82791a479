"""The order of a column: one argsort, from which ranks, ties and distinct values follow.

`once(rank_column, column)` finds it once for all that is asked about the column while a pair or a table is scored.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.native import FloatArray

IndexArray = NDArray[np.signedinteger[Any]]
"""Of 32 bits where they suffice: a column's order is held while it is scored."""


@dataclass(frozen=True, eq=False)
class ColumnRanks:
    """How the rows of a column stand to each other; of its values only which are equal, and which larger."""

    order: IndexArray
    """Rows in ascending order; those of equal value in the order of the table."""
    place: IndexArray
    """Of each row, the place of its value among the distinct values, from 0."""
    distinct: int
    """How many distinct values there are."""

    @property
    def has_ties(self) -> bool:
        """Whether a value occurs more than once."""
        return self.distinct < len(self.order)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Rows of each distinct value."""
        return np.bincount(self.place, minlength=self.distinct)

    @property
    def first_rows(self) -> IndexArray:
        """The first row of each distinct value."""
        if not self.has_ties:
            return self.order
        counts = self.counts
        return self.order[np.cumsum(counts) - counts]

    @property
    def mid_ranks(self) -> FloatArray:
        """Ranks 1 … n in which equal values share the mean of their places."""
        if not self.has_ties:
            return np.add(self.place, 1, dtype=np.float64)
        counts = self.counts
        return np.asarray(np.cumsum(counts) - 0.5 * (counts - 1), np.float64)[self.place]


class RowRuns(NamedTuple):
    """The distinct rows of two columns."""

    order: IndexArray
    """Rows by the first column, then the second, then as in the table."""
    starts: NDArray[np.intp]
    """Where each distinct row begins in that order."""


def rank_column(column: FloatArray) -> ColumnRanks:
    """Sort a column once; −0.0 and 0.0 are one value."""
    ranked = _rank_unstably(column)
    if not ranked.has_ties:
        return ranked
    # A stable sort of floating-point numbers takes half as long again, and only ties need one.
    order = _stable_order(ranked.place, ranked.distinct)
    return replace(ranked, order=order.astype(ranked.order.dtype))


def mid_ranks(column: FloatArray) -> FloatArray:
    """Ranks 1 … n in which equal values share the mean of their places."""
    return _rank_unstably(column).mid_ranks


def _rank_unstably(column: FloatArray) -> ColumnRanks:
    """Rows of equal value in any order."""
    n = len(column)
    index: type[np.signedinteger[Any]] = np.int32 if n <= np.iinfo(np.int32).max else np.int64
    order, larger = np.argsort(column), np.zeros(n, bool)
    ordered = column[order]
    np.not_equal(ordered[1:], ordered[:-1], out=larger[1:])
    del ordered
    place: IndexArray = np.empty(n, index)
    place[order] = np.cumsum(larger, dtype=index)
    return ColumnRanks(order.astype(index), place, min(n, 1 + int(np.count_nonzero(larger))))


def order_rows(first: ColumnRanks, second: ColumnRanks) -> IndexArray:
    """Rows by the first column, then the second, then as in the table."""
    if not first.has_ties:
        return first.order
    return second.order[_stable_order(first.place[second.order], first.distinct)]


def find_runs(first: ColumnRanks, second: ColumnRanks) -> RowRuns:
    """Find the rows that are equal in both columns."""
    order = order_rows(first, second)
    a, b = first.place[order], second.place[order]
    return RowRuns(order, np.flatnonzero(np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1]))))


def number_copies(first: ColumnRanks, second: ColumnRanks) -> NDArray[np.intp]:
    """0 for the first row with these two values, 1 for the second, …"""
    n = len(first.order)
    copies = np.zeros(n, np.intp)
    if first.has_ties and second.has_ties:
        order, starts = find_runs(first, second)
        copies[order] = np.arange(n) - np.repeat(starts, np.diff(starts, append=n))
    return copies


def _stable_order(place: IndexArray, distinct: int) -> NDArray[np.intp]:
    # NumPy sorts integers of up to 16 bits in linear time.
    return np.argsort(place.astype(np.min_scalar_type(distinct - 1)), kind="stable")
