"""Normal forms of a column (affine scalings, a safe magnitude)."""

from typing import Any

import numpy as np

from causewise.numerics.native import FloatArray


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
    spread = np.ldexp(np.sqrt(np.average((scaled - mean) ** 2, axis=0, weights=weights)), exponent)
    return np.ldexp(mean, exponent), np.where(spread > 0, spread, 1.0)
