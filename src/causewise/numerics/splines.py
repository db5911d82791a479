"""B-splines by their local support, and the sparse design matrices that they make.

A row touches degree + 1 neighbouring basis functions of an input and no others. A design arranges rows in *runs* that
touch the same features: rows sorted by their input share a knot interval with their neighbours, so everything that a
fit needs (predictions, gradients, Hessians) becomes a handful of dense loops over each run, without a single index per
row. Two coefficients belong to each feature and are stored side by side; see `newton`.

Band storage of a symmetric matrix: entry (i, c), i − width ≤ c ≤ i, lies at `band[i, width + c − i]`; the diagonal is
the last column and a row reads left to right. A full matrix is the case width = size − 1.
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, IntArray, native

MOST_DEGREE = 63
"""The compiled loops have room for no more."""
LONGEST_RUN = 512
"""Longer runs are cut, so that the loops over a run find its rows in the nearest cache again; `design.h` has it too."""
_RELATIVE_RIDGE = 1e-12
"""Relative to each feature's own sum of squares: suppresses only directions that rounding could not resolve anyway."""
_RIDGE = 1e-12


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


def project(rows: SplineRows, v: FloatArray) -> FloatArray:
    """Fitted values of the least-squares spline at the rows, which must be sorted by `first`."""
    # Where few rows lie, spline features are almost dependent, and normal equations square that: their answer moves in
    # the eighth digit with the units of the data. Rotations cost the same O(rows · width²) and lose half as many
    # digits; since rows are sorted, none fills in beyond the band.
    #
    # A row that stands alone touches several features and determines none of them; the ridge shares it out evenly and
    # fits it to twelve digits. Dropping small pivots, as a rank decision would, leaves remote rows unfitted.
    n, width = rows.values.shape
    triangle, right, x = np.zeros((rows.size, width)), np.zeros(rows.size), np.empty(rows.size)
    _spline_coefficients(rows.first, rows.values, n, width, rows.size, v, _RIDGE, triangle, right, x)
    return np.sum(rows.values * x[rows.first[:, None] + np.arange(width)], axis=1)


