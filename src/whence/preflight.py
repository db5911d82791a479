"""What a look at the rows can tell before any model is fitted: at most one short sentence per kind of trouble.

All checks cost O(n log n) at most, and neither units nor the sign of a column matter. A notice says how much it weighs
and leaves the rest to the caller; a pair that cannot be used at all is refused by `Pair.of`.
"""

import math
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from whence.pair import FloatArray, Pair, row_order, standardise

FEW_ROWS = 100
_FEW_VALUES, _ROUNDED_VALUES, _ROUNDED_SHARE = 30, 100, 0.2
_HEAP_SHARE, _HEAP_ROWS = 0.1, 10
_TAIL, _GAP, _DISTANT = 0.025, 2.0, 15.0
_REPEATED_SHARE, _REPEATED_ROWS, _BEYOND_CHANCE = 0.05, 5, 3.0
_DEPENDENT_Z, _DEPENDENT_SIZE = 5.0, 0.2
_NOISE_SHARE, _NOISE_KEPT = 1e-3, 0.95
_OFTEN_REPEATED = 4  # rows per value of the cause
_QUARTILES = 1.349  # the distance of a standard normal's quartiles
_EXACT = 1e-5
_LEAST_SHOWN = 1e-4
# Below 200 rows the fourth moment cannot tell uniform noise from Gaussian; 21.7 is the 99 % point of chi-square with
# nine degrees. Both limits together pass 95 % of Gaussian pairs.
_GAUSSIAN_ROWS, _GAUSSIAN_CHI2, _GAUSSIAN_Z = 200, 21.7, 3.0
_RELATED = 6.6  # the 99 % point of chi-square with one degree


class Level(StrEnum):
    """How much a notice weighs."""

    STOPS = "stops"
    """Such rows have no direction to be found, so no answer should be given."""
    LOWERS = "lowers confidence"
    """The answer is less sure than it looks."""
    NOTE = "note"
    """Good to know, and mostly harmless."""


class Notice(str):
    """A sentence that knows how much it matters and of what kind it is; equal to its text."""

    level: Level
    kind: str

    def __new__(cls, text: str, level: Level, kind: str) -> "Notice":
        """The text, with what it is about."""
        notice = super().__new__(cls, text)
        notice.__dict__.update(level=Level(level), kind=kind)
        return notice

    def __getnewargs__(self) -> tuple[str, Level, str]:  # type: ignore[override]
        return str(self), self.level, self.kind

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A notice cannot be changed; got a new value for {name!r}.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A notice cannot be changed; {name!r} was to be deleted.")


def check(pair: Pair) -> tuple[Notice, ...]:
    """Everything about these rows that weakens an answer, the worst first; empty for a clean pair."""
    with np.errstate(all="ignore"):
        found = [(test(pair), level, test.__name__) for test, level in CHECKS.items()]
    return tuple(Notice(text, level, kind) for text, level, kind in found if text)


def exact_line(pair: Pair) -> str:
    """One column is the other in different units."""
    if not _on_a_line(pair):
        return ""
    return (
        f"{pair.x_name!r} and {pair.y_name!r} lie exactly on a straight line, so either could be computed from the "
        "other: no direction can be found from such rows."
    )


def linear_gaussian(pair: Pair) -> str:
    """The one noisy relation that no method can orient."""
    if pair.n < _GAUSSIAN_ROWS or not _is_gaussian(standardise(pair.x), standardise(pair.y)) or _on_a_line(pair):
        return ""
    return (
        "The rows look like a straight line with Gaussian noise, which fits both directions equally well: no direction "
        "can be found from such rows."
    )


def few_rows(pair: Pair) -> str:
    """Too few rows for the tests to have power."""
    if pair.n >= FEW_ROWS:
        return ""
    return (
        f"With only {pair.n} rows the tests have little power, so the direction is a hint at best: collect at least "
        f"{FEW_ROWS} rows."
    )


