"""Where the names and the numbers of a sheet stand, and what is passed over with a note.

Above the names may be titles, below them units, at the end totals and footnotes. The names are the row with most
different words above the first numbers. What holds no numbers is passed over; a last row that is labelled as a total,
or is the sum of all others, is left out; each is said in a note.
"""

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np

from causewise.numerics.conversion import day_of
from causewise.tables.cells import is_missing, is_number, quote_cell, strip_cell
from causewise.tables.choose import distinct_names
from causewise.tables.sniff import read_whole_numbers
from causewise.tables.workbook import Cell, Grid, write_address

NUMBERS, DATES, DURATIONS, TRUTH = SCORED = "numbers", "dates", "durations", "truth values"
"""Types of cells that numbers can be made of, in the words of a sentence."""
SAMPLE = 200
"""Rows that are looked at."""
_TYPES = ((bool, TRUTH), ((int, float), NUMBERS), (date, DATES), (timedelta, DURATIONS), (object, "times"))
_LISTED = 5
_LEAST = 10
"""Rows above one that is their sum by its numbers alone."""
_SURE = re.compile(
    r"(grand |over)?(sub|sum )?totals?|sums?|(gesamt)?summe|gesamt|insgesamt|somme|totale|suma|totaal|∑|σ",
    re.IGNORECASE,
)
_PERHAPS = re.compile(
    r"means?|averages?|avg|medians?|min(imum)?|max(imum)?|counts?|n|std( ?dev)?\.?|s\.?d\.?|mittelwert|mittel|moyenne|"
    r"media|promedio|gemiddelde",
    re.IGNORECASE,
)


def is_absent(cell: Cell) -> bool:
    """Whether a cell says that it has no value."""
    return cell is None or (isinstance(cell, str) and is_missing(cell))


def is_plain(cell: Cell) -> bool:
    """Whether a cell is stored as a number."""
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def is_numeric(cell: Cell) -> bool:
    """Whether a cell is a number, perhaps stored as text."""
    return is_plain(cell) or (isinstance(cell, str) and not is_missing(cell) and is_number(cell))


def is_value(cell: Cell) -> bool:
    """Whether a cell can be the value of a column: anything but words."""
    return not is_absent(cell) and type_of(cell) != "text"


def type_of(cell: Cell) -> str:
    """What a cell holds, in the words of a sentence; text that reads as a number or a date is one."""
    if isinstance(cell, str):
        return NUMBERS if is_number(cell) else DATES if day_of(strip_cell(cell)) is not None else "text"
    return next(name for kind, name in _TYPES if isinstance(cell, kind))


def are_mostly(cells: Sequence[Cell], kind: Callable[[Cell], bool]) -> bool:
    """Whether most cells with anything in them are of a kind."""
    present = [cell for cell in cells if not is_absent(cell)]
    return 2 * sum(map(kind, present)) > len(present)


