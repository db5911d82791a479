"""Known numbers on sheets of any look, and the check that they come back exactly or with a sentence: never others."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import xlsxwriter
import xlwt
from dialects import KINDS
from hypothesis import strategies as st
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from causewise.errors import InputError
from causewise.tables import read_pair

ROWS = 24
ERROR = "#N/A"
EPOCH = datetime(1970, 1, 1)
COLUMNS: dict[str, Callable[[Random], Any]] = {
    # A spreadsheet keeps fifteen digits.
    **{name: lambda draw, kind=kind: float(f"{kind(draw):.15g}") for name, kind in KINDS.items()},
    "days": lambda draw: date(1950, 1, 1) + timedelta(days=draw.randint(0, 40000)),
    "moments": lambda draw: datetime(1950, 1, 1) + timedelta(seconds=draw.randint(0, 3 * 10**9)),
    "truth": lambda draw: draw.random() < 0.5,
}
REFUSALS = ("decimal mark", "first line of whole numbers")
"""What these sheets may leave open."""


@dataclass(frozen=True)
class Look:
    """How a table stands on its sheet."""

    below: int
    beside: int
    titles: int
    gap: bool
    header: bool
    units: bool
    labels: bool
    """A column of text before the numbers."""
    text: tuple[str, str]
    """Of either column, which numbers are stored as text: none, some, all."""
    comma: bool
    """Whether those have a decimal comma."""
    missing: Any
    merged: bool
    ending: str
    """Total, sums without a label, footnote, or nothing."""
    form: str
    other_sheet: bool
    calendar: int


@dataclass(frozen=True)
class Sheet:
    """Cells by row and column, what is merged, and how numbers are displayed."""

    cells: dict[tuple[int, int], Any]
    merged: tuple[tuple[int, int, int, int], ...] = ()
    form: str = "General"


@st.composite
def looks(draw) -> Look:
    return Look(
        draw(st.integers(0, 3)),
        draw(st.integers(0, 3)),
        draw(st.integers(0, 2)),
        draw(st.booleans()),
        draw(st.sampled_from([True, True, False])),
        draw(st.booleans()),
        draw(st.booleans()),
        (
            draw(st.sampled_from(["none", "none", "some", "all"])),
            draw(st.sampled_from(["none", "none", "some", "all"])),
        ),
        draw(st.booleans()),
        draw(st.sampled_from([None, None, "", "NA", ERROR])),
        draw(st.booleans()),
        draw(st.sampled_from(["", "Total", "Summe:", "sums", "footnote"])),
        draw(st.sampled_from(["General", "0.00", "0%", '0.0" kg"', "#,##0", "0.0E+00"])),
        draw(st.booleans()),
        draw(st.sampled_from([1900, 1904])),
    )


@st.composite
def tables(draw, among: Sequence[str] = tuple(sorted(COLUMNS))) -> tuple[list[Any], list[Any], Look]:
    """Two columns of different numbers, and how they stand on a sheet."""
    number, kinds = draw(st.integers(0, 2**32)), [draw(st.sampled_from(among)) for _ in range(2)]
    seeded = [Random(f"{number} {k}") for k in range(2)]
    a, b = ([COLUMNS[kind](random) for _ in range(ROWS)] for kind, random in zip(kinds, seeded, strict=True))
    return a, b, draw(looks())


def lay_out(a: Sequence[Any], b: Sequence[Any], look: Look) -> tuple[Sheet, list[tuple[Any, Any]]]:
    """A sheet with two columns, and the rows that must come back."""
    cells: dict[tuple[int, int], Any] = {}
    merged: list[tuple[int, int, int, int]] = []
    row, left = look.below, look.beside
    first = left + look.labels
    width = 2 + look.labels
    for k in range(look.titles):
        cells[row, left] = f"Measurements, part {k}"
        if look.gap:
            merged.append((row, left, row, left + width - 1))
        row += 1
    row += look.gap
    if look.header:
        cells |= {(row, left): "place"} if look.labels else {}
        cells |= {(row, first): "rain", (row, first + 1): "river"}
        row += 1
        if look.units:
            cells |= {(row, first): "mm", (row, first + 1): "m³/s"}
            row += 1
    start, kept = row, list(zip(a, b, strict=True))
    for i, values in enumerate(kept):
        cells |= {(row + i, left): f"place {i}"} if look.labels else {}
        for k, value in enumerate(values):
            cells[row + i, first + k] = _as_text(value, i, look.text[k], look.comma)
    if look.merged:
        merged.append((start + 4, first, start + 5, first))
        cells.pop((start + 5, first))
        kept[5] = None
    if look.missing is not None:
        cells[start + 9, first + 1] = look.missing or None
        kept[9] = None
    row += len(a)
    sums = [_add_up([cells.get((start + i, first + k)) for i in range(len(a))]) for k in range(2)]
    if look.ending == "footnote":
        cells[row, left] = "Source: our own measurements."
    elif look.ending == "sums" and not look.labels and any(sums):
        cells |= {(row, first + k): value for k, value in enumerate(sums) if value}
    elif look.ending not in ("", "sums") and look.labels:
        cells |= {(row, left): look.ending} | {(row, first + k): value for k, value in enumerate(sums) if value}
    return Sheet(cells, tuple(merged), look.form), [pair for pair in kept if pair is not None]


def _as_text(value: Any, i: int, which: str, comma: bool) -> Any:
    if isinstance(value, bool) or not isinstance(value, float) or which == "none" or (which == "some" and i % 3):
        return value
    return repr(value).replace(".", ",") if comma else repr(value)


def _add_up(values: Sequence[Any]) -> float | None:
    """As a spreadsheet does: what is stored as text is no number."""
    numbers = [value for value in values if isinstance(value, float)]
    return float(f"{math.fsum(numbers):.15g}") if numbers else None


def write_openpyxl(path: Path, sheets: dict[str, Sheet], calendar: int) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    if calendar == 1904:
        book.epoch = CALENDAR_MAC_1904
    for name, sheet in sheets.items():
        page = book.create_sheet(name)
        for (row, column), value in sheet.cells.items():
            cell = page.cell(row + 1, column + 1, value)
            if isinstance(value, float):
                cell.number_format = sheet.form
        for top, left, bottom, right in sheet.merged:
            page.merge_cells(start_row=top + 1, start_column=left + 1, end_row=bottom + 1, end_column=right + 1)
    book.save(path)


def write_xlsxwriter(path: Path, sheets: dict[str, Sheet], calendar: int) -> None:
    book = xlsxwriter.Workbook(path, {"date_1904": calendar == 1904})
    forms = {
        "day": book.add_format({"num_format": "dd.mm.yyyy"}),
        "time": book.add_format({"num_format": "d/m/yy h:mm"}),
    }
    for name, sheet in sheets.items():
        page, form = book.add_worksheet(name), book.add_format({"num_format": sheet.form})
        for top, left, bottom, right in sheet.merged:
            page.merge_range(top, left, bottom, right, "")
        for (row, column), value in sheet.cells.items():
            if isinstance(value, datetime):
                page.write_datetime(row, column, value, forms["time"])
            elif isinstance(value, date):
                page.write_datetime(row, column, value, forms["day"])
            elif isinstance(value, str) and value == ERROR:
                page.write_formula(row, column, "=NA()", None, ERROR)
            elif isinstance(value, str):
                page.write_string(row, column, value)
            elif value is not None:
                page.write(row, column, value, form)
    book.close()


def write_xlwt(path: Path, sheets: dict[str, Sheet], calendar: int) -> None:
    book = xlwt.Workbook()
    book.dates_1904 = calendar == 1904
    forms = {form: xlwt.easyxf(num_format_str=form) for form in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss")}
    for name, sheet in sheets.items():
        page, form = book.add_sheet(name), xlwt.easyxf(num_format_str=sheet.form)
        whole = {(row, column) for top, left, bottom, right in sheet.merged for row, column in [(top, left)]}
        for top, left, bottom, right in sheet.merged:
            page.write_merge(
                top, bottom, left, right, sheet.cells[top, left], _xls_form(sheet.cells[top, left], forms, form)
            )
        for place, value in sheet.cells.items():
            if place not in whole and value is not None:
                page.write(*place, None if value == ERROR else value, _xls_form(value, forms, form))
    book.save(str(path))


def _xls_form(value: Any, forms: dict[str, Any], form: Any) -> Any:
    if isinstance(value, date):
        return forms["yyyy-mm-dd hh:mm:ss" if isinstance(value, datetime) else "yyyy-mm-dd"]
    return form


WRITERS = {"openpyxl.xlsx": write_openpyxl, "xlsxwriter.xlsx": write_xlsxwriter, "xlwt.xls": write_xlwt}


def write_tables(path: Path, writer: str, tables: Sequence[tuple[Any, Any, Look]]) -> list[list[tuple[Any, Any]]]:
    """A workbook with a sheet a table, and the rows that must come back of each."""
    laid_out = [lay_out(*table) for table in tables]
    sheets = {f"table {k}": sheet for k, (sheet, _) in enumerate(laid_out)}
    if tables[0][2].other_sheet:
        sheets = {"read me": Sheet({(0, 0): "These are measurements."}), **sheets}
    WRITERS[writer](path, sheets, tables[0][2].calendar)
    return [rows for _, rows in laid_out]


def come_back_or_are_refused(path: Path, rows: list[tuple[Any, Any]], look: Look, **options: Any) -> bool:
    """Read two columns; whether they could be read."""
    try:
        pair = read_pair(path, 1 + look.labels, 2 + look.labels, "omit", **options)
    except InputError as refusal:
        assert "expected" in str(refusal)
        assert any(words in str(refusal) for words in REFUSALS), refusal
        return False
    for column, written in zip((pair.x, pair.y), zip(*rows, strict=True), strict=True):
        values = [_as_number(value) for value in written]
        offset = 0 if column[0] == values[0] else min(values)
        assert column.tolist() == [value - offset for value in values]
        assert not offset or any("subtracted" in note for note in pair.notes)
    return True


def _as_number(value: Any) -> float:
    if isinstance(value, date):
        passed = (value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)) - EPOCH
        return passed.days + passed.seconds / 86400
    return float(value)


def is_said(notes: Sequence[str], words: str) -> bool:
    return any(re.search(words, note) for note in notes)
