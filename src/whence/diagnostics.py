"""What two columns look like before any fit: ties, gaps, repeats, drift along the file, how much of one is noise.

Estimates only; `preflight` puts them into words, the default method weighs some of them. Each costs O(n log n) at most,
and neither units nor the sign of a column matter.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.numerics.arrays import mid_ranks
from whence.numerics.columns import once
from whence.pair import FloatArray, row_order, standardise

_FEW_VALUES, _ROUNDED_VALUES, _ROUNDED_SHARE = 30, 100, 0.2
_HEAP_SHARE, _HEAP_ROWS = 0.1, 10
_TAIL, _GAP, _DISTANT = 0.025, 2.0, 15.0
_NOISE_KEPT = 0.95
_OFTEN_REPEATED = 4  # rows per value of the cause
_QUARTILES = 1.349  # the distance of a standard normal's quartiles
_EXACT = 1e-5
# Below 200 rows the fourth moment cannot tell uniform noise from Gaussian; 21.7 is the 99 % point of chi-square with
# nine degrees. Both limits together pass 95 % of Gaussian pairs.
GAUSSIAN_ROWS, _GAUSSIAN_CHI2, _GAUSSIAN_Z = 200, 21.7, 3.0
_RELATED = 6.6  # the 99 % point of chi-square with one degree


class Tally(NamedTuple):
    """How a column's values repeat."""

    name: str
    n: int
    distinct: int
    commonest: float
    heap: int

    @property
    def is_coarse(self) -> bool:
        """Whether so few values suggest rounding or counting."""
        few = self.distinct <= min(_FEW_VALUES, self.n // 2)
        return few or self.distinct <= min(_ROUNDED_VALUES, _ROUNDED_SHARE * self.n)

    @property
    def is_heaped(self) -> bool:
        """Whether one value stands out in a column that is fine otherwise."""
        return self.heap > _HEAP_ROWS and self.heap >= _HEAP_SHARE * self.n and not self.is_coarse


def tally(column: FloatArray, name: str) -> Tally:
    """Count a column's values."""
    values, counts = np.unique(column, return_counts=True)
    return Tally(name, len(column), len(values), float(values[counts.argmax()]) + 0.0, int(counts.max()))


def far_rows(column: FloatArray) -> int:
    """Rows far from the middle 95 %, if there is a gap or a huge distance."""
    # Not standardised: beside a value of 1e20 all others would become equal, and it would pass for the only one there.
    ordered = np.sort(column)
    n, trimmed = len(ordered), math.ceil(_TAIL * len(ordered))
    low, middle, high = ordered[trimmed], 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2]), ordered[-1 - trimmed]
    if low == high:
        return 0
    # The long side of a skewed column reaches farther.
    below, above = (max(high - low, 2 * side) for side in (middle - low, high - middle))
    distance = np.maximum(0, np.maximum((low - ordered) / below, (ordered - high) / above))
    alarming = np.abs(np.diff(distance)).max() > _GAP or distance.max() > _DISTANT
    return int(np.count_nonzero(distance > _GAP)) if alarming else 0


def chance_repeats(x: FloatArray, y: FloatArray) -> float:
    """Repeats that rounding explains: as many as in unrelated columns, or half of the pairs of rows one step apart."""
    (_, by_x), (values, by_y) = (np.unique(column, return_inverse=True) for column in (x, y))
    cells, counts = np.unique(by_x * (len(values) + 1) + by_y, return_counts=True)
    unrelated = 0.5 * _tied_pairs(by_x) * _tied_pairs(by_y) / len(x) ** 2
    return max(unrelated, *(0.5 * _pairs_apart(cells, counts, step) for step in (1, len(values) + 1)))


def _tied_pairs(ranks: NDArray[np.intp]) -> float:
    counts = np.bincount(ranks).astype(float)
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
    values, first = np.unique(column, return_index=True)
    return int(first[len(values) // 4]), int(first[-1 - len(values) // 4])


def noise_share(cause: FloatArray, effect: FloatArray) -> float:
    """Noise variance over variance, without the largest twentieth, where the cause is sparse and the curve bends.

    The spread is measured by the quartiles, so that one outlier does not make all else look like a curve.
    """
    ordered = once(np.sort, effect)
    low, high = ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]
    if not high > low:
        return math.inf
    misses = np.sort(_misses(*_distinct_rows(cause, (effect - low) / (high - low))))
    share = float(np.mean(misses[: max(1, int(_NOISE_KEPT * len(misses)))])) * _QUARTILES**2
    return math.inf if math.isnan(share) else share


def _distinct_rows(cause: FloatArray, effect: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows by cause and then effect; each once unless the cause is coarse, since a table pasted twice has noise."""
    order = row_order(cause, effect)
    c, e = cause[order], effect[order]
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
    ways = np.array([_moments(x, standardise(y - r * x)), _moments(y, standardise(x - r * y))])
    # The sum is the same in every basis. The largest is not: noise independent of the cause stands alone in one of two.
    is_gaussian = np.sum(ways[0] ** 2) < _GAUSSIAN_CHI2 and np.max(np.abs(ways)) < _GAUSSIAN_Z
    return bool(is_gaussian and len(x) * r * r > _RELATED)


def _moments(u: FloatArray, v: FloatArray) -> FloatArray:
    """Hermite moments of order 3 and 4: independent standard normals when the uncorrelated u and v are Gaussian."""
    orders = [(a, total - a) for total in (3, 4) for a in range(total + 1)]
    scale = [math.sqrt(len(u) / (math.factorial(a) * math.factorial(b))) for a, b in orders]
    powers = once(_hermite, u)
    means: dict[tuple[int, int], float] = {}
    for b in range(5):  # of the powers of v one at a time: all of them take as much memory as ten columns
        power = _HERMITE[b](v)
        means |= {(a, b): float(np.mean(powers[a] * power)) for a in range(5) if (a, b) in orders}
    return np.array(scale) * np.array([means[order] for order in orders])


_HERMITE: tuple[Callable[[FloatArray], FloatArray], ...] = (
    np.ones_like,
    lambda z: z,
    lambda z: z * z - 1,
    lambda z: z * (z * z - 3),
    lambda z: (z * z) * (z * z - 6) + 3,
)


def _hermite(z: FloatArray) -> tuple[FloatArray, ...]:
    return tuple(power(z) for power in _HERMITE)


def autocorrelation(column: FloatArray, lags: int) -> FloatArray:
    """Of the column's mean ranks at lags 0 … `lags`, so that neither outliers nor the sorting of ties matter."""
    from scipy.fft import irfft, next_fast_len, rfft

    # Wiener–Khinchin: the autocovariance is the transform of the power spectrum, of the padded column.
    size = next_fast_len(len(column) + lags, real=True)
    power = np.abs(rfft(standardise(mid_ranks(column)), size)) ** 2
    return np.asarray(irfft(power, size)[: lags + 1] / len(column))
