"""Fixed pseudo-random choices among the rows of two columns: a sample of them, and an order of tied ones.

All choices are functions of ranks, and treat the two columns alike: neither units, nor the order of the rows, nor which
column comes first, nor reflecting a column has a say in them.
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
