"""A one-dimensional Gaussian kernel matrix as a product of thin factors: K ≈ FᵀF with F of some tens of rows.

Pivoted incomplete Cholesky (Fine & Scheinberg 2001): the next pivot is the row worst represented so far, and it
stops when no diagonal entry misses more than `TOLERANCE`. In one dimension the spectrum falls so fast that 20–60 pivots
reach rounding level at any n. Only the pivots are chosen globally; the features at any place follow from them by
forward substitution, so that for a long column no array of n × rank is ever held (see `local_moments`).

Of rows represented alike, as all are at first, the one nearest the mean is taken: neither the order of the rows nor the
sign of the column has a say.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-11
BLOCK = 2048
"""A column no longer than this is factored row by row; a longer one through its pivots."""
_CELL = 0.02
"""Pivot candidates of a long column are the ends of cells of this fraction of a bandwidth; the residual is smooth on
that scale."""
_ALIKE = 1e-14
"""Rows that miss as much but for this are alike but for rounding."""


class KernelPivots(NamedTuple):
    """Kernel exp(−d²/bandwidth) restricted to the span of `len(points)` pivots; `triangle` is their Cholesky factor."""

    points: FloatArray
    triangle: FloatArray
    bandwidth: float
    factor: FloatArray | None = None
    """The features of the column's own rows, when it is short enough for them to be at hand."""


def choose_pivots(column: FloatArray, bandwidth: float, tolerance: float = TOLERANCE) -> KernelPivots:
    """Pivots that represent every row of the column to `tolerance`."""
    short = len(column) <= BLOCK
    candidates = column if short else _thinned(np.sort(column), _CELL * np.sqrt(bandwidth))
    chosen, factor = _pivoted_cholesky(candidates, bandwidth, tolerance)
    triangle = np.ascontiguousarray(factor[:, chosen].T)
    return KernelPivots(candidates[chosen], triangle, bandwidth, factor if short else None)


def features(column: FloatArray, pivots: KernelPivots) -> FloatArray:
    """The factor F (rank × rows) with FᵀF ≈ K for these rows."""
    out = np.empty((len(pivots.points), len(column)))
    _fill_features(column, pivots.points, pivots.triangle, pivots.bandwidth, out)
    return out


@njit(cache=True, nogil=True)
def _fill_features(v: FloatArray, z: FloatArray, triangle: FloatArray, bandwidth: float, out: FloatArray) -> None:
    """Forward substitution for all rows side by side."""
    n = len(v)
    for k in range(len(z)):
        row = out[k]
        for i in range(n):
            row[i] = np.exp(-(v[i] - z[k]) * (v[i] - z[k]) / bandwidth)
        for j in range(k):
            weight = triangle[k, j]
            for i in range(n):
                row[i] -= weight * out[j, i]
        inverse = 1.0 / triangle[k, k]
        for i in range(n):
            row[i] *= inverse


@njit(cache=True, nogil=True)
def _pivoted_cholesky(v: FloatArray, bandwidth: float, tolerance: float) -> tuple[NDArray[np.int64], FloatArray]:
    n = len(v)
    missing, away = np.ones(n), np.abs(v - np.mean(v))
    chosen = np.empty(n, np.int64)
    factor = np.empty((min(64, n), n))
    rank = 0
    while rank < n:
        pivot = _worst(missing, away)
        if missing[pivot] <= tolerance:
            break
        if rank == len(factor):
            larger = np.empty((min(2 * rank, n), n))
            larger[:rank] = factor
            factor = larger
        root = np.sqrt(missing[pivot])
        row = factor[rank]
        for i in range(n):
            row[i] = np.exp(-(v[i] - v[pivot]) * (v[i] - v[pivot]) / bandwidth)
        for j in range(rank):
            weight = factor[j, pivot]
            for i in range(n):
                row[i] -= weight * factor[j, i]
        for i in range(n):
            row[i] /= root
            missing[i] -= row[i] * row[i]
        missing[pivot] = 0.0
        chosen[rank] = pivot
        rank += 1
    return chosen[:rank], factor[:rank]


@njit(cache=True, nogil=True)
def _worst(missing: FloatArray, away: FloatArray) -> int:
    """The row that misses most; of several alike the one least far away."""
    most = missing[0]
    for i in range(len(missing)):
        most = max(most, missing[i])
    best = -1
    for i in range(len(missing)):
        if missing[i] >= most - _ALIKE and (best < 0 or away[i] < away[best]):
            best = i
    return best


@njit(cache=True, nogil=True)
def _thinned(s: FloatArray, width: float) -> FloatArray:
    """The first and the last value in every cell of a grid that is its own mirror image about the mean."""
    kept, count = np.empty(len(s)), 0
    middle = np.mean(s)
    left, here = -np.inf, np.rint((s[0] - middle) / width)
    for i in range(len(s)):
        right = np.rint((s[i + 1] - middle) / width) if i + 1 < len(s) else np.inf
        if here != left or here != right:
            kept[count] = s[i]
            count += 1
        left, here = here, right
    return kept[:count]
