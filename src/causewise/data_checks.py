"""Data checks before any fit: at most one short sentence for each defect of the rows.

All checks cost O(n log n) at most, and neither units nor the sign of a column matter, but to what numbers the rows. A
warning says how severe it is and leaves the rest to the caller; a pair that cannot be used at all is rejected by
`Pair.of`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NoReturn

import numpy as np

from causewise.column_types import (
    FEWEST_LEVELS,
    ColumnType,
    are_common_steps,
    drop_point_masses,
    find_point_masses,
    is_identifier,
    mark_rows_off_masses,
    tally_columns,
)
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
from causewise.pair import FEW_ROWS, Pair, has_date_note, standardise

_REPEATED_SHARE, _REPEATED_ROWS, _BEYOND_CHANCE = 0.05, 5, 3.0
_DEPENDENT_Z, _DEPENDENT_SIZE = 5.0, 0.2
_NOISE_SHARE = 1e-3
_SMALLEST = 1e-4


class Severity(StrEnum):
    """How much a warning matters."""

    STOPS = "stops"
    """Such rows show no direction, or show a wrong one, so no answer should be given."""
    LOWERS = "lowers confidence"
    """The answer is less sure than it looks."""
    NOTE = "note"
    """Good to know, and mostly harmless."""


class DataWarning(str):
    """A sentence with its severity and the name of its check; equal to its text, and immutable."""

    severity: Severity
    kind: str

    def __new__(cls, text: str, severity: Severity, kind: str) -> "DataWarning":
        """The text, with what it is about."""
        warning = super().__new__(cls, text)
        warning.__dict__.update(severity=Severity(severity), kind=kind)
        return warning

    def __getnewargs__(self) -> tuple[str, Severity, str]:  # type: ignore[override]  # str has one argument
        return str(self), self.severity, self.kind

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A warning cannot be changed; got a new value for {name!r}.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A warning cannot be changed; {name!r} was to be deleted.")


def check(pair: Pair) -> tuple[DataWarning, ...]:
    """Everything about these rows that weakens an answer, the worst first; empty for a clean pair."""
    with np.errstate(all="ignore"):
        results = [(test(pair), severity, test.__name__) for test, severity in CHECKS.items()]
    return tuple(DataWarning(*result) for result in results if result[0])


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
    tallies = tally_columns(pair)
    few = [(name, each.distinct) for _, name, each in tallies if each.distinct < FEWEST_LEVELS]
    if not few:
        return ""
    ways = "ordinal or discrete" if all(each.is_coarse for *_, each in tallies) else "ordinal"
    why = "for a direction" if len(few) == 2 else "as the coarser column always looks like the cause"
    return f"{_say_distinct(few)}, too few{',' * (len(few) == 1)} {why}: use finer steps, or the method {ways}."


def row_identifiers(pair: Pair) -> str:
    """Columns that number the rows, and are neither dates nor durations."""
    identifiers = [name for column, name in pair.columns if is_identifier(column)]
    names = [repr(name) for name in identifiers if not has_date_note(name, pair.notes)]
    if not names:
        return ""
    numbers, it = ("number", "them") if len(names) > 1 else ("numbers", "it")
    return (
        f"{_join(names)} {numbers} the rows (whole, all different, in order): leave {it} out, or give dates if it "
        "is time."
    )


def point_mass(pair: Pair) -> str:
    """A point mass, unless it is a step among steps: excess zeros, censored, filled in, or rounded in part.

    The rows that share it look like a cause that explains the others, whichever way the arrow points
    (`benchmarks/point_masses.py`).
    """
    masses = "" if are_common_steps(pair) else describe_point_masses(pair)
    if not masses:
        return ""
    if any(each.point_masses > 1 for *_, each in find_point_masses(pair)):
        return f"{masses}, rounded in part: round all rows alike."
    left = int(np.count_nonzero(mark_rows_off_masses(pair)))
    if left < FEW_ROWS:
        return f"{masses}: only {_count(left, 'other row')}, collect {FEW_ROWS}."
    varies = drop_point_masses(pair) is not None
    return f"{masses}: {f'score the other {left} rows alone' if varies else 'the other rows do not vary'}."


def common_steps(pair: Pair) -> str:
    """Point masses among the few values of columns that repeat anyway."""
    return f"{describe_point_masses(pair)}, steps among others: all rows are scored." if are_common_steps(pair) else ""


def describe_point_masses(pair: Pair) -> str:
    """`'rain' is 0 in 43 % of rows, a point mass`; empty where no column has one."""
    masses = find_point_masses(pair)
    values = _join(
        f"{name!r} is {each.mass_value:g} in {_percent(each.mass_rows / pair.n)}" for _, name, each in masses
    )
    number = sum(each.point_masses for *_, each in masses)
    several = f"{'the largest of ' * (len(masses) == 1)}{number} point masses"
    return values and f"{values} of rows, {'a point mass' if number == 1 else several}"


def describe_split(pair: Pair) -> str:
    """`whether 'rain' is 0`: the binary variable that a point mass makes."""
    return _join(f"whether {name!r} is {each.mass_value:g}" for _, name, each in find_point_masses(pair))


def ties(pair: Pair) -> str:
    """Rounded or counted columns."""
    types = (ColumnType.COUNT, ColumnType.ROUNDED)
    coarse = _say_distinct(
        [(name, each.distinct) for _, name, each in tally_columns(pair) if each.column_type in types]
    )
    return coarse and f"{coarse}, and such steps can decide the direction alone: use finer measurements if possible."


def outliers(pair: Pair) -> str:
    """A few rows far away that stretch the axis."""
    far = [(name, number) for column, name in pair.columns if (number := once(far_rows, column))]
    if not far:
        return ""
    (name, number), *others = far
    seen = _join([f"{name!r} has {_count(number, 'extreme value')}", *(f"{n!r} has {k}" for n, k in others)])
    return f"{seen}, which can turn the answer: check these rows or take logarithms."


def repeated_rows(pair: Pair) -> str:
    """Whole rows that occur more often than ties in each column explain."""
    repeats = int(np.count_nonzero(number_copies(once(rank_column, pair.x), once(rank_column, pair.y))))
    least = max(_REPEATED_ROWS, _REPEATED_SHARE * pair.n)
    if repeats <= least or repeats < _BEYOND_CHANCE * chance_repeats(pair.x, pair.y):
        return ""
    return (
        f"{repeats} rows ({_percent(repeats / pair.n)}) repeat an earlier row in both columns, counting the same "
        "evidence twice: remove them unless they are separate measurements."
    )


def dependent_rows(pair: Pair) -> str:
    """Rows that follow one another, as in a time series."""
    linked = _find_autocorrelations(pair, 1)
    return linked and (
        f"Neighbouring rows resemble each other (autocorrelation {linked}), so p-values can be too small: "
        "use every k-th row, or differences."
    )


def nearly_deterministic(pair: Pair) -> str:
    """Hardly any noise to tell a direction by."""
    share, effect, cause = min(
        (noise_share(pair.x, pair.y), pair.y_name, pair.x_name),
        (noise_share(pair.y, pair.x), pair.x_name, pair.y_name),
    )
    if not share < _NOISE_SHARE or on_a_line(pair.x, pair.y):
        return ""
    return (
        f"{effect!r} is almost a function of {cause!r} (noise {_percent(math.sqrt(share))}), so the direction is hard "
        "to tell: check that neither is computed from the other."
    )


def alternating_rows(pair: Pair) -> str:
    """Rows that avoid their neighbours' values."""
    linked = _find_autocorrelations(pair, -1)
    return linked and (
        f"Neighbouring rows alternate (autocorrelation {linked}), so they are not independent: find out how "
        "the rows were collected."
    )


