"""Least squares on a sparse design through its banded normal equations."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.banded import damped_cholesky, solve
from whence.numerics.design import band_of, scatter

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RELATIVE_RIDGE = 1e-12
"""Relative to each feature's own sum of squares: suppresses only directions that rounding could not resolve anyway."""


@njit(cache=True, nogil=True)
def least_squares(
    values: FloatArray,
    bounds: IntArray,
    index: IntArray,
    size: int,
    half_width: int,
    v: FloatArray,
    s: FloatArray,
    ridge: float = 0.0,
) -> FloatArray:
    """Coefficients at the even places of an interleaved vector (odd places zero), for targets v and row weights s.

    Features that no row touches get the coefficient 0. Columns are scaled to unit length before the ridge is added, so
    that a feature touched by a single remote row counts as much as any other.
    """
    zeros = np.zeros(len(v))
    band = band_of(values, bounds, index, size, half_width, s, zeros, zeros)
    right = np.zeros(2 * size)
    scatter(values, bounds, index, s * v, zeros, right)
    length = np.ones(2 * size)
    for i in range(2 * size):
        band[i, half_width] += ridge
        if band[i, half_width] > 0.0:
            length[i] = np.sqrt(band[i, half_width])
        else:
            band[i, half_width] = 1.0
    for i in range(2 * size):
        for c in range(max(0, i - half_width), i + 1):
            band[i, half_width + c - i] /= length[i] * length[c]
        band[i, half_width] += _RELATIVE_RIDGE
    factor = np.zeros_like(band)
    if not damped_cholesky(band, factor):
        return np.full(2 * size, np.nan)
    return solve(factor, right / length) / length
