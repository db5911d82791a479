"""Text made safe for the place it goes to: terminal, JSON, shell, spreadsheet, Markdown; numbers as people read them.

A column's name may hold an escape sequence that rewrites the terminal's title, a mark that reverses what follows, or a
line break that fakes a second answer: none of them may act, and all of them must be seen.
"""

import csv
import io
import json
import math
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode's categories of characters that act or hide: controls, formats (bidirectional marks among them), …"""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A spreadsheet takes a cell with such a beginning for a formula: https://owasp.org/www-community/attacks/CSV_Injection."""
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")


def visible(text: object, keep: str = "") -> str:
    r"""One line in which every character that acts or hides is spelt out: `\x1b`, `\n`, `\u202e`."""
    return _escape(str(text), _python_escape, keep)


def visible_lines(text: str) -> str:
    """As `visible`, for a text of several lines whose breaks are our own."""
    return visible(text, keep="\n")


def encodable(text: str) -> str:
    r"""The text with lone surrogates, which no file can hold, spelt out: `\udcff`."""
    return text.encode("utf-8", "backslashreplace").decode()


def single_line(text: str) -> str:
    """A name or sentence on one line, its blanks single; a name of nothing is `(unnamed)`."""
    return " ".join(visible(text).split()) or "(unnamed)"


def text_width(text: str) -> int:
    """Columns a text takes; letters of Chinese, Japanese and Korean take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def shorten(name: str, width: int) -> str:
    """A name cut in the middle to `width` columns, so that both its beginning and its end can be told apart."""
    if text_width(name) <= width:
        return name
    # The end stays, since related columns often differ in a suffix alone, such as _mean or _2019.
    tail = (width - 1) // 3
    return f"{_cut(name, width - 1 - tail)}…{_cut(name[::-1], tail)[::-1]}"


def _cut(text: str, width: int) -> str:
    while text_width(text) > width:
        text = text[: max(width, 0)] if len(text) > width else text[:-1]
    return text


def format_number(value: float | None, digits: int = 4) -> str:
    """A number with `digits` significant digits, a true minus sign and powers of ten; a dash when there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if value == 0 or -4 <= int(exponent) < 6:
        text = f"{value:.{digits}g}"
        return group_digits(f"{float(text):.0f}" if "e" in text else text)
    return format_power(mantissa.rstrip("0").rstrip("."), int(exponent)).replace("-", "−")


def format_signed(value: float | None, digits: int = 4) -> str:
    """As `format_number`, with a plus sign in front of positive values."""
    plus = "+" if value is not None and 0 < value < math.inf else ""
    return plus + format_number(value, digits)


def format_extreme(value: float) -> str:
    """The smallest or largest of some values as it stands in the table, where that is short: 18 823 is not 18 820."""
    text = repr(float(value)).removesuffix(".0")
    digits = len(text.strip("-").replace(".", "").strip("0"))
    return group_digits(text) if "e" not in text and digits <= 10 and abs(value) < 1e12 else format_number(value, 6)


def format_power(mantissa: str, exponent: int) -> str:
    """For instance 2.1×10⁻⁹."""
    return f"{mantissa}×10{str(exponent).translate(_SUPERSCRIPT)}"


def format_p(p: float | None, log_p: float | None) -> str:
    """A p-value, from its logarithm where it is too small to be a float; a dash where there is none."""
    if p is None or math.isnan(p):
        return "–"
    if p > 1e-300 or log_p is None or not math.isfinite(log_p):
        return format_number(p, 2) if p > 1e-300 else f"< {format_power('1', -300)}"
    # Below 1e-300 the float is zero or has lost its digits; the logarithm has them still.
    exponent = math.floor(log_p / math.log(10))
    return format_power(f"{math.exp(log_p - exponent * math.log(10)):.1f}", exponent)


def format_count(n: int) -> str:
    """A count in groups of three, with narrow spaces."""
    return f"{n:,}".replace(",", "\u202f")


def group_digits(text: str, least: int = 5) -> str:
    """A decimal number with a true minus sign, in groups of three where so many digits stand before the point."""
    whole, point, rest = text.lstrip("-").partition(".")
    whole = format_count(int(whole)) if len(whole) >= least else whole
    return "−" * text.startswith("-") + whole + point + rest


