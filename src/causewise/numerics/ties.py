"""Equal values spread over their cells: ties are the trace of a recording resolution.

A value stands for its cell, from half-way to the next smaller distinct value to half-way to the next larger one; the
rows recorded with it are spread evenly over the cell, in an order that a caller's keys make random and the same again.
"""

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.native import FloatArray

UnsignedArray = NDArray[np.uint64]


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
