"""Sums over the rows of a long column, which enter through Chebyshev polynomials of their place in a box.

A smooth function of one number is, over a short box, a polynomial in it: Chebyshev interpolation of exp(−t²) in a box
of width b misses less than 2 (b√2/4)^q / √q! with q terms. Two uses are made of it:

- second moments of two kernel feature maps, to 1e-10: the features, tens to hundreds of them, are touched once per box
  instead of once per row, and a row costs some hundred operations;
- a column stood in for by some tens of weighted points, to 3e-7, for sums of powers of the kernel.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit

from whence.native import FloatArray, IntArray
from whence.numerics.kernel import KernelPivots, features

# A quarter of a bandwidth and eight terms miss 1e-10 of a feature; a whole bandwidth and twelve miss 3e-7 of the cube
# of the kernel, the narrowest one summed over nodes.
_BOX, _TERMS = 0.25, 8
_NODES = 12
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


def in_boxes(column: FloatArray, pivots: KernelPivots) -> Boxes:
    """Sort rows into boxes, leaving out the empty ones, and expand the features in each."""
    width = _BOX * np.sqrt(pivots.bandwidth)
    middle, number, place = in_cells(column, width)
    occupied, box = numbered(number)
    places, transform = _chebyshev_nodes(_TERMS)
    nodes = middle + width * (occupied[:, None] + 0.5 * places)
    values = features(nodes.ravel(), pivots).T.reshape(len(occupied), _TERMS, -1)
    return Boxes(box, 2.0 * place, np.ascontiguousarray(transform @ values))


@njit(cache=True, nogil=True)
def in_cells(column: FloatArray, width: float) -> tuple[float, FloatArray, FloatArray]:
    """The mean of a column, the cell of each row counted from there, and its place in it in [−½, ½].

    The cells of the reflected column are the reflected cells.
    """
    # The middle of the range would serve as well, but for a far outlier: places counted from half-way there have lost
    # their last digits.
    middle = float(np.mean(column))
    number, place = np.empty(len(column)), np.empty(len(column))
    for i in range(len(column)):
        at = (column[i] - middle) / width
        number[i] = np.floor(at + (0.5 + _OUTWARDS if at > 0.0 else 0.5 - _OUTWARDS))
        place[i] = at - number[i]
    return middle, number, place


def numbered(number: FloatArray) -> tuple[FloatArray, IntArray]:
    """The whole numbers that occur, and each row's place among them; by counting where their range allows it."""
    # They stay floating-point numbers: beside a far outlier they can be larger than any integer type holds.
    least = number.min()
    if number.max() - least > 10 * len(number):
        occupied, box = np.unique(number, return_inverse=True)
        return occupied, box
    whole = (number - least).astype(np.int64)
    places = np.flatnonzero(np.bincount(whole))
    rank = np.zeros(whole.max() + 1, np.int64)
    rank[places] = np.arange(len(places))
    return places + least, rank[whole]


