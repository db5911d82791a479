"""Delimited text: from bytes to the two columns asked for."""

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

from causewise.errors import InputError
from causewise.numerics.conversion import has_ties, is_long
from causewise.pair import FloatArray, date_note
from causewise.tables.asking import Asked
from causewise.tables.cells import ambiguous, dates, not_a_number, numbers, precise
from causewise.tables.marks import marks_in
from causewise.tables.sniff import BLANKS, Layout, filled, reader_of, sniff, too_long

_CHUNK = 1 << 16
_FAST_WIDTH = 8
_DIGITS = 300  # of a whole number that is a double at all
_ASK = "say which decimal mark the table uses (decimal), or write the numbers without marks between thousands"


def lines_of(content: bytes) -> Iterable[str]:
    """The lines of a UTF-8 file, with or without a byte order mark, whatever they end with."""
    return io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=None)


def check_text(content: bytes, where: str) -> None:
    """Refuse what is not UTF-8."""
    if b"\0" in content:
        raise InputError(f"Got a binary file, {where}; expected a text table or Parquet: export it as CSV first.")
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
    asked: Asked
    _decimals: dict[int, tuple[str, str]] = field(default_factory=dict, repr=False)
    """By column: its decimal mark, and what is said where it was taken for granted."""
    _dates: set[int] = field(default_factory=set, repr=False)
    """Columns that were found to hold dates."""

    @classmethod
    def of(cls, content: bytes, where: str, asked: Asked | None = None) -> "TextTable":
        """Find out the layout."""
        check_text(content, where)
        asked = asked or Asked()
        return cls(content, where, sniff(lines_of(content), where, asked), asked)

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
        """What its first cells show to be no column to judge, and dates that do not go on as they began."""
        others = sorted(set(range(len(self.names))).difference(self.numeric))
        return {k: why for k in others if (why := self.layout.passed_over.get(k, "") or self._spoilt(k))}

    def _spoilt(self, k: int) -> str:
        try:
            self.columns(k)
        except InputError as problem:
            return f"it cannot be read ({str(problem).removesuffix('.')})"
        return ""

    def columns(self, *positions: int) -> list[NDArray[Any]]:
        """Some columns as numbers: the clean table by NumPy's compiled reader, any other cell by cell."""
        plain = all(self._decimal(k) == "." for k in positions)
        table = self._clean() if plain else None
        read = self._cell_by_cell(positions) if table is None else [table[:, k] for k in positions]
        return [self._exact(column, k) for column, k in zip(read, positions, strict=True)]

    def each(self, *positions: int) -> Iterator[NDArray[Any]]:
        """The same one after the other, from one pass over the text."""
        return iter(self.columns(*positions))

    def notes(self, *positions: int) -> tuple[str, ...]:
        """What had to be understood to read them."""
        said = [self.layout.note, *(self._decimals[k][1] for k in positions if k in self._decimals)]
        said += [date_note(self.names[k]) for k in positions if k in self._dates]
        return tuple(filter(None, dict.fromkeys(said)))

    def _decimal(self, k: int) -> str:
        if k not in self._decimals:
            self._decimals[k] = self._found_decimal(k)
        return self._decimals[k][0]

    def _found_decimal(self, k: int) -> tuple[str, str]:
        marks, comma = self.layout.marks, self.layout.delimiter == ","
        if self.asked.decimal or marks.decimal:
            return self.asked.decimal or marks.decimal, ""
        if b"." not in self.content and (b'"' if comma else b",") not in self.content:
            return ".", ""
        own = marks_in(cell for chunk in self._chunks() for cell in (row[k] for row in chunk))
        if own.decimal or not own.unclear:
            return own.decimal or ".", ""
        # Who separates by bare commas writes decimal points; that is the rule, and no other delimiter has one.
        if comma and not (marks.commas or marks.unclear_comma or own.unclear_comma):
            cell = own.unclear
            return ".", f"{self.names[k]!r} is read with decimal points ({cell}, not {cell.replace('.', '')})."
        raise ambiguous(self.names[k], own.unclear, _ASK)

    def _exact(self, values: FloatArray, k: int) -> NDArray[Any]:
        """The column itself, or to the last digit where rounding may have made different numbers equal."""
        if k in self._dates:
            return values
        digits = rb"[.\d]" if self.layout.delimiter == "," else rb"[.,\d]"
        if is_long(values) or (has_ties(values) and re.search(rb"\d%b{15,}" % digits, self.content)):
            decimal = self._decimal(k)
            cells = (row[k] for chunk in self._chunks() for row in chunk)
            return np.array(
                [int(cell) if cell.isdecimal() and len(cell) < _DIGITS else precise(cell, decimal) for cell in cells],
                dtype=object,
            )
        return np.ascontiguousarray(values)

    def _clean(self) -> FloatArray | None:
        # loadtxt reads every column, so wide tables are quicker cell by cell; it knows no quotes, no missing cells
        # and no limit on the length of a cell, and both readers must refuse the same tables.
        layout = self.layout
        plain = layout.every_numeric and layout.width <= _FAST_WIDTH and b'"' not in self.content
        if not plain or self.content.find(b"_", self.content.find(b"\n")) >= 0:
            return None
        # NumPy divides at a no-break space, which stands between thousands.
        if layout.delimiter == BLANKS and not self.content.isascii():
            return None
        if max(map(len, lines_of(self.content))) > csv.field_size_limit():
            return None
        delimiter = None if layout.delimiter == BLANKS else layout.delimiter
        skip = layout.lead + layout.header
        try:
            table = np.loadtxt(lines_of(self.content), delimiter=delimiter, comments=None, skiprows=skip, ndmin=2)
        except ValueError:
            return None
        return table if table.shape[1] == layout.width else None

    def _cell_by_cell(self, positions: Sequence[int]) -> list[FloatArray]:
        parts: list[list[FloatArray]] = [[np.empty(0)] for _ in positions]
        seen = 0
        for chunk in self._chunks():
            for part, k in zip(parts, positions, strict=True):
                part.append(self._numbers(chunk, k, seen))
            seen += len(chunk)
        return [np.concatenate(part) for part in parts]

    def _chunks(self) -> Iterator[list[list[str]]]:
        (reader, rows), seen = self._rows(), 0
        try:
            while chunk := list(islice(rows, _CHUNK)):
                self._check_widths(chunk, seen)
                yield chunk
                seen += len(chunk)
        except csv.Error:
            raise too_long(self.layout.lead + reader.line_num, self.where) from None

    def _rows(self) -> tuple[Any, Iterator[list[str]]]:
        reader = reader_of(islice(lines_of(self.content), self.layout.lead, None), self.layout.delimiter)
        return reader, islice(filled(reader), int(self.layout.header), None)

    def _check_widths(self, chunk: list[list[str]], seen: int) -> None:
        width = self.layout.width
        if set(map(len, chunk)) == {width}:
            return
        k = next(k for k, row in enumerate(chunk) if len(row) != width)
        raise InputError(
            f"Line {self._line(seen + k)} of {self.where} has {len(chunk[k])} cell{'s' * (len(chunk[k]) != 1)}, the "
            f"others have {width}; expected rows of equal length: complete or remove that line."
        )

    def _numbers(self, chunk: list[list[str]], column: int, seen: int) -> FloatArray:
        cells = [row[column] for row in chunk]
        values = numbers(cells, self._decimal(column))
        # What the first rows are, all must be: a number among dates is no day.
        if column in self._dates or (isinstance(values, int) and seen == 0):
            found = dates(cells)
            # Where dates go on for longer than numbers, they are what was meant.
            if isinstance(found, int) and (column in self._dates or (isinstance(values, int) and found > values)):
                raise not_a_number(self.names[column], f"line {self._line(seen + found)}", cells[found], "dates")
            if not isinstance(found, int):
                self._dates.add(column)
                return found
        if isinstance(values, int):
            raise not_a_number(self.names[column], f"line {self._line(seen + values)}", cells[values])
        return values

    def _line(self, row: int) -> int:
        reader, rows = self._rows()
        next(islice(rows, row, None))
        return self.layout.lead + int(reader.line_num)
