"""Products of tall matrices that have few columns, many of their entries zero.

Compiled loops in place of a library's matrix product: for so little work its threads cost more than they bring, on a
busy machine twenty times as much.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@njit(cache=True, nogil=True)
def crossproduct(a: FloatArray, b: FloatArray) -> FloatArray:
    """aᵀb for two matrices with the same rows; zeros of a cost nothing."""
    out = np.zeros((a.shape[1], b.shape[1]))
    for i in range(len(a)):
        for j in range(a.shape[1]):
            if a[i, j] != 0.0:
                for k in range(b.shape[1]):
                    out[j, k] += a[i, j] * b[i, k]
    return out


@njit(cache=True, nogil=True)
def combinations(a: FloatArray, weights: FloatArray) -> FloatArray:
    """a·weights, row by row; zeros of a cost nothing."""
    out = np.zeros((len(a), weights.shape[1]))
    for i in range(len(a)):
        for j in range(a.shape[1]):
            if a[i, j] != 0.0:
                for k in range(weights.shape[1]):
                    out[i, k] += a[i, j] * weights[j, k]
    return out
