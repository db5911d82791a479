"""Least squares on a sparse design through its banded normal equations."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.banded import cholesky, solve
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
        band[i, 0] += ridge
        if band[i, 0] > 0.0:
            length[i] = np.sqrt(band[i, 0])
        else:
            band[i, 0] = 1.0
    for i in range(2 * size):
        for j in range(min(half_width, i) + 1):
            band[i, j] /= length[i] * length[i - j]
        band[i, 0] += _RELATIVE_RIDGE
    factor = np.zeros_like(band)
    while not cholesky(band, factor):
        band[:, 0] += 1e-10
    return solve(factor, right / length) / length
