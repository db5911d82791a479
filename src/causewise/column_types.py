"""Column types, by how values repeat and follow one another; and which rows are scored beside a point mass.

A point mass is a value that far more rows share than its neighbours among the values: excess zeros, what censoring or a
placeholder collects, the whole numbers of a column that was rounded in most rows and not in all. Rounding alone makes
none, since neighbouring steps hold about as many rows, nor does counting.

A row identifier is a column of whole numbers, all different, in the order of the rows, that lie so densely that values
which were measured would repeat. Time is one that runs in equal steps, or in years: it may be a cause, never an effect.

Text is no type: `tables` turns dates and ordered categories into numbers, says so, and rejects the rest.

Where a column has a point mass, these rows are scored:

1. The rows beside it, where each column has one point mass at most and a hundred rows are left, at least half of all.
   Zeros that a hurdle or a floor makes say nothing of how the rest moves, and are taken for a cause; without them the
   rest speaks. Leaving out rows by the value of the effect selects among them, which bends f and g near the point mass
   but leaves the noise beside it one. A minority does so in simulations; of three answers on recorded pairs one was
   right.
2. All rows, where none can be scored beside it (several point masses, too few rows), each lies inside a column of few
   values that fill a grid (8 and 12 years of schooling), and most rows repeat a value in both columns: a step commoner
   than others. A ratio that was kept in whole numbers for most rows and in hundredths for some fills none.
3. No rows: excess zeros and censoring of which too little is left, and columns that were rounded in part.

Right of all answers, with the default prior and with `direct`, by the rows that are scored (recorded are the Tübingen
and Lisbon pairs, simulated zeros, hurdles and floors; `python benchmarks/point_masses.py --pairs 24`):

                                       this rule        all rows         rows beside it
    recorded, of the cause            3/3    11/11     11/13   37/40       3/4    12/13
    recorded, of the effect           1/2     2/4       3/5     5/9        1/2     3/6
    simulated, of the cause          68/72  121/127    89/90  198/201     79/83  149/156
    simulated, of the effect         45/53   83/95      6/34   38/142     52/61  110/123
    in 100 steps, of the cause       98/103 127/136   174/175 195/201    117/122 154/165
    in 100 steps, of the effect      65/74   88/103    23/96   41/139     83/92  116/130

Scoring all rows names the column with the point mass as the cause. In recorded tables it is so four times out of five,
which is knowledge about who has zeros, not evidence of the rows at hand; so the second rule is narrow.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.columns import once
from causewise.numerics.ranked import rank_column
from causewise.pair import FEW_ROWS, LARGEST, FloatArray, Pair, has_date_note

FEWEST_LEVELS = 5
"""Below, a level more or less is the whole column; the default method was never fitted to such."""
_COUNTED, _ROUNDED, _ROUNDED_SHARE = 30, 100, 0.2
_MASS_SHARE, _MASS_ROWS, _MASS_VALUES = 0.1, 10, 10
"""A point mass holds so many rows, in a column of at least so many values: of fewer, any may be common by itself."""
_STANDS_OUT = 4.0
"""Times the median of the next two values on either side; neighbours in a Poisson, geometric or rounded law differ by
less."""
_NO_REPEAT, _WIDEST = 7.0, 10
"""n whole numbers drawn at random over a range r do not repeat with probability exp(−n² / 2r): so large an exponent,
and a range of at most so many times n, are no measurement that happens to be sorted."""
_YEARS = (1500, 2100)
_REPEATED = 0.5
"""Share of the rows that repeat a value of the finer column, from which on both columns count as recorded in steps."""


class ColumnType(StrEnum):
    """What a column of numbers is."""

    CONSTANT = "constant"
    BINARY = "two values"
    LEVELS = "few levels"
    """Three or four values."""
    POINT_MASS = "point mass"
    """Excess zeros, censored, filled in, rounded in part."""
    COUNT = "count"
    """Few whole numbers from 0 or 1 up: counts, ratings, numbered levels."""
    ROUNDED = "rounded"
    """Few values for so many rows, and any numbers."""
    IDENTIFIER = "row identifier"
    """Numbers the rows, with gaps or without."""
    CONTINUOUS = "continuous"


class Tally(NamedTuple):
    """How a column's values repeat."""

    n: int
    distinct: int
    mass_rows: int
    """Rows of the largest point mass; 0 where there is none."""
    mass_value: float
    """The value they share."""
    point_masses: int
    """How many point masses there are; several where a column was rounded in part."""
    inside: bool
    """Whether each of them has values on either side: excess zeros and censoring lie at an end."""
    most: int
    """Rows of the commonest value, point mass or not."""
    common: float
    """That value."""
    counts: bool
    """Whether all are whole numbers, the least 0 or 1."""

    @property
    def is_coarse(self) -> bool:
        """Whether so few values suggest rounding or counting."""
        few = self.distinct <= min(_COUNTED, self.n // 2)
        return few or self.distinct <= min(_ROUNDED, _ROUNDED_SHARE * self.n)

    @property
    def column_type(self) -> ColumnType:
        """The first type that applies, those first that say least; how the rows follow one another is not looked at."""
        if self.distinct < 3:
            return ColumnType.BINARY if self.distinct == 2 else ColumnType.CONSTANT
        if self.distinct < FEWEST_LEVELS:
            return ColumnType.LEVELS
        if self.distinct >= _MASS_VALUES and self.point_masses:
            return ColumnType.POINT_MASS
        if self.is_coarse:
            return ColumnType.COUNT if self.counts else ColumnType.ROUNDED
        return ColumnType.CONTINUOUS

    @property
    def concentration(self) -> str:
        """The value that a tenth of the rows or more share, as the end of a sentence; empty where none is."""
        if self.most < _MASS_SHARE * self.n:
            return ""
        few = self.distinct < FEWEST_LEVELS
        return f"takes only {self.distinct} values" if few else f"is {self.common:g} in {self.most} of {self.n} rows"


def tally(column: FloatArray) -> Tally:
    """Count a column's values."""
    ranked = once(rank_column, column)
    counts, rows = ranked.counts, ranked.first_rows
    often = np.flatnonzero((counts > _MASS_ROWS) & (counts >= _MASS_SHARE * len(column)))
    often = often[np.argsort(-counts[often], kind="stable")]
    masses = [k for k in often.tolist() if counts[k] > _STANDS_OUT * _neighbouring_count(counts, k)]
    mass_rows, value = (int(counts[masses[0]]), float(column[rows[masses[0]]]) + 0.0) if masses else (0, 0.0)
    inside = bool(masses) and all(0 < k < len(counts) - 1 for k in masses)
    whole = bool(column[rows[0]] in (0, 1) and np.all(column == np.rint(column)))
    first = int(np.argmax(counts))
    most, common = int(counts[first]), float(column[rows[first]]) + 0.0
    return Tally(len(column), ranked.distinct, mass_rows, value, len(masses), inside, most, common, whole)


def _neighbouring_count(counts: NDArray[np.intp], k: int) -> float:
    """The median count of the next two values on either side, or of those that there are.

    A median, so that a second point mass beside the first hides neither.
    """
    around = np.concatenate((counts[max(k - 2, 0) : k], counts[k + 1 : k + 3]))
    return float(np.median(around)) if len(around) else np.inf


def explain_unusable(column: FloatArray, least: int, dated: bool = False) -> str:
    """Why nothing can be said of a column, whatever it is held against; empty where something can.

    What is missing is NaN; `least` values must be there. `dated` where it was read from dates or durations.
    """
    present = column[~np.isnan(column)]
    if len(present) < least:
        return f"it has {len(present)} values where at least {least} are needed"
    if np.any(np.isinf(present)) or np.max(np.abs(present)) > LARGEST:
        return "it has infinite or too large values"
    if np.min(present) == np.max(present):
        return f"it is {present[0]:g} in every row"
    return "it numbers the rows" if not dated and is_identifier(present) else ""


def classify_column(column: FloatArray, dated: bool = False) -> ColumnType:
    """The type of a column without missing values; `dated` where it was read from dates or durations.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise.column_types import classify_column
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.gamma(2, size=500)
    >>> [str(classify_column(column)) for column in (rain, rain.round(1), rng.poisson(3, 500).astype(float))]
    ['continuous', 'rounded', 'count']
    >>> str(classify_column(np.where(rng.random(500) < 0.4, 0.0, rain)))
    'point mass'
    >>> str(classify_column(np.cumsum(rng.integers(1, 4, 500)).astype(float)))
    'row identifier'
    """
    return ColumnType.IDENTIFIER if not dated and is_identifier(column) else once(tally, column).column_type


def classify_columns(pair: Pair) -> Mapping[str, ColumnType]:
    """The types of both columns, under `x` and `y`."""
    types = (classify_column(column, has_date_note(name, pair.notes)) for column, name in pair.columns)
    return dict(zip("xy", types, strict=True))


def is_identifier(column: FloatArray) -> bool:
    """Whether a column numbers the rows: 0, 1, 2 …, 1, 2, 3 … or with gaps, rising or falling, and is no time."""
    return _follows_rows(column) and not _runs_as_time(column)


def find_times(pair: Pair) -> tuple[str, ...]:
    """The columns that hold dates, or run along the rows in equal steps as time does, or in years."""
    return tuple(
        name for column, name in pair.columns if name in pair.dates or (_follows_rows(column) and _runs_as_time(column))
    )


def _follows_rows(column: FloatArray) -> bool:
    """Whole numbers, all different, in the order of the rows, and dense."""
    n, length = len(column), abs(float(column[-1]) - float(column[0])) + 1
    if n * (n - 1) < 2 * _NO_REPEAT * length or length > _WIDEST * n:
        return False
    moves = bool(np.all(column[1:] > column[:-1]) or np.all(column[1:] < column[:-1]))
    return moves and bool(np.all(column == np.rint(column)))


def _runs_as_time(column: FloatArray) -> bool:
    """In equal steps, but for those that count rows from 0 or 1; or within the years of a calendar."""
    low, high, step = float(column.min()), float(column.max()), abs(float(column[1]) - float(column[0]))
    even = bool(np.all(np.abs(np.diff(column)) == step))
    return (even and not (step == 1 and low in (0, 1))) or (_YEARS[0] <= low and high <= _YEARS[1])


def tally_columns(pair: Pair) -> list[tuple[FloatArray, str, Tally]]:
    """Both columns, each with its name and how its values repeat."""
    return [(column, name, once(tally, column)) for column, name in pair.columns]


def find_point_masses(pair: Pair) -> list[tuple[FloatArray, str, Tally]]:
    """The columns that have one."""
    return [each for each in tally_columns(pair) if each[2].column_type is ColumnType.POINT_MASS]


def mark_rows_off_masses(pair: Pair) -> NDArray[np.bool_]:
    """Of every row, whether it lies beside the largest point mass of each column."""
    kept = np.ones(pair.n, bool)
    for column, _, counts in find_point_masses(pair):
        kept &= column != counts.mass_value
    return kept


def drop_point_masses(pair: Pair) -> Pair | None:
    """The rows that share no point mass; None where a column has several, or too few rows are left: rule 1.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise.column_types import drop_point_masses
    >>> from causewise.pair import Pair
    >>> rng = np.random.default_rng(0)
    >>> rain, river = rng.gamma(2, size=(2, 500))
    >>> rest = drop_point_masses(Pair.of(rain, np.where(rng.random(500) < 0.4, 0.0, river)))
    >>> rest.n, rest.y.min() > 0
    (304, np.True_)
    """
    if any(counts.point_masses > 1 for *_, counts in find_point_masses(pair)):
        return None
    kept = mark_rows_off_masses(pair)
    rest = replace(pair, x=pair.x[kept], y=pair.y[kept])
    varies = all(len(column) and column.min() < column.max() for column in (rest.x, rest.y))
    return rest if FEW_ROWS <= rest.n < pair.n and varies and not np.array_equal(rest.x, rest.y) else None


def are_common_steps(pair: Pair) -> bool:
    """Whether point masses count as steps that are commoner than others, so that all rows are scored: rule 2."""
    masses = find_point_masses(pair)
    if not masses or not all(each.inside and each.is_coarse and _fills_grid(column) for column, _, each in masses):
        return False
    finer = max(each.distinct for *_, each in tally_columns(pair))
    return 1 - finer / pair.n > _REPEATED and drop_point_masses(pair) is None


def _fills_grid(column: FloatArray) -> bool:
    """Whether at least half of the steps of the smallest size, from the least value to the largest, occur."""
    steps = np.diff(column[once(rank_column, column).first_rows])
    return bool(np.sum(steps) <= 2 * len(steps) * np.min(steps))
