"""The layout of a text table, from its first lines: delimiter, decimal mark, header, which columns hold numbers.

Every combination of delimiter and decimal mark is tried on a sample, and the one under which the header goes with the
other lines, these agree on their number of cells and most cells are numbers is kept. The csv module's own sniffer was
rejected: it fails on blanks, knows no decimal comma and takes a frequent letter for a delimiter.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from whence.pair import InputError
from whence.tables.cells import number
from whence.tables.choose import distinct_names

BLANKS = " "
"""Any run of blanks or tabs, as opposed to one tab."""

# The comma comes with a decimal point only: "1,234" in a comma-separated table is a thousands mark as often as not.
_CANDIDATES = ((",", "."), (";", "."), ("\t", "."), ("|", "."), (BLANKS, "."))
_DECIMAL_COMMA = ((";", ","), ("\t", ","), ("|", ","), (BLANKS, ","))
_SAMPLE_ROWS = 100
_SAMPLE_CHARACTERS = 250_000
_NAMELESS = ("", "unnamed: 0", "rownames", "row.names")


@dataclass(frozen=True)
class Layout:
    """How to read a text table."""

    delimiter: str
    decimal: str
    lead: int
    """Lines before the table begins: comments and blank lines."""
    header: bool
    names: tuple[str, ...]
    every_numeric: bool
    numeric: tuple[int, ...]
    """Columns of numbers, without a leading column of row numbers."""

    @property
    def width(self) -> int:
        """Cells per line."""
        return len(self.names)


def sniff(lines: Iterable[str], where: str) -> Layout:
    """Read the layout off the first lines."""
    lead, comment, sample = _sample(lines)
    if not sample:
        raise InputError(f"Got no rows in {where}; expected two columns of numbers: the file holds comments only.")
    delimiter, decimal = _delimiter(sample, where)
    rows = list(filled(reader_of(sample, delimiter)))
    width = _width(rows)
    header, raw = _header(rows, width, decimal)
    body = [row for row in rows[header:] if len(row) == width] or [[""] * width]
    if not header and comment:
        raw = _names_in_comment(comment, delimiter, width) or raw
    flags = [_holds_numbers([row[k] for row in body], decimal) for k in range(width)]
    numeric = tuple(k for k in range(width) if flags[k])
    # With two columns of numbers in all, one that counts rows is still one of the two that were meant.
    if len(numeric) > 2 and numeric[0] == 0 and _row_numbers(raw[0] if header else None, [row[0] for row in body]):
        numeric = numeric[1:]
    return Layout(delimiter, decimal, lead, header, distinct_names(raw), all(flags), numeric)


def reader_of(lines: Iterable[str], delimiter: str) -> Any:
    """A csv reader (its `line_num` is used) over lines of text."""
    if delimiter == BLANKS:
        return csv.reader((" ".join(line.split()) for line in lines), delimiter=" ")
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def filled(reader: Iterable[list[str]]) -> Iterator[list[str]]:
    """The rows that hold anything."""
    return (row for row in reader if any(row) and (len(row) > 1 or row[0].strip()))


def too_long(line: int, where: str) -> InputError:
    """The refusal of a cell beyond what the csv module takes."""
    return InputError(
        f"Line {line} of {where} has a cell of more than {csv.field_size_limit():,} characters; expected a number: "
        "look for a quotation mark that is never closed, or a damaged line."
    )


def _sample(lines: Iterable[str]) -> tuple[int, str, list[str]]:
    lead, comment, sample, size = 0, "", list[str](), 0
    for line in lines:
        if not sample and (not line.strip() or line.lstrip().startswith("#")):
            lead += 1
            comment = line.lstrip().lstrip("#").strip() or comment
            continue
        sample.append(line)
        size += len(line)
        if len(sample) >= _SAMPLE_ROWS or (size > _SAMPLE_CHARACTERS and len(sample) > 3):
            break
    return lead, comment, sample


def _delimiter(sample: list[str], where: str) -> tuple[str, str]:
    best, kept = (-1.0, -1.0, -1.0), (",", ".")
    # Blanks beside a mark that stands in every line are thousands marks or part of a text.
    marked = any(all(mark in line for line in sample if line.strip()) for mark in ";|")
    for delimiter, decimal in (*_CANDIDATES, *_DECIMAL_COMMA):
        if marked and delimiter == BLANKS:
            continue
        reader = reader_of(sample, delimiter)
        try:
            rows = list(filled(reader))
        except csv.Error:
            raise too_long(reader.line_num, where) from None
        width = _width(rows)
        if width < 2:
            continue
        body = rows[1:] or rows
        even = [row for row in body if len(row) == width]
        agreeing = len(even) / len(body)
        score = (_headed(rows[0], width), agreeing * _share_of_numbers(even, decimal), agreeing)
        if score > best:
            best, kept = score, (delimiter, decimal)
    return kept


def _headed(first: list[str], width: int) -> float:
    """Whether the first line goes with the others; it may lack a name for R's row names."""
    return {0: 1.0, 1: 0.5}.get(width - len(first), 0.0)


def _width(rows: list[list[str]]) -> int:
    return Counter(len(row) for row in (rows[1:] or rows)).most_common(1)[0][0] if rows else 0


def _share_of_numbers(rows: list[list[str]], decimal: str) -> float:
    cells = [cell for row in rows for cell in row]
    return sum(number(cell, decimal) is not None for cell in cells) / max(len(cells), 1)


def _header(rows: list[list[str]], width: int, decimal: str) -> tuple[bool, list[str]]:
    first, rest = rows[0], [row for row in rows[1:] if len(row) == width]
    unnamed = [""] * width
    wordy = [number(cell, decimal) is None for cell in first]
    if len(first) == width - 1 and all(wordy):
        if not any(row[-1].strip() for row in rest):
            return True, [*first, ""]  # every line but the header ends with a delimiter
        return True, ["", *first]  # R's write.table names every column but the row names
    if len(first) != width:
        return False, unnamed
    if rest and first[0].strip() == "" and all(row[0].strip() for row in rest):
        return True, first  # the index that pandas and R write under an empty name
    telling = [k for k in range(width) if _holds_numbers([row[k] for row in rest], decimal)] or list(range(width))
    # A majority, since a year may be a column's name; one word among numbers is a bad cell, which the reader reports.
    words = sum(wordy[k] for k in telling)
    values = sum(not math.isnan(number(first[k], decimal) or 0.0) for k in telling) - words
    return (True, first) if words > values else (False, unnamed)


def _names_in_comment(comment: str, delimiter: str, width: int) -> list[str] | None:
    """NumPy's savetxt writes the column names as a comment."""
    names = next(iter(filled(reader_of([comment], delimiter))), [])
    return names if len(names) == width and all(number(name) is None for name in names) else None


def _holds_numbers(cells: list[str], decimal: str) -> bool:
    values = [number(cell, decimal) for cell in cells]
    text = sum(value is None for value in values)
    return sum(value is not None and not math.isnan(value) for value in values) > text


def _row_numbers(name: str | None, cells: list[str]) -> bool:
    values = [number(cell) for cell in cells]
    counted = values[0] in (0, 1) and all(value == values[0] + k for k, value in enumerate(values))
    return counted or (name is not None and name.strip().lower() in _NAMELESS)
