"""B-splines by their local support: a row touches degree + 1 neighbouring basis functions and no others."""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, IntArray, native

MOST_DEGREE = 63
"""The compiled loops have room for no more."""


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
    if degree > MOST_DEGREE:
        raise ValueError(f"splines of degree {degree}; expected at most {MOST_DEGREE}")
    # SciPy's `BSpline.design_matrix` gives the same bits but builds a sparse matrix around them, of which `first` is
    # all that is wanted; at n = 1000 it takes six times as long.
    first, values = np.empty(len(u), np.int64), np.empty((len(u), degree + 1))
    _spline_values(u, len(u), knots, len(knots), degree, first, values)
    return SplineRows(first, values, len(knots) - degree - 1)


_RIDGE = 1e-12


def project(rows: SplineRows, v: FloatArray) -> FloatArray:
    """Fitted values of the least-squares spline at the rows, which must be sorted by `first`."""
    coefficients = _coefficients(rows, v)
    index = rows.first[:, None] + np.arange(rows.values.shape[1])
    return np.sum(rows.values * coefficients[index], axis=1)


def _coefficients(rows: SplineRows, v: FloatArray) -> FloatArray:
    # Where few rows lie, spline features are almost dependent, and normal equations square that: their answer moves in
    # the eighth digit with the units of the data. Rotations cost the same O(rows · width²) and lose half as many
    # digits; since rows are sorted, none fills in beyond the band.
    #
    # A row that stands alone touches several features and determines none of them; the ridge shares it out evenly and
    # fits it to twelve digits. Dropping small pivots, as a rank decision would, leaves remote rows unfitted.
    n, width = rows.values.shape
    triangle, right, x = np.zeros((rows.size, width)), np.zeros(rows.size), np.empty(rows.size)
    _spline_coefficients(rows.first, rows.values, n, width, rows.size, v, _RIDGE, triangle, right, x)
    return x


_spline_values = native(
    "void spline_values(double *u, int64_t n, double *knots, int64_t n_knots, int64_t degree, int64_t *first, "
    "double *values)"
)
_spline_coefficients = native(
    "void spline_coefficients(int64_t *first, double *values, int64_t n, int64_t width, int64_t size, double *v, "
    "double ridge, double *triangle, double *right, double *x)"
)
