"""Moving windows over rows in the order of the cause: compiled, linear in the rows."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@njit(cache=True, nogil=True)
def left_out_line(v: FloatArray, half: int) -> FloatArray:
    """At every row the line through the rows within ± half of it, itself left out; least squares in the row number."""
    n = len(v)
    sums, weighted = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n):
        sums[i + 1] = sums[i] + v[i]
        weighted[i + 1] = weighted[i] + v[i] * i
    out = np.empty(n)
    for i in range(n):
        low, high = max(i - half, 0), min(i + half, n - 1)
        t0 = sums[high + 1] - sums[low] - v[i]
        t1 = weighted[high + 1] - weighted[low] - i * v[i] - i * t0
        a, c = float(i - low), float(high - i)
        s0, s1 = a + c, (c * (c + 1) - a * (a + 1)) / 2
        s2 = (c * (c + 1) * (2 * c + 1) + a * (a + 1) * (2 * a + 1)) / 6
        out[i] = (s2 * t0 - s1 * t1) / (s0 * s2 - s1 * s1)
    return out


@njit(cache=True, nogil=True)
def window_mean(v: FloatArray, half: int) -> FloatArray:
    """At every row the mean of the rows within ± half of it."""
    n = len(v)
    sums = np.zeros(n + 1)
    for i in range(n):
        sums[i + 1] = sums[i] + v[i]
    out = np.empty(n)
    for i in range(n):
        low, high = max(i - half, 0), min(i + half, n - 1)
        out[i] = (sums[high + 1] - sums[low]) / (high + 1 - low)
    return out


@njit(cache=True, nogil=True)
def histogram(a: FloatArray, b: FloatArray, grid: int) -> FloatArray:
    """Square root of the density on the unit square, grid × grid cells; what lies outside counts to the border."""
    counts = np.zeros((grid, grid))
    for i in range(len(a)):
        row, column = int(a[i] * grid), int(b[i] * grid)
        counts[min(max(row, 0), grid - 1), min(max(column, 0), grid - 1)] += 1.0
    return np.sqrt(counts * (grid * grid / len(a)))
