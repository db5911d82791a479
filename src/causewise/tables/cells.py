"""One cell, one number: decimal and thousands marks, what counts as missing, and what is said of anything else.

`0.5` and `1.25` can only be decimals, `1.234.567` only thousands; `1.234` is either, and read wrongly it is a number
still. A column of such cells is taken for decimals where the rest of the column or of the table shows that mark at
work, and where nothing tells it is rejected: a wrong number is worse than none.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError, UnclearError
from causewise.numerics.conversion import day_of, is_day_first, is_long, moment_of, moments_of
from causewise.pair import FloatArray

MARKS = (".", ",")
_OTHER = {".": ",", ",": "."}
_THIN = "'’\\u0020\\u00a0\\u2009\\u202f"
_SIGN = "[-+\N{MINUS SIGN}]?"
_DECIMAL = {m: re.compile(rf"{_SIGN}(\d+\{m}\d*|\{m}\d+)([eE][-+]?\d+)?") for m in MARKS}
_GROUPED = {m: re.compile(rf"{_SIGN}[1-9]\d{{0,2}}(\{m}\d{{3}})+") for m in MARKS}
_THOUSANDS = {
    m: re.compile(rf"{_SIGN}[1-9]\d{{0,2}}(?P<mark>[\{_OTHER[m]}{_THIN}])\d{{3}}((?P=mark)\d{{3}})*(\{m}\d*)?")
    for m in MARKS
}
MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "nil", "nat", "missing", "?", "-", "--", "."]
)
"""Ways of writing "no value", compared in lower case and without surrounding blanks."""
_QUOTED = 40
_LONG = 16  # every decimal number of fifteen digits has a double of its own


@dataclass(frozen=True)
class MarkCounts:
    """How often each mark can only be a decimal mark, and for each the first cell where it may stand for thousands."""

    points: int = 0
    commas: int = 0
    unclear_point: str = ""
    unclear_comma: str = ""

    @property
    def unclear(self) -> str:
        """A cell that can be read in two ways."""
        return self.unclear_point or self.unclear_comma

    @property
    def decimal(self) -> str:
        """The decimal mark, or nothing where neither or both are at work."""
        return "" if bool(self.points) == bool(self.commas) else "." if self.points else ","


def count_marks(cells: Iterable[str]) -> MarkCounts:
    """What the cells of one column, or of a whole table, say about the marks."""
    counts, unclear = dict.fromkeys(MARKS, 0), dict.fromkeys(MARKS, "")
    for cell in cells:
        if "." not in cell and "," not in cell:
            continue
        text = strip_cell(cell)
        for mark in MARKS:
            if not _GROUPED[mark].fullmatch(text):
                grouped = _THOUSANDS[mark].fullmatch(text) if mark in text else None
                counts[mark] += bool(_DECIMAL[mark].fullmatch(text) or grouped)
            elif text.count(mark) > 1:
                counts[_OTHER[mark]] += 1  # 1.234.567 leaves the comma for decimals
            else:
                unclear[mark] = unclear[mark] or text
    return MarkCounts(counts["."], counts[","], unclear["."], unclear[","])


def strip_cell(cell: str) -> str:
    """A cell without surrounding blanks and quotes."""
    return cell.strip().strip("\"'").strip()


def parse_number(cell: str, decimal: str = ".") -> float | None:
    """The value of a cell, NaN where it says that there is none, None where it is neither."""
    text = _normalise(cell, decimal)
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def parse_exact(cell: str, decimal: str = ".") -> Decimal | float | None:
    """The same to the last digit of a long cell."""
    value = parse_number(cell, decimal)
    if value is None or not math.isfinite(value) or len(cell) < _LONG:
        return value
    return Decimal(_normalise(cell, decimal) or "")


def is_missing(cell: str) -> bool:
    """Whether a cell says that it has no value."""
    return strip_cell(cell).lower() in MISSING


def is_number(cell: str) -> bool:
    """Whether a cell is a number or missing under any convention: for telling numbers from text, not for reading."""
    if parse_number(cell) is not None:
        return True
    text = strip_cell(cell)
    return any(_DECIMAL[m].fullmatch(text) or _THOUSANDS[m].fullmatch(text) for m in MARKS)


def _normalise(cell: str, decimal: str) -> str | None:
    """A cell in Python's way of writing numbers; None where an identifier would turn into a number."""
    text = strip_cell(cell)
    if text.lower() in MISSING:
        return "nan"
    if grouped := _THOUSANDS[decimal].fullmatch(text):
        text = text.replace(grouped["mark"], "")
    # Python reads 1_000 as a thousand; in a table an underscore is part of an identifier.
    if "_" in text or (decimal != "." and "." in text):
        return None
    return text.replace(decimal, ".").replace("\N{MINUS SIGN}", "-")


