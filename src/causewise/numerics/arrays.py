"""Scalings and moments of a column, and least squares of one column on the powers of another."""

from typing import Any

import numpy as np

from causewise.numerics.native import FloatArray

EXACT_FIT = 1e-24
"""Of a squared error on columns of unit size: below, it is rounding, and two such fits must tie."""


def zscore(column: FloatArray, ddof: int = 0) -> FloatArray:
    """Mean 0, standard deviation 1; `ddof=0` divides by n as scikit-learn does, `ddof=1` by n − 1 as R does."""
    centred = column - np.mean(column)
    return centred / np.sqrt(np.sum(centred * centred) / (len(column) - ddof))


def minmax(column: FloatArray) -> FloatArray:
    """The interval [min, max] mapped to [0, 1]."""
    low = np.min(column)
    return (column - low) / (np.max(column) - low)


def unit_magnitude(column: FloatArray) -> FloatArray:
    """The column times the power of two that puts its largest magnitude into [½, 1).

    Differences and squares can then no longer overflow.
    """
    # A power of two changes no bit of a significand, so that whatever is invariant to units stays so exactly.
    _, exponent = np.frexp(np.max(np.abs(column)))
    return np.ldexp(column, -int(exponent))


def weighted_moments(values: FloatArray, weights: FloatArray) -> tuple[Any, Any]:
    """Weighted mean and standard deviation along the rows; that of a constant is taken as 1."""
    # In units of a power of two, as in `unit_magnitude`, but one for each column: squares neither overflow nor vanish.
    _, exponent = np.frexp(np.max(np.abs(values), axis=0))
    scaled = np.ldexp(values, -exponent)
    mean = np.average(scaled, axis=0, weights=weights)
    deviation = np.ldexp(np.sqrt(np.average((scaled - mean) ** 2, axis=0, weights=weights)), exponent)
    return np.ldexp(mean, exponent), np.where(deviation > 0, deviation, 1.0)


def squared_error(u: FloatArray, v: FloatArray, powers: tuple[int, ...]) -> float:
    """Mean squared error of v given these powers of u."""
    design = u[:, None] ** np.array(powers)
    coefficients, *_ = np.linalg.lstsq(design, v, rcond=None)
    wrong = v - design @ coefficients
    return max(float(wrong @ wrong) / len(v), EXACT_FIT)
