"""What a look at the rows can tell before any model is fitted: each warning says what was seen, what it does to the
answer, and what to do about it.

All checks cost O(n log n) at most and work on standardised columns, so that units do not matter. None of them stops a
run: a pair that cannot be used at all is refused by `Pair.of`.
"""

import math
from collections.abc import Callable

import numpy as np

from whence.pair import FloatArray, Pair, standardise

FEW_ROWS = 100
_FEW_VALUES, _ROUNDED_VALUES = 30, 100
_ROUNDED_TIES, _HEAPED = 0.8, 0.05
_TAIL, _GAP, _DISTANT = 0.025, 2.0, 15.0
_REPEATED = 0.01
_DEPENDENT_Z, _DEPENDENT_SIZE = 5.0, 0.1
_NOISE_SHARE = 1e-3
# Below 150 rows the moments cannot tell a curve from a line; 21.7 is the 99 % point of chi-square with nine degrees.
_GAUSSIAN_ROWS, _GAUSSIAN_CHI2 = 150, 21.7
_UNRELATED = 6.6  # the 99 % point of chi-square with one degree


def check(pair: Pair) -> tuple[str, ...]:
    """Sentences for everything about these rows that weakens an answer; empty for a clean pair."""
    with np.errstate(all="ignore"):
        return tuple(sentence for test in CHECKS for sentence in test(pair) if sentence)


def missing_rows(pair: Pair) -> list[str]:
    """Rows left out for a missing value."""
    if not pair.dropped:
        return []
    share = pair.dropped / (pair.n + pair.dropped)
    return [
        f"{_count(pair.dropped, 'row')} ({_percent(share)}) with a missing value {_were(pair.dropped)} left out; if "
        "values are missing because of their size, the answer is biased: find out why they are missing."
    ]


def few_rows(pair: Pair) -> list[str]:
    """Too few rows for the tests to have power."""
    if pair.n >= FEW_ROWS:
        return []
    return [
        f"Only {pair.n} rows: the independence tests have little power below {FEW_ROWS}, so a wrong direction is often "
        "not rejected; collect more rows or take the answer as a hint."
    ]


def ties(pair: Pair) -> list[str]:
    """Rounded, counted or censored columns."""
    return [_ties_of(column, name) for column, name in _columns(pair)]


def outliers(pair: Pair) -> list[str]:
    """A few rows far away that stretch the axis."""
    return [_outliers_of(column, name) for column, name in _columns(pair)]


def repeated_rows(pair: Pair) -> list[str]:
    """Whole rows that occur more often than ties in each column explain."""
    rows = np.sort(pair.x + 1j * pair.y)
    repeats = int(np.count_nonzero(rows[1:] == rows[:-1]))
    by_chance = 0.5 * pair.n**2 * _tie_probability(pair.x) * _tie_probability(pair.y)
    if repeats < max(3, _REPEATED * pair.n) or repeats < 5 * by_chance:
        return []
    return [
        f"{_count(repeats, 'row')} ({_percent(repeats / pair.n)}) repeat{'s' * (repeats == 1)} an earlier row in both "
        "columns; repeats count the same evidence twice and make p-values too small: remove them unless they are "
        "separate measurements."
    ]


def row_order(pair: Pair) -> list[str]:
    """Rows that follow one another, as in a time series."""
    sorted_by = [name for column, name in _columns(pair) if _is_monotone(column)]
    if sorted_by:
        return [
            f"The rows are in the order of {_quoted(sorted_by)}: if that is time or place, neighbouring rows are not "
            "independent and the p-values are too small, so keep only rows far apart or use differences; if the table "
            "was merely sorted, nothing is wrong."
        ]
    linked = {
        name: value for column, name in _columns(pair) if _is_linked(value := _rank_autocorrelation(column), pair.n)
    }
    if not linked:
        return []
    values = " and ".join(f"{name!r} {value:+.2f}" for name, value in linked.items())
    return [
        f"Neighbouring rows resemble each other (lag-1 rank autocorrelation of {values}), as in a time series; the "
        "tests take rows as independent, so p-values are too small and both directions may be rejected: keep only rows "
        "far apart, or use differences."
    ]


def nearly_deterministic(pair: Pair) -> list[str]:
    """Hardly any noise to judge a direction by."""
    shares = [(_noise_share(pair.x, pair.y), pair.y_name), (_noise_share(pair.y, pair.x), pair.x_name)]
    share, name = min(shares)
    if not share < _NOISE_SHARE:
        return []
    return [
        f"{name!r} is almost a function of the other column (noise {_percent(math.sqrt(share))} of its spread); "
        "methods that judge by the noise have little to go by here: make sure that one column is not computed from the "
        "other, and compare with a method for deterministic relations, such as igci."
    ]


def linear_gaussian(pair: Pair) -> list[str]:
    """The one relation that no method can orient."""
    if pair.n < _GAUSSIAN_ROWS:
        return []
    u, y = standardise(pair.x), standardise(pair.y)
    r = float(np.mean(u * y))
    rest = 1 - r * r
    if rest < 1e-9:
        return []
    # Hermite moments of order 3 and 4 of the whitened columns are independent standard normals when (x, y) is Gaussian.
    u_powers, v_powers = _hermite(u), _hermite((y - r * u) / math.sqrt(rest))
    orders = [(a, total - a) for total in (3, 4) for a in range(total + 1)]
    moments = [np.mean(u_powers[a] * v_powers[b]) / math.sqrt(math.factorial(a) * math.factorial(b)) for a, b in orders]
    if not pair.n * float(np.sum(np.square(moments))) < _GAUSSIAN_CHI2:
        return []
    if pair.n * r * r < _UNRELATED:
        return [
            f"The columns look unrelated (r² = {r * r:.3f}, both Gaussian): where nothing depends on anything, no "
            "direction can be found."
        ]
    return [
        f"The rows look like a straight line with Gaussian noise (r² = {r * r:.2f}, both columns Gaussian), the one "
        "relation whose direction no data can show: do not rely on the direction; look for more rows, a wider range, "
        "or an experiment."
    ]