def ties(pair: Pair) -> str:
    """Rounded or counted columns."""
    coarse = [tally for tally in _tallies(pair) if tally.is_coarse]
    if not coarse:
        return ""
    names, numbers = _listed(repr(tally.name) for tally in coarse), _listed(str(tally.distinct) for tally in coarse)
    return (
        f"{names} take{'s' * (len(coarse) == 1)} only {numbers} distinct values, and such steps can decide the "
        "direction alone: use finer measurements if possible."
    )


def heaps(pair: Pair) -> str:
    """One value very often in a column that is fine otherwise: censored, filled in, or a count of nothing."""
    heaped = [
        f"{tally.name!r} is {tally.commonest:g} in {_percent(tally.heap / pair.n)}"
        for tally in _tallies(pair)
        if tally.is_heaped
    ]
    if not heaped:
        return ""
    return f"{_listed(heaped)} of rows, which can mislead: check for censored or placeholder values."


def outliers(pair: Pair) -> str:
    """A few rows far away that stretch the axis."""
    far = [(name, number) for column, name in _columns(pair) if (number := _far_rows(column))]
    if not far:
        return ""
    (name, number), *others = far
    seen = _listed([f"{name!r} has {_count(number, 'extreme value')}", *(f"{n!r} has {k}" for n, k in others)])
    return f"{seen}, which can turn the answer: check these rows or take logarithms."


def repeated_rows(pair: Pair) -> str:
    """Whole rows that occur more often than ties in each column explain."""
    rows = np.sort(pair.x + 1j * pair.y)
    repeats = int(np.count_nonzero(rows[1:] == rows[:-1]))
    if repeats <= max(_REPEATED_ROWS, _REPEATED_SHARE * pair.n) or repeats < _BEYOND_CHANCE * _chance_repeats(pair):
        return ""
    return (
        f"{repeats} rows ({_percent(repeats / pair.n)}) repeat an earlier row in both columns, counting the same "
        "evidence twice: remove them unless they are separate measurements."
    )


def dependent_rows(pair: Pair) -> str:
    """Rows that follow one another, as in a time series."""
    linked = [f"{value:.2f} in {name!r}" for name, value in _autocorrelations(pair) if value > 0]
    if not linked:
        return ""
    return (
        f"Neighbouring rows resemble each other (autocorrelation {_listed(linked)}), so p-values can be too small: "
        "use every k-th row, or differences."
    )


def nearly_deterministic(pair: Pair) -> str:
    """Hardly any noise to judge a direction by."""
    share, effect, cause = min(
        (_noise_share(pair.x, pair.y), pair.y_name, pair.x_name),
        (_noise_share(pair.y, pair.x), pair.x_name, pair.y_name),
    )
    if not share < _NOISE_SHARE or _on_a_line(pair):
        return ""
    return (
        f"{effect!r} is almost a function of {cause!r} (noise {_percent(math.sqrt(share))}), so the direction is hard "
        "to judge: check that neither is computed from the other."
    )


def alternating_rows(pair: Pair) -> str:
    """Rows that avoid their neighbours' values."""
    linked = [f"{value:.2f} in {name!r}" for name, value in _autocorrelations(pair) if value < 0]
    if not linked:
        return ""
    return (
        f"Neighbouring rows alternate (autocorrelation {_listed(linked)}), so they are not independent: find out how "
        "the rows were collected."
    )


def sorted_rows(pair: Pair) -> str:
    """Rows in the order of a column: a sorted table, or a time or place."""
    names = [repr(name) for column, name in _columns(pair) if _is_monotone(column)]
    if not names:
        return ""
    return (
        f"The rows are sorted by {_listed(names)}, which is harmless unless the order is time or place, where "
        "neighbouring rows depend on each other."
    )


def missing_rows(pair: Pair) -> str:
    """Rows left out for a missing value."""
    if not pair.dropped:
        return ""
    share, are = pair.dropped / (pair.n + pair.dropped), "is" if pair.dropped == 1 else "are"
    return (
        f"{_count(pair.dropped, 'row')} ({_percent(share)}) with a missing value {are} left out, which biases the "
        "answer if values are missing because of their size."
    )


