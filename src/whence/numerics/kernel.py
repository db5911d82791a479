"""Gaussian kernel matrices as products of thin factors: K ≈ FᵀF with F of some tens of rows.

Pivoted incomplete Cholesky (Fine & Scheinberg 2001): the next pivot is the row worst represented so far, and it
stops when no diagonal entry misses more than `TOLERANCE`. In one dimension the spectrum falls so fast that 20–60 pivots
reach rounding level at any n. Only the pivots are chosen globally; the features at any place follow from them by
forward substitution, so that for a long column no array of n × rank is ever held (see `hsic.chebyshev`).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from whence.native import FloatArray, IntArray

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


def choose_pivots(
    column: FloatArray, bandwidth: float, tolerance: float = TOLERANCE, ordered: FloatArray | None = None
) -> KernelPivots:
    """Pivots that represent every row of the column to `tolerance`; `ordered` is the column sorted, where at hand."""
    short = len(column) <= BLOCK
    spaced = np.sort(column) if ordered is None else ordered
    candidates = column if short else _thinned(spaced, _CELL * np.sqrt(bandwidth))
    # Of rows represented alike, as all are at first, the one nearest the mean is taken: neither the order of the rows
    # nor the sign of the column has a say.
    away = np.abs(candidates - np.mean(candidates))
    chosen, factor = pivoted_cholesky(candidates[None], bandwidth, tolerance, away, _ALIKE)
    triangle = np.ascontiguousarray(factor[:, chosen].T)
    return KernelPivots(candidates[chosen], triangle, bandwidth, factor if short else None)


def kernel_factor(points: FloatArray, tolerance: float) -> FloatArray:
    """The factor F (rank × n) with FᵀF ≈ exp(−½ |pᵢ − pⱼ|²) for points (n × dimensions), to `tolerance` at each."""
    return pivoted_cholesky(np.ascontiguousarray(points.T), 2.0, tolerance, np.zeros(len(points)), 0.0)[1]


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
def pivoted_cholesky(
    points: FloatArray, bandwidth: float, tolerance: float, away: FloatArray, alike: float
) -> tuple[IntArray, FloatArray]:
    """Pivots among the `points` (dimensions × n) and the factor F (rank × n) with FᵀF ≈ exp(−|d|²/bandwidth).

    The next pivot is the row that misses most; of several that miss as much but for `alike`, the least far `away`.
    """
    dimensions, n = points.shape
    missing = np.ones(n)
    chosen = np.empty(n, np.int64)
    factor = np.empty((min(64, n), n))
    rank = 0
    while rank < n:
        pivot = _worst(missing, away, alike)
        if missing[pivot] <= tolerance:
            break
        if rank == len(factor):
            larger = np.empty((min(2 * rank, n), n))
            larger[:rank] = factor
            factor = larger
        row = factor[rank]
        row[:] = 0.0
        for k in range(dimensions):
            for i in range(n):
                row[i] += (points[k, i] - points[k, pivot]) ** 2
        for i in range(n):
            row[i] = np.exp(-row[i] / bandwidth)
        for j in range(rank):
            weight = factor[j, pivot]
            for i in range(n):
                row[i] -= weight * factor[j, i]
        root = np.sqrt(missing[pivot])
        for i in range(n):
            row[i] /= root
            missing[i] -= row[i] * row[i]
        missing[pivot] = 0.0
        chosen[rank] = pivot
        rank += 1
    return chosen[:rank], factor[:rank]


# A maximum in any order, of numbers none of which is NaN: the compiler may use vector registers.
@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def _worst(missing: FloatArray, away: FloatArray, alike: float) -> int:
    most = missing[0]
    for i in range(len(missing)):
        most = max(most, missing[i])
    best = -1
    for i in range(len(missing)):
        if missing[i] >= most - alike and (best < 0 or away[i] < away[best]):
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
