"""The layout of a text table, from its first lines: delimiter, header, which columns hold numbers, decimal marks.

Every delimiter is tried on a sample, and the one under which the header goes with the other lines, these agree on their
number of cells and most cells are numbers (of any convention) is kept; where two do equally well and find different
numbers, that is an error. The csv module's own sniffer was rejected: it fails on blanks, knows no decimal comma and
takes a frequent letter for a delimiter.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from causewise.errors import InputError, UnclearError
from causewise.numerics.conversion import day_of
from causewise.tables.cells import MarkCounts, count_marks, is_missing, is_number, parse_number, quote_cell, strip_cell
from causewise.tables.choose import COUNTING, distinct_names, explain_text

BLANKS = " "
"""Any run of blanks or tabs, as opposed to one tab."""

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", BLANKS: "blanks"}
"""What may stand between cells, and its name in sentences."""
_SPACES = " \t\r\n\f\v"
_RUN = re.compile(rf"[{_SPACES}]+")
_LOOSE_COMMA = re.compile(r"(^|\s),|,(\s|$)")
_UNFIT = (-1.0, -1.0, -1.0)
_SAMPLE_ROWS = 100
_SAMPLE_CHARACTERS = 250_000
_NAMELESS = ("", "unnamed: 0", "rownames", "row.names")


@dataclass(frozen=True)
class Layout:
    """How to read a text table."""

    delimiter: str
    lead: int
    """Lines before the table begins: comments and blank lines."""
    header: bool
    names: tuple[str, ...]
    every_numeric: bool
    numeric: tuple[int, ...]
    """Columns of numbers, without a leading column of row numbers."""
    marks: MarkCounts
    """What the cells of the whole table say about decimal marks."""
    passed_over: Mapping[int, str]
    """The other columns, but for dates, each with the reason."""
    note: str = ""

    @property
    def width(self) -> int:
        """Cells per line."""
        return len(self.names)


def sniff(lines: Iterable[str], where: str, header: bool | None = None, sep: str | None = None) -> Layout:
    """Read the layout off the first lines; `header` and `sep` where they are known."""
    lead, comment, sample = _take_sample(lines)
    if not sample:
        raise InputError(f"Got no rows in {where}; expected two columns of numbers: the file holds comments only.")
    delimiter, rows = _find_delimiter(sample, where, (sep,) if sep else DELIMITERS)
    if not rows:
        raise InputError(f"Got no numbers in {where}; expected two columns of them: its lines hold delimiters only.")
    width = _find_width(rows)
    header, names, note = _find_header(rows, width, sample, header)
    body = [row for row in rows[header:] if len(row) == width] or [[""] * width]
    if not header and comment:
        names = _find_names_in_comment(comment, delimiter, width) or names
    cells = [[row[k] for row in body] for k in range(width)]
    flags = [_holds_numbers(column) for column in cells]
    numeric = tuple(k for k in range(width) if flags[k])
    # With two columns of numbers in all, one that counts rows is still one of the two that were meant.
    if len(numeric) > 2 and numeric[0] == 0 and are_row_numbers(names[0] if header else None, cells[0]):
        numeric = numeric[1:]
    others = sorted(set(range(width)).difference(numeric))  # a set, since a table may have 100 000 columns
    reasons = {k: COUNTING if flags[k] else _explain_cells(cells[k]) for k in others}
    passed_over = {k: reason for k, reason in reasons.items() if reason}
    marks = count_marks(chain.from_iterable(body))
    return Layout(delimiter, lead, header, distinct_names(names), all(flags), numeric, marks, passed_over, note)


def make_reader(lines: Iterable[str], delimiter: str) -> Any:
    """A csv reader (its `line_num` is used) over lines of text."""
    if delimiter == BLANKS:
        # Not str.split: a no-break space or a thin one stands between thousands.
        return csv.reader((_RUN.sub(" ", line.strip(_SPACES)) for line in lines), delimiter=" ")
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def skip_blank_rows(reader: Iterable[list[str]]) -> Iterator[list[str]]:
    """The rows that hold anything."""
    return (row for row in reader if any(row) and (len(row) > 1 or row[0].strip()))


def long_cell_error(line: int, where: str) -> InputError:
    """The error of a cell beyond what the csv module takes."""
    return InputError(
        f"Line {line} of {where} has a cell of more than {csv.field_size_limit():,} characters; expected a number: "
        "look for a quotation mark that is never closed, or a damaged line."
    )


def _take_sample(lines: Iterable[str]) -> tuple[int, str, list[str]]:
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


def _find_delimiter(sample: list[str], where: str, delimiters: Iterable[str]) -> tuple[str, list[list[str]]]:
    divisions, error = list[tuple[tuple[float, ...], str, list[list[str]]]](), None
    for delimiter in delimiters:
        # A comma beside a blank separates; within a number it never stands there.
        if delimiter == BLANKS and any(map(_LOOSE_COMMA.search, sample)):
            continue
        reader = make_reader(sample, delimiter)
        try:
            rows = list(skip_blank_rows(reader))
        except csv.Error:  # all of a wide line is one cell for the wrong delimiter
            error = long_cell_error(reader.line_num, where)
        else:
            divisions.append((_score_rows(rows), delimiter, rows))
    best = max((score for score, *_ in divisions), default=_UNFIT)
    if error and best == _UNFIT:
        raise error
    (_, delimiter, rows), *others = (each for each in divisions if each[0] == best)
    for _, other, otherwise in others if best[1] > 0 else ():
        if _list_cells(rows) != _list_cells(otherwise):
            raise UnclearError(
                f"Got lines in {where} that divide into numbers at {DELIMITERS[delimiter]} and at "
                f"{DELIMITERS[other]} alike, such as {quote_cell(sample[-1].strip())}; expected one way: say "
                "which it is (sep), write the names of the columns into a first line, or the numbers without marks "
                "between thousands.",
                ("--sep", delimiter),
                ("--sep", other),
            )
    return delimiter, rows


def _score_rows(rows: list[list[str]]) -> tuple[float, ...]:
    """Whether the first line goes with the others, their share of numbers, and the share that agree on a width."""
    width = _find_width(rows)
    if width < 2:
        return _UNFIT
    body = rows[1:] or rows
    even = [row for row in body if len(row) == width]
    agreeing = len(even) / len(body)
    cells = [cell for row in even for cell in row]
    headed = {0: 1.0, 1: 0.5}.get(width - len(rows[0]), 0.0)  # it may lack a name for R's row names
    return headed, agreeing * (sum(map(is_number, cells)) / max(len(cells), 1)), agreeing


def _list_cells(rows: list[list[str]]) -> list[str]:
    return [text for row in rows for cell in row if (text := cell.strip())]


def _find_width(rows: list[list[str]]) -> int:
    return Counter(len(row) for row in (rows[1:] or rows)).most_common(1)[0][0] if rows else 0


def _find_header(
    rows: list[list[str]], width: int, sample: list[str], header: bool | None
) -> tuple[bool, list[str], str]:
    """Whether the first line holds names, these names, and what is said of it where the line might be numbers."""
    first, rest = rows[0], [row for row in rows[1:] if len(row) == width]
    unnamed = [""] * width
    if header is not None:
        return header, _name_columns(first, width, rest) if header else unnamed, ""
    wordy = [not is_number(cell) for cell in first]
    if len(first) == width - 1 and all(wordy):
        names, lead = _name_columns(first, width, rest), [row[0] for row in rest]
        # A first column of any other numbers may be the thousands of the second: 1,234 under two names.
        row_names = not all(map(is_number, lead)) or sample[-1].lstrip().startswith('"') or are_row_numbers(None, lead)
        return (True, names, "") if names[0] or row_names else (False, unnamed, "")
    if len(first) != width:
        return False, unnamed, ""
    if rest and first[0].strip() == "" and all(row[0].strip() for row in rest):
        return True, first, ""  # the index that pandas and R write under an empty name
    all_quoted = sample[0].count('"') == 2 * width and sample[0].strip().startswith('"')
    if all_quoted and not any('"' in line for line in sample[1:]):
        return True, first, ""  # as by writers that quote text alone
    if rest and all(strip_cell(cell).isdecimal() for cell in first if cell.strip()):
        return read_whole_numbers(first, rest)
    telling = [k for k in range(width) if _holds_numbers([row[k] for row in rest])] or list(range(width))
    # A majority, since a year may be a column's name; one word among numbers is a bad cell, which the reader reports.
    words = sum(wordy[k] for k in telling)
    values = sum(not wordy[k] and not is_missing(first[k]) for k in telling)
    return (True, first, "") if words > values else (False, unnamed, "")


def read_whole_numbers(first: list[str], rest: list[list[str]]) -> tuple[bool, list[str], str]:
    """A first line of whole numbers: names where it counts 0, 1, … as pandas does and nothing below it is whole."""
    names = [strip_cell(cell) for cell in first if cell.strip()]
    counts = names == [str(k) for k in range(len(names))]
    whole = any(strip_cell(cell).lstrip("-+\N{MINUS SIGN}").isdecimal() for row in rest for cell in row)
    if whole and not counts:
        return False, [""] * len(first), ""
    if counts and not whole:
        return True, first, "The first line counts the columns, and is taken for their names."
    raise UnclearError(
        f"Got a first line of whole numbers ({quote_cell(', '.join(first[:9]))}), which may be names or the first row; "
        "expected one meaning: say whether the table has a header, or name the columns in words.",
        ("--header",),
        ("--no-header",),
    )


def _name_columns(first: list[str], width: int, rest: list[list[str]]) -> list[str]:
    """One name per column, where the first line may lack the last or the first."""
    if len(first) >= width:
        return first[:width]
    if len(first) < width - 1:
        return [*first, *[""] * (width - len(first))]
    if not any(row[-1].strip() for row in rest):
        return [*first, ""]  # every line but the header ends with a delimiter
    return ["", *first]  # R's write.table names every column but the row names


def _find_names_in_comment(comment: str, delimiter: str, width: int) -> list[str] | None:
    """NumPy's savetxt writes the column names as a comment."""
    names = next(iter(skip_blank_rows(make_reader([comment], delimiter))), [])
    return names if len(names) == width and all(parse_number(name) is None for name in names) else None


def _holds_numbers(cells: list[str]) -> bool:
    text = sum(not is_number(cell) for cell in cells)
    return sum(not is_missing(cell) for cell in cells) - text > text


def are_row_numbers(name: str | None, cells: list[str]) -> bool:
    """Whether a first column counts the rows, or has the name of one that does."""
    values = [parse_number(cell) for cell in cells]
    counted = values[0] in (0, 1) and all(value == values[0] + k for k, value in enumerate(values))
    return counted or (name is not None and name.strip().lower() in _NAMELESS)


def _explain_cells(cells: Sequence[str]) -> str:
    """Why a table is scored without a column whose first cells are mostly no numbers; empty where they are dates."""
    present = [strip_cell(cell) for cell in cells if not is_missing(cell)]
    if not present:
        return f"it has no value in its first {len(cells)} rows"
    return "" if all(day_of(cell) is not None for cell in present) else explain_text(present)
