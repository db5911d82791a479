"""Least squares on sorted spline rows by orthogonal rotations.

Where few rows lie, spline features are almost dependent, and normal equations square that: their answer then moves in
the eighth digit with the units of the data. Givens rotations row by row cost the same O(rows · width²) and lose half as
many digits. Rows must be sorted by `first`, so that no rotation fills in beyond the band.

A row that stands alone touches several features and determines none of them; the factor therefore starts from a ridge
of 1e-12 instead of zero, which shares such a row out evenly and fits it to twelve digits. Dropping small pivots
instead, as a rank decision would, leaves remote rows unfitted.
"""

import numpy as np
from numba import njit

from whence.numerics.splines import FloatArray, IntArray, SplineRows

_RIDGE = 1e-12


def project(rows: SplineRows, v: FloatArray) -> FloatArray:
    """Fitted values of the least-squares spline at the rows."""
    coefficients = _coefficients(rows.first, rows.values, rows.size, v)
    index = rows.first[:, None] + np.arange(rows.values.shape[1])
    return np.sum(rows.values * coefficients[index], axis=1)


@njit(cache=True, nogil=True)
def _coefficients(first: IntArray, values: FloatArray, size: int, v: FloatArray) -> FloatArray:
    width = values.shape[1]
    # triangle[j, m] is entry (j, j + m) of the upper triangular factor.
    triangle, right = np.zeros((size, width)), np.zeros(size)
    triangle[:, 0] = np.sqrt(_RIDGE)
    row = np.empty(width)
    for i in range(len(v)):
        row[:] = values[i]
        target = v[i]
        for m in range(width):
            if row[m] == 0.0:
                continue
            above = triangle[first[i] + m]
            length = np.hypot(above[0], row[m])
            c, s = above[0] / length, row[m] / length
            for t in range(width - m):
                up, down = above[t], row[m + t]
                above[t] = c * up + s * down
                row[m + t] = c * down - s * up
            up = right[first[i] + m]
            right[first[i] + m] = c * up + s * target
            target = c * target - s * up
    return _back_substitution(triangle, right)


@njit(cache=True, nogil=True)
def _back_substitution(triangle: FloatArray, right: FloatArray) -> FloatArray:
    size, width = triangle.shape
    beta = np.zeros(size)
    for j in range(size - 1, -1, -1):
        rest = right[j]
        for m in range(1, min(width, size - j)):
            rest -= triangle[j, m] * beta[j + m]
        beta[j] = rest / triangle[j, 0]
    return beta
