"""Rows in one order, not too many, and without ties: what every channel of the combined method sees.

All three steps treat the two columns alike, and know ranks only where they choose: swapping the columns swaps the
result bit for bit, and neither units nor the order of the rows change it.

Ties are the trace of a recording resolution. A value stands for its cell, from half-way to the next smaller distinct
value to half-way to the next larger one; the rows recorded with it are spread evenly over the cell, in an order that
is a fixed pseudo-random function of the other column's rank. Both columns get the same treatment, so that the coarser
of them is not taken for the simpler one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.pair import FloatArray

MAX_ROWS = 2000
"""Rows the channels look at; tests saturate and cost grows beyond."""

UnsignedArray = NDArray[np.uint64]


class Columns(NamedTuple):
    """Two columns without ties, and how the pair was recorded."""

    x: FloatArray
    y: FloatArray
    n: int
    """Rows of the pair before thinning."""
    distinct: tuple[int, int]
    """Distinct values of x and of y before thinning."""


def resolved(x: FloatArray, y: FloatArray, max_rows: int = MAX_ROWS) -> Columns:
    """Thin, then spread ties."""
    n, distinct = len(x), (len(np.unique(x)), len(np.unique(y)))
    kept = thinned(x, y, max_rows)
    x, y = x[kept], y[kept]
    copy = _copies(x, y)
    return Columns(spread(x, y, _key(y, copy)), spread(y, x, _key(x, copy)), n, distinct)


def thinned(x: FloatArray, y: FloatArray, max_rows: int) -> NDArray[np.intp]:
    """Indices of about `max_rows` rows with the smallest keys; the key is a fixed scramble of both ranks together."""
    if len(x) <= max_rows:
        return np.arange(len(x))
    copy = _copies(x, y)
    key = scrambled(_key(x, copy) + _key(y, copy))
    return np.flatnonzero(key <= np.partition(key, max_rows - 1)[max_rows - 1])


def spread(column: FloatArray, other: FloatArray, key: UnsignedArray) -> FloatArray:
    """Tied values spread evenly over their cells, in the order of the keys; a lone value stays where it is.

    Equal keys (ranks as far from either end) are told apart by the other column's value.
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


def scrambled(keys: UnsignedArray) -> UnsignedArray:
    """A fixed bijection of 64-bit words that looks random (Steele et al. 2014, splitmix64)."""
    z = keys * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _key(column: FloatArray, copy: UnsignedArray) -> UnsignedArray:
    """A word per row from its rank in the column and its number among the rows that equal it in both columns.

    Ranks are counted from the nearer end, so that turning a scale upside down changes nothing.
    """
    values, rank = np.unique(column, return_inverse=True)
    from_end = np.minimum(rank, len(values) - 1 - rank).astype(np.uint64)
    return scrambled(scrambled(from_end) + copy)


def _copies(x: FloatArray, y: FloatArray) -> UnsignedArray:
    """0 for the first row with these two values, 1 for the second, …"""
    order = np.lexsort((y, x))
    a, b = x[order], y[order]
    new = np.concatenate(([True], (a[1:] > a[:-1]) | (b[1:] > b[:-1])))
    starts = np.flatnonzero(new)
    out = np.empty(len(x), dtype=np.uint64)
    out[order] = np.arange(len(x)) - starts[np.cumsum(new) - 1]
    return out
