"""Diagnostics of two columns before any fit: gaps, repeats, autocorrelation along the rows, the share of noise.

Estimates only; `data_checks` puts them into words, and some are terms of the default method. Each costs O(n log n) at
most, and neither units nor the sign of a column matter.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.columns import once
from causewise.numerics.ranked import ColumnRanks, find_runs, mid_ranks, rank_column
from causewise.pair import FloatArray, row_order, standardise

_TAIL, _GAP, _DISTANT = 0.025, 2.0, 15.0
_NOISE_KEPT = 0.95
_OFTEN_REPEATED = 4  # rows per value of the cause
_QUARTILES = 1.349  # the distance of a standard normal's quartiles
_EXACT = 1e-5
# Below 200 rows the fourth moment cannot tell uniform noise from Gaussian; 21.7 is the 99 % point of chi-square with
# nine degrees. Both limits together pass 95 % of Gaussian pairs.
GAUSSIAN_ROWS, _GAUSSIAN_CHI2, _GAUSSIAN_Z = 200, 21.7, 3.0
_LONGEST_LAG = 200
_RELATED = 6.6  # the 99 % point of chi-square with one degree


def far_rows(column: FloatArray) -> int:
    """Rows far from the middle 95 %, if there is a gap or a huge distance."""
    # Not standardised: beside a value of 1e20 all others would become equal, and it would pass for the only one there.
    order = once(rank_column, column).order
    n, trimmed = len(order), math.ceil(_TAIL * len(order))
    middle = 0.5 * (column[order[(n - 1) // 2]] + column[order[n // 2]])
    tails = column[np.append(order[: trimmed + 1], order[-1 - trimmed :])]
    low, high = tails[trimmed], tails[-1 - trimmed]
    if low == high:
        return 0
    # The long side of a skewed column reaches farther.
    below, above = (max(high - low, 2 * side) for side in (middle - low, high - middle))
    distance = np.maximum(0, np.maximum((low - tails) / below, (tails - high) / above))
    alarming = np.abs(np.diff(distance)).max() > _GAP or distance.max() > _DISTANT
    return int(np.count_nonzero(distance > _GAP)) if alarming else 0


def chance_repeats(x: FloatArray, y: FloatArray) -> float:
    """Repeats that rounding explains: as many as in unrelated columns, or half of the pairs of rows one step apart."""
    in_x, in_y = once(rank_column, x), once(rank_column, y)
    order, starts = find_runs(in_x, in_y)
    rows, wide = order[starts], in_y.distinct + 1
    cells, counts = in_x.place[rows].astype(np.int64) * wide + in_y.place[rows], np.diff(starts, append=len(x))
    unrelated = 0.5 * _tied_pairs(in_x) * _tied_pairs(in_y) / len(x) ** 2
    return max(unrelated, *(0.5 * _pairs_apart(cells, counts, step) for step in (1, wide)))


def _tied_pairs(ranked: ColumnRanks) -> float:
    counts = ranked.counts.astype(float)
    return float(np.sum(counts * (counts - 1)))


def _pairs_apart(cells: NDArray[np.intp], counts: NDArray[np.intp], step: int) -> float:
    """Pairs of rows in cells that differ by this step."""
    there = np.minimum(np.searchsorted(cells, cells + step), len(cells) - 1)
    return float(np.sum(counts * np.where(cells[there] == cells + step, counts[there], 0)))


def is_monotone(column: FloatArray) -> bool:
    """Whether the rows are sorted by this column, either way."""
    return bool(np.all(column[1:] >= column[:-1]) or np.all(column[1:] <= column[:-1]))


def on_a_line(x: FloatArray, y: FloatArray) -> bool:
    """Whether every row lies on the line through the quartiles of the distinct x, but for rounding."""
    # Least squares would be ruled by one far row: beside (1e20, 1e20) any rows at all have a correlation of one.
    low, high = once(_quartile_rows, x)
    across, up = ((column - column[low]) / (column[high] - column[low]) for column in (x, y))
    return bool(np.all(np.abs(up - across) <= _EXACT * (1 + np.abs(across))))


def _quartile_rows(column: FloatArray) -> tuple[int, int]:
    """Rows at the quartiles of the distinct values."""
    ranked = once(rank_column, column)
    first, quarter = ranked.first_rows, ranked.distinct // 4
    return int(first[quarter]), int(first[-1 - quarter])


def noise_share(cause: FloatArray, effect: FloatArray) -> float:
    """Noise variance over variance, without the largest twentieth, where the cause is sparse and the curve bends.

    The scale is measured by the quartiles, so that one outlier does not make all else look like a curve.
    """
    order = once(rank_column, effect).order
    low, high = effect[order[len(order) // 4]], effect[order[-1 - len(order) // 4]]
    if not high > low:
        return math.inf
    order = row_order(cause, effect)
    c, e = cause[order], (effect[order] - low) / (high - low)
    del order
    misses = np.sort(_misses(*_distinct_rows(c, e)))
    share = float(np.mean(misses[: max(1, int(_NOISE_KEPT * len(misses)))])) * _QUARTILES**2
    return math.inf if math.isnan(share) else share


def _distinct_rows(c: FloatArray, e: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sorted rows, each once unless the cause is coarse, since a table pasted twice has noise."""
    new_cause = c[1:] != c[:-1]
    if len(c) > _OFTEN_REPEATED * (1 + np.count_nonzero(new_cause)):
        return c, e
    kept = np.append(True, new_cause | (e[1:] != e[:-1]))
    return (c, e) if kept.all() else (c[kept], e[kept])


