"""The density of one column at its own rows, from the distances to the m-th neighbours on either side."""

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def log_density_at_rows(column: FloatArray) -> FloatArray | None:
    """m-spacing estimate (Vasicek 1976) with m = √n, in the order of the rows; None where ties leave no distance."""
    n = len(column)
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    m = max(2, math.isqrt(n))
    left, right = np.maximum(np.arange(n) - m, 0), np.minimum(np.arange(n) + m, n - 1)
    width = ordered[right] - ordered[left]
    if not np.all(width > 0):
        return None
    out = np.empty(n)
    out[order] = np.log((right - left) / (n * width))
    return out
