"""The exact median of all pairwise distances of a column in O(n log n) time and O(n) memory: the kernel's bandwidth."""

import numpy as np

from causewise.numerics.native import FloatArray, native

ROUNDING = 1e-12
"""Of a column's range: a smaller distance may be rounding alone, as between residuals of rows fitted exactly."""
_ENOUGH = 64
"""Distances are selected from directly once so few are left; a sweep more costs less than selecting among many."""
_ROWS_AT_ONCE = 5_000_000
"""Sweeps are made several in one call while they pass over about so many rows; between calls Python may stop them."""


def median_sq_distance(
    column: FloatArray, zeros: bool = False, rounding: float = 0.0, is_sorted: bool = False
) -> float:
    """Median of the squared distances over all pairs of rows; pairs at distance zero count only if `zeros`.

    Zero is what is no more than the fraction `rounding` of the column's range. An even number of pairs averages the two
    middle *squared* distances, as a sort of the full matrix would. Returns 0.0 when there is no pair to count.
    """
    s = np.ascontiguousarray(column) if is_sorted else np.sort(column)
    n = len(s)
    if n < 2:
        return 0.0
    low = 0.0 if zeros else rounding * float(s[-1] - s[0])
    below = _pairs_within(s, n, low)
    skipped = 0 if zeros else below
    counted = n * (n - 1) // 2 - skipped
    if counted == 0:
        return 0.0
    one, two = _neighbours(s, skipped + (counted + 1) // 2, low, below)
    return one * one if counted % 2 == 1 else 0.5 * (one * one + two * two)


def _neighbours(s: FloatArray, k: int, low: float, below: int) -> tuple[float, float]:
    """The k-th smallest distance, k from 1, and the next; `below` distances are no larger than `low`.

    A bracket of values is narrowed to a fraction of n candidates, from which they are selected.
    """
    n = len(s)
    bracket = np.array([low, low if below >= k else s[-1] - s[0]])
    count = np.array([below, below if below >= k else n * (n - 1) // 2], np.int64)
    few, rounds = max(n // 4, _ENOUGH), 1 + _ROWS_AT_ONCE // n
    while not _narrow_bracket(s, n, k, few, rounds, bracket, count):
        pass
    (low, high), (below, up_to) = bracket.tolist(), count.tolist()
    if low == high:
        return high, high if up_to > k else _next_distance(s, n, high)
    found, at = np.empty(up_to - below), k - below - 1
    _distances_between(s, n, low, high, found)
    if up_to == k:
        return float(np.max(found)), _next_distance(s, n, high)
    found.partition((at, at + 1))
    return float(found[at]), float(found[at + 1])


_pairs_within = native("int64_t pairs_within(double *s, int64_t n, double t)")
_narrow_bracket = native(
    "bool narrow_bracket(double *s, int64_t n, int64_t k, int64_t few, int64_t rounds, double *bracket, int64_t *count)"
)
_distances_between = native("void distances_between(double *s, int64_t n, double low, double high, double *found)")
_next_distance = native("double next_distance(double *s, int64_t n, double t)")
