"""Dates, times and long numbers as doubles, such that different values stay different.

Dates and times are days since the beginning of 1970, in UTC, to about a microsecond: a unit does not matter to any
method, and a reader can check a day. Text is read year first alone (2024-03-31, 2024/03/31, with a time and an offset
from UTC or without): 03.04.2024 is April in one country and March in another.

A double holds 53 binary digits: clock ticks since 1970 or long account numbers fall together in it. What tells them
apart is their distance from the least of them, which is subtracted exactly, before any rounding.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.native import FloatArray

Exact = int | Decimal
EXACT = 2**53
"""Up to here every whole number is a double."""

_DIGITS = 1000  # more than any two doubles are apart: 1e308 − 1e-324 has 632
_MOMENT = re.compile(r"\d{4}([-/])\d{2}\1\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,6})?)?(Z|[-+]\d{2}:?\d{2})?)?")
_DAY_FIRST = re.compile(r"\d{1,2}([-./])\d{1,2}\1(\d{4}|\d{2})(\s.*)?")
_DAY = np.timedelta64(1, "D")


def holds_dates(array: NDArray[Any]) -> bool:
    """Whether an array holds dates, times or durations by its type."""
    return array.dtype.kind in "mM"


def days(moments: NDArray[Any]) -> FloatArray:
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


def is_long(rounded: FloatArray) -> bool:
    """Whether whole numbers may have been rounded."""
    return bool(np.any(np.abs(rounded) > EXACT - 1))


def has_ties(rounded: FloatArray) -> bool:
    """Whether different numbers may have been rounded to the same one."""
    ranked = np.sort(rounded)
    return bool(np.any(ranked[1:] == ranked[:-1]))


def separate_doubles(values: Sequence[Any], rounded: FloatArray) -> tuple[FloatArray, Exact] | None:
    """Doubles that are as distinct as `values` and what was subtracted from each; None where no offset achieves that.

    `values` are whole numbers, decimals or doubles, `rounded` the same as doubles; what is not finite there is left.
    """
    finite = np.isfinite(rounded)
    with localcontext(Context(prec=_DIGITS)):
        exact = [_exact(value) for value, kept in zip(values, finite, strict=True) if kept]
        distinct, doubles = len(set(exact)), rounded[finite]
        merged = distinct > len(np.unique(doubles))
        if not exact or not (merged or _are_rounded(exact, doubles)):
            return rounded, 0
        low = min(exact)
        if not merged and max(exact) - low > EXACT:
            return rounded, 0
        shifted = rounded.copy()
        try:
            shifted[finite] = [float(value - low) for value in exact]
        except OverflowError:
            return None
    return (shifted, low) if len(np.unique(shifted[finite])) == distinct else None


def _are_rounded(exact: list[Exact], doubles: FloatArray) -> bool:
    """Whether a number written as a whole one is not its double; 1.2e25 claims its leading digits only."""
    return any(
        abs(double) >= EXACT and (isinstance(value, int) or value.as_tuple().exponent == 0) and int(double) != value
        for value, double in zip(exact, doubles.tolist(), strict=True)
    )


def _exact(value: Any) -> Exact:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int):
        return plain
    return Decimal(plain if isinstance(plain, float | str | Decimal) else float(plain))
