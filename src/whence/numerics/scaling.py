"""The affine normal forms of a column that score functions and estimators ask for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def zscore(column: FloatArray, ddof: int = 0) -> FloatArray:
    """Mean 0, standard deviation 1; `ddof=0` divides by n as scikit-learn does, `ddof=1` by n − 1 as R does."""
    centred = column - np.mean(column)
    return centred / np.sqrt(np.sum(centred * centred) / (len(column) - ddof))


def minmax(column: FloatArray) -> FloatArray:
    """The interval [min, max] mapped to [0, 1]."""
    low = np.min(column)
    return (column - low) / (np.max(column) - low)


def weighted_moments(values: FloatArray, weights: FloatArray) -> tuple[Any, Any]:
    """Weighted mean and standard deviation along the rows; that of a constant is taken as 1.

    In units of a power of two near the largest magnitude, which rounds nothing: squares neither overflow nor vanish.
    """
    _, exponent = np.frexp(np.max(np.abs(values), axis=0))
    tamed = np.ldexp(values, -exponent)
    mean = np.average(tamed, axis=0, weights=weights)
    spread = np.ldexp(np.sqrt(np.average((tamed - mean) ** 2, axis=0, weights=weights)), exponent)
    return np.ldexp(mean, exponent), np.where(spread > 0, spread, 1.0)