def write_cell(cell: Cell) -> str:
    """A cell as a person would see it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip()


def join_words(words: Sequence[str]) -> str:
    """The first few, for a sentence."""
    return ", ".join(words[:_LISTED]) + " …" * (len(words) > _LISTED)


class SheetLayout:
    """Which row holds the names, which hold the numbers, and what is said of the others."""

    def __init__(self, grid: Grid, filled: list[int], places: list[int], header: bool | None) -> None:
        self._grid, self._places = grid, places
        self.header: int | None = None
        self.remarks: list[str] = []
        sample = filled[: SAMPLE + 1]
        telling = [c for c in places if are_mostly([grid.rows[r][c] for r in sample], is_value)] or places
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
        """Rows of the grid with the numbers."""
        self._note_totals_within(self.body)
        self._note_merged()

    def names_of(self, places: Sequence[int]) -> tuple[str, ...]:
        """One distinct name per column."""
        if self.header is None:
            return distinct_names([""] * len(places))
        return distinct_names([write_cell(self._grid.rows[self.header][c]) for c in places])

    def is_named(self, c: int) -> bool:
        """Whether a column has a name."""
        return self.header is not None and self._grid.rows[self.header][c] is not None

    def _find_names(self, filled: list[int], start: int, telling: list[int], header: bool | None) -> int | None:
        """Position, among the rows that are filled, of the one with the names."""
        if header is False or not filled:
            return None
        words = [len({write_cell(cell) for cell in self._row(r) if _is_word(cell)}) for r in filled[:start]]
        best = max(words, default=0)
        if best and (header or 2 * best >= len(self._places)):
            return words.index(best)
        if header:
            return 0
        first, *rest = ([write_cell(self._grid.rows[r][c]) for c in telling] for r in filled[:SAMPLE])
        if not start and rest and all(strip_cell(cell).isdecimal() for cell in first if cell):
            is_header, _, note = read_whole_numbers(first, rest)
            self.remarks += [note] if note else []
            return 0 if is_header else None
        return None

    def _row(self, r: int) -> list[Cell]:
        return [self._grid.rows[r][c] for c in self._places]

    def _looks_like_numbers(self, r: int, telling: list[int]) -> bool:
        return are_mostly([self._grid.rows[r][c] for c in telling], is_value)

    def _has_value(self, r: int, telling: list[int]) -> bool:
        return any(is_value(self._grid.rows[r][c]) for c in telling)

    def _note_rows(self, rows: Sequence[int], what: str) -> None:
        for r in rows[:_LISTED]:
            words = [quote_cell(write_cell(cell)) for cell in self._row(r) if cell is not None]
            self.remarks.append(f"Row {self._number(r)} ({join_words(words)}) is passed over: it stands {what}.")
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
            words = [quote_cell(write_cell(cell)) for cell in cells[:1]]
            what = "a footnote" if alone else "totals"
            self.remarks.append(
                f"Row {self._number(body[end - 1])} ({words[0]} …) is left out: it is taken for {what}."
            )
            end -= 1
        return body[:end]

    def _is_total(self, above: list[int], r: int, telling: list[int]) -> bool:
        """Whether a last row sums up the others: by a label that no other row has, or by its numbers."""
        rows = self._grid.rows
        words = [(c, text) for c in self._places if (text := _label(rows[r][c]))]
        labels = [text for c, text in words if all(_label(rows[other][c]) != text for other in above)]
        if any(map(_SURE.fullmatch, labels)):
            return True
        known = [c for c in telling if is_plain(rows[r][c])]
        columns = [[rows[other][c] for other in above if is_plain(rows[other][c])] for c in known]
        least = min(map(len, columns), default=0)
        last = [float(rows[r][c]) for c in known]
        if least > 1 and any(map(_PERHAPS.fullmatch, labels)):
            return all(map(_is_summary, last, columns))
        alone = len(words) == 0 and len(known) > 1 and least >= _LEAST and any(last)
        return alone and all(
            _is_close(value, math.fsum(column), column) for value, column in zip(last, columns, strict=True)
        )

    def _note_totals_within(self, body: Sequence[int]) -> None:
        found = [r for r in body if any((text := _label(cell)) and _SURE.fullmatch(text) for cell in self._row(r))]
        if found:
            rows = join_words([str(self._number(r)) for r in found])
            self.remarks.append(
                f"Rows labelled as totals stand among the others (rows {rows}): remove them if they are."
            )

    def _note_merged(self) -> None:
        rows = {self._grid.top + r for r in self.body}
        found = [
            f"{write_address(*first)}:{write_address(*last)}"
            for first, last in self._grid.merged
            if any(row in rows for row in range(first[0], last[0] + 1))
        ]
        if found:
            self.remarks.append(
                f"Merged cells ({join_words(found)}) have their value in the first cell, and none in the others."
            )


def _is_summary(value: float, column: Sequence[float]) -> bool:
    numbers = np.array(column, dtype=np.float64)
    found = [float(f(numbers)) for f in (np.sum, np.mean, np.median, np.min, np.max, np.std)]
    found += [float(np.std(numbers, ddof=1)), float(len(numbers))]
    return any(_is_close(value, each, column) for each in found)


def _is_close(value: float, other: float, column: Sequence[float]) -> bool:
    """Whether two sums of a column agree, but for rounding."""
    return math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-14 * math.fsum(map(abs, column)))


def _is_word(cell: Cell) -> bool:
    return isinstance(cell, str) and not is_absent(cell) and not is_value(cell)


def _label(cell: Cell) -> str:
    return strip_cell(cell).rstrip(".:").casefold() if isinstance(cell, str) else ""