def _misses(cause: FloatArray, effect: FloatArray) -> FloatArray:
    """Squared noise at each row, unbiased where the curve is straight between neighbours; the rows sorted by cause.

    Where the cause repeats, the distance to the mean of its effects; elsewhere the distance to the line through the
    neighbouring causes, whose effects are means over the rows there: Gasser, Sroka and Jennen-Steinmetz (1986).
    """
    new = np.append(True, cause[1:] != cause[:-1])
    if new.all():  # nothing repeats: the same without arrays of ones
        return _between(cause, effect, 1, 1)
    start = np.flatnonzero(new)
    size = np.diff(np.append(start, len(cause)))
    c, mean = cause[start], np.add.reduceat(effect, start) / size
    m = np.repeat(size, size)
    within = (effect - np.repeat(mean, size)) ** 2 * m / np.maximum(m - 1, 1)
    return np.append(within[m > 1], _between(c, mean, size[:-2], size[2:])[size[1:-1] == 1])


def _between(c: FloatArray, mean: FloatArray, before: Any, after: Any) -> FloatArray:
    """Squared distance to the line through the neighbours, over its variance; `before` and `after` rows lie there."""
    left = (c[2:] - c[1:-1]) / (c[2:] - c[:-2])
    right = 1 - left
    bend = mean[1:-1] - left * mean[:-2] - right * mean[2:]
    return np.asarray(bend**2 / (1 + left**2 / before + right**2 / after))


def is_gaussian(x: FloatArray, y: FloatArray) -> bool:
    """Whether related standardised columns show no moment that a Gaussian pair has not."""
    r = float(np.mean(x * y))
    if not len(x) * r * r > _RELATED:
        return False
    # The sum is the same in every basis. The largest is not: noise independent of the cause stands alone in one of two.
    one = _moments(x, standardise(y - r * x))
    if not (np.sum(one**2) < _GAUSSIAN_CHI2 and np.max(np.abs(one)) < _GAUSSIAN_Z):
        return False
    return bool(np.max(np.abs(_moments(y, standardise(x - r * y)))) < _GAUSSIAN_Z)


def _moments(u: FloatArray, v: FloatArray) -> FloatArray:
    """Hermite moments of order 3 and 4: independent standard normals when the uncorrelated u and v are Gaussian."""
    orders = [(a, total - a) for total in (3, 4) for a in range(total + 1)]
    scale = [math.sqrt(len(u) / (math.factorial(a) * math.factorial(b))) for a, b in orders]
    powers = [power(u) for power in _HERMITE]
    means: dict[tuple[int, int], float] = {}
    for b in range(5):  # of the powers of v one at a time: all of them take as much memory as ten columns
        power = _HERMITE[b](v)
        means |= {(a, b): float(np.mean(powers[a] * power)) for a in range(5) if (a, b) in orders}
    return np.array(scale) * np.array([means[order] for order in orders])


_HERMITE: tuple[Callable[[FloatArray], Any], ...] = (
    lambda _: 1.0,
    lambda z: z,
    lambda z: z * z - 1,
    lambda z: z * (z * z - 3),
    lambda z: (z * z) * (z * z - 6) + 3,
)


def autocorrelation(column: FloatArray, ranks: Callable[[FloatArray], FloatArray] = mid_ranks) -> FloatArray:
    """Of the column's mean ranks at lags 0 … n / 4 or 200, so that neither outliers nor the sorting of ties matter."""
    from scipy.fft import irfft, next_fast_len, rfft

    # Wiener–Khinchin: the autocovariance is the transform of the power spectrum, of the padded column.
    lags = min(len(column) // 4, _LONGEST_LAG)
    size = next_fast_len(len(column) + lags, real=True)
    # All in one array where it can be: this is where a long table takes most memory.
    padded = ranks(column)
    standardise(padded, out=padded)
    padded.resize(size, refcheck=False)
    spectrum = rfft(padded)
    del padded
    spectrum.real, spectrum.imag = np.abs(spectrum) ** 2, 0.0
    return np.asarray(irfft(spectrum, size)[: lags + 1] / len(column))


def column_autocorrelation(column: FloatArray) -> FloatArray:
    """As `autocorrelation`, of a column whose order is at hand."""
    return autocorrelation(column, lambda values: once(rank_column, values).mid_ranks)
