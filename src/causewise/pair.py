"""A pair: two finite float columns with names. This module alone says what a valid pair is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causewise.errors import InputError
from causewise.numerics.columns import once
from causewise.numerics.conversion import EXACT, days, has_ties, holds_dates, is_long, moments_of, separate_doubles
from causewise.numerics.ranked import order_rows, rank_column

FloatArray = NDArray[np.float64]
NanPolicy = Literal["raise", "omit"]

MIN_ROWS = 10
FEW_ROWS = 100
"""Below, a direction is seldom clear."""
LARGEST = 1e302
"""Values beyond this are rejected: the sum of some million of them is no number any more."""


class Record:
    """Equality by value for dataclasses that hold arrays and NaN, which the generated comparison cannot compare."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(_are_same, self._values(), other._values()))

    def __hash__(self) -> int:
        # Equal records are equal in their short fields; arrays are left out, since hashing them costs a pass each.
        return hash((type(self), *(value for value in self._values() if isinstance(value, str | int | None))))

    def _values(self) -> list[Any]:
        return [getattr(self, each.name) for each in fields(self) if each.compare]  # type: ignore[arg-type]  # dataclasses


def _are_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    return bool(one == other) or (one != one and other != other)


@dataclass(frozen=True, eq=False)
class Pair(Record):
    """Two columns of equal length, finite, not constant, not identical, at least ten rows.

    Build one with `Pair.of`, which checks; the constructor itself trusts its caller.

    Examples
    --------
    >>> import causewise
    >>> pair = causewise.Pair.of(range(12), [k**2 for k in range(12)], x_name="side", y_name="area")
    >>> pair.n, pair.swap().x_name
    (12, 'area')
    """

    x: FloatArray
    y: FloatArray
    x_name: str = "x"
    y_name: str = "y"
    dropped: int = 0
    """Rows left out because a value was missing (`nan_policy="omit"`)."""
    turned: bool = False
    """Whether the columns stand opposite to their source. No sound method reads this; it exists for programs whose
    *published* score depends on the order of the columns, so that a flipped benchmark can still repeat it."""
    notes: tuple[str, ...] = ()
    """What had to be understood to make numbers of these columns, a sentence each."""

    @classmethod
    def of(
        cls, x: ArrayLike, y: ArrayLike, *, x_name: str = "x", y_name: str = "y", nan_policy: NanPolicy = "raise"
    ) -> "Pair":
        """Check two columns and make a pair of them."""
        (a, a_note), (b, b_note) = as_column(x, x_name), as_column(y, y_name)
        if len(a) != len(b):
            raise InputError(
                f"Got {len(a)} values for {x_name!r} and {len(b)} for {y_name!r}; expected two columns of equal "
                "length, one row per observation."
            )
        a, b, dropped = _drop_missing(a, b, x_name, y_name, nan_policy)
        if len(a) < MIN_ROWS:
            left_out = f" ({dropped} with missing values left out)" if dropped else ""
            raise InputError(
                f"Got {len(a)} rows{left_out}; expected at least {MIN_ROWS}, and a direction is seldom clear below "
                f"{FEW_ROWS}."
            )
        for column, name in ((a, x_name), (b, y_name)):
            if column.min() == column.max():
                raise InputError(
                    f"Column {name!r} is constant ({column[0]:g} in every row); expected a column that varies, "
                    "since a constant neither causes nor is caused."
                )
        if np.array_equal(a, b):
            raise InputError(
                f"Columns {x_name!r} and {y_name!r} are identical; expected two different variables: "
                "choose another column."
            )
        return cls(a, b, x_name, y_name, dropped, notes=(*a_note, *b_note))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    @property
    def columns(self) -> tuple[tuple[FloatArray, str], tuple[FloatArray, str]]:
        """Both columns, each with its name."""
        return (self.x, self.x_name), (self.y, self.y_name)

    @property
    def dates(self) -> frozenset[str]:
        """Names of the columns that were read from dates or times."""
        return frozenset(name for name in (self.x_name, self.y_name) if date_note(name) in self.notes)

    def swap(self) -> "Pair":
        """The same observations with the two columns exchanged."""
        return Pair(self.y, self.x, self.y_name, self.x_name, self.dropped, not self.turned, self.notes)


