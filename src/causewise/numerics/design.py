"""Sparse design matrices whose rows touch few features, arranged in *runs* of rows that touch the same ones.

Rows sorted by their input share a knot interval with their neighbours, so everything that a fit needs (predictions,
gradients, Hessians) becomes a handful of dense loops over each run, without a single index per row. Two coefficients
belong to each feature and are stored side by side; see `newton`.
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, IntArray, native
from causewise.numerics.splines import SplineRows, spline_rows, uniform_knots

LONGEST_RUN = 512
"""Longer runs are cut, so that the loops over a run find its rows in the nearest cache again; `design.h` has it too."""
_RELATIVE_RIDGE = 1e-12
"""Relative to each feature's own sum of squares: suppresses only directions that rounding could not resolve anyway."""


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


def spline_design(u: FloatArray, n_knots: int, degree: int) -> tuple[FloatArray, Design]:
    """Equally spaced knots over the range of an ascending column, and its design on them."""
    knots = uniform_knots(float(u[0]), float(u[-1]), n_knots, degree)
    return knots, additive_design([spline_rows(u, knots, degree)])


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
    "void quadratic_forms(double *values, int64_t *bounds, int64_t *index, int64_t runs, int64_t touched, double "
    "*factor, int64_t size, int64_t width, double *per_location, double *per_precision, double *g, double *out)"
)
