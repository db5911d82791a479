"""Ranks of a column with ties, shared or broken, and an order of two columns of ranks that nobody chose."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def random_tie_ranks(column: FloatArray, tie_breaks: FloatArray) -> FloatArray:
    """Ranks 1 … n with ties in the order of `tie_breaks`, as in R's `rank(ties.method = "random")`."""
    ranks = np.empty(len(column))
    ranks[np.lexsort((tie_breaks, column))] = np.arange(1, len(column) + 1)
    return ranks


def mid_ranks(column: FloatArray) -> FloatArray:
    """Ranks 1 … n in which equal values share the mean of their places."""
    _, place, count = np.unique(column, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - 0.5 * (count - 1))[place]


def comes_first(a: FloatArray, b: FloatArray) -> int:
    """An order of two columns of ranks that does not depend on who asks or how rows are sorted: 1, −1, or 0 if alike.

    Asked first are two moments that do not change when a column is reflected. If they are the same both ways, columns
    are compared as words: the rows sorted by (a, b) against the same with the columns exchanged. The sign flips with
    them.
    """
    moments = _moments(a, b), _moments(b, a)
    if moments[0] != moments[1]:
        return 1 if moments[0] < moments[1] else -1
    one, other = np.lexsort((b, a)), np.lexsort((a, b))
    for left, right in ((a[one], b[other]), (b[one], a[other])):
        differs = np.flatnonzero(left != right)
        if len(differs):
            return 1 if left[differs[0]] < right[differs[0]] else -1
    return 0


def _moments(a: FloatArray, b: FloatArray) -> tuple[int, int]:
    """|Σ A²B| and |Σ A³B| for ranks doubled and counted from the middle: whole numbers, whose order cannot matter."""
    u, v = ((2.0 * column - (len(column) + 1)).astype(np.int64) for column in (a, b))
    term = u * u * v
    return abs(int(np.sum(term))), abs(int(np.sum(u * term)))
