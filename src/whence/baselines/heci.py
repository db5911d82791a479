"""HECI: the direction with the shorter code for the effect as a piecewise polynomial of the cause.

Xu, Mian, Marx and Vreeken (ICML 2022): both columns on [0, 1]; the cause is cut into equal-width bins; neighbouring
bins are merged so that the sum over the pieces of N·log₂(squared error / N) + (degree + 2)·log₂ n is least, each piece
with its own polynomial and its own noise.
"""

from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.arrays import minmax, unit_magnitude, zscore
from whence.numerics.linear import rotate_in
from whence.pair import FloatArray, row_order
from whence.protocol import Directional, Method
from whence.ranges import ROWS, SIZES, between, positive

IntArray = NDArray[np.int64]

DEGREES = 3
EDGE = 1e-9
"""A value this close to the end of a bin is on it; on rounded columns only rounding would tell the sides apart."""


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    bins: int = 20,
    support: int = 10,
    error_floor: float = 1e-4,
    published: bool = False,
) -> float:
    """Minus the length in bits of the effect's code given the cause."""
    if published:  # it was run on standardised columns, and their last bits place rounded values into bins
        cause, effect = zscore(cause), zscore(effect)
    order = row_order(cause, effect)
    u, v = minmax(unit_magnitude(cause[order])), minmax(unit_magnitude(effect[order]))
    starts = bin_starts(u, bins, support, 0.0 if published else EDGE, published)
    sizes = np.diff(np.append(starts, len(u)))
    degrees = min(DEGREES, int(np.count_nonzero(np.diff(u))))  # one less than the number of distinct values
    return -cheapest_cut(*bin_factors(u, v, starts), sizes, degrees, error_floor, np.log2(len(u)))


def heci(bins: int = 20, support: int = 10, error_floor: float = 1e-4, published: bool = False) -> Method:
    """HECI; `published` places values at the ends of bins by their last bit and may cut between equal values."""
    settings: dict[str, Any] = {
        "bins": bins,
        "support": support,
        "error_floor": error_floor,
        "published": published,
    }
    between("heci", *SIZES, bins=bins)
    between("heci", *ROWS, support=support)
    positive("heci", error_floor=error_floor)
    return Directional("heci", partial(score, **settings), settings)


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
def bin_factors(u: FloatArray, v: FloatArray, starts: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of each bin's least-squares cubic: the triangular factor in band storage, its right-hand side, the squared error.

    The factor of a run of bins follows from rotating their factors together.
    """
    # Accumulated normal equations would take fewer steps, but a narrow bin far from zero makes them ill conditioned.
    bins, width = len(starts), DEGREES + 1
    triangles, rights, errors = np.zeros((bins, width, width)), np.zeros((bins, width)), np.zeros(bins)
    row = np.empty(width)
    for b in range(bins):
        last = starts[b + 1] if b + 1 < bins else len(u)
        for i in range(starts[b], last):
            row[0] = 1.0
            for d in range(1, width):
                row[d] = row[d - 1] * u[i]
            errors[b] += rotate_in(triangles[b], rights[b], 0, row, v[i]) ** 2
    return triangles, rights, errors


@njit(cache=True, nogil=True)
def cheapest_cut(
    triangles: FloatArray,
    rights: FloatArray,
    errors: FloatArray,
    sizes: IntArray,
    degrees: int,
    slack: float,
    penalty: float,
) -> float:
    """Smallest total cost over all ways to cut the bins into runs, cost(run) as in `_run_cost`: O(bins²) merges."""
    bins = len(sizes)
    best = np.full(bins + 1, np.inf)
    best[0] = 0.0
    for first in range(bins):
        triangle, right, error, size = triangles[first].copy(), rights[first].copy(), errors[first], sizes[first]
        for last in range(first + 1, bins + 1):
            best[last] = min(best[last], best[first] + _run_cost(right, error, size, degrees, slack, penalty))
            if last < bins:
                size += sizes[last]
                error += errors[last]
                for r in range(len(right)):
                    error += rotate_in(triangle, right, r, triangles[last, r].copy(), rights[last, r]) ** 2
    return float(best[bins])


@njit(cache=True, nogil=True)
def _run_cost(right: FloatArray, error: float, size: int, degrees: int, slack: float, penalty: float) -> float:
    """Minimum over the degree d = 1 … degrees of size·log₂((squared error + slack)/size) + (d + 2)·penalty."""
    cost = np.inf
    for d in range(1, degrees + 1):
        missed = error + np.sum(right[d + 1 :] ** 2)
        cost = min(cost, size * np.log2((missed + slack) / size) + (d + 2) * penalty)
    return cost
