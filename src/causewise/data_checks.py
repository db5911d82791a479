"""What a look at the rows can tell before any model is fitted: at most one short sentence per kind of trouble.

All checks cost O(n log n) at most, and neither units nor the sign of a column matter, but to what numbers the rows. A
notice says how much it weighs and leaves the rest to the caller; a pair that cannot be used at all is refused by
`Pair.of`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NoReturn

import numpy as np

from causewise.column_types import FEWEST_LEVELS, Kind, Tally, is_identifier, tally
from causewise.diagnostics import (
    GAUSSIAN_ROWS,
    chance_repeats,
    column_autocorrelation,
    far_rows,
    is_gaussian,
    is_monotone,
    noise_share,
    on_a_line,
)
from causewise.numerics.columns import once
from causewise.numerics.ranked import number_copies, rank_column
from causewise.pair import FEW_ROWS, FloatArray, Pair, has_date_note, standardise
from causewise.point_mass import are_steps, beside_heaps, off_heaps

_REPEATED_SHARE, _REPEATED_ROWS, _BEYOND_CHANCE = 0.05, 5, 3.0
_DEPENDENT_Z, _DEPENDENT_SIZE = 5.0, 0.2
_NOISE_SHARE = 1e-3
_LEAST_SHOWN = 1e-4


class Level(StrEnum):
    """How much a notice weighs."""

    STOPS = "stops"
    """Such rows show no direction, or show a wrong one, so no answer should be given."""
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

    def __getnewargs__(self) -> tuple[str, Level, str]:  # type: ignore[override]  # str has one argument
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
    if not on_a_line(pair.x, pair.y):
        return ""
    return (
        f"{pair.x_name!r} and {pair.y_name!r} lie exactly on a straight line, so either could be computed from the "
        "other: no direction can be found from such rows."
    )


def linear_gaussian(pair: Pair) -> str:
    """The one noisy relation that no method can orient."""
    if pair.n < GAUSSIAN_ROWS or not is_gaussian(standardise(pair.x), standardise(pair.y)) or on_a_line(pair.x, pair.y):
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


def few_levels(pair: Pair) -> str:
    """Columns of two, three or four values.

    On recorded pairs of which one column is cut into four levels, that column is said to cause the other, whichever it
    is: of the Tübingen pairs 26 of 26 answers are right where it is the cause, 0 of 21 where it is the effect, and with
    `direct` 47 of 47 and 0 of 47. Without the term for coarse recording it is the same.
    """
    tallies = _tallies(pair)
    few = [(name, each.distinct) for name, each in tallies if each.distinct < FEWEST_LEVELS]
    if not few:
        return ""
    ways = "ordinal or discrete" if all(each.is_coarse for _, each in tallies) else "ordinal"
    why = "for a direction" if len(few) == 2 else "as the coarser column always looks like the cause"
    return f"{_taking(few)}, too few{',' * (len(few) == 1)} {why}: use finer steps, or the method {ways}."


def row_identifiers(pair: Pair) -> str:
    """Columns that number the rows, and are neither dates nor durations."""
    numbered = [name for column, name in _columns(pair) if is_identifier(column)]
    named = [repr(name) for name in numbered if not has_date_note(name, pair.notes)]
    if not named:
        return ""
    numbers, it = ("number", "them") if len(named) > 1 else ("numbers", "it")
    return (
        f"{_listed(named)} {numbers} the rows (whole, all different, in order): leave {it} out, or give dates if it "
        "is time."
    )


def heaps(pair: Pair) -> str:
    """A point mass, unless it is a step among steps: excess zeros, censored, filled in, or rounded in part.

    The rows that share it look like a cause that explains the others, whichever way the arrow points (`heaps.py`).
    """
    told = "" if are_steps(pair) else point_masses(pair)
    if not told:
        return ""
    if any(each.heaps > 1 for _, each in _heaped(pair)):
        return f"{told}, rounded in part: round all rows alike."
    left = int(np.count_nonzero(off_heaps(pair)))
    if left < FEW_ROWS:
        return f"{told}: only {_count(left, 'other row')}, collect {FEW_ROWS}."
    return f"{told}: {f'score the other {left} rows alone' if beside_heaps(pair) else 'the other rows do not vary'}."


def common_steps(pair: Pair) -> str:
    """Point masses among the few values of columns that repeat anyway."""
    return f"{point_masses(pair)}, steps among others: all rows are scored." if are_steps(pair) else ""


def point_masses(pair: Pair) -> str:
    """`'rain' is 0 in 43 % of rows, a point mass`; empty where no column has one."""
    heaped = _heaped(pair)
    told = _listed(f"{name!r} is {each.heaped:g} in {_percent(each.heap / pair.n)}" for name, each in heaped)
    number = sum(each.heaps for _, each in heaped)
    several = f"{'the largest of ' * (len(heaped) == 1)}{number} point masses"
    return told and f"{told} of rows, {'a point mass' if number == 1 else several}"


def on_a_point_mass(pair: Pair) -> str:
    """`whether 'rain' is 0`."""
    return _listed(f"whether {name!r} is {each.heaped:g}" for name, each in _heaped(pair))


def ties(pair: Pair) -> str:
    """Rounded or counted columns."""
    coarse = [(name, each.distinct) for name, each in _tallies(pair) if each.kind in (Kind.COUNT, Kind.ROUNDED)]
    if not coarse:
        return ""
    return f"{_taking(coarse)}, and such steps can decide the direction alone: use finer measurements if possible."


def outliers(pair: Pair) -> str:
    """A few rows far away that stretch the axis."""
    far = [(name, number) for column, name in _columns(pair) if (number := once(far_rows, column))]
    if not far:
        return ""
    (name, number), *others = far
    seen = _listed([f"{name!r} has {_count(number, 'extreme value')}", *(f"{n!r} has {k}" for n, k in others)])
    return f"{seen}, which can turn the answer: check these rows or take logarithms."


def repeated_rows(pair: Pair) -> str:
    """Whole rows that occur more often than ties in each column explain."""
    repeats = int(np.count_nonzero(number_copies(once(rank_column, pair.x), once(rank_column, pair.y))))
    if repeats <= max(_REPEATED_ROWS, _REPEATED_SHARE * pair.n) or repeats < _BEYOND_CHANCE * chance_repeats(
        pair.x, pair.y
    ):
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
        (noise_share(pair.x, pair.y), pair.y_name, pair.x_name),
        (noise_share(pair.y, pair.x), pair.x_name, pair.y_name),
    )
    if not share < _NOISE_SHARE or on_a_line(pair.x, pair.y):
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
    names = [repr(name) for column, name in _columns(pair) if is_monotone(column)]
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


def understood(pair: Pair) -> str:
    """What had to be understood to read the columns."""
    return " ".join(pair.notes)


CHECKS: dict[Callable[[Pair], str], Level] = {
    exact_line: Level.STOPS,
    linear_gaussian: Level.STOPS,
    row_identifiers: Level.STOPS,
    few_levels: Level.STOPS,
    heaps: Level.STOPS,
    few_rows: Level.LOWERS,
    ties: Level.LOWERS,
    common_steps: Level.LOWERS,
    outliers: Level.LOWERS,
    repeated_rows: Level.LOWERS,
    dependent_rows: Level.LOWERS,
    nearly_deterministic: Level.LOWERS,
    alternating_rows: Level.NOTE,
    sorted_rows: Level.NOTE,
    missing_rows: Level.NOTE,
    understood: Level.NOTE,
}
"""Every check with its level, the worst first; the name of a check is the kind of its notice."""
ABOUT_LEVELS = (few_levels.__name__, ties.__name__)
"""Kinds of notices that say nothing against a method made for levels."""


def _columns(pair: Pair) -> tuple[tuple[FloatArray, str], tuple[FloatArray, str]]:
    return (pair.x, pair.x_name), (pair.y, pair.y_name)


def _tallies(pair: Pair) -> list[tuple[str, Tally]]:
    return [(name, once(tally, column)) for column, name in _columns(pair)]


def _heaped(pair: Pair) -> list[tuple[str, Tally]]:
    return [(name, each) for name, each in _tallies(pair) if each.kind is Kind.HEAPED]


def _taking(coarse: Sequence[tuple[str, int]]) -> str:
    """`'a' and 'b' take only 3 and 4 distinct values`."""
    names, numbers = _listed(repr(name) for name, _ in coarse), _listed(str(distinct) for _, distinct in coarse)
    return f"{names} take{'s' * (len(coarse) == 1)} only {numbers} distinct values"


def _autocorrelations(pair: Pair) -> list[tuple[str, float]]:
    """The columns whose neighbouring rows are linked; none where a column is sorted, and its ranks say nothing."""
    if any(is_monotone(column) for column, _ in _columns(pair)):
        return []
    floor = max(_DEPENDENT_SIZE, _DEPENDENT_Z / math.sqrt(pair.n))
    values = [(name, float(once(column_autocorrelation, column)[1])) for column, name in _columns(pair)]
    return [(name, value) for name, value in values if abs(value) > floor]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _listed(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.2g}'):g} %" if share >= _LEAST_SHOWN else f"<{100 * _LEAST_SHOWN:g} %"
