"""A sheet -> a table: where its names and numbers stand, and what is passed over with a note.

Above the names may be titles, below them units, at the end totals and footnotes. The names are the row with most
different words above the first numbers. What holds no numbers is passed over; a last row that is labelled as a total,
or is the sum of all others, is left out; each is said in a note. Any other cell that is no number is refused with its
address, as in a text table.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.numerics.conversion import day_of, is_long, moment_of, moments_of
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
from causewise.tables.choose import COUNTING, TIMES, distinct_names, explain_text, explain_unreadable, list_names
from causewise.tables.sniff import are_row_numbers, read_whole_numbers
from causewise.tables.source import ReadOptions
from causewise.tables.text import ASK
from causewise.tables.workbook import LEAP, Cell, Grid, open_workbook, write_address

_NUMBERS, _DATES, _DURATIONS, _TRUTH = _SCORED = "numbers", "dates", "durations", "truth values"
_SAMPLE = 200
_LISTED = 5
_SURE = re.compile(
    r"(grand |over)?(sub|sum )?totals?|sums?|(gesamt)?summe|gesamt|insgesamt|somme|totale|suma|totaal|∑|σ",
    re.IGNORECASE,
)
_PERHAPS = re.compile(
    r"means?|averages?|avg|medians?|min(imum)?|max(imum)?|counts?|n|std( ?dev)?\.?|s\.?d\.?|mittelwert|mittel|moyenne|"
    r"media|promedio|gemiddelde",
    re.IGNORECASE,
)


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
        layout = _Layout(grid, filled, places, options.header)
        # A title that is wider than the table leaves a column behind in which nothing stands.
        kept = [c for c in places if any(grid.rows[r][c] is not None for r in layout.body) or layout.is_named(c)]
        remarks = (*layout.remarks, *_note_merged(grid, layout.body))
        return cls(where, options, layout.names_of(kept), grid, tuple(layout.body), tuple(kept), remarks)

    def cells(self, k: int) -> list[Cell]:
        """The cells of a column."""
        return [self.grid.rows[r][self.places[k]] for r in self.body]

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the columns of numbers, without a leading column of row numbers."""
        numeric = [k for k in range(len(self.names)) if _holds(self.cells(k)[:_SAMPLE], _is_numeric)]
        if len(numeric) > 2 and numeric[0] == 0 and are_row_numbers(None, list(map(str, self.cells(0)))):
            numeric = numeric[1:]
        return tuple(numeric)

    @cached_property
    def passed_over(self) -> Mapping[int, str]:
        """Text, times of day, columns without a value, row numbers, and dates that do not go on as they began."""
        others = sorted(set(range(len(self.names))).difference(self.numeric))
        return {k: why for k in others if (why := self._explain(k))}

    def _explain(self, k: int) -> str:
        present = [cell for cell in self.cells(k) if not _is_absent(cell)]
        if not present:
            return "it has no value"
        if all(isinstance(cell, time) for cell in present):
            return TIMES
        if _holds(present[:_SAMPLE], _is_numeric):
            return COUNTING
        if not _holds(present[:_SAMPLE], _is_value):
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
                notes.append(f"{name!r} has {_count(len(found), what)} ({_join(found)}), taken for missing{advice}.")
        return notes

    def _place(self, row: int, k: int) -> tuple[int, int]:
        return self.grid.top + row, self.grid.left + self.places[k]

    def _address(self, row: int, k: int) -> str:
        return write_address(*self._place(row, k))

    def _convert(self, k: int) -> NDArray[Any]:
        """A column of one type as numbers or dates; the first cell of another type is refused."""
        cells = [None if _is_absent(cell) else cell for cell in self.cells(k)]
        types = Counter(_type_of(cell) for cell in cells if cell is not None)
        wanted = types.most_common(1)[0][0] if types else _NUMBERS
        wanted = wanted if wanted in _SCORED else _NUMBERS
        for row, cell in zip(self.body, cells, strict=True):
            if cell is not None and _type_of(cell) != wanted:
                raise text_cell_error(self.names[k], f"cell {self._address(row, k)}", _write(cell), wanted)
        if wanted in (_DATES, _DURATIONS):
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
                raise text_cell_error(name, f"cell {self._address(row, k)}", _write(cell))
            numbers.append(number)
        rounded = np.array(numbers, dtype=np.float64)
        # Only text can be longer than a double.
        exact = is_long(rounded) and any(isinstance(cell, str) for cell in cells)
        return np.array(numbers, dtype=object) if exact else rounded

    def _check_calendar(self, k: int, cells: Sequence[Cell]) -> None:
        early = [
            (row, cell)
            for row, cell in zip(self.body, cells, strict=True)
            if isinstance(cell, date) and _is_early(cell)
        ]
        if early and self.grid.counts_days:
            row, cell = early[0]
            raise InputError(
                f"Column {self.names[k]!r} has the date {_write(cell)} in cell {self._address(row, k)}, and programs "
                "count the days before March 1900 differently; expected later ones: write these dates as text, year "
                "first."
            )


