"""Gaussian kernels: the median bandwidth, and thin factors of kernel matrices, K ≈ FᵀF with F of some tens of rows.

The bandwidth is the exact median of all pairwise distances of a column, in O(n log n) time and O(n) memory.

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
ROUNDING = 1e-12
"""Of a column's range: a smaller distance may be rounding alone, as between residuals of rows fitted exactly."""
_ENOUGH = 64
"""Distances are selected from directly once so few are left; a sweep more costs less than selecting among many."""
_ROWS_AT_ONCE = 5_000_000
"""Sweeps are made several in one call while they pass over about so many rows; between calls Python may stop them."""


class KernelPivots(NamedTuple):
    """Kernel exp(−d²/bandwidth) restricted to the span of `len(points)` pivots; `triangle` is their Cholesky factor."""

    points: FloatArray
    triangle: FloatArray
    bandwidth: float
    factor: FloatArray | None = None
    """The features of the column's own rows, when it is short enough for them to be at hand."""


def choose_pivots(column: FloatArray, bandwidth: float, ordered: FloatArray | None = None) -> KernelPivots:
    """Pivots that represent every row of the column to `TOLERANCE`; `ordered` is the column sorted, where at hand."""
    short = len(column) <= BLOCK
    spaced = np.sort(column) if ordered is None else ordered
    candidates = np.ascontiguousarray(column) if short else _thin_candidates(spaced, _CELL * float(np.sqrt(bandwidth)))
    # Of rows represented alike, as all are at first, the one nearest the mean is taken: neither the order of the rows
    # nor the sign of the column has a say.
    away = np.abs(candidates - np.mean(candidates))
    chosen, factor = pivoted_cholesky(candidates[None], bandwidth, TOLERANCE, away, _ALIKE)
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


def _thin_candidates(s: FloatArray, width: float) -> FloatArray:
    """The first and the last value in every cell of a grid that is its own mirror image about the mean."""
    cell = np.rint((s - np.mean(s)) / width)
    changes = np.concatenate(([True], cell[1:] != cell[:-1], [True]))
    return s[changes[1:] | changes[:-1]]


def median_sq_distance(
    column: FloatArray, zeros: bool = False, rounding: float = 0.0, is_sorted: bool = False
) -> float:
    """Median of the squared distances over all pairs of rows; pairs at distance zero count only if `zeros`.

    Zero is what is no more than the fraction `rounding` of the column's range. An even number of pairs averages the two
    middle *squared* distances, as a sort of the full matrix would. Returns 0.0 when there is no pair to count.
    """
    s = np.ascontiguousarray(column) if is_sorted else np.sort(column)
    n = len(s)
    if n < 2:
        return 0.0
    low = 0.0 if zeros else rounding * float(s[-1] - s[0])
    below = _pairs_within(s, n, low)
    skipped = 0 if zeros else below
    counted = n * (n - 1) // 2 - skipped
    if counted == 0:
        return 0.0
    one, two = _select_distances(s, skipped + (counted + 1) // 2, low, below)
    return one * one if counted % 2 == 1 else 0.5 * (one * one + two * two)


def _select_distances(s: FloatArray, k: int, low: float, below: int) -> tuple[float, float]:
    """The k-th smallest distance, k from 1, and the next; `below` distances are no larger than `low`.

    A bracket of values is narrowed to a fraction of n candidates, from which they are selected.
    """
    n = len(s)
    bracket = np.array([low, low if below >= k else s[-1] - s[0]])
    count = np.array([below, below if below >= k else n * (n - 1) // 2], np.int64)
    few, rounds = max(n // 4, _ENOUGH), 1 + _ROWS_AT_ONCE // n
    while not _narrow_bracket(s, n, k, few, rounds, bracket, count):
        pass
    (low, high), (below, up_to) = bracket.tolist(), count.tolist()
    if low == high:
        return high, high if up_to > k else _next_distance(s, n, high)
    distances, at = np.empty(up_to - below), k - below - 1
    _distances_between(s, n, low, high, distances)
    if up_to == k:
        return float(np.max(distances)), _next_distance(s, n, high)
    distances.partition((at, at + 1))
    return float(distances[at]), float(distances[at + 1])


_pivoted_cholesky = native(
    "int64_t pivoted_cholesky(double *points, int64_t dimensions, int64_t n, double bandwidth, double tolerance, "
    "double *away, double alike, int64_t rank, int64_t until, double *missing, int64_t *chosen, double *factor)"
)
_fill_features = native(
    "void fill_features(double *column, int64_t n, int64_t start, int64_t stop, double *pivots, double *triangle, "
    "int64_t rank, double bandwidth, double *out)"
)
_pairs_within = native("int64_t pairs_within(double *s, int64_t n, double t)")
_narrow_bracket = native(
    "bool narrow_bracket(double *s, int64_t n, int64_t k, int64_t few, int64_t rounds, double *bracket, int64_t *count)"
)
_distances_between = native("void distances_between(double *s, int64_t n, double low, double high, double *found)")
_next_distance = native("double next_distance(double *s, int64_t n, double t)")
