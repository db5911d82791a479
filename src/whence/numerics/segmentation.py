"""Equal-width bins, least squares over runs of them, and the cheapest way to cut the row of bins into runs.

Each bin is kept as the triangular factor R of its rows (1, u, u², u³ | v); the factor of a run follows from stacking
the factors of its bins. Accumulated normal equations would do it in fewer steps, but a narrow bin far from zero makes
them ill conditioned.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DEGREES = 3
WIDTH = DEGREES + 2


@njit(cache=True, nogil=True)
def bin_starts(u: FloatArray, bins: int, support: int, edge: float, cut_ties: bool) -> IntArray:
    """Where the bins of a sorted column begin: equal width, each holding at least `support` distinct values.

    A value no more than `edge` beyond a bin's end still belongs to it. One row passes one end only, even where a gap
    spans several, so that some rows after a gap make up for it; `cut_ties` lets a bin begin between equal values then.
    """
    starts = [0]
    step = (u[-1] - u[0]) / bins
    end = u[0] + step
    passed, distinct = 1, 0
    for i in range(len(u)):
        fresh = i == 0 or u[i] != u[i - 1]
        if u[i] > end + edge and passed < bins:
            if distinct >= support and (fresh or cut_ties):
                starts.append(i)
                distinct = 0
            passed += 1
            end += step
        if fresh or i == starts[-1]:
            distinct += 1
    if distinct < support and len(starts) > 1:
        starts.pop()
    return np.array(starts)


@njit(cache=True, nogil=True)
def bin_factors(u: FloatArray, v: FloatArray, starts: IntArray) -> FloatArray:
    """Triangular factors of the polynomial least-squares problems of the bins that begin at `starts`."""
    bins = len(starts)
    factors = np.zeros((bins, WIDTH, WIDTH))
    row = np.empty(WIDTH)
    for b in range(bins):
        last = starts[b + 1] if b + 1 < bins else len(u)
        for i in range(starts[b], last):
            row[0] = 1.0
            for d in range(1, DEGREES + 1):
                row[d] = row[d - 1] * u[i]
            row[WIDTH - 1] = v[i]
            _rotate_in(factors[b], row, 0)
    return factors


@njit(cache=True, nogil=True)
def cheapest_cut(factors: FloatArray, sizes: IntArray, degrees: int, slack: float, penalty: float) -> float:
    """Smallest total cost over all ways to cut the bins into runs, cost(run) as in `_run_cost`: O(bins²) merges."""
    bins = len(sizes)
    best = np.full(bins + 1, np.inf)
    best[0] = 0.0
    for first in range(bins):
        merged = factors[first].copy()
        size = sizes[first]
        for last in range(first + 1, bins + 1):
            best[last] = min(best[last], best[first] + _run_cost(merged, size, degrees, slack, penalty))
            if last < bins:
                size += sizes[last]
                for r in range(WIDTH):
                    _rotate_in(merged, factors[last, r].copy(), r)
    return float(best[bins])


@njit(cache=True, nogil=True)
def _run_cost(factor: FloatArray, size: int, degrees: int, slack: float, penalty: float) -> float:
    """Minimum over the degree d = 1 … degrees of size·log₂((squared error + slack)/size) + (d + 2)·penalty."""
    cost = np.inf
    for d in range(1, degrees + 1):
        error = np.sum(factor[d + 1 :, WIDTH - 1] ** 2)
        cost = min(cost, size * np.log2((error + slack) / size) + (d + 2) * penalty)
    return cost


@njit(cache=True, nogil=True)
def _rotate_in(factor: FloatArray, row: FloatArray, start: int) -> None:
    """Givens rotations that bring one more row, zero before `start`, into the triangle; `row` is used up."""
    for j in range(start, WIDTH):
        if row[j] == 0.0:
            continue
        length = np.sqrt(factor[j, j] ** 2 + row[j] ** 2)
        cos, sin = factor[j, j] / length, row[j] / length
        for k in range(j, WIDTH):
            above, below = factor[j, k], row[k]
            factor[j, k] = cos * above + sin * below
            row[k] = cos * below - sin * above
