"""Smooth functions of a column, the smoothest first (Demmler & Reinsch 1975), and products of those of two."""

from itertools import product

import numpy as np

from causewise.numerics.native import FloatArray
from causewise.numerics.splines import extend_knots, spline_rows

FUNCTIONS = 8
"""Of a column's cubic spline, one of which is the constant; knots lie at quantiles."""
_DEGREE = 3
_SMALL = 1e-6
_CLOSE = 1e-9
"""Distance of knots that are one, as a share of the column's range."""


class Basis:
    """Smooth functions of a column without the constant, orthonormal over its rows, the smoothest first.

    Beyond the range of the rows they keep their last value.
    """

    def __init__(self, column: FloatArray) -> None:
        base = np.unique(np.quantile(column, np.linspace(0.0, 1.0, FUNCTIONS - _DEGREE + 1)))
        # Of a very long column all but a few rows lie within rounding of each other.
        base = base[np.append(True, np.diff(base) > _CLOSE * (base[-1] - base[0]))]
        self._knots = extend_knots(base, _DEGREE)
        raw = self._splines(column)
        self._middle = raw.mean(axis=0)
        _, sizes, right = np.linalg.svd(raw - self._middle, full_matrices=False)
        is_real = sizes > _SMALL * sizes[0]
        whiten = right[is_real].T / sizes[is_real] * np.sqrt(len(column))
        # Second differences of coefficients over the knots' averages: zero for straight lines.
        places = np.array([self._knots[k + 1 : k + 1 + _DEGREE].mean() for k in range(raw.shape[1])])
        slopes = np.diff(np.eye(raw.shape[1]), axis=0) / np.diff(places)[:, None]
        rough = np.diff(slopes, axis=0) / np.sqrt(places[2:] - places[:-2])[:, None]
        _, rotation = np.linalg.eigh(whiten.T @ rough.T @ rough @ whiten)
        self._mix = whiten @ rotation
        self._mix *= np.where(self._mix[-1] >= self._mix[0], 1.0, -1.0)

    def __call__(self, values: FloatArray) -> FloatArray:
        """One line a value."""
        return (self._splines(values) - self._middle) @ self._mix

    def _splines(self, values: FloatArray) -> FloatArray:
        rows = spline_rows(np.ascontiguousarray(values), self._knots, _DEGREE)
        out = np.zeros((len(values), rows.size))
        out[np.arange(len(values))[:, None], rows.first[:, None] + np.arange(_DEGREE + 1)] = rows.values
        return out


def multiply(first: FloatArray, second: FloatArray, functions: int) -> FloatArray:
    """Products of so many functions of each of two columns, as far as they have them."""
    first, second = first[:, :functions], second[:, :functions]
    return np.column_stack([one * other for one, other in product(first.T, second.T)])
