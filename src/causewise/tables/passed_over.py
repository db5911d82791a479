"""Which columns a whole table is judged without, and why: by their type, or in text by their first cells.

Numbers, truth values, dates, durations and levels with an order are judged. Numbers that a frame holds as text are not:
whoever keeps 01234 as text means no number. A column that is asked for by name is read all the same, if it can be.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.numerics.conversion import day_of, is_day_first, moments_of
from causewise.tables.cells import dates_in, from_objects, is_missing
from causewise.tables.marks import bare

TEXT = "it holds text"
COUNTING = "it counts the rows"
UNORDERED = "it holds categories without a known order"
DAY_FIRST = "its dates may begin with the day or the month: write the year first"
_NOTHING = "it holds no numbers"
_FIRST = 100
"""Texts that are looked at."""


def why_array(values: NDArray[Any]) -> str:
    """The reason of an array; empty where it is judged."""
    if values.dtype.kind in "biufmM":
        return ""
    held = values.ravel().tolist() if values.dtype.kind in "OUT" else []
    if not held:
        return _NOTHING
    if moments_of(held) is not None or dates_in(held) is not None:
        return ""
    if words := [value for value in held if isinstance(value, str)]:
        return _why_words(words)
    try:
        from_objects(held, "")
    except InputError:
        return _NOTHING
    return ""


def why_series(series: Any, ordered: bool) -> str:
    """The reason of a series of any library, given as narwhals has it; `ordered` where it is levels with an order."""
    import narwhals as nw

    kind = series.dtype
    if ordered or kind.is_numeric() or kind in (nw.Boolean, nw.Date, nw.Datetime, nw.Duration, nw.Enum):
        return ""
    if kind == nw.Categorical:
        return UNORDERED
    if kind == nw.Time:
        return "it holds times of day, after whose last comes the first"
    # Of text the first values tell, but for dates, which must go on as they began.
    first = series.head(_FIRST).to_list() if kind == nw.String else []
    if kind == nw.String and dates_in(first) is None:
        return _why_words([word for word in first if isinstance(word, str)])
    if kind in (nw.String, nw.Object, nw.Unknown):  # an older narwhals does not know pandas' text
        return why_array(np.array([*series.to_list(), None], dtype=object)[:-1])  # of lists NumPy would make a table
    return _NOTHING


def why_cells(cells: Sequence[str]) -> str:
    """The reason of the first cells of a text column that are mostly no numbers."""
    present = [bare(cell) for cell in cells if not is_missing(cell)]
    if not present:
        return f"it has no value in its first {len(cells)} rows"
    if all(day_of(cell) is not None for cell in present):
        return ""
    return _why_words(present)


def _why_words(words: Sequence[str]) -> str:
    return DAY_FIRST if words and all(is_day_first(bare(word)) for word in words) else TEXT