def sorted_rows(pair: Pair) -> str:
    """Rows in the order of a column: a sorted table, or a time or place."""
    names = _join(repr(name) for column, name in pair.columns if is_monotone(column))
    return names and (
        f"The rows are sorted by {names}, which is harmless unless the order is time or place, where "
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


def reading_notes(pair: Pair) -> str:
    """What had to be understood to read the columns."""
    return " ".join(pair.notes)


CHECKS: dict[Callable[[Pair], str], Severity] = {
    exact_line: Severity.STOPS,
    linear_gaussian: Severity.STOPS,
    row_identifiers: Severity.STOPS,
    few_levels: Severity.STOPS,
    point_mass: Severity.STOPS,
    few_rows: Severity.LOWERS,
    ties: Severity.LOWERS,
    common_steps: Severity.LOWERS,
    outliers: Severity.LOWERS,
    repeated_rows: Severity.LOWERS,
    dependent_rows: Severity.LOWERS,
    nearly_deterministic: Severity.LOWERS,
    alternating_rows: Severity.NOTE,
    sorted_rows: Severity.NOTE,
    missing_rows: Severity.NOTE,
    reading_notes: Severity.NOTE,
}
"""Every check with its severity, the worst first; the name of a check is the kind of its warning."""
ABOUT_LEVELS = (few_levels.__name__, ties.__name__)
"""Kinds of warnings that say nothing against a method made for levels."""


def _say_distinct(coarse: Sequence[tuple[str, int]]) -> str:
    """`'a' and 'b' take only 3 and 4 distinct values`; empty of no columns."""
    names, numbers = _join(repr(name) for name, _ in coarse), _join(str(distinct) for _, distinct in coarse)
    return names and f"{names} take{'s' * (len(coarse) == 1)} only {numbers} distinct values"


def _find_autocorrelations(pair: Pair, sign: int) -> str:
    """`0.81 in 'rain'`: the columns whose neighbouring rows resemble (+1) or avoid (−1) each other.

    None where a column is sorted, and its ranks say nothing.
    """
    if any(is_monotone(column) for column, _ in pair.columns):
        return ""
    least = max(_DEPENDENT_SIZE, _DEPENDENT_Z / math.sqrt(pair.n))
    values = [(name, float(once(column_autocorrelation, column)[1])) for column, name in pair.columns]
    return _join(f"{value:.2f} in {name!r}" for name, value in values if sign * value > least)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _join(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.2g}'):g} %" if share >= _SMALLEST else f"<{100 * _SMALLEST:g} %"
