"""Bring a column to magnitude one without touching a single bit of its significands."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def tame(column: FloatArray) -> FloatArray:
    """The column times the power of two that puts its largest magnitude into [½, 1).

    Exact, so nothing that is invariant to units changes; afterwards differences and squares can no longer overflow.
    """
    _, exponent = np.frexp(np.max(np.abs(column)))
    return np.ldexp(column, -int(exponent))