def percent(confidence: float) -> str:
    """Rounded down, so that 79.8 % does not look like 80 %, nor 99.9 % like certainty."""
    return f"{math.floor(100 * confidence + 1e-9)} %"  # 100 · 0.58 falls short of 58


def json_text(record: Any, *, ascii_only: bool = False, indent: int | None = 2, **options: Any) -> str:
    """JSON that holds no character a terminal would obey, and reads back to the same strings; NaN is refused."""
    text = json.dumps(record, indent=indent, ensure_ascii=ascii_only, allow_nan=False, **options)
    return _escape(text, _json_escape, keep="\n")


def plain_value(value: Any) -> Any:
    """What JSON knows nothing of, for `json_text(default=…)`: a number of NumPy as a number, the rest as text."""
    return value.item() if hasattr(value, "item") else str(value)


def shell_word(text: object) -> str:
    """A word to be pasted into a command; what a terminal would obey is spelt out, and then names nothing."""
    return shlex.quote(visible(text))


def csv_text(lines: Iterable[Iterable[Any]], raw: bool = False) -> str:
    """CSV for people and spreadsheets; `raw` leaves every cell as it is, for programs."""
    out = io.StringIO()
    plain, quoted = (csv.writer(out, lineterminator="\n", quoting=q) for q in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for line in lines:
        cells = list(line) if raw else [_disarm(cell) for cell in line]
        # Python's writer leaves a carriage return bare, where every reader, its own too, ends the line.
        (quoted if any(isinstance(cell, str) and "\r" in cell for cell in cells) else plain).writerow(cells)
    return out.getvalue()


def _disarm(cell: Any) -> Any:
    """Words that a spreadsheet would run get an apostrophe in front; numbers stay as they are."""
    runs = isinstance(cell, str) and cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


def _escape(text: str, escape: Callable[[str], str], keep: str) -> str:
    # Nearly every text is harmless, and then it is not copied: tables may have a million cells.
    if text.isprintable():
        return text
    return "".join(each if each in keep or not _acts(each) else escape(each) for each in text)


def _acts(letter: str) -> bool:
    return unicodedata.category(letter) in _UNSEEN


def _python_escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _json_escape(letter: str) -> str:
    return json.dumps(letter)[1:-1]


def markdown_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: str | None = None, *, padded: bool = False
) -> str:
    """A table without a final line break.

    Parameters
    ----------
    head
        Names of the columns.
    rows
        Cells as text, one sequence for each line.
    align
        `l` or `r` for every column; by default the first is left-aligned and the others, usually numbers, right.
    padded
        Columns of equal width, to be read in a terminal as well as on a page.

    Examples
    --------
    >>> print(markdown_table(("set", "accuracy"), [("AN", "98.5"), ("LSs", "100.0")]))
    | set | accuracy |
    |---|---:|
    | AN | 98.5 |
    | LSs | 100.0 |
    >>> print(markdown_table(("set", "accuracy"), [("AN", "98.5"), ("LSs", "100.0")], padded=True))
    | set | accuracy |
    |-----|---------:|
    | AN  |     98.5 |
    | LSs |    100.0 |
    """
    sides = align or "l" + "r" * (len(head) - 1)
    lines = [[_cell(text) for text in line] for line in (head, *rows)]
    widths = [max(map(len, column)) if padded else 0 for column in zip(*lines, strict=True)]
    # An unpadded rule is `---` or `---:`, which every Markdown reader knows; a padded one fills its column.
    dashes = [width + 1 if padded else 3 - (side == "l") for side, width in zip(sides, widths, strict=True)]
    rule = "|".join("-" * count + ("-" if side == "l" else ":") for side, count in zip(sides, dashes, strict=True))
    first, *others = (_line(line, sides, widths) for line in lines)
    return "\n".join([first, f"|{rule}|", *others])


def _cell(text: str) -> str:
    """On one line, and without a pipe that would end it."""
    return visible(text).replace("|", r"\|")


def _line(cells: Sequence[str], sides: str, widths: Sequence[int]) -> str:
    placed = (
        cell.ljust(width) if side == "l" else cell.rjust(width)
        for cell, side, width in zip(cells, sides, widths, strict=True)
    )
    return f"| {' | '.join(placed)} |"


def duration(seconds: float) -> str:
    """Seconds in the words one would use."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
