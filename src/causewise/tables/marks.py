"""Decimal marks and thousands marks: what a point or a comma inside a number means.

`0.5` and `1.25` can only be decimals, `1.234.567` only thousands; `1.234` is either, and read wrongly it is a number
still. A column of such cells is taken for decimals where the rest of the column or of the table shows that mark at
work, and where nothing tells it is refused: a wrong number is worse than none.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

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


def marks_in(cells: Iterable[str]) -> MarkCounts:
    """What the cells of one column, or of a whole table, say about the marks."""
    counts, unclear = dict.fromkeys(MARKS, 0), dict.fromkeys(MARKS, "")
    for cell in cells:
        if "." not in cell and "," not in cell:
            continue
        text = bare(cell)
        for mark in MARKS:
            if not _GROUPED[mark].fullmatch(text):
                counts[mark] += is_decimal(text, mark)
            elif text.count(mark) > 1:
                counts[_OTHER[mark]] += 1  # 1.234.567 leaves the comma for decimals
            else:
                unclear[mark] = unclear[mark] or text
    return MarkCounts(counts["."], counts[","], unclear["."], unclear[","])


def bare(cell: str) -> str:
    """A cell without surrounding blanks and quotes."""
    return cell.strip().strip("\"'").strip()


def is_decimal(text: str, mark: str) -> bool:
    """Whether a cell has decimals after this mark, with or without marks between its thousands."""
    grouped = _THOUSANDS[mark].fullmatch(text) if mark in text else None
    return bool(_DECIMAL[mark].fullmatch(text) or grouped)


def without_thousands(text: str, decimal: str) -> str:
    """`1'234` as `1234`; anything that has no marks between its thousands as it is."""
    found = _THOUSANDS[decimal].fullmatch(text)
    return text.replace(found["mark"], "") if found else text


def looks_like_a_number(text: str) -> bool:
    """Whether a cell is a number under any convention."""
    return any(_DECIMAL[m].fullmatch(text) or _THOUSANDS[m].fullmatch(text) for m in MARKS)
