"""Column types, by how values repeat and follow one another: what is continuous, and what cannot be scored.

A point mass ("heap" in names) is a value that far more rows share than its neighbours among the values: excess zeros,
what censoring or a placeholder collects, the whole numbers of a column that was rounded in most rows and not in all.
Rounding alone makes none, since neighbouring steps hold about as many rows, nor does counting.

A row identifier is a column of whole numbers, all different, in the order of the rows, that lie so densely that values
which were measured would repeat. Time is one that runs in equal steps, or in years: it may be a cause, never an effect.

Text is no type: `tables` turns dates and ordered categories into numbers, says so, and rejects the rest.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.columns import once
from causewise.numerics.ranked import rank_column
from causewise.pair import LARGEST, FloatArray, Pair, has_date_note

FEWEST_LEVELS = 5
"""Below, a level more or less is the whole column; the default method was never fitted to such."""
_COUNTED, _ROUNDED, _ROUNDED_SHARE = 30, 100, 0.2
HEAP_SHARE, HEAP_ROWS, _HEAP_VALUES = 0.1, 10, 10
"""A point mass holds so many rows, in a column of at least so many values: of fewer, any may be common by itself."""
_STANDS_OUT = 4.0
"""Times the median of the next two values on either side; neighbours in a Poisson, geometric or rounded law differ by
less."""
_NO_REPEAT, _WIDEST = 7.0, 10
"""n whole numbers drawn at random over a range r do not repeat with probability exp(−n² / 2r): so large an exponent,
and a range of at most so many times n, are no measurement that happens to be sorted."""
_YEARS = (1500, 2100)


class Kind(StrEnum):
    """What a column of numbers is."""

    CONSTANT = "constant"
    BINARY = "two values"
    LEVELS = "few levels"
    """Three or four values."""
    HEAPED = "heaped"
    """A point mass: excess zeros, censored, filled in, rounded in part."""
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
    heap: int
    """Rows of the largest point mass; 0 where there is none."""
    heaped: float
    """The value they share."""
    heaps: int
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
    def kind(self) -> Kind:
        """The first type that applies, those first that say least; how the rows follow one another is not looked at."""
        if self.distinct < 3:
            return Kind.BINARY if self.distinct == 2 else Kind.CONSTANT
        if self.distinct < FEWEST_LEVELS:
            return Kind.LEVELS
        if self.distinct >= _HEAP_VALUES and self.heaps:
            return Kind.HEAPED
        if self.is_coarse:
            return Kind.COUNT if self.counts else Kind.ROUNDED
        return Kind.CONTINUOUS

    @property
    def lump(self) -> str:
        """The value that a tenth of the rows or more share, as the end of a sentence; empty where none is."""
        if self.most < HEAP_SHARE * self.n:
            return ""
        few = self.distinct < FEWEST_LEVELS
        return f"takes only {self.distinct} values" if few else f"is {self.common:g} in {self.most} of {self.n} rows"


def unfit(column: FloatArray, least: int, dated: bool = False) -> str:
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


def kind_of(column: FloatArray, dated: bool = False) -> Kind:
    """The type of a column without missing values; `dated` where it was read from dates or durations.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise.column_types import kind_of
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.gamma(2, size=500)
    >>> [str(kind_of(column)) for column in (rain, rain.round(1), rng.poisson(3, 500).astype(float))]
    ['continuous', 'rounded', 'count']
    >>> str(kind_of(np.where(rng.random(500) < 0.4, 0.0, rain)))
    'heaped'
    >>> str(kind_of(np.cumsum(rng.integers(1, 4, 500)).astype(float)))
    'row identifier'
    """
    return Kind.IDENTIFIER if not dated and is_identifier(column) else once(tally, column).kind


def kinds_of(pair: Pair) -> Mapping[str, Kind]:
    """The types of both columns, under `x` and `y`."""
    columns = {"x": (pair.x, pair.x_name), "y": (pair.y, pair.y_name)}
    return {key: kind_of(column, has_date_note(name, pair.notes)) for key, (column, name) in columns.items()}


def is_identifier(column: FloatArray) -> bool:
    """Whether a column numbers the rows: 0, 1, 2 …, 1, 2, 3 … or with gaps, rising or falling, and is no time."""
    return _follows_rows(column) and not _runs_as_time(column)


def times_in(pair: Pair) -> tuple[str, ...]:
    """The columns that hold dates, or run along the rows in equal steps as time does, or in years."""
    columns = ((pair.x, pair.x_name), (pair.y, pair.y_name))
    return tuple(name for column, name in columns if name in pair.dates or _is_time(column))


def _is_time(column: FloatArray) -> bool:
    return _follows_rows(column) and _runs_as_time(column)


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


def tally(column: FloatArray) -> Tally:
    """Count a column's values."""
    ranked = once(rank_column, column)
    counts, rows = ranked.counts, ranked.first_rows
    often = np.flatnonzero((counts > HEAP_ROWS) & (counts >= HEAP_SHARE * len(column)))
    standing = [
        k for k in often[np.argsort(-counts[often], kind="stable")] if counts[k] > _STANDS_OUT * _beside(counts, k)
    ]
    heap, heaped = (int(counts[standing[0]]), float(column[rows[standing[0]]]) + 0.0) if standing else (0, 0.0)
    inside = bool(standing) and all(0 < k < len(counts) - 1 for k in standing)
    whole = bool(column[rows[0]] in (0, 1) and np.all(column == np.rint(column)))
    first = int(np.argmax(counts))
    most, common = int(counts[first]), float(column[rows[first]]) + 0.0
    return Tally(len(column), ranked.distinct, heap, heaped, len(standing), inside, most, common, whole)


def _beside(counts: NDArray[np.intp], k: int) -> float:
    """The median count of the next two values on either side, or of those that there are.

    A median, so that a second point mass beside the first hides neither.
    """
    around = np.concatenate((counts[max(k - 2, 0) : k], counts[k + 1 : k + 3]))
    return float(np.median(around)) if len(around) else np.inf