class _Layout:
    """Which row holds the names, which hold the numbers, and what is said of the others."""

    def __init__(self, grid: Grid, filled: list[int], places: list[int], header: bool | None) -> None:
        self._grid, self._places = grid, places
        self.header: int | None = None
        self.remarks: list[str] = []
        sample = filled[: _SAMPLE + 1]
        telling = [c for c in places if _holds([grid.rows[r][c] for r in sample], _is_value)] or places
        start = next((i for i, r in enumerate(filled) if self._looks_like_numbers(r, telling)), len(filled))
        names = self._find_names(filled, start, telling, header)
        if names is not None:
            self.header = filled[names]
            self._note_rows(filled[:names], "above the names")
        after = 0 if names is None else names + 1
        first = next((i for i in range(after, len(filled)) if self._has_value(filled[i], telling)), len(filled))
        what = "above the numbers" if names is None else "between the names and the numbers, taken for units"
        self._note_rows(filled[after:first], what)
        body = filled[first:]
        self.body = self._cut_end(body, telling)
        self._note_totals_within(self.body)

    def names_of(self, places: Sequence[int]) -> tuple[str, ...]:
        """One distinct name per column."""
        if self.header is None:
            return distinct_names([""] * len(places))
        return distinct_names([_write(self._grid.rows[self.header][c]) for c in places])

    def is_named(self, c: int) -> bool:
        """Whether a column has a name."""
        return self.header is not None and self._grid.rows[self.header][c] is not None

    def _find_names(self, filled: list[int], start: int, telling: list[int], header: bool | None) -> int | None:
        """Position, among the rows that are filled, of the one with the names."""
        if header is False or not filled:
            return None
        words = [len({_write(cell) for cell in self._row(r) if _is_word(cell)}) for r in filled[:start]]
        best = max(words, default=0)
        if best and (header or 2 * best >= len(self._places)):
            return words.index(best)
        if header:
            return 0
        first, *rest = ([_write(self._grid.rows[r][c]) for c in telling] for r in filled[:_SAMPLE])
        if not start and rest and all(strip_cell(cell).isdecimal() for cell in first if cell):
            is_header, _, note = read_whole_numbers(first, rest)
            self.remarks += [note] if note else []
            return 0 if is_header else None
        return None

    def _row(self, r: int) -> list[Cell]:
        return [self._grid.rows[r][c] for c in self._places]

    def _looks_like_numbers(self, r: int, telling: list[int]) -> bool:
        cells = [self._grid.rows[r][c] for c in telling]
        return _holds(cells, _is_value)

    def _has_value(self, r: int, telling: list[int]) -> bool:
        return any(_is_value(self._grid.rows[r][c]) for c in telling)

    def _note_rows(self, rows: Sequence[int], what: str) -> None:
        for r in rows[:_LISTED]:
            words = [quote_cell(_write(cell)) for cell in self._row(r) if cell is not None]
            self.remarks.append(f"Row {self._number(r)} ({_join(words)}) is passed over: it stands {what}.")
        if len(rows) > _LISTED:
            self.remarks.append(f"{len(rows) - _LISTED} more rows are passed over: they stand {what}.")

    def _number(self, r: int) -> int:
        return self._grid.top + r + 1

    def _cut_end(self, body: list[int], telling: list[int]) -> list[int]:
        """The rows without footnotes and totals at their end."""
        end = len(body)
        while end > 1:
            cells = [cell for cell in self._row(body[end - 1]) if cell is not None]
            alone = len(cells) == 1 and _is_word(cells[0]) and len(self._places) > 1
            if not alone and not self._is_total(body[: end - 1], body[end - 1], telling):
                break
            words = [quote_cell(_write(cell)) for cell in cells[:1]]
            what = "a footnote" if alone else "totals"
            self.remarks.append(
                f"Row {self._number(body[end - 1])} ({words[0]} …) is left out: it is taken for {what}."
            )
            end -= 1
        return body[:end]

    def _is_total(self, above: list[int], r: int, telling: list[int]) -> bool:
        """Whether a last row sums up the others: by a label that no other row has, or by its numbers."""
        labels = [(c, _label(self._grid.rows[r][c])) for c in self._places]
        label = next(
            (
                text
                for c, text in labels
                if text and not any(_label(self._grid.rows[other][c]) == text for other in above)
            ),
            "",
        )
        if label and _SURE.fullmatch(label):
            return True
        known = [c for c in telling if _is_plain(self._grid.rows[r][c])]
        columns = [[v for other in above if _is_plain(v := self._grid.rows[other][c])] for c in known]
        if not known or min(map(len, columns)) < 2:
            return False
        last = [float(self._grid.rows[r][c]) for c in known]
        if label and _PERHAPS.fullmatch(label):
            return all(
                any(_is_close(value, each) for each in _summaries(column))
                for value, column in zip(last, columns, strict=True)
            )
        sums = [math.fsum(column) for column in columns]
        return (
            not any(_is_word(cell) for cell in self._row(r))
            and min(map(len, columns)) >= 10
            and any(last)
            and all(map(_is_close, last, sums))
        )

    def _note_totals_within(self, body: Sequence[int]) -> None:
        found = [r for r in body if any((text := _label(cell)) and _SURE.fullmatch(text) for cell in self._row(r))]
        if found:
            rows = _join([str(self._number(r)) for r in found])
            self.remarks.append(
                f"Rows labelled as totals stand among the others (rows {rows}): remove them if they are."
            )


