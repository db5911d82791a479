"""Gaussian kernels: the median bandwidth, and thin factors of kernel matrices, K ≈ FᵀF with F of some tens of rows.

The bandwidth is the exact median of all pairwise distances of a column, in O(n log n) time and O(n) memory.

Pivoted incomplete Cholesky (Fine & Scheinberg 2001): the next pivot is the row worst represented so far, and it
stops when no diagonal entry misses more than `TOLERANCE`. In one dimension the spectrum falls so fast that 20–60 pivots
reach rounding level at any n. Only the pivots are chosen globally; the features at any place follow from them by
forward substitution, so that for a long column no array of n × rank is ever held .

Rows of a long column enter through Chebyshev polynomials of their place in a box. A smooth function of one number is,
over a short box, a polynomial in it: Chebyshev interpolation of exp(−t²) in a box of width b misses less than
2 (b√2/4)^q / √q! with q terms. Two uses are made of it:

- second moments of two kernel feature maps, to 1e-10: the features, tens to hundreds of them, are touched once per box
  instead of once per row, and a row costs some hundred operations;
- a column stood in for by some tens of weighted points, to 3e-7, for sums of powers of the kernel.
"""

import math
from functools import cache
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
# A quarter of a bandwidth and eight terms miss 1e-10 of a feature; a whole bandwidth and twelve miss 3e-7 of the cube
# of the kernel, the narrowest one summed over nodes. `chebyshev.c` has these numbers of terms too.
_BOX, _TERMS = 0.25, 8
_NODES = 12
_SUMS = 2 * _TERMS
_SORTED_AT_ONCE = 65_536
"""Rows sorted by their boxes at a time: what they need is found in a near cache."""
_OUTWARDS = 1e-9
"""A value this close to the border of two cells is in the outer one; in rounded columns only rounding would decide."""


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


class Boxes(NamedTuple):
    """Every row's box and its place there in [−1, 1]; per box the Chebyshev coefficients of the features."""

    box: IntArray
    place: FloatArray
    coefficients: FloatArray
    """Shape (boxes, terms, rank)."""


@cache
def _chebyshev_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Places in [−1, 1] in ascending order, and the matrix from values there to Chebyshev coefficients."""
    angles = (np.arange(count)[::-1] + 0.5) * np.pi / count
    transform = np.cos(np.arange(count)[:, None] * angles) * (2.0 / count)
    transform[0] *= 0.5
    return np.cos(angles), transform


def assign_boxes(column: FloatArray, pivots: KernelPivots) -> Boxes:
    """Sort rows into boxes, leaving out the empty ones, and expand the features in each.

    The boxes of the reflected column are the reflected boxes.
    """
    width = _BOX * math.sqrt(pivots.bandwidth)
    # The middle of the range would serve as well, but for a far outlier: places counted from half-way there have lost
    # their last digits.
    middle = float(np.mean(column))
    at = (column - middle) / width
    number = np.floor(at + (0.5 + np.copysign(_OUTWARDS, at)))
    occupied, box = _number_boxes(number)
    places, transform = _chebyshev_nodes(_TERMS)
    nodes = middle + width * (occupied[:, None] + 0.5 * places)
    values = features(nodes.ravel(), pivots).T.reshape(len(occupied), _TERMS, -1)
    at -= number
    at *= 2.0
    return Boxes(box, at, np.ascontiguousarray(transform @ values))


def _number_boxes(number: FloatArray) -> tuple[FloatArray, IntArray]:
    """The whole numbers that occur, and each row's place among them; by counting where their range allows it."""
    # They stay floating-point numbers: beside a far outlier they can be larger than any integer type holds.
    least = number.min()
    if number.max() - least > 10 * len(number):
        occupied, box = np.unique(number, return_inverse=True)
        return occupied, box
    whole = (number - least).astype(np.int64)
    rows = np.bincount(whole)
    places = np.flatnonzero(rows)
    rank = np.empty(len(rows), np.int64)
    rank[places] = np.arange(len(places))
    return places + least, rank[whole]


def own_moments(a: Boxes) -> tuple[FloatArray, FloatArray]:
    """Σ f fᵀ and Σ f over the rows."""
    # 2 TₚT_q = Tₚ₊_q + T|ₚ₋_q|, so that sums of single polynomials give those of their products.
    sums, term = np.zeros((len(a.coefficients), _SUMS)), np.arange(_TERMS)
    _add_chebyshev_sums(a.box, a.place, len(a.box), sums)
    second = 0.5 * (sums[:, np.add.outer(term, term)] + sums[:, np.abs(np.subtract.outer(term, term))])
    flat = a.coefficients.reshape(-1, a.coefficients.shape[2])
    return flat.T @ (second @ a.coefficients).reshape(flat.shape), sums[:, :_TERMS].ravel() @ flat


def cross_moments(a: Boxes, b: Boxes) -> FloatArray:
    """Σ f gᵀ over the rows, f the features of one column and g those of the other."""
    (boxes_a, _, rank_a), (boxes_b, _, rank_b) = a.coefficients.shape, b.coefficients.shape
    # NumPy sorts integers of up to 16 bits in linear time.
    small = np.min_scalar_type(boxes_a * boxes_b)
    inner = np.zeros((boxes_a, _TERMS, rank_b))
    for start in range(0, len(a.box), _SORTED_AT_ONCE):
        rows = slice(start, start + _SORTED_AT_ONCE)
        box_a, box_b = a.box[rows], b.box[rows]
        order = np.argsort((box_a * boxes_b + box_b).astype(small), kind="stable")
        _cross_sums(order, len(order), box_a, a.place[rows], box_b, b.place[rows], b.coefficients, rank_b, inner)
    return np.asarray(a.coefficients.reshape(-1, rank_a).T @ inner.reshape(-1, rank_b))


def weighted_nodes(s: FloatArray, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    """Some tens of points in ascending order that stand in for a sorted column, and weights, which sum to its length.

    Summing the interpolant over the rows of a box leaves weights on its nodes. A box with no more rows than nodes keeps
    its rows.
    """
    points, weights, grid = np.empty(len(s)), np.empty(len(s)), (float(np.mean(s)), math.sqrt(bandwidth), _OUTWARDS)
    count = _weighted_nodes(s, len(s), *grid, *_chebyshev_nodes(_NODES), points, weights)
    return points[:count], weights[:count]


_weighted_nodes = native(
    "int64_t weighted_nodes(double *s, int64_t n, double middle, double width, double outwards, double *nodes, "
    "double *transform, double *points, double *weights)"
)
_add_chebyshev_sums = native("void chebyshev_sums(int64_t *box, double *place, int64_t n, double *sums)")
_cross_sums = native(
    "void cross_sums(int64_t *order, int64_t n, int64_t *box_a, double *place_a, int64_t *box_b, double *place_b, "
    "double *coefficients_b, int64_t rank, double *inner)"
)