def feature_moments(a: Boxes, b: Boxes) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Σ F_a F_aᵀ, Σ F_b F_bᵀ, Σ F_a F_bᵀ, Σ F_a, Σ F_b over the rows."""
    gram_a, sum_a = _own_moments(*a)
    gram_b, sum_b = _own_moments(*b)
    cross = _cross_moments(*a, *b, np.argsort(a.box, kind="stable"))
    return gram_a, gram_b, cross, sum_a, sum_b


@njit(cache=True, nogil=True)
def _own_moments(box: IntArray, place: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    boxes, terms, rank = coefficients.shape
    second, first = np.zeros((boxes, terms, terms)), np.zeros((boxes, terms))
    t = np.empty(terms)
    for i in range(len(box)):
        _chebyshev(place[i], t)
        for p in range(terms):
            first[box[i], p] += t[p]
            for q in range(terms):
                second[box[i], p, q] += t[p] * t[q]
    gram, total = np.zeros((rank, rank)), np.zeros(rank)
    for c in range(boxes):
        here = coefficients[c]
        gram += here.T @ (second[c] @ here)
        total += first[c] @ here
    return gram, total


@njit(cache=True, nogil=True)
def _cross_moments(
    box_a: IntArray,
    place_a: FloatArray,
    coefficients_a: FloatArray,
    box_b: IntArray,
    place_b: FloatArray,
    coefficients_b: FloatArray,
    order: IntArray,
) -> FloatArray:
    """Rows of one box of a at a time; among the boxes of b only those that these rows touch are cleared and used."""
    terms, rank_a = coefficients_a.shape[1:]
    rank_b = coefficients_b.shape[2]
    joint = np.zeros((len(coefficients_b), terms, terms))
    touched = np.empty(len(coefficients_b), np.int64)
    seen = np.full(len(coefficients_b), -1)
    cross = np.zeros((rank_a, rank_b))
    t, u = np.empty(terms), np.empty(terms)
    at = 0
    while at < len(order):
        here, count = box_a[order[at]], 0
        while at < len(order) and box_a[order[at]] == here:
            i = order[at]
            there = box_b[i]
            if seen[there] != here:
                seen[there] = here
                touched[count] = there
                count += 1
                joint[there] = 0.0
            _chebyshev(place_a[i], t)
            _chebyshev(place_b[i], u)
            for p in range(terms):
                for q in range(terms):
                    joint[there, p, q] += t[p] * u[q]
            at += 1
        inner = np.zeros((terms, rank_b))
        for k in range(count):
            inner += joint[touched[k]] @ coefficients_b[touched[k]]
        cross += coefficients_a[here].T @ inner
    return cross


@njit(cache=True, nogil=True)
def _chebyshev(x: float, out: FloatArray) -> None:
    out[0], out[1] = 1.0, x
    for k in range(2, len(out)):
        out[k] = 2.0 * x * out[k - 1] - out[k - 2]


def weighted_nodes(column: FloatArray, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    """Some tens of points in ascending order that stand in for the column, and their weights, which sum to its length.

    Summing the interpolant over the rows of a box leaves weights on its nodes. A box with no more rows than nodes keeps
    its rows.
    """
    width = np.sqrt(bandwidth)
    middle, number, place = in_cells(column, width)
    occupied, box = numbered(number)
    where, weights = _nodes(box, place, np.bincount(box), occupied, *_chebyshev_nodes(_NODES))
    order = np.argsort(where, kind="stable")
    return middle + width * where[order], weights[order]


@njit(cache=True, nogil=True)
def _nodes(
    box: IntArray,
    place: FloatArray,
    rows: IntArray,
    centre: FloatArray,
    nodes: FloatArray,
    transform: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Places in units of the box's width, and weights."""
    terms = len(nodes)
    start = np.zeros(len(rows) + 1, np.int64)
    for c in range(len(rows)):
        start[c + 1] = start[c] + min(rows[c], terms)
    where, weights = np.empty(start[-1]), np.ones(start[-1])
    moments = np.zeros((len(rows), terms))
    filled = np.zeros(len(rows), np.int64)
    for i in range(len(box)):
        c = box[i]
        if rows[c] <= terms:
            where[start[c] + filled[c]] = centre[c] + place[i]
            filled[c] += 1
        else:
            _add_chebyshev(2.0 * place[i], moments[c])
    for c in range(len(rows)):
        if rows[c] > terms:
            where[start[c] : start[c + 1]] = centre[c] + 0.5 * nodes
            weights[start[c] : start[c + 1]] = moments[c] @ transform
    return where, weights


@njit(cache=True, nogil=True)
def _add_chebyshev(x: float, out: FloatArray) -> None:
    before, here = 1.0, x
    out[0] += 1.0
    for k in range(1, len(out)):
        out[k] += here
        before, here = here, 2.0 * x * here - before
