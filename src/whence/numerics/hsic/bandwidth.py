"""The exact median of all pairwise distances of a column in O(n log n) time and O(n) memory: the kernel's bandwidth."""

import numpy as np
from numba import njit

from whence.native import FloatArray

ROUNDING = 1e-12
"""Of a column's range: a smaller distance may be rounding alone, as between residuals of rows fitted exactly."""
_ENOUGH = 64
"""Distances are selected from directly once so few are left; a sweep more costs less than selecting among many."""


def median_sq_distance(
    column: FloatArray, zeros: bool = False, rounding: float = 0.0, is_sorted: bool = False
) -> float:
    """Median of the squared distances over all pairs of rows; pairs at distance zero count only if `zeros`.

    Zero is what is no more than the fraction `rounding` of the column's range. An even number of pairs averages the two
    middle *squared* distances, as a sort of the full matrix would. Returns 0.0 when there is no pair to count.
    """
    return float(_median_sq_distance(column if is_sorted else np.sort(column), zeros, rounding))


@njit(cache=True, nogil=True)
def _median_sq_distance(s: FloatArray, zeros: bool, rounding: float) -> float:
    n = len(s)
    skipped = 0 if zeros else _pairs_within(s, rounding * (s[n - 1] - s[0]))
    counted = n * (n - 1) // 2 - skipped
    if counted == 0:
        return 0.0
    low = _kth_distance(s, skipped + (counted + 1) // 2)
    if counted % 2 == 1:
        return low * low
    high = low
    if _pairs_within(s, low) < skipped + counted // 2 + 1:
        high = _next_distance(s, low)
    return 0.5 * (low * low + high * high)


@njit(cache=True, nogil=True)
def _pairs_within(s: FloatArray, t: float) -> int:
    # Rounded subtraction is monotone, so one sweep with two pointers counts exactly.
    count, i = 0, 0
    for j in range(len(s)):
        while s[j] - s[i] > t:
            i += 1
        count += j - i
    return count


@njit(cache=True, nogil=True)
def _kth_distance(s: FloatArray, k: int) -> float:
    """The k-th smallest distance, k from 1: narrow a bracket of values to a fraction of n candidates, then select."""
    # The count of pairs is a smooth function of the distance for most columns, so the two sides of a linear guess are
    # probed first; a plain bisection follows whenever that did not halve the bracket, as with heavily tied columns.
    n = len(s)
    low, high = 0.0, s[n - 1] - s[0]
    below, up_to = _pairs_within(s, low), n * (n - 1) // 2
    if below >= k:
        return low
    while up_to - below > max(n // 4, _ENOUGH):
        width = high - low
        guess = low + width * (k - below - 0.5) / (up_to - below)
        margin = 0.1 * width * n / (up_to - below)
        for probe in (guess - margin, guess + margin):
            if low < probe < high:
                low, below, high, up_to = _narrowed(s, k, probe, low, below, high, up_to)
        if high - low > 0.5 * width:
            middle = 0.5 * (low + high)
            if middle <= low or middle >= high:
                return high
            low, below, high, up_to = _narrowed(s, k, middle, low, below, high, up_to)
    candidates = _distances_between(s, low, high, up_to - below)
    return np.partition(candidates, k - below - 1)[k - below - 1]


@njit(cache=True, nogil=True)
def _narrowed(
    s: FloatArray, k: int, probe: float, low: float, below: int, high: float, up_to: int
) -> tuple[float, int, float, int]:
    count = _pairs_within(s, probe)
    if count >= k:
        return low, below, probe, count
    return probe, count, high, up_to


@njit(cache=True, nogil=True)
def _distances_between(s: FloatArray, low: float, high: float, size: int) -> FloatArray:
    found = np.empty(size)
    at, near, far = 0, 0, 0
    for j in range(len(s)):
        while s[j] - s[far] > high:
            far += 1
        near = max(near, far)
        while s[j] - s[near] > low:
            near += 1
        for i in range(far, near):
            found[at] = s[j] - s[i]
            at += 1
    return found


@njit(cache=True, nogil=True)
def _next_distance(s: FloatArray, t: float) -> float:
    best, i = np.inf, 0
    for j in range(len(s)):
        while s[j] - s[i] > t:
            i += 1
        if i > 0:
            best = min(best, s[j] - s[i - 1])
    return best
