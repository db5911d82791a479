"""Fixed pseudo-random choices among the rows of two columns: a sample of them, and an order of tied ones.

All choices are functions of ranks, and treat the two columns alike: neither units nor the order of the rows change
them, exchanging the columns exchanges the result bit for bit, and reflecting a column reflects it.

Ties are broken by placing values evenly over their cells, in an order that is a fixed pseudo-random function of the
other column's rank. Both columns get the same treatment, so that the coarser of them is not taken for the simpler one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.columns import once
from causewise.numerics.native import FloatArray
from causewise.numerics.ranked import IndexArray, number_copies, rank_column

UnsignedArray = NDArray[np.uint64]


class RankWords(NamedTuple):
    """Each row's place among a column's distinct values, and a word per row that reflection does not change."""

    distinct: int
    place: IndexArray
    word: UnsignedArray


def rank_words(column: FloatArray) -> RankWords:
    """Ranks are counted from the nearer end in the word, so that turning a scale upside down changes nothing."""
    ranked = once(rank_column, column)
    from_end = np.minimum(ranked.place, ranked.distinct - 1 - ranked.place).astype(np.uint64)
    return RankWords(ranked.distinct, ranked.place, scramble(from_end))


def copy_words(x: FloatArray, y: FloatArray) -> UnsignedArray:
    """A word per row that tells the copies of a row apart."""
    return scramble(number_copies(once(rank_column, x), once(rank_column, y)).view(np.uint64))


def sample_rows(x: FloatArray, y: FloatArray, max_rows: int, seed: int | None = None) -> NDArray[np.intp]:
    """Indices of about `max_rows` rows with the smallest keys; the key is a scramble of both ranks together.

    Another seed scrambles otherwise; the sample without a seed is fixed.
    """
    if len(x) <= max_rows:
        return np.arange(len(x))
    # A sum, so that the two columns count alike; copies of a row get keys of their own.
    key = rank_words(x).word + rank_words(y).word + copy_words(x, y)
    if seed is not None:
        key += scramble(np.array([seed], np.uint64))
    key = scramble(key)
    return np.flatnonzero(key <= np.partition(key, max_rows - 1)[max_rows - 1])


def break_ties(column: FloatArray, other: FloatArray, key: UnsignedArray) -> FloatArray:
    """Place tied values evenly over their cells, in the order of the keys; a lone value stays where it is.

    Ties are the trace of a recording resolution: a value stands for its cell, from half-way to the next smaller
    distinct value to half-way to the next larger one. Equal keys (ranks as far from either end) are told apart by the
    other column's value.
    """
    order = np.lexsort((other, key, column))
    ordered = column[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] > ordered[:-1])))
    if len(starts) == len(ordered):
        return column
    counts = np.diff(np.append(starts, len(ordered)))
    gaps = np.diff(ordered[starts])
    left, right = np.concatenate((gaps[:1], gaps)) / 2, np.concatenate((gaps, gaps[-1:])) / 2
    start, count, below, width = (np.repeat(each, counts) for each in (starts, counts, left, left + right))
    place = (np.arange(len(ordered)) - start + 0.5) / count
    out = np.empty_like(column)
    out[order] = ordered + np.where(count > 1, place * width - below, 0.0)
    return out


def scramble(keys: UnsignedArray) -> UnsignedArray:
    """A fixed bijection of 64-bit words that looks random (Steele et al. 2014, splitmix64)."""
    z = keys * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


# ---- the rows that are scored

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
