"""Nearest neighbours of points in the plane under the maximum norm, and how many points share a margin with them."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def kth_distance(a: FloatArray, b: FloatArray, k: int) -> FloatArray:
    """Maximum-norm distance of every point (aᵢ, bᵢ) to its k-th nearest other point, 1 ≤ k < n."""
    if len(np.unique(a)) > len(np.unique(b)):  # the sweep cannot prune among equal values
        a, b = b, a
    order = np.argsort(b, kind="stable")
    out = np.empty(len(a))
    out[order] = _sweep(a[order], b[order], k)
    return out


@njit(cache=True, nogil=True)
def _sweep(a: FloatArray, b: FloatArray, k: int) -> FloatArray:
    """From each point outwards along the ascending b, until b alone is farther than the k-th best so far.

    About √(k n) points are visited for spread data, and as fast as a k-d tree up to n = 16 000; the worst case is
    quadratic in time, never in memory.
    """
    n = len(a)
    out = np.empty(n)
    best = np.empty(k)
    for i in range(n):
        best[:] = np.inf
        worst = np.inf
        j = i + 1
        while j < n and b[j] - b[i] < worst:
            worst = _closer(best, worst, abs(a[j] - a[i]), b[j] - b[i])
            j += 1
        j = i - 1
        while j >= 0 and b[i] - b[j] < worst:
            worst = _closer(best, worst, abs(a[j] - a[i]), b[i] - b[j])
            j -= 1
        out[i] = worst
    return out


@njit(cache=True, nogil=True, inline="always")
def _closer(best: FloatArray, worst: float, along_a: float, along_b: float) -> float:
    """Enter a point into the k smallest distances, kept in ascending order; returns the largest of them."""
    if along_a >= worst:
        return worst
    distance = max(along_a, along_b)
    j = len(best) - 1
    while j > 0 and best[j - 1] > distance:
        best[j] = best[j - 1]
        j -= 1
    best[j] = distance
    return best[-1]


@njit(cache=True, nogil=True)
def count_within(ordered: FloatArray, centres: FloatArray, radius: FloatArray) -> IntArray:
    """How many entries of a sorted column lie within `radius` of each centre, ends included.

    The test is on the rounded difference, |v − c| ≤ r, never on v ≤ c + r: a radius that is itself the difference of
    two entries would otherwise lose its own end to rounding. Rounded subtraction is monotone, so bisection stays valid.
    """
    out = np.empty(len(centres), dtype=np.int64)
    for i in range(len(centres)):
        c, r = centres[i], radius[i]
        low, high = 0, len(ordered)
        while low < high:
            mid = (low + high) // 2
            if c - ordered[mid] > r:
                low = mid + 1
            else:
                high = mid
        first, high = low, len(ordered)
        while low < high:
            mid = (low + high) // 2
            if ordered[mid] - c <= r:
                low = mid + 1
            else:
                high = mid
        out[i] = low - first
    return out
