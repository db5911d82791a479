"""Maximal correlation of two columns of ranks by alternating conditional expectations (Breiman and Friedman 1985).

A moving average over ranks stands for the conditional expectation. The constants, the zero padding and the start are
those of the vinecopulib library (Nagler and Vatter), whose kernel copula takes its bandwidth from this number.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TOLERANCE = 2e-15
MAX_ITERATIONS = 100
FLAT = 1e-12
"""A transform of a unit column that varies less than this is constant but for rounding."""


@njit(cache=True, nogil=True)
def maximal_correlation(ranks_a: FloatArray, ranks_b: FloatArray) -> float:
    """Correlation of the best transforms of a and b; ranks are 1 … n, and equal ranks mean equal values.

    The published inner loop repeats φ_b ← E[φ_a | b] until it stands still, which one step achieves since φ_a is fixed.
    """
    n = len(ranks_a)
    order_a, order_b = np.argsort(ranks_a, kind="mergesort"), np.argsort(ranks_b, kind="mergesort")
    sorted_a, sorted_b = ranks_a[order_a], ranks_b[order_b]
    phi_a = (ranks_a - 1.0 - ((n - 1) / 2.0 - 1.0)) / np.sqrt(n * (n - 1) / 12.0)
    phi_b = phi_a
    distance, change, iteration = 1.0, 1.0, 0
    while iteration < MAX_ITERATIONS and change > TOLERANCE:
        phi_b = _standardised(_expectation(phi_a, order_b, sorted_b))
        phi_a = _standardised(_expectation(phi_b, order_a, sorted_a))
        if not (np.any(phi_a) and np.any(phi_b)):
            return 0.0
        now = float(np.mean((phi_a - phi_b) ** 2))
        change, distance = abs(now - distance), now
        iteration += 1
    return float(_correlation(phi_a, phi_b))


@njit(cache=True, nogil=True)
def _expectation(values: FloatArray, order: IntArray, ranks: FloatArray) -> FloatArray:
    """Moving average of `values` in the given order, a fifth of the rows to each side, flat at the ends.

    Rows of equal rank get the same expectation, and enter it through their mean, whatever their order.
    """
    n = len(values)
    half = -(-n // 5)
    total = np.zeros(n + 1)
    total[1:] = np.cumsum(_tied_means(values[order], ranks))
    smooth = np.empty(n)
    for i in range(half, n - half):
        smooth[i] = (total[i + half + 1] - total[i - half]) / (2 * half + 1)
    smooth[:half] = smooth[half]
    smooth[n - half :] = smooth[n - half - 1]
    out = np.empty(n)
    out[order] = _tied_means(smooth, ranks)
    return out


@njit(cache=True, nogil=True)
def _tied_means(values: FloatArray, ranks: FloatArray) -> FloatArray:
    out = values.copy()
    first = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or ranks[i] != ranks[first]:
            if i - first > 1:
                out[first:i] = np.mean(values[first:i])
            first = i
    return out


@njit(cache=True, nogil=True)
def _standardised(values: FloatArray) -> FloatArray:
    """Mean 0 and standard deviation 1; a flat column becomes zero."""
    centred = values - np.mean(values)
    spread = np.sqrt(np.sum(centred * centred) / (len(values) - 1))
    return centred / spread if spread > FLAT else np.zeros(len(values))


@njit(cache=True, nogil=True)
def _correlation(a: FloatArray, b: FloatArray) -> float:
    a, b = a - np.mean(a), b - np.mean(b)
    return float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))