def standardise(column: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Mean 0 and population standard deviation 1, safe for values whose squares overflow or underflow."""
    centred: FloatArray = np.subtract(column, np.mean(column), out=out)
    centred /= max(np.max(centred), -np.min(centred))
    centred -= np.mean(centred)
    centred /= np.sqrt(np.mean(centred * centred))
    return centred


def standard_deviation(column: FloatArray) -> float:
    """Population standard deviation, safe for values whose squares overflow or underflow."""
    centred = column - np.mean(column)
    unit = np.max(np.abs(centred))
    return float(unit * np.std(centred / unit))


def row_order(cause: FloatArray, effect: FloatArray) -> NDArray[np.intp]:
    """Rows by cause and then effect: summed in this order, no file's order can change a bit of an answer."""
    first = once(rank_column, cause)
    order = order_rows(first, once(rank_column, effect)) if first.has_ties else first.order
    return order.astype(np.intp)


def both_directions(pair: Pair, score: Callable[[FloatArray, FloatArray], Any]) -> tuple[Any, Any]:
    """`score(cause, effect)` for x → y and for y → x: the only place where a pair is swapped to be scored."""
    return score(pair.x, pair.y), score(pair.y, pair.x)


def one_variable(pair: Pair) -> bool:
    """Whether one column is the other in another unit, or counted downwards, as far as their digits can tell."""
    low, high = np.argmin(pair.x), np.argmax(pair.x)
    if {pair.y[low], pair.y[high]} != {pair.y.min(), pair.y.max()}:
        return False
    columns = (pair.x, pair.y)
    across, up = ((column - column[low]) / (column[high] - column[low]) for column in columns)
    # What is left of a digit once the offset is taken off: a change of unit rounds every value by half of it or so.
    digit = np.finfo(float).eps * sum(np.max(np.abs(column)) / np.ptp(column) for column in columns)
    return bool(np.max(np.abs(across - up)) <= 8 * digit)


def date_note(name: str, durations: bool = False) -> str:
    """The sentence for a column that held dates and times, or durations."""
    if durations:
        return f"{name!r} holds durations, read as days."
    return f"{name!r} holds dates or times, read as days since 1970-01-01."


def has_date_note(name: str, notes: Iterable[str]) -> bool:
    """Whether the notes on a column say that it held dates, times or durations."""
    return not {date_note(name), date_note(name, durations=True)}.isdisjoint(notes)


def as_column(values: ArrayLike, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of any type as doubles, missing ones NaN, and what is to be said of it."""
    notes: tuple[str, ...] = ()
    try:
        array = _fill_masked(values)
        if array.dtype.kind == "O" and array.ndim == 1 and (moments := moments_of(array)) is not None:
            array = moments
        if holds_dates(array):
            array, notes = days(array), (date_note(name, array.dtype.kind == "m"),)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        if array.dtype.kind == "O" and any(isinstance(value, np.datetime64 | np.timedelta64) for value in array.flat):
            raise TypeError("dates among numbers")  # NumPy would count their days
        floats = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        kind = f" ({problem})" if str(problem) in ("complex numbers", "dates among numbers") else ""
        raise InputError(
            f"Column {name!r} is not numeric{kind}; expected numbers only: choose a numeric column or convert it first."
        ) from None
    if array.ndim == 2 and 1 in array.shape:
        array, floats = array.ravel(), floats.ravel()
    if array.ndim != 1:
        raise InputError(
            f"Got an array of shape {array.shape} for {name!r}; expected one dimension: pass one column at a time."
        )
    if array.dtype.kind in "iuO" and (is_long(floats) or (array.dtype.kind == "O" and has_ties(floats))):
        return _subtract_offset(array, floats, name)
    return np.ascontiguousarray(floats), notes


def _subtract_offset(array: NDArray[Any], floats: FloatArray, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    result = separate_doubles(array.tolist(), floats)
    if result is None:
        raise InputError(
            f"Column {name!r} has different numbers that are one number once rounded to 53 binary digits, even counted "
            f"from the least of them; expected numbers at most {EXACT:,} steps apart: shorten them, or take ranks."
        )
    column, offset = result
    if not offset:
        return column, ()
    return column, (f"{name!r}: {offset} is subtracted in every row, since floating point holds fewer digits.",)


def _fill_masked(values: ArrayLike) -> NDArray[Any]:
    """As an array, with NaN where a masked array hides its value."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "biuf":
        data = np.ma.getdata(values)
        return np.where(np.ma.getmaskarray(values), np.nan, data.astype(object) if data.dtype.kind in "iu" else data)
    if isinstance(values, np.ma.MaskedArray) and holds_dates(values):
        return np.where(np.ma.getmaskarray(values), np.array("NaT", values.dtype), np.ma.getdata(values))
    array = np.asarray(values)
    # NumPy makes doubles of a list with whole numbers of both signs beyond 2⁶³.
    rounded = array.dtype.kind == "f" and isinstance(values, (list, tuple)) and is_long(array.astype(np.float64))
    return np.asarray(values, dtype=object) if rounded else array


def _drop_missing(
    x: FloatArray, y: FloatArray, x_name: str, y_name: str, nan_policy: NanPolicy
) -> tuple[FloatArray, FloatArray, int]:
    if nan_policy not in ("raise", "omit"):
        raise InputError(f"Got nan_policy={nan_policy!r}; expected 'raise' or 'omit'.")
    for column, name in ((x, x_name), (y, y_name)):
        infinite = int(np.count_nonzero(np.isinf(column)))
        if infinite:
            raise InputError(
                f"Column {name!r} has {infinite} infinite value{'s' * (infinite > 1)}; expected finite numbers: "
                "remove or correct these rows."
            )
        largest = float(np.max(np.abs(column), initial=0.0, where=~np.isnan(column)))
        if largest > LARGEST:
            raise InputError(
                f"Column {name!r} has a value of size {largest:.3g}; expected at most {LARGEST:g}, beyond which sums "
                "overflow: correct that row, or give the column in another unit."
            )
    missing = np.isnan(x) | np.isnan(y)
    count = int(np.count_nonzero(missing))
    if count == 0:
        return x, y, 0
    if nan_policy == "omit":
        return x[~missing], y[~missing], count
    worse = x_name if np.isnan(x).any() else y_name
    raise InputError(
        f"Got {count} row{'s' * (count > 1)} with a missing value (column {worse!r}); expected complete rows: "
        "fill them in, or leave them out with nan_policy='omit', which reports the count."
    )