def _summaries(column: Sequence[float]) -> list[float]:
    values = np.array(column, dtype=np.float64)
    whole = [float(f(values)) for f in (np.sum, np.mean, np.median, np.min, np.max, np.std)]
    return [*whole, float(np.std(values, ddof=1)), float(len(values))]


def _is_close(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-12)


def _label(cell: Cell) -> str:
    return strip_cell(cell).rstrip(".:").casefold() if isinstance(cell, str) else ""


def _is_absent(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and is_missing(cell))


def _is_plain(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _is_numeric(cell: Cell) -> bool:
    return _is_plain(cell) or (isinstance(cell, str) and not is_missing(cell) and is_number(cell))


def _is_value(cell: Cell) -> bool:
    """Whether a cell can be the value of a column that is scored, or of times of day."""
    if isinstance(cell, str):
        return _is_numeric(cell) or day_of(strip_cell(cell)) is not None
    return cell is not None


def _is_word(cell: Cell) -> bool:
    return isinstance(cell, str) and not _is_absent(cell) and not _is_value(cell)


def _holds(cells: Sequence[Cell], kind: Any) -> bool:
    """Whether most cells with anything in them are of a kind."""
    present = [cell for cell in cells if not _is_absent(cell)]
    return 2 * sum(map(kind, present)) > len(present)


def _type_of(cell: Cell) -> str:
    """What a cell holds, in the words of a sentence; text that reads as a number or a date is one."""
    if isinstance(cell, str):
        return _NUMBERS if is_number(cell) else _DATES if day_of(strip_cell(cell)) is not None else "text"
    if isinstance(cell, bool):
        return _TRUTH
    return (
        _NUMBERS
        if _is_plain(cell)
        else _DATES
        if isinstance(cell, date)
        else _DURATIONS
        if isinstance(cell, timedelta)
        else "times"
    )


def _is_early(moment: date) -> bool:
    return (moment.date() if isinstance(moment, datetime) else moment) < LEAP


def _write(cell: Cell) -> str:
    """A cell as a person would see it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip()


def _note_merged(grid: Grid, body: Sequence[int]) -> list[str]:
    rows = {grid.top + r for r in body}
    found = [
        f"{write_address(*first)}:{write_address(*last)}"
        for first, last in grid.merged
        if any(row in rows for row in range(first[0], last[0] + 1))
    ]
    return (
        [f"Merged cells ({_join(found)}) have their value in the first cell, and none in the others."] if found else []
    )


def _join(words: Sequence[str]) -> str:
    return ", ".join(words[:_LISTED]) + " …" * (len(words) > _LISTED)


def _count(number: int, what: str) -> str:
    first, *rest = what.split(" ", 1)
    return " ".join([f"{number:,} {first}{'s' * (number != 1)}", *rest])