CHECKS: tuple[Callable[[Pair], list[str]], ...] = (
    missing_rows,
    few_rows,
    ties,
    outliers,
    repeated_rows,
    row_order,
    nearly_deterministic,
    linear_gaussian,
)


def _columns(pair: Pair) -> tuple[tuple[FloatArray, str], tuple[FloatArray, str]]:
    return (pair.x, pair.x_name), (pair.y, pair.y_name)


def _ties_of(column: FloatArray, name: str) -> str:
    values, counts = np.unique(column, return_counts=True)
    n, distinct, commonest = len(column), len(values), int(counts.max())
    coarse = distinct <= min(_FEW_VALUES, n // 2) or (
        distinct <= _ROUNDED_VALUES and distinct < (1 - _ROUNDED_TIES) * n
    )
    heaped = commonest > max(_HEAPED * n, 5)
    if coarse:
        seen = f"{name!r} takes only {distinct} distinct values in {n} rows"
    elif heaped:
        seen = f"{name!r} has the value {values[counts.argmax()]:g} in {_percent(commonest / n)} of the rows"
    else:
        return ""
    return (
        f"{seen}; the methods are made for continuous columns, and steps or heaps leave traces in the residuals that "
        "can decide the direction by themselves: use a finer measurement, or take the direction as a hint."
    )


def _outliers_of(column: FloatArray, name: str) -> str:
    # Not standardised: beside a value of 1e20 all others would become equal, and it would pass for the only one there.
    ordered = np.sort(column)
    trimmed = math.ceil(_TAIL * len(ordered))
    low, high = float(ordered[trimmed]), float(ordered[-1 - trimmed])
    bulk = high - low
    distance = np.maximum(low - ordered, ordered - high)
    far = int(np.count_nonzero(distance > _GAP * bulk))
    # A gap or a huge distance: the long tail of a log-normal column has distant rows, too, and is no cause for alarm.
    if far == 0 or bulk == 0 or not (np.diff(ordered).max() > _GAP * bulk or distance.max() > _DISTANT * bulk):
        return ""
    farthest = float(f"{distance.max() / bulk:.2g}")
    return (
        f"{name!r} has {_count(far, 'extreme value')}, up to {farthest:g} times the range of the middle 95 % of the "
        "rows away from these; the fitted curves spend themselves on the gap, and one row can turn the answer: check "
        "these rows, or take logarithms if the column spans orders of magnitude."
    )


def _tie_probability(column: FloatArray) -> float:
    counts = np.unique(column, return_counts=True)[1].astype(float)
    return float(np.sum(counts * (counts - 1))) / len(column) ** 2


def _is_monotone(column: FloatArray) -> bool:
    return bool(np.all(column[1:] >= column[:-1]) or np.all(column[1:] <= column[:-1]))


def _rank_autocorrelation(column: FloatArray) -> float:
    """Lag 1, of ranks with ties averaged, so that neither outliers nor the sorting of ties matter."""
    _, where, counts = np.unique(column, return_inverse=True, return_counts=True)
    ranks = standardise((np.cumsum(counts) - (counts - 1) / 2.0)[where])
    return float(np.mean(ranks[1:] * ranks[:-1]))


def _is_linked(autocorrelation: float, n: int) -> bool:
    return abs(autocorrelation) > max(_DEPENDENT_SIZE, _DEPENDENT_Z / math.sqrt(n))


def _noise_share(cause: FloatArray, effect: FloatArray) -> float:
    """Noise variance over variance, from each row's distance to the line through its two neighbours along the cause.

    Gasser, Sroka and Jennen-Steinmetz (1986); the largest twentieth is left out, where the cause is sparse and the
    curve bends between neighbours, and the spread is measured by the quartiles, so that one outlier does not make all
    else look like a curve.
    """
    order = np.argsort(cause, kind="stable")
    c, e = cause[order], standardise(effect)[order]
    width = c[2:] - c[:-2]
    weight = np.where(width > 0, (c[2:] - c[1:-1]) / np.where(width > 0, width, 1.0), 0.5)
    miss = (e[1:-1] - weight * e[:-2] - (1 - weight) * e[2:]) ** 2 / (1 + weight**2 + (1 - weight) ** 2)
    kept = np.sort(miss)[: max(1, int(0.95 * len(miss)))]
    ordered = np.sort(e)
    spread = (ordered[(3 * len(e)) // 4] - ordered[len(e) // 4]) / 1.349
    return float(np.mean(kept)) / spread**2 if spread > 0 else math.inf


def _hermite(z: FloatArray) -> tuple[FloatArray, ...]:
    squared = z * z
    return np.ones_like(z), z, squared - 1, z * (squared - 3), squared * (squared - 6) + 3


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _quoted(names: list[str]) -> str:
    return " and ".join(map(repr, names))


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"
