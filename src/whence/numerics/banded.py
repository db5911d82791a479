"""Symmetric positive definite systems with a band: Cholesky and solve, O(size · width²).

Storage: entry (i, c), i − width ≤ c ≤ i, lies at `band[i, width + c − i]`; the diagonal is the last column and a row
reads left to right. A full matrix is the case width = size − 1, and needs no code of its own.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.dot import dot

FloatArray = NDArray[np.float64]


@njit(cache=True, nogil=True)
def cholesky(band: FloatArray, factor: FloatArray) -> bool:
    """Write the lower Cholesky factor in the same storage; False when the matrix is not positive definite."""
    size, width = band.shape[0], band.shape[1] - 1
    for i in range(size):
        start = max(0, i - width)
        for c in range(start, i + 1):
            # Both rows have entries from column `start` on, since c ≤ i.
            known = dot(factor[i, width + start - i : width + c - i], factor[c, width + start - c : width])
            rest = band[i, width + c - i] - known
            if c < i:
                factor[i, width + c - i] = rest / factor[c, width]
            elif rest > 0.0:
                factor[i, width] = np.sqrt(rest)
            else:
                return False
    return True


@njit(cache=True, nogil=True)
def damped_cholesky(band: FloatArray, factor: FloatArray) -> bool:
    """Cholesky of a matrix that only rounding can make indefinite: a relative ridge, grown tenfold, restores it.

    False when even a ridge of the matrix's own size does not help, which means that it holds numbers that are none.
    """
    ridge = 1e-13
    while not cholesky(band, factor):
        if ridge > 1.0:
            return False
        for i in range(len(band)):
            band[i, -1] *= 1.0 + ridge
        ridge *= 10.0
    return True


@njit(cache=True, nogil=True)
def solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L Lᵀ x = right."""
    size, width = factor.shape[0], factor.shape[1] - 1
    x = right.copy()
    for i in range(size):
        start = max(0, i - width)
        x[i] = (x[i] - dot(factor[i, width + start - i : width], x[start:i])) / factor[i, width]
    for i in range(size - 1, -1, -1):
        x[i] /= factor[i, width]
        start = max(0, i - width)
        row = factor[i, width + start - i : width]
        for k in range(len(row)):
            x[start + k] -= row[k] * x[i]
    return x
