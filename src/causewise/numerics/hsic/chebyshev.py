"""Sums over the rows of a long column, which enter through Chebyshev polynomials of their place in a box.

A smooth function of one number is, over a short box, a polynomial in it: Chebyshev interpolation of exp(−t²) in a box
of width b misses less than 2 (b√2/4)^q / √q! with q terms. Two uses are made of it:

- second moments of two kernel feature maps, to 1e-10: the features, tens to hundreds of them, are touched once per box
  instead of once per row, and a row costs some hundred operations;
- a column stood in for by some tens of weighted points, to 3e-7, for sums of powers of the kernel.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from causewise.numerics.kernel import KernelPivots, features
from causewise.numerics.native import FloatArray, IntArray, native

# A quarter of a bandwidth and eight terms miss 1e-10 of a feature; a whole bandwidth and twelve miss 3e-7 of the cube
# of the kernel, the narrowest one summed over nodes. `chebyshev.c` has these numbers of terms too.
_BOX, _TERMS = 0.25, 8
_NODES = 12
_SUMS = 2 * _TERMS
_ROWS_AT_ONCE = 65_536
"""Rows sorted by their boxes at a time: what they need is found in a near cache."""
_OUTWARDS = 1e-9
"""A value this close to the border of two cells is in the outer one; in rounded columns only rounding would decide."""


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
    for start in range(0, len(a.box), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
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
