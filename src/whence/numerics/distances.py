"""The exact median of all pairwise distances of a column in O(n log n) time and O(n) memory."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def median_sq_distance(column: FloatArray, zeros: bool = False) -> float:
    """Median of the squared distances over all pairs of rows; pairs at distance zero count only if `zeros`.

    An even number of pairs averages the two middle *squared* distances, as a sort of the full matrix would.
    Returns 0.0 when there is no pair to count.
    """
    return float(_median_sq_distance(np.sort(column), zeros))


@njit(cache=True, nogil=True)
def _median_sq_distance(s: FloatArray, zeros: bool) -> float:
    n = len(s)
    skipped = 0 if zeros else _pairs_within(s, 0.0)
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
    """The k-th smallest distance, k from 1: bisect on the value until a few n candidates remain, then select."""
    n = len(s)
    low, high = 0.0, s[n - 1] - s[0]
    if _pairs_within(s, low) >= k:
        return low
    below, up_to = _pairs_within(s, low), n * (n - 1) // 2
    while up_to - below > 4 * n:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            return high
        count = _pairs_within(s, middle)
        if count >= k:
            high, up_to = middle, count
        else:
            low, below = middle, count
    candidates = _distances_between(s, low, high, up_to - below)
    return np.partition(candidates, k - below - 1)[k - below - 1]


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
