"""Delimited text: from bytes to columns."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError, UnclearError
from causewise.numerics.conversion import has_ties, is_long
from causewise.pair import FloatArray, date_note
from causewise.tables.cells import (
    ambiguous_mark_error,
    count_marks,
    parse_dates,
    parse_exact,
    parse_numbers,
    text_cell_error,
)
from causewise.tables.choose import explain_unreadable
from causewise.tables.sniff import BLANKS, Layout, long_cell_error, make_reader, skip_blank_rows, sniff
from causewise.tables.source import ReadOptions

_CHUNK = 1 << 16
_FAST_WIDTH = 8
_DIGITS = 300  # of a whole number that is a double at all
ASK = "say which decimal mark the table uses (decimal), or write the numbers without marks between thousands"


def decode_lines(content: bytes) -> Iterable[str]:
    """The lines of a UTF-8 file, with or without a byte order mark, whatever they end with."""
    return io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=None)


def check_text(content: bytes, where: str) -> None:
    """Reject what is not UTF-8."""
    if b"\0" in content:
        raise InputError(f"Got a binary file, {where}; expected a table: export it as CSV first.")
    try:
        content.isascii() or content.decode()
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise InputError(
            f"Got the byte 0x{content[problem.start]:02x} in line {line} of {where}, which is not valid UTF-8; "
            "expected UTF-8 text: save it as UTF-8, or convert it with iconv -f latin1 -t utf-8."
        ) from None


@dataclass(frozen=True)
class TextTable:
    """A text table whose layout is known and whose columns are read on request."""

    content: bytes = field(repr=False)
    where: str
    layout: Layout
    options: ReadOptions
    _decimals: dict[int, tuple[str, str]] = field(default_factory=dict, repr=False)
    """By column: its decimal mark, and what is said where it was taken for granted."""
    _dates: set[int] = field(default_factory=set, repr=False)
    """Columns that were found to hold dates."""

    @classmethod
    def of(cls, content: bytes, where: str, options: ReadOptions | None = None) -> "TextTable":
        """Find out the layout."""
        check_text(content, where)
        options = options or ReadOptions()
        return cls(content, where, sniff(decode_lines(content), where, options.header, options.sep), options)

    @property
    def names(self) -> tuple[str, ...]:
        """One distinct name per column."""
        return self.layout.names

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the columns of numbers."""
        return self.layout.numeric

    @cached_property
    def passed_over(self) -> Mapping[int, str]:
        """What its first cells show to be no column to score, and dates that do not go on as they began."""
        others = sorted(set(range(len(self.names))).difference(self.numeric))
        return {k: why for k in others if (why := self.layout.passed_over.get(k, "") or self._explain_unreadable(k))}

    def _explain_unreadable(self, k: int) -> str:
        try:
            self.columns(k)
        except InputError as problem:
            return explain_unreadable(problem, self.names[k])
        return ""

    def columns(self, *positions: int) -> list[NDArray[Any]]:
        """Some columns as numbers; the first that cannot be read is refused."""
        columns = list[NDArray[Any]]()
        for column in self.columns_or_errors(*positions):
            if isinstance(column, InputError):
                raise column
            columns.append(column)
        return columns

    def columns_or_errors(self, *positions: int) -> list[NDArray[Any] | InputError]:
        """The clean table by NumPy's compiled reader, any other cell by cell, in one pass.

        In the place of a column that cannot be read stands the error that says why; lines that cannot be read are
        refused.
        """
        columns: dict[int, FloatArray | InputError] = {}
        for k in positions:
            try:
                self._decimal(k)
            except UnclearError as problem:
                columns[k] = problem
        clear = [k for k in dict.fromkeys(positions) if k not in columns]
        table = self._load_clean() if all(self._decimal(k) == "." for k in clear) else None
        columns |= self._parse_cells(clear) if table is None else {k: table[:, k] for k in clear}
        return [
            column if isinstance(column := columns[k], InputError) else self._restore_digits(column, k)
            for k in positions
        ]

    def notes(self, *positions: int) -> tuple[str, ...]:
        """What had to be understood to read them."""
        notes = [self.layout.note, *(self._decimals[k][1] for k in positions if k in self._decimals)]
        notes += [date_note(self.names[k]) for k in positions if k in self._dates]
        return tuple(filter(None, dict.fromkeys(notes)))

    def _decimal(self, k: int) -> str:
        if k not in self._decimals:
            self._decimals[k] = self._find_decimal(k)
        return self._decimals[k][0]

    def _find_decimal(self, k: int) -> tuple[str, str]:
        marks, comma = self.layout.marks, self.layout.delimiter == ","
        if decimal := self.options.decimal or marks.decimal:
            return decimal, ""
        if b"." not in self.content and (b'"' if comma else b",") not in self.content:
            return ".", ""
        own = count_marks(row[k] for chunk in self._chunks() for row in chunk)
        if own.decimal or not own.unclear:
            return own.decimal or ".", ""
        # Who separates by bare commas writes decimal points; that is the rule, and no other delimiter has one.
        if comma and not (marks.commas or marks.unclear_comma or own.unclear_comma):
            cell = own.unclear
            return ".", f"{self.names[k]!r} is read with decimal points ({cell}, not {cell.replace('.', '')})."
        raise ambiguous_mark_error(self.names[k], own.unclear, ASK)

    def _restore_digits(self, values: FloatArray, k: int) -> NDArray[Any]:
        """The column itself, or to the last digit where rounding may have made different numbers equal."""
        if k in self._dates:
            return values
        digits = rb"[.\d]" if self.layout.delimiter == "," else rb"[.,\d]"
        if is_long(values) or (has_ties(values) and re.search(rb"\d%b{15,}" % digits, self.content)):
            decimal, cells = self._decimal(k), (row[k] for chunk in self._chunks() for row in chunk)
            whole = ((cell, cell.isdecimal() and len(cell) < _DIGITS) for cell in cells)
            exact = [int(cell) if is_whole else parse_exact(cell, decimal) for cell, is_whole in whole]
            return np.array(exact, dtype=object)
        return np.ascontiguousarray(values)

    def _load_clean(self) -> FloatArray | None:
        # loadtxt reads every column, so wide tables are quicker cell by cell; it knows no quotes, no missing cells
        # and no limit on the length of a cell, and both readers must reject the same tables.
        layout = self.layout
        plain = layout.every_numeric and layout.width <= _FAST_WIDTH and b'"' not in self.content
        if not plain or self.content.find(b"_", self.content.find(b"\n")) >= 0:
            return None
        # NumPy divides at a no-break space, which stands between thousands.
        if layout.delimiter == BLANKS and not self.content.isascii():
            return None
        if max(map(len, decode_lines(self.content))) > csv.field_size_limit():
            return None
        delimiter = None if layout.delimiter == BLANKS else layout.delimiter
        skip = layout.lead + layout.header
        try:
            table = np.loadtxt(decode_lines(self.content), delimiter=delimiter, comments=None, skiprows=skip, ndmin=2)
        except ValueError:
            return None
        return table if table.shape[1] == layout.width else None

    def _parse_cells(self, positions: Sequence[int]) -> dict[int, FloatArray | InputError]:
        parts: dict[int, list[FloatArray]] = {k: [np.empty(0)] for k in positions}
        errors: dict[int, InputError] = {}
        seen = 0
        for chunk in self._chunks():
            for k in (k for k in positions if k not in errors):
                try:
                    parts[k].append(self._parse_chunk(chunk, k, seen))
                except InputError as problem:
                    errors[k] = problem
            seen += len(chunk)
        return {k: errors[k] if k in errors else np.concatenate(part) for k, part in parts.items()}

    def _chunks(self) -> Iterator[list[list[str]]]:
        (reader, rows), seen = self._rows(), 0
        try:
            while chunk := list(islice(rows, _CHUNK)):
                self._check_widths(chunk, seen)
                yield chunk
                seen += len(chunk)
        except csv.Error:
            raise long_cell_error(self.layout.lead + reader.line_num, self.where) from None

    def _rows(self) -> tuple[Any, Iterator[list[str]]]:
        reader = make_reader(islice(decode_lines(self.content), self.layout.lead, None), self.layout.delimiter)
        return reader, islice(skip_blank_rows(reader), int(self.layout.header), None)

    def _check_widths(self, chunk: list[list[str]], seen: int) -> None:
        width = self.layout.width
        if set(map(len, chunk)) == {width}:
            return
        k = next(k for k, row in enumerate(chunk) if len(row) != width)
        raise InputError(
            f"Line {self._find_line(seen + k)} of {self.where} has {len(chunk[k])} cell{'s' * (len(chunk[k]) != 1)}, "
            f"the others have {width}; expected rows of equal length: complete or remove that line."
        )

    def _parse_chunk(self, chunk: list[list[str]], column: int, seen: int) -> FloatArray:
        cells = [row[column] for row in chunk]
        numbers = parse_numbers(cells, self._decimal(column))
        # What the first rows are, all must be: a number among dates is no day.
        if column in self._dates or (isinstance(numbers, int) and seen == 0):
            days = parse_dates(cells)
            # Where dates go on for longer than numbers, they are what was meant.
            if isinstance(days, int) and (column in self._dates or (isinstance(numbers, int) and days > numbers)):
                raise self._text_cell_error(column, seen + days, cells[days], "dates")
            if not isinstance(days, int):
                self._dates.add(column)
                return days
        if isinstance(numbers, int):
            raise self._text_cell_error(column, seen + numbers, cells[numbers], "numbers")
        return numbers

    def _text_cell_error(self, column: int, row: int, cell: str, wanted: str) -> InputError:
        return text_cell_error(self.names[column], f"line {self._find_line(row)}", cell, wanted)

    def _find_line(self, row: int) -> int:
        reader, rows = self._rows()
        next(islice(rows, row, None))
        return self.layout.lead + int(reader.line_num)
