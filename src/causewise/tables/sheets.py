"""A workbook -> the table on one of its sheets: numbers, dates, durations and truth values by the column.

A column is of one type. Text that reads as a number is one, as in a text table; any other cell is refused with its
address.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.numerics.conversion import is_long, moment_of, moments_of
from causewise.tables.cells import (
    ambiguous_mark_error,
    count_marks,
    is_missing,
    is_number,
    parse_exact,
    quote_cell,
    strip_cell,
    text_cell_error,
)
from causewise.tables.choose import COUNTING, TIMES, explain_text, explain_unreadable, list_names
from causewise.tables.sheet_layout import (
    DATES,
    DURATIONS,
    NUMBERS,
    SAMPLE,
    SCORED,
    SheetLayout,
    are_mostly,
    is_absent,
    is_numeric,
    is_value,
    join_words,
    type_of,
    write_cell,
)
from causewise.tables.sniff import are_row_numbers
from causewise.tables.source import ReadOptions
from causewise.tables.text import ASK
from causewise.tables.workbook import LEAP, Cell, Grid, open_workbook, write_address


def sheet_table(content: bytes, where: str, options: ReadOptions) -> "SheetTable":
    """A workbook, given by its bytes: the sheet asked for, or the first one with a table."""
    book = open_workbook(content, where, options)
    asked = options.sheet is not None
    names = [_find_sheet(book.names, options.sheet, where)] if asked else book.visible
    for name in names:
        table = SheetTable.of(book.grid(name), f"the sheet {quote_cell(name)} of {where}", options)
        if asked or (len(table.names) > 1 and table.body):
            others = tuple(each for each in book.visible if each != name)
            note = f"The workbook has {len(book.names)} sheets{list_names(book.names)}; {quote_cell(name)} is read."
            remarks = table.remarks if asked or len(book.names) < 2 else (note, *table.remarks)
            return replace(table, remarks=remarks, other_sheets=others)
    raise InputError(
        f"Got no table in {where}{list_names(book.names, ' (sheets ', ')')}; expected a sheet with two columns of "
        "numbers: check that it is the right file."
    )


def _find_sheet(names: Sequence[str], wanted: str | int | None, where: str) -> str:
    text = str(wanted).strip()
    for name in names:
        if text == name.strip():
            return name
    if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= len(names):
        return names[int(text) - 1]
    raise InputError(
        f"Got the sheet {text[:80]!r}, which is not in {where}; expected a name or a number from 1 to {len(names)}"
        f"{list_names(names)}."
    )


@dataclass(frozen=True)
class SheetTable:
    """The names and the rows of numbers of a sheet, whose columns are read on request."""

    where: str
    options: ReadOptions
    names: tuple[str, ...]
    grid: Grid = field(repr=False)
    body: tuple[int, ...] = field(repr=False)
    """Rows of the grid with the numbers."""
    places: tuple[int, ...] = field(repr=False)
    """Columns of the grid that hold anything."""
    remarks: tuple[str, ...]
    """What was passed over."""
    other_sheets: tuple[str, ...] = ()
    """What else could be read in the workbook."""

    @classmethod
    def of(cls, grid: Grid, where: str, options: ReadOptions) -> "SheetTable":
        """Find out where names and numbers stand."""
        filled = [r for r, row in enumerate(grid.rows) if any(cell is not None for cell in row)]
        width = len(grid.rows[0]) if grid.rows else 0
        places = [c for c in range(width) if any(grid.rows[r][c] is not None for r in filled)]
        layout = SheetLayout(grid, filled, places, options.header)
        # A title that is wider than the table leaves a column behind in which nothing stands.
        kept = [c for c in places if any(grid.rows[r][c] is not None for r in layout.body) or layout.is_named(c)]
        return cls(where, options, layout.names_of(kept), grid, tuple(layout.body), tuple(kept), tuple(layout.remarks))

    def cells(self, k: int) -> list[Cell]:
        """The cells of a column."""
        return [self.grid.rows[r][self.places[k]] for r in self.body]

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the columns of numbers, without a leading column of row numbers."""
        numeric = [k for k in range(len(self.names)) if are_mostly(self.cells(k)[:SAMPLE], is_numeric)]
        if len(numeric) > 2 and numeric[0] == 0 and are_row_numbers(None, list(map(str, self.cells(0)))):
            numeric = numeric[1:]
        return tuple(numeric)

    @cached_property
    def passed_over(self) -> Mapping[int, str]:
        """Text, times of day, columns without a value, row numbers, and dates that do not go on as they began."""
        others = sorted(set(range(len(self.names))).difference(self.numeric))
        return {k: why for k in others if (why := self._explain(k))}

    def _explain(self, k: int) -> str:
        present = [cell for cell in self.cells(k) if not is_absent(cell)]
        if not present:
            return "it has no value"
        if all(isinstance(cell, time) for cell in present):
            return TIMES
        if are_mostly(present[:SAMPLE], is_numeric):
            return COUNTING
        if not are_mostly(present[:SAMPLE], is_value):
            return explain_text([cell for cell in present if isinstance(cell, str)])
        column = next(iter(self.columns_or_errors(k)))
        return explain_unreadable(column, self.names[k]) if isinstance(column, InputError) else ""

    def columns(self, *positions: int) -> list[NDArray[Any]]:
        """Some columns as numbers; the first that cannot be read is refused."""
        return [self._convert(k) for k in positions]

    def columns_or_errors(self, *positions: int) -> list[NDArray[Any] | InputError]:
        """The same; in the place of a column that cannot be read, the error that says why."""
        columns = list[NDArray[Any] | InputError]()
        for k in positions:
            try:
                columns.append(self._convert(k))
            except InputError as problem:
                columns.append(problem)
        return columns

    def notes(self, *positions: int) -> tuple[str, ...]:
        """What was passed over, and what had to be understood to read these columns."""
        return tuple(filter(None, (*self.remarks, *(note for k in positions for note in self._note_column(k)))))

    def _note_column(self, k: int) -> list[str]:
        name, cells = self.names[k], self.cells(k)
        texts = [cell for cell in cells if isinstance(cell, str) and not is_missing(cell) and is_number(cell)]
        notes = []
        if texts:
            notes.append(f"{name!r} has {_count(len(texts), 'number')} stored as text, read as in a text table.")
        if any(isinstance(cell, (int, float)) and abs(cell) >= 2**53 for cell in cells):
            notes.append(f"{name!r} has numbers beyond 2⁵³, of which a spreadsheet keeps 15 digits.")
        for places, what, advice in (
            (self.grid.errors, "error", ""),
            (self.grid.unknown, "formula without a stored value", ": open and save the file in a spreadsheet program"),
        ):
            if found := [self._address(r, k) for r in self.body if self._place(r, k) in places]:
                notes.append(
                    f"{name!r} has {_count(len(found), what)} ({join_words(found)}), taken for missing{advice}."
                )
        return notes

    def _place(self, row: int, k: int) -> tuple[int, int]:
        return self.grid.top + row, self.grid.left + self.places[k]

    def _address(self, row: int, k: int) -> str:
        return write_address(*self._place(row, k))

    def _convert(self, k: int) -> NDArray[Any]:
        """A column of one type as numbers or dates; the first cell of another type is refused."""
        cells = [None if is_absent(cell) else cell for cell in self.cells(k)]
        types = Counter(type_of(cell) for cell in cells if cell is not None)
        wanted = types.most_common(1)[0][0] if types else NUMBERS
        wanted = wanted if wanted in SCORED else NUMBERS
        for row, cell in zip(self.body, cells, strict=True):
            if cell is not None and type_of(cell) != wanted:
                raise text_cell_error(self.names[k], f"cell {self._address(row, k)}", write_cell(cell), wanted)
        if wanted in (DATES, DURATIONS):
            moments = [moment_of(strip_cell(cell)) if isinstance(cell, str) else cell for cell in cells]
            self._check_calendar(k, cells)
            return np.asarray(moments_of(moments))
        return self._convert_numbers(k, cells)

    def _convert_numbers(self, k: int, cells: Sequence[Cell]) -> NDArray[Any]:
        name, marks = self.names[k], count_marks(cell for cell in cells if isinstance(cell, str))
        decimal = self.options.decimal or marks.decimal
        if marks.unclear and not decimal:
            raise ambiguous_mark_error(name, marks.unclear, ASK)
        numbers = list[Any]()
        for row, cell in zip(self.body, cells, strict=True):
            number = parse_exact(cell, decimal or ".") if isinstance(cell, str) else math.nan if cell is None else cell
            if number is None:
                raise text_cell_error(name, f"cell {self._address(row, k)}", write_cell(cell))
            numbers.append(number)
        rounded = np.array(numbers, dtype=np.float64)
        # Only text can be longer than a double.
        exact = is_long(rounded) and any(isinstance(cell, str) for cell in cells)
        return np.array(numbers, dtype=object) if exact else rounded

    def _check_calendar(self, k: int, cells: Sequence[Cell]) -> None:
        for row, cell in zip(self.body, cells, strict=True) if self.grid.counts_days else ():
            if isinstance(cell, date) and (cell.date() if isinstance(cell, datetime) else cell) < LEAP:
                raise InputError(
                    f"Column {self.names[k]!r} has the date {write_cell(cell)} in cell {self._address(row, k)}, and "
                    "programs count the days before March 1900 differently; expected later ones: write these dates as "
                    "text, year first."
                )


def _count(number: int, what: str) -> str:
    first, *rest = what.split(" ", 1)
    return " ".join([f"{number:,} {first}{'s' * (number != 1)}", *rest])
