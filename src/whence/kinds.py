"""The kind of a column, by how its values repeat: this file alone says what is continuous, and what cannot be judged.

A heap is a value that far more rows share than its neighbours among the values: the zeros of a zero-inflated column,
what a floor or a placeholder collects, the whole numbers of a column that was rounded in most rows and not in all.
Rounding alone makes no heap, since neighbouring steps hold about as many rows, nor does counting.

Text is no kind: `tables` turns dates and ordered categories into numbers, says so, and refuses the rest.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.numerics.columns import once
from whence.numerics.ranked import rank_column
from whence.pair import LARGEST, FloatArray

FEWEST_LEVELS = 5
"""Below, a level more or less is the whole column; the default method was never fitted to such."""
_COUNTED, _ROUNDED, _ROUNDED_SHARE = 30, 100, 0.2
HEAP_SHARE, HEAP_ROWS, _HEAP_VALUES = 0.1, 10, 10
"""A heap holds so many rows, in a column of at least so many values: of fewer, any may be common by itself."""
_STANDS_OUT = 4.0
"""Times the median of the next two values on either side; neighbours in a Poisson, geometric or rounded law differ by
less."""


class Kind(StrEnum):
    """What a column of numbers is."""

    CONSTANT = "constant"
    BINARY = "two values"
    LEVELS = "few levels"
    """Three or four values."""
    HEAPED = "heaped"
    """One value stands out: zero-inflated, censored, filled in, rounded in part."""
    COUNT = "count"
    """Few whole numbers from 0 or 1 up: counts, ratings, numbered levels."""
    ROUNDED = "rounded"
    """Few values for so many rows, and any numbers."""
    CONTINUOUS = "continuous"


class Tally(NamedTuple):
    """How a column's values repeat."""

    n: int
    distinct: int
    heap: int
    """Rows of the largest heap; 0 where there is none."""
    heaped: float
    """The value they share."""
    heaps: int
    """How many heaps there are; several where a column was rounded in part."""
    most: int
    """Rows of the commonest value, heap or not."""
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
        """The first kind that applies, those first that say least."""
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


def unfit(column: FloatArray, least: int) -> str:
    """Why nothing can be said of a column, whatever it is held against; empty where something can.

    What is missing is NaN; `least` values must be there.
    """
    present = column[~np.isnan(column)]
    if len(present) < least:
        return f"it has {len(present)} values where at least {least} are needed"
    if np.any(np.isinf(present)) or np.max(np.abs(present)) > LARGEST:
        return "it has infinite or too large values"
    return f"it is {present[0]:g} in every row" if np.min(present) == np.max(present) else ""


def kind_of(column: FloatArray) -> Kind:
    """The kind of a column without missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from whence.kinds import kind_of
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.gamma(2, size=500)
    >>> [str(kind_of(column)) for column in (rain, rain.round(1), rng.poisson(3, 500).astype(float))]
    ['continuous', 'rounded', 'count']
    >>> str(kind_of(np.where(rng.random(500) < 0.4, 0.0, rain)))
    'heaped'
    """
    return tally(column).kind


def tally(column: FloatArray) -> Tally:
    """Count a column's values."""
    ranked = once(rank_column, column)
    counts, rows = ranked.counts, ranked.first_rows
    often = np.flatnonzero((counts > HEAP_ROWS) & (counts >= HEAP_SHARE * len(column)))
    standing = [
        k for k in often[np.argsort(-counts[often], kind="stable")] if counts[k] > _STANDS_OUT * _beside(counts, k)
    ]
    heap, heaped = (int(counts[standing[0]]), float(column[rows[standing[0]]]) + 0.0) if standing else (0, 0.0)
    whole = bool(column[rows[0]] in (0, 1) and np.all(column == np.rint(column)))
    first = int(np.argmax(counts))
    most, common = int(counts[first]), float(column[rows[first]]) + 0.0
    return Tally(len(column), ranked.distinct, heap, heaped, len(standing), most, common, whole)


def _beside(counts: NDArray[np.intp], k: int) -> float:
    """The median count of the next two values on either side, or of those that there are.

    A median, so that a second heap beside the first hides neither.
    """
    around = np.concatenate((counts[max(k - 2, 0) : k], counts[k + 1 : k + 3]))
    return float(np.median(around)) if len(around) else np.inf
