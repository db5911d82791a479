"""The rows that are scored: not too many, and without ties.

Every step treats the two columns alike and chooses by ranks alone: exchanging the columns exchanges the result bit for
bit, reflecting a column reflects it bit for bit, and neither units nor the order of the rows change it.

Ties are broken by placing values evenly over their cells, in an order that is a fixed pseudo-random function of the
other column's rank (`numerics/row_sampling.py`). Both columns get the same treatment, so that the coarser of them is
not taken for the simpler one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.columns import once
from causewise.numerics.row_sampling import (
    RankWords,
    UnsignedArray,
    break_ties,
    copy_words,
    rank_words,
    sample_rows,
    scramble,
)
from causewise.pair import FloatArray

MAX_ROWS = 20_000
"""Rows that are scored; beyond, a fixed sample is. Leaving out a tenth of a longer table moves the score little."""


class Rows(NamedTuple):
    """Two columns without ties, and how they were recorded."""

    x: FloatArray
    y: FloatArray
    kept: NDArray[np.intp]
    """Their places in the table."""
    distinct: tuple[int, int]
    """Distinct values of x and of y among them, before ties were broken."""

    @property
    def tied(self) -> bool:
        """Whether there were any ties."""
        return self.distinct != (len(self.kept), len(self.kept))


def prepare_rows(x: FloatArray, y: FloatArray, max_rows: int = MAX_ROWS) -> Rows:
    """Sample, then break ties."""
    kept = sample_rows(x, y, max_rows)
    if len(kept) < len(x):
        x, y = x[kept], y[kept]
    in_x, in_y = once(rank_words, x), once(rank_words, y)
    distinct = (in_x.distinct, in_y.distinct)
    if distinct == (len(x), len(y)):
        return Rows(x, y, kept, distinct)
    copy = copy_words(x, y)
    way_x, way_y = _orientations(in_x, in_y)
    spread_x = way_x * break_ties(way_x * x, way_y * y, _keys(in_x, in_y, copy))
    spread_y = way_y * break_ties(way_y * y, way_x * x, _keys(in_y, in_x, copy))
    return Rows(spread_x, spread_y, kept, distinct)


def _keys(column: RankWords, other: RankWords, copy: UnsignedArray) -> UnsignedArray:
    """The order of this column's tied rows: by the other column's rank and the number of the copy, scrambled.

    The salt is drawn from the table as this column sees it. Without it, copies of a row whose two ranks are as far from
    an end would come in the same order in both columns, along a diagonal of their cell.
    """
    own = np.bincount(column.place)[column.place].astype(np.uint64)  # of two values both are as far from an end
    salt = np.sum(scramble(column.word + own + scramble(other.word)), dtype=np.uint64)
    return scramble(scramble(other.word + copy) + salt)


def _orientations(in_x: RankWords, in_y: RankWords) -> tuple[float, float]:
    """+1 or −1 for each column: the way round in which it is treated, whichever way it was recorded.

    A column that looks the same from either end takes its direction from the other by the sign of their covariance in
    ranks. Averaging over both ways round was rejected: it doubles every fit.
    """
    way_x, way_y = _orientation(in_x, in_y), _orientation(in_y, in_x)
    if way_x and way_y:
        return way_x, way_y
    ranks = [2 * c.place.astype(np.int64) - (c.distinct - 1) for c in (in_x, in_y)]
    together = float(np.sign(np.sum(ranks[0] * ranks[1]))) or 1.0
    return way_x or (way_y or 1.0) * together, way_y or (way_x * together if way_x else 1.0)


def _orientation(column: RankWords, other: RankWords) -> float:
    """From which end the column's cells, each summed up by the words of its rows, read larger; 0 where both agree."""
    sums = np.zeros(column.distinct, np.uint64)
    np.add.at(sums, column.place, scramble(other.word))
    differing = np.flatnonzero(sums != sums[::-1])
    if len(differing) == 0:
        return 0.0
    return 1.0 if sums[differing[0]] > sums[::-1][differing[0]] else -1.0
