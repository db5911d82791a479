"""Delimited text: from bytes to the two columns asked for."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from whence.pair import FloatArray, InputError
from whence.tables.cells import not_a_number, numbers
from whence.tables.sniff import BLANKS, Layout, filled, reader_of, sniff, too_long

_CHUNK = 1 << 16
_FAST_WIDTH = 8
_FOREIGN = re.compile(rb'(\xef\xbb\xbf)?\s*((?P<json>\{\s*"|\[\s*[\[{])|<(!doctype|html|\?xml))', re.IGNORECASE)


def decode(content: bytes, where: str) -> str:
    """Text of a UTF-8 file, with or without a byte order mark."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"Got {where} in UTF-16; expected UTF-8: save it as UTF-8 (in a spreadsheet: CSV UTF-8).")
    if content[:2] == b"PK" or b"\0" in content:
        kind = "a spreadsheet or zip archive" if content[:2] == b"PK" else "a binary file"
        raise InputError(f"Got {kind}, {where}; expected a text table or Parquet: export it as CSV first.")
    if foreign := _FOREIGN.match(content):
        kind = "JSON" if foreign["json"] else "a web page"
        raise InputError(f"Got {kind} in {where}; expected a text table or Parquet: write it as CSV first.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise InputError(
            f"Got the byte 0x{content[problem.start]:02x} in line {line} of {where}, which is not valid UTF-8; "
            "expected UTF-8 text: save it as UTF-8, or convert it with iconv -f latin1 -t utf-8."
        ) from None


@dataclass(frozen=True)
class TextTable:
    """A text table whose layout is known and whose columns are read on request."""

    text: str = field(repr=False)
    where: str
    layout: Layout

    @classmethod
    def of(cls, text: str, where: str) -> "TextTable":
        """Find out the layout."""
        return cls(text, where, sniff(io.StringIO(text, newline=None), where))

    @property
    def names(self) -> tuple[str, ...]:
        """One distinct name per column."""
        return self.layout.names

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the columns of numbers."""
        return self.layout.numeric

    def columns(self, i: int, j: int) -> tuple[FloatArray, FloatArray]:
        """Two columns as numbers: the clean table by NumPy's compiled reader, any other cell by cell."""
        table = self._clean()
        if table is not None:
            return np.ascontiguousarray(table[:, i]), np.ascontiguousarray(table[:, j])
        return self._cell_by_cell(i, j)

    def _clean(self) -> FloatArray | None:
        # loadtxt reads every column, so wide tables are quicker cell by cell; it knows no quotes, no missing cells
        # and no limit on the length of a cell, and both readers must refuse the same tables.
        layout = self.layout
        plain = layout.decimal == "." and layout.every_numeric and layout.width <= _FAST_WIDTH
        if not plain or '"' in self.text or "_" in self.text.partition("\n")[2]:
            return None
        if max(map(len, io.StringIO(self.text, newline=None))) > csv.field_size_limit():
            return None
        delimiter = None if layout.delimiter == BLANKS else layout.delimiter
        skip = layout.lead + layout.header
        try:
            table = np.loadtxt(
                io.StringIO(self.text, newline=None), delimiter=delimiter, comments=None, skiprows=skip, ndmin=2
            )
        except ValueError:
            return None
        return table if table.shape[1] == layout.width else None

    def _cell_by_cell(self, i: int, j: int) -> tuple[FloatArray, FloatArray]:
        reader, rows = self._rows()
        first, second, seen = [np.empty(0)], [np.empty(0)], 0
        try:
            while chunk := list(islice(rows, _CHUNK)):
                self._check_widths(chunk, seen)
                first.append(self._numbers(chunk, i, seen))
                second.append(self._numbers(chunk, j, seen))
                seen += len(chunk)
        except csv.Error:
            raise too_long(self.layout.lead + reader.line_num, self.where) from None
        return np.concatenate(first), np.concatenate(second)

    def _rows(self) -> tuple[Any, Iterator[list[str]]]:
        reader = reader_of(islice(io.StringIO(self.text, newline=None), self.layout.lead, None), self.layout.delimiter)
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
        values = numbers(cells, self.layout.decimal)
        if isinstance(values, int):
            raise not_a_number(self.names[column], f"line {self._line(seen + values)}", cells[values])
        return values

    def _line(self, row: int) -> int:
        reader, rows = self._rows()
        next(islice(rows, row, None))
        return self.layout.lead + int(reader.line_num)