class Design(NamedTuple):
    """Run r holds the rows bounds[r] ≤ i < bounds[r + 1], which touch the features index[r].

    `values` is flat: the runs one after the other, each as a `block` of features × rows, so that a pass
    over all rows reads memory from one end to the other.
    """

    values: FloatArray
    bounds: IntArray
    index: IntArray  # type: ignore[assignment]  # hides tuple.index, which nobody asks of a design
    size: int
    """Number of features."""
    half_width: int
    """Half-width of the Hessian's band when the two coefficients of a feature are interleaved."""

    @property
    def runs(self) -> tuple[FloatArray, IntArray, IntArray, int, int]:
        """The design as a compiled loop takes it: with the number of runs and of features that a row touches."""
        return self.values, self.bounds, self.index, *self.index.shape

    def block(self, r: int) -> FloatArray:
        """The values of run r, one line per feature."""
        start, stop = self.bounds[r], self.bounds[r + 1]
        features = self.index.shape[1]
        return self.values[start * features : stop * features].reshape(features, stop - start)

    def predict(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both linear predictors of every row: with the even and with the odd coefficients."""
        even, odd = np.empty(self.bounds[-1]), np.empty(self.bounds[-1])
        _predict_rows(*self.runs, w, even, odd)
        return even, odd

    def scatter(self, even: FloatArray, odd: FloatArray) -> FloatArray:
        """The transpose of `predict`."""
        out = np.zeros(2 * self.size)
        _scatter(*self.runs, even, odd, out)
        return out

    def least_squares(self, v: FloatArray, s: FloatArray, ridge: float = 0.0) -> FloatArray:
        """Coefficients at the even places of an interleaved vector (odd places zero), for targets v, row weights s.

        Features that no row touches get the coefficient 0.
        """
        size, width = 2 * self.size, self.half_width + 1
        coefficients, scratch = np.zeros(size), np.empty(size * (2 * width + 1))
        _least_squares(*self.runs, v, s, ridge, _RELATIVE_RIDGE, size, width, scratch, coefficients)
        return coefficients

    def quadratic_forms(self, factor: FloatArray, per_even: FloatArray, per_odd: FloatArray) -> FloatArray:
        """Per row gᵀ H⁻¹ g, g being its features times (per_even, per_odd) and `factor` the Cholesky factor of H."""
        out = np.empty(len(per_even))
        size, width = factor.shape
        _quadratic_forms(*self.runs, factor, size, width, per_even, per_odd, np.empty(size), out)
        return out


def additive_design(columns: list[SplineRows]) -> Design:
    """Features of several inputs side by side, in the order of the rows; sort by the first input for long runs."""
    offsets = np.cumsum([0, *(column.size for column in columns)])
    first = np.stack([column.first + offset for column, offset in zip(columns, offsets, strict=False)], axis=1)
    changes = np.flatnonzero(np.any(first[1:] != first[:-1], axis=1)) + 1
    bounds = np.union1d(changes, np.append(np.arange(0, len(first), LONGEST_RUN), len(first)))
    index = [first[bounds[:-1], c, None] + np.arange(column.values.shape[1]) for c, column in enumerate(columns)]
    size = int(offsets[-1])
    half_width = 2 * columns[0].values.shape[1] - 1 if len(columns) == 1 else 2 * size - 1
    by_row = np.concatenate([column.values for column in columns], axis=1) if len(columns) > 1 else columns[0].values
    values = np.empty(by_row.size)
    _in_blocks(by_row, bounds, len(bounds) - 1, by_row.shape[1], values)
    return Design(values, bounds, np.concatenate(index, axis=1), size, half_width)


def dense_design(columns: list[SplineRows]) -> Design:
    """The same features, all of them in every row, zero where it touches none.

    Rows of many inputs hardly ever touch the same features, and a run of one row is slow: twice as many numbers in long
    runs take a third of the time.
    """
    size, n = sum(column.size for column in columns), len(columns[0].first)
    by_row, offset = np.zeros((n, size)), 0
    for column in columns:
        places = offset + column.first[:, None] + np.arange(column.values.shape[1])
        np.put_along_axis(by_row, places, column.values, axis=1)
        offset += column.size
    bounds = np.append(np.arange(0, n, LONGEST_RUN), n)
    values = np.empty(by_row.size)
    _in_blocks(by_row, bounds, len(bounds) - 1, size, values)
    return Design(values, bounds, np.tile(np.arange(size), (len(bounds) - 1, 1)), size, 2 * size - 1)


def spline_design(u: FloatArray, n_knots: int, degree: int) -> tuple[FloatArray, Design]:
    """Equally spaced knots over the range of an ascending column, and its design on them."""
    knots = uniform_knots(float(u[0]), float(u[-1]), n_knots, degree)
    return knots, additive_design([spline_rows(u, knots, degree)])


def damped_cholesky(band: FloatArray) -> FloatArray | None:
    """The lower Cholesky factor, in band storage, of a matrix that only rounding can make indefinite.

    A relative ridge, grown tenfold, restores it; None when even a ridge of the matrix's own size does not help, which
    means that it holds NaN.
    """
    factor = np.empty_like(band)
    return factor if _damped_cholesky(band.copy(), len(band), band.shape[1], factor) else None


_spline_values = native(
    "void spline_values(double *u, int64_t n, double *knots, int64_t n_knots, int64_t degree, int64_t *first, "
    "double *values)"
)
_spline_coefficients = native(
    "void spline_coefficients(int64_t *first, double *values, int64_t n, int64_t width, int64_t size, double *v, "
    "double ridge, double *triangle, double *right, double *x)"
)
_in_blocks = native("void in_blocks(double *by_row, int64_t *bounds, int64_t runs, int64_t touched, double *values)")
_predict_rows = native(
    "void predict_rows(double *values, int64_t *bounds, int64_t *index, int64_t runs, int64_t touched, double *w, "
    "double *even, double *odd)"
)
_scatter = native(
    "void scatter(double *values, int64_t *bounds, int64_t *index, int64_t runs, int64_t touched, double *even, "
    "double *odd, double *out)"
)
_least_squares = native(
    "void least_squares(double *values, int64_t *bounds, int64_t *index, int64_t runs, int64_t touched, double *v, "
    "double *s, double ridge, double relative, int64_t size, int64_t width, double *scratch, double *right)"
)
_quadratic_forms = native(
    "void quadratic_forms(double *values, int64_t *bounds, int64_t *index, int64_t runs, int64_t touched, "
    "double *factor, int64_t size, int64_t width, double *per_location, double *per_precision, double *g, double *out)"
)
_damped_cholesky = native("bool damped_cholesky(double *band, int64_t size, int64_t width, double *factor)")
