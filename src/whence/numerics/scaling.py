"""The two affine normal forms of a column that score functions ask for."""

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
