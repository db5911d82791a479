"""Dates and times as numbers: days since the beginning of 1970, in UTC, to about a microsecond.

Days, since a unit does not matter to any method and a reader can check one. Text is read year first alone (2024-03-31,
2024/03/31, with a time and an offset from UTC or without): 03.04.2024 is April in one country and March in another.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOMENT = re.compile(r"\d{4}([-/])\d{2}\1\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,6})?)?(Z|[-+]\d{2}:?\d{2})?)?")
_DAY_FIRST = re.compile(r"\d{1,2}([-./])\d{1,2}\1(\d{4}|\d{2})(\s.*)?")
_DAY = np.timedelta64(1, "D")


def is_dates(array: NDArray[Any]) -> bool:
    """Whether an array holds dates, times or durations by its type."""
    return array.dtype.kind in "mM"


def said_of_dates(name: str, lasting: bool = False) -> str:
    """The sentence that goes with such a column; `lasting` where it holds durations."""
    if lasting:
        return f"{name!r} holds durations, read as days."
    return f"{name!r} holds dates or times, read as days since 1970-01-01."


def read_as_days(name: str, notes: Iterable[str]) -> bool:
    """Whether what is said of a column tells that it held dates, times or durations."""
    return not {said_of_dates(name), said_of_dates(name, lasting=True)}.isdisjoint(notes)


def days(moments: NDArray[Any]) -> NDArray[np.float64]:
    """Dates, times or durations in days; none is NaN."""
    # Whole days apart from the rest: a nanosecond count of today has more digits than a double.
    whole = moments.astype("M8[D]" if moments.dtype.kind == "M" else "m8[D]")
    day = whole.astype(np.int64) + (moments - whole) / _DAY
    return np.where(np.isnat(moments), np.nan, day)


def moments_of(values: Iterable[Any]) -> NDArray[Any] | None:
    """Python's dates and times, or its durations, what is missing among them NaT.

    None where anything else is there, both are, or nothing.
    """
    held, seen = list[Any](), set[str]()
    for value in values:
        if value is None or value != value:  # NaN, and pandas' NaT
            held.append("NaT")
        elif isinstance(value, np.datetime64):
            held.append(value)
            seen.add("M8[us]")
        elif isinstance(value, date):  # a datetime is one
            held.append(np.datetime64(_in_utc(value), "us"))
            seen.add("M8[us]")
        elif isinstance(value, timedelta | np.timedelta64):
            held.append(np.timedelta64(value, "us"))
            seen.add("m8[us]")
        else:
            return None
    return np.array(held, dtype=seen.pop()) if len(seen) == 1 else None


def day_of(text: str) -> float | None:
    """The day of a date or time written year first; None of any other text."""
    moment = moment_of(text)
    return None if moment is None else float(days(np.array([moment], dtype="M8[us]"))[0])


def moment_of(text: str) -> date | None:
    """A date or time written year first, in UTC; None of any other text."""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        return _in_utc(datetime.fromisoformat(text.replace("/", "-")))
    except ValueError:  # there is no 30th of February
        return None


def is_day_first(text: str) -> bool:
    """Whether a text looks like a date that two countries read differently."""
    return bool(_DAY_FIRST.fullmatch(text))


def _in_utc(moment: date) -> date:
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)
