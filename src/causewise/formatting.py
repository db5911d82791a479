"""Text made safe for the place it goes to: terminal, JSON, shell, spreadsheet, Markdown; numbers as people read them.

A column's name may hold an escape sequence that rewrites the terminal's title, a mark that reverses what follows, or a
line break that fakes a second answer: none of them may act, and all of them must be seen.
"""

import csv
import io
import json
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode's categories of characters that act or hide: controls, formats (bidirectional marks among them), …"""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A spreadsheet takes a cell with such a beginning for a formula: https://owasp.org/www-community/attacks/CSV_Injection."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")


def visible(text: object, keep: str = "") -> str:
    r"""One line in which every character that acts or hides is spelt out: `\x1b`, `\n`, `\u202e`."""
    return _escaped(str(text), _python_escape, keep)


def visible_lines(text: str) -> str:
    """As `visible`, for a text of several lines whose breaks are our own."""
    return visible(text, keep="\n")


def json_text(record: Any, *, ascii_only: bool = False, indent: int = 2, **options: Any) -> str:
    """JSON that holds no character a terminal would obey, and reads back to the same strings; NaN is refused."""
    text = json.dumps(record, indent=indent, ensure_ascii=ascii_only, allow_nan=False, **options)
    return _escaped(text, _json_escape, keep="\n")


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
        cells = list(line) if raw else [_inert(cell) for cell in line]
        # Python's writer leaves a carriage return bare, where every reader, its own too, ends the line.
        (quoted if any(isinstance(cell, str) and "\r" in cell for cell in cells) else plain).writerow(cells)
    return out.getvalue()


def _inert(cell: Any) -> Any:
    """Words that a spreadsheet would run get an apostrophe in front; numbers stay as they are."""
    runs = isinstance(cell, str) and cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


def _escaped(text: str, escape: Callable[[str], str], keep: str) -> str:
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