CHECKS: dict[Callable[[Pair], str], Level] = {
    exact_line: Level.STOPS,
    linear_gaussian: Level.STOPS,
    few_rows: Level.LOWERS,
    ties: Level.LOWERS,
    heaps: Level.LOWERS,
    outliers: Level.LOWERS,
    repeated_rows: Level.LOWERS,
    dependent_rows: Level.LOWERS,
    nearly_deterministic: Level.LOWERS,
    alternating_rows: Level.NOTE,
    sorted_rows: Level.NOTE,
    missing_rows: Level.NOTE,
}
"""Every check with its level, the worst first; the name of a check is the kind of its notice."""


def _columns(pair: Pair) -> tuple[tuple[FloatArray, str], tuple[FloatArray, str]]:
    return (pair.x, pair.x_name), (pair.y, pair.y_name)


class _Tally(NamedTuple):
    name: str
    n: int
    distinct: int
    commonest: float
    heap: int

    @property
    def is_coarse(self) -> bool:
        few = self.distinct <= min(_FEW_VALUES, self.n // 2)
        return few or self.distinct <= min(_ROUNDED_VALUES, _ROUNDED_SHARE * self.n)

    @property
    def is_heaped(self) -> bool:
        return self.heap > _HEAP_ROWS and self.heap >= _HEAP_SHARE * self.n and not self.is_coarse


def _tallies(pair: Pair) -> list[_Tally]:
    return [_tally(column, name) for column, name in _columns(pair)]


def _tally(column: FloatArray, name: str) -> _Tally:
    values, counts = np.unique(column, return_counts=True)
    return _Tally(name, len(column), len(values), float(values[counts.argmax()]) + 0.0, int(counts.max()))


def _far_rows(column: FloatArray) -> int:
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


def _chance_repeats(pair: Pair) -> float:
    """Repeats that rounding explains: as many as in unrelated columns, or half of the pairs of rows one step apart."""
    (_, by_x), (y, by_y) = (np.unique(column, return_inverse=True) for column, _ in _columns(pair))
    cells, counts = np.unique(by_x * (len(y) + 1) + by_y, return_counts=True)
    unrelated = 0.5 * _tied_pairs(by_x) * _tied_pairs(by_y) / pair.n**2
    return max(unrelated, *(0.5 * _pairs_apart(cells, counts, step) for step in (1, len(y) + 1)))


def _tied_pairs(ranks: NDArray[np.intp]) -> float:
    counts = np.bincount(ranks).astype(float)
    return float(np.sum(counts * (counts - 1)))


def _pairs_apart(cells: NDArray[np.intp], counts: NDArray[np.intp], step: int) -> float:
    """Pairs of rows in cells that differ by this step."""
    there = np.minimum(np.searchsorted(cells, cells + step), len(cells) - 1)
    return float(np.sum(counts * np.where(cells[there] == cells + step, counts[there], 0)))


def _is_monotone(column: FloatArray) -> bool:
    return bool(np.all(column[1:] >= column[:-1]) or np.all(column[1:] <= column[:-1]))


def _autocorrelations(pair: Pair) -> list[tuple[str, float]]:
    """The columns whose neighbouring rows are linked; none where a column is sorted, and its ranks say nothing."""
    if any(_is_monotone(column) for column, _ in _columns(pair)):
        return []
    floor = max(_DEPENDENT_SIZE, _DEPENDENT_Z / math.sqrt(pair.n))
    values = [(name, _rank_autocorrelation(column)) for column, name in _columns(pair)]
    return [(name, value) for name, value in values if abs(value) > floor]


def _rank_autocorrelation(column: FloatArray) -> float:
    """Lag 1, of ranks with ties averaged, so that neither outliers nor the sorting of ties matter."""
    _, where, counts = np.unique(column, return_inverse=True, return_counts=True)
    ranks = standardise((np.cumsum(counts) - (counts - 1) / 2.0)[where])
    return float(np.mean(ranks[1:] * ranks[:-1]))


def _on_a_line(pair: Pair) -> bool:
    """Whether every row lies on the line through the quartiles of the distinct x, but for rounding."""
    # Least squares would be ruled by one far row: beside (1e20, 1e20) any rows at all have a correlation of one.
    x, first = np.unique(pair.x, return_index=True)
    low, high = first[len(x) // 4], first[-1 - len(x) // 4]
    across, up = ((column - column[low]) / (column[high] - column[low]) for column, _ in _columns(pair))
    return bool(np.all(np.abs(up - across) <= _EXACT * (1 + np.abs(across))))


def _noise_share(cause: FloatArray, effect: FloatArray) -> float:
    """Noise variance over variance, without the largest twentieth, where the cause is sparse and the curve bends.

    The spread is measured by the quartiles, so that one outlier does not make all else look like a curve.
    """
    ordered = np.sort(effect)
    low, high = ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]
    if not high > low:
        return math.inf
    misses = np.sort(_misses(*_evidence(cause, (effect - low) / (high - low))))
    share = float(np.mean(misses[: max(1, int(_NOISE_KEPT * len(misses)))])) * _QUARTILES**2
    return math.inf if math.isnan(share) else share


def _evidence(cause: FloatArray, effect: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows by cause and then effect; each once unless the cause is coarse, since a table pasted twice has noise."""
    order = row_order(cause, effect)
    c, e = cause[order], effect[order]
    new_cause = c[1:] != c[:-1]
    if len(c) > _OFTEN_REPEATED * (1 + np.count_nonzero(new_cause)):
        return c, e
    kept = np.append(True, new_cause | (e[1:] != e[:-1]))
    return c[kept], e[kept]


def _misses(cause: FloatArray, effect: FloatArray) -> FloatArray:
    """Squared noise at each row, unbiased where the curve is straight between neighbours; the rows sorted by cause.

    Where the cause repeats, the distance to the mean of its effects; elsewhere the distance to the line through the
    neighbouring causes, whose effects are means over the rows there: Gasser, Sroka and Jennen-Steinmetz (1986).
    """
    start = np.flatnonzero(np.append(True, cause[1:] != cause[:-1]))
    size = np.diff(np.append(start, len(cause)))
    c, mean = cause[start], np.add.reduceat(effect, start) / size
    m = np.repeat(size, size)
    within = (effect - np.repeat(mean, size)) ** 2 * m / np.maximum(m - 1, 1)
    left = (c[2:] - c[1:-1]) / (c[2:] - c[:-2])
    right = 1 - left
    bend = mean[1:-1] - left * mean[:-2] - right * mean[2:]
    between = bend**2 / (1 + left**2 / size[:-2] + right**2 / size[2:])
    return np.append(within[m > 1], between[size[1:-1] == 1])


def _is_gaussian(x: FloatArray, y: FloatArray) -> bool:
    """Whether related standardised columns show no moment that a Gaussian pair has not."""
    r = float(np.mean(x * y))
    ways = np.array([_moments(x, standardise(y - r * x)), _moments(y, standardise(x - r * y))])
    # The sum is the same in every basis. The largest is not: noise independent of the cause stands alone in one of two.
    is_gaussian = np.sum(ways[0] ** 2) < _GAUSSIAN_CHI2 and np.max(np.abs(ways)) < _GAUSSIAN_Z
    return bool(is_gaussian and len(x) * r * r > _RELATED)


def _moments(u: FloatArray, v: FloatArray) -> FloatArray:
    """Hermite moments of order 3 and 4: independent standard normals when the uncorrelated u and v are Gaussian."""
    powers = _hermite(u), _hermite(v)
    orders = [(a, total - a) for total in (3, 4) for a in range(total + 1)]
    scale = [math.sqrt(len(u) / (math.factorial(a) * math.factorial(b))) for a, b in orders]
    return np.array(scale) * [np.mean(powers[0][a] * powers[1][b]) for a, b in orders]


def _hermite(z: FloatArray) -> tuple[FloatArray, ...]:
    squared = z * z
    return np.ones_like(z), z, squared - 1, z * (squared - 3), squared * (squared - 6) + 3


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _listed(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.2g}'):g} %" if share >= _LEAST_SHOWN else f"<{100 * _LEAST_SHOWN:g} %"