def parse_numbers(cells: Sequence[str], decimal: str = ".") -> FloatArray | int:
    """All cells of a column as numbers, or the position of the first that is none."""
    # Nearly every column is clean, and this is fifty times as fast as cell by cell.
    try:
        if decimal == "." and "_" not in "".join(cells):
            return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        pass
    return _parse_each(cells, lambda cell: parse_number(cell, decimal))


def parse_dates(cells: Sequence[str]) -> FloatArray | int:
    """All cells of a column as days, or the position of the first that is no date."""
    return _parse_each(cells, lambda cell: math.nan if is_missing(cell) else day_of(strip_cell(cell)))


def _parse_each(cells: Sequence[str], parse: Callable[[str], float | None]) -> FloatArray | int:
    values = np.empty(len(cells))
    for k, cell in enumerate(cells):
        value = parse(cell)
        if value is None:
            return k
        values[k] = value
    return values


def convert_dates(values: Iterable[Any]) -> NDArray[Any] | None:
    """Dates that a frame holds as text, year first; None where anything else is there, or nothing."""
    moments: list[Any] = []
    for value in values:
        if value is None or value != value or (isinstance(value, str) and is_missing(value)):
            moments.append(None)
        elif not isinstance(value, str) or (moment := moment_of(strip_cell(value))) is None:
            return None
        else:
            moments.append(moment)
    return moments_of(moments)


def convert_objects(values: Sequence[Any], name: str) -> NDArray[Any]:
    """A column of Python objects (None, numbers, text that reads as a number) as numbers, exact ones as they are."""
    marks = count_marks(value for value in values if isinstance(value, str))
    if marks.unclear and not marks.decimal:
        raise ambiguous_mark_error(name, marks.unclear, "convert the column to numbers")
    numbers = list[Any]()
    for row, value in enumerate(values, start=1):
        number = parse_exact(value, marks.decimal or ".") if isinstance(value, str) else _convert_object(value)
        if number is None:
            raise text_cell_error(name, f"row {row}", str(value))
        numbers.append(number)
    rounded = np.array(numbers, dtype=np.float64)
    exact = is_long(rounded) or any(isinstance(number, Decimal) for number in numbers)
    return np.array(numbers, dtype=object) if exact else rounded


def _convert_object(value: Any) -> Any:
    try:
        rounded = float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        # None, and pandas' NA and NaT, refuse to become a float but print as missing.
        return math.nan if str(value).lower() in MISSING else None
    return value if isinstance(value, (Integral, Decimal)) and math.isfinite(rounded) else rounded


def quote_cell(text: str) -> str:
    """A cell as it can be shown in a sentence: quoted, on one line, and never a million digits long."""
    return repr(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…")


def text_cell_error(name: str, place: str, cell: str, wanted: str = "numbers") -> InputError:
    """The error of a cell that is neither a number nor a date."""
    if is_day_first(strip_cell(cell)):
        return InputError(
            f"Column {name!r} has the date {quote_cell(cell)} in {place}, and day and month may stand in either order; "
            "expected the year first: write dates as 2024-03-31."
        )
    return InputError(
        f"Column {name!r} has the text {quote_cell(cell)} in {place}; expected {wanted} only, without units: "
        "correct that cell, number the levels if they have an order, or choose another column."
    )


def ambiguous_mark_error(name: str, cell: str, advice: str) -> UnclearError:
    """The error of a column that is numbers in two ways, and different ones."""
    mark, other = (".", ",") if "." in cell else (",", ".")
    decimals, whole = parse_number(cell, mark), parse_number(cell, other)
    return UnclearError(
        f"Column {name!r} has {quote_cell(cell)}, which is {decimals} or {whole:.0f}, and nothing in the table tells "
        f"whether {mark!r} is its decimal mark; expected one meaning: {advice}.",
        ("--decimal", mark),
        ("--decimal", other),
    )
