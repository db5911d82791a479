"""Symmetric positive definite systems with a band: Cholesky and solve, O(size · width²).

Storage: `band[i, j]` is entry (i, i − j) for j = 0 … width, so the diagonal is column 0. A full matrix is the case
width = size − 1, and needs no code of its own.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@njit(cache=True, nogil=True)
def cholesky(band: FloatArray, factor: FloatArray) -> bool:
    """Write the lower Cholesky factor in the same storage; False when the matrix is not positive definite."""
    size, width = band.shape[0], band.shape[1] - 1
    for i in range(size):
        for j in range(min(width, i), -1, -1):
            c = i - j
            total = band[i, j]
            for k in range(max(0, i - width, c - width), c):
                total -= factor[i, i - k] * factor[c, c - k]
            if j > 0:
                factor[i, j] = total / factor[c, 0]
            else:
                if not total > 0.0:
                    return False
                factor[i, 0] = np.sqrt(total)
    return True


@njit(cache=True, nogil=True)
def solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L Lᵀ x = right."""
    size, width = factor.shape[0], factor.shape[1] - 1
    x = right.copy()
    for i in range(size):
        for k in range(max(0, i - width), i):
            x[i] -= factor[i, i - k] * x[k]
        x[i] /= factor[i, 0]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, min(size, i + width + 1)):
            x[i] -= factor[k, k - i] * x[k]
        x[i] /= factor[i, 0]
    return x
