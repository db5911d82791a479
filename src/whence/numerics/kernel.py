"""A one-dimensional Gaussian kernel matrix as a product of thin factors: K ≈ FᵀF with F of some tens of rows.

Pivoted incomplete Cholesky (Fine & Scheinberg 2001): the next pivot is the row worst represented so far, and it
stops when no diagonal entry misses more than `TOLERANCE`. In one dimension the spectrum falls so fast that 20–60 pivots
reach rounding level at any n. Only the pivots are chosen globally; the features at any place follow from them by
forward substitution, so that for a long column no array of n × rank is ever held (see `local_moments`).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-11
BLOCK = 2048
"""A column no longer than this is factored row by row; a longer one through its pivots."""
_SPACING = 0.01
"""Pivot candidates of a long column lie this fraction of a bandwidth apart; the residual is smooth on that scale."""


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
    candidates = column if short else _thinned(np.sort(column), _SPACING * np.sqrt(bandwidth))
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
    missing = np.ones(n)
    chosen = np.empty(n, np.int64)
    factor = np.empty((min(64, n), n))
    rank = 0
    while rank < n:
        pivot = np.argmax(missing)
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
def _thinned(s: FloatArray, spacing: float) -> FloatArray:
    kept = np.empty(len(s))
    kept[0] = s[0]
    count = 1
    for i in range(1, len(s) - 1):
        if s[i] - kept[count - 1] >= spacing:
            kept[count] = s[i]
            count += 1
    if s[-1] > kept[count - 1]:
        kept[count] = s[-1]
        count += 1
    return kept[:count]
