"""B-splines by their local support: a row touches degree + 1 neighbouring basis functions and no others."""

from typing import NamedTuple

import numpy as np
from numba import njit

from whence.numerics.arrays import FloatArray, IntArray
from whence.numerics.linear import back_substitution, rotate_in


class SplineRows(NamedTuple):
    """Basis values of every row: `values[i, k]` belongs to basis function `first[i] + k`."""

    first: IntArray
    values: FloatArray
    size: int
    """Number of basis functions."""


def uniform_knots(low: float, high: float, n_knots: int, degree: int) -> FloatArray:
    """`n_knots` equally spaced knots from low to high, continued by `degree` more on either side.

    The same convention as scikit-learn's SplineTransformer (Eilers & Marx 1996): n_knots + degree − 1 functions, which
    sum to one between low and high.
    """
    return extend_knots(np.linspace(low, high, n_knots), degree)


def extend_knots(base: FloatArray, degree: int) -> FloatArray:
    """Continue a strictly increasing knot sequence beyond its ends with the end intervals' own spacing."""
    steps = np.arange(1, degree + 1)
    left = base[0] - steps[::-1] * (base[1] - base[0])
    right = base[-1] + steps * (base[-1] - base[-2])
    return np.concatenate([left, base, right])


def spline_rows(u: FloatArray, knots: FloatArray, degree: int) -> SplineRows:
    """Evaluate all basis functions that are not zero at each row; outside the base knots the end value holds."""
    first, values = _evaluate(u, knots, degree)
    return SplineRows(first, values, len(knots) - degree - 1)


# SciPy's `BSpline.design_matrix` gives the same bits but builds a sparse matrix around them, of which `first` is all
# that is wanted; at n = 1000 it takes six times as long.
@njit(cache=True, nogil=True)
def _evaluate(u: FloatArray, knots: FloatArray, degree: int) -> tuple[IntArray, FloatArray]:
    """Cox–de Boor recursion, row by row; inside a knot interval every term is positive, so nothing cancels."""
    n, last = len(u), len(knots) - degree - 2
    low, high = knots[degree], knots[last + 1]
    first = np.empty(n, np.int64)
    values = np.empty((n, degree + 1))
    right, left = np.empty(degree + 1), np.empty(degree + 1)
    k = degree
    for i in range(n):
        x = min(max(u[i], low), high)
        if not (knots[k] <= x and (x < knots[k + 1] or k == last)):
            k = min(max(np.searchsorted(knots, x, side="right") - 1, degree), last)
        row = values[i]
        row[0] = 1.0
        for d in range(1, degree + 1):
            left[d] = x - knots[k + 1 - d]
            right[d] = knots[k + d] - x
            carry = 0.0
            for r in range(d):
                share = row[r] / (right[r + 1] + left[d - r])
                row[r] = carry + right[r + 1] * share
                carry = left[d - r] * share
            row[d] = carry
        first[i] = k - degree
    return first, values


_RIDGE = 1e-12


def project(rows: SplineRows, v: FloatArray) -> FloatArray:
    """Fitted values of the least-squares spline at the rows, which must be sorted by `first`."""
    coefficients = _coefficients(rows.first, rows.values, rows.size, v)
    index = rows.first[:, None] + np.arange(rows.values.shape[1])
    return np.sum(rows.values * coefficients[index], axis=1)


@njit(cache=True, nogil=True)
def _coefficients(first: IntArray, values: FloatArray, size: int, v: FloatArray) -> FloatArray:
    # Where few rows lie, spline features are almost dependent, and normal equations square that: their answer moves in
    # the eighth digit with the units of the data. Rotations cost the same O(rows · width²) and lose half as many
    # digits; since rows are sorted, none fills in beyond the band.
    triangle, right = np.zeros((size, values.shape[1])), np.zeros(size)
    # A row that stands alone touches several features and determines none of them; this ridge shares it out evenly and
    # fits it to twelve digits. Dropping small pivots, as a rank decision would, leaves remote rows unfitted.
    triangle[:, 0] = np.sqrt(_RIDGE)
    row = np.empty(values.shape[1])
    for i in range(len(v)):
        row[:] = values[i]
        rotate_in(triangle, right, first[i], row, v[i])
    return back_substitution(triangle, right)
