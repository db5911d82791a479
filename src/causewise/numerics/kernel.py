"""Gaussian kernel matrices as products of thin factors: K ≈ FᵀF with F of some tens of rows.

Pivoted incomplete Cholesky (Fine & Scheinberg 2001): the next pivot is the row worst represented so far, and it
stops when no diagonal entry misses more than `TOLERANCE`. In one dimension the spectrum falls so fast that 20–60 pivots
reach rounding level at any n. Only the pivots are chosen globally; the features at any place follow from them by
forward substitution, so that for a long column no array of n × rank is ever held (see `hsic.chebyshev`).
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, IntArray, native

TOLERANCE = 1e-11
BLOCK = 2048
"""A column no longer than this is factored row by row; a longer one through its pivots."""
_CELL = 0.02
"""Pivot candidates of a long column are the ends of cells of this fraction of a bandwidth; the residual is smooth on
that scale."""
_ALIKE = 1e-14
"""Rows that miss as much but for this are alike but for rounding."""
_AT_ONCE = 100_000_000
"""Products of entries in one call, about; between calls Python may stop."""


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
    candidates = np.ascontiguousarray(column) if short else _thinned(spaced, _CELL * float(np.sqrt(bandwidth)))
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
    packed, n, rank = np.ascontiguousarray(column), len(column), len(pivots.points)
    out = np.empty((rank, n))
    rows = 1 + _AT_ONCE // (1 + rank * rank)
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        _fill_features(packed, n, start, stop, pivots.points, pivots.triangle, rank, pivots.bandwidth, out)
    return out


def pivoted_cholesky(
    points: FloatArray, bandwidth: float, tolerance: float, away: FloatArray, alike: float
) -> tuple[IntArray, FloatArray]:
    """Pivots among the `points` (dimensions × n) and the factor F (rank × n) with FᵀF ≈ exp(−|d|²/bandwidth).

    The next pivot is the row that misses most; of several that miss as much but for `alike`, the least far `away`.
    """
    dimensions, n = points.shape
    kernel = (points, dimensions, n, bandwidth, tolerance, away, alike)
    missing, chosen, factor = np.ones(n), np.empty(n, np.int64), np.empty((min(64, n), n))
    rank = until = 0
    while rank == until < n:
        if rank == len(factor):
            larger = np.empty((min(2 * rank, n), n))
            larger[:rank] = factor
            factor = larger
        until = min(len(factor), rank + 1 + _AT_ONCE // (n * (rank + 64)))
        rank = _pivoted_cholesky(*kernel, rank, until, missing, chosen, factor)
    return chosen[:rank], factor[:rank]


def _thinned(s: FloatArray, width: float) -> FloatArray:
    """The first and the last value in every cell of a grid that is its own mirror image about the mean."""
    cell = np.rint((s - np.mean(s)) / width)
    changes = np.concatenate(([True], cell[1:] != cell[:-1], [True]))
    return s[changes[1:] | changes[:-1]]


_pivoted_cholesky = native(
    "int64_t pivoted_cholesky(double *points, int64_t dimensions, int64_t n, double bandwidth, double tolerance, "
    "double *away, double alike, int64_t rank, int64_t until, double *missing, int64_t *chosen, double *factor)"
)
_fill_features = native(
    "void fill_features(double *column, int64_t n, int64_t start, int64_t stop, double *pivots, double *triangle, "
    "int64_t rank, double bandwidth, double *out)"
)
