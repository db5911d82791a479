"""Workbooks (.xlsx, .xls, .ods) -> the cells of one sheet, bounded before anything is parsed.

An archive is unpacked here, counted piece by piece, and handed on with its members stored as they are: what its headers
claim no longer matters. Two cells far apart make a sheet of billions, so the extent of a sheet is read off its cells'
addresses first.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain
from typing import Any

from causewise.errors import InputError
from causewise.tables.cells import quote_cell
from causewise.tables.source import ReadOptions
from causewise.worker import CrashError, call_apart

Cell = Any
"""A number, truth value, date, time, duration or text as calamine gives it; None where there is nothing."""
_CELL_BYTES = 32
_PIECE = 1 << 20
_MAIN, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_UNUSED = re.compile(r"(xl/(media|drawings|charts|embeddings)|Pictures|Thumbnails|Object)[ /\d]")
_ADDRESS = re.compile(rb"""<(?:\w+:)?c\s(?:[^>]*?\s)?r\s*=\s*["']\$?([A-Za-z]{1,7})\$?(\d{1,9})["']""")
_FILLED = re.compile(_ADDRESS.pattern + rb"(?:[^>]*[^/>])?>")
_ERROR = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\bt\s*=\s*["']e["'][^>]*>""")
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\s[^>]*[^/>]>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*(?:<v\s*/>|<v></v>)?\s*</(?:\w+:)?c>"
)
_ODS = re.compile(rb"<table:(table|table-row|table-cell|covered-table-cell)(?=[\s/>])([^>]*)>")
_REPEATED = re.compile(rb"""number-(?:rows|columns)-repeated\s*=\s*["'](\d{1,12})["']""")
LEAP = date(1900, 3, 1)
"""Before it Excel counts a 29th of February 1900 that never was, and other programs do not."""


@dataclass(frozen=True)
class Grid:
    """The cells of one sheet, from its first to its last row and column that hold anything."""

    rows: list[list[Cell]]
    top: int = 0
    left: int = 0
    merged: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()
    """First and last cell of what is merged, rows and columns counted from 0."""
    errors: frozenset[tuple[int, int]] = frozenset()
    """Cells that hold an error, such as #DIV/0!, where the format tells."""
    unknown: frozenset[tuple[int, int]] = frozenset()
    """Formulas whose value was never stored."""
    counts_days: bool = False
    """Whether dates are stored as numbers of days."""


@dataclass(frozen=True)
class Workbook:
    """Names of sheets, and each sheet on request."""

    names: list[str]
    visible: list[str]
    """Sheets of cells that are not hidden."""
    grid: Callable[[str], Grid]


def open_workbook(content: bytes, where: str, options: ReadOptions) -> Workbook:
    """A workbook from its bytes."""
    try:
        import python_calamine  # noqa: F401  # before anything is spent on the file
    except ImportError:
        raise InputError(
            f"Got the spreadsheet {where}, and no reader for it is installed; install one with: "
            "pip install '.[sheets]', or save it as CSV."
        ) from None
    if not content.startswith(b"PK"):
        # Damaged files of the old format make the reader panic.
        try:
            names, visible, grids = call_apart(_read_xls, content, where, options)
        except CrashError:
            raise _damaged_error(where, "its reader crashed") from None
        return Workbook(names, visible, partial(_take, grids))
    members = _unpack(content, where, options)
    if "content.xml" in members:
        _check_ods(members["content.xml"], where, options)
    reader = _Reader(_store(members), where, options, _find_sheets(members) if _MAIN in members else None)
    return Workbook(reader.names, reader.visible, reader.grid)


def _read_xls(content: bytes, where: str, options: ReadOptions) -> tuple[list[str], list[str], dict[str, Any]]:
    """Names of all sheets and of those that are shown; each sheet, or the error that says why not."""
    reader = _Reader(content, where, options, None, counts_days=True)
    grids = dict[str, Any]()
    for name in reader.names:
        try:
            grids[name] = reader.grid(name)
        except InputError as problem:
            grids[name] = problem
    return reader.names, reader.visible, grids


def _take(grids: Mapping[str, Grid | InputError], name: str) -> Grid:
    grid = grids[name]
    if isinstance(grid, InputError):
        raise grid
    return grid


class _Reader:
    """Sheets by calamine; `parts` are the sheets of an .xlsx file as they are stored."""

    def __init__(
        self,
        content: bytes,
        where: str,
        options: ReadOptions,
        parts: Mapping[str, bytes] | None,
        counts_days: bool = False,
    ) -> None:
        from python_calamine import SheetTypeEnum, SheetVisibleEnum, load_workbook

        self._where, self._options, self._parts = where, options, parts
        self._counts_days = counts_days or parts is not None
        self._book = _guard(lambda: load_workbook(io.BytesIO(content)), where)
        shown = (SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible)
        self.names: list[str] = self._book.sheet_names
        self.visible = [each.name for each in self._book.sheets_metadata if (each.typ, each.visible) == shown]

    def grid(self, name: str) -> Grid:
        """The cells of a sheet."""
        part = b"" if self._parts is None else self._parts.get(name, b"")
        if self._parts is not None:
            if not part or b"\0" in part:
                raise _damaged_error(self._where, f"the sheet {name!r} is not where it should be")
            self._check_extent(name, *_measure_xlsx(part))
        sheet = _guard(lambda: self._book.get_sheet_by_name(name), self._where)
        if sheet.start is None:
            return Grid([])
        (top, left), (bottom, right) = sheet.start, sheet.end
        self._check_extent(name, bottom - top + 1, right - left + 1, bottom, right)
        self._options.check_rows(sheet.height, self._where)
        rows = _guard(sheet.to_python, self._where)
        cells = [[None if isinstance(cell, str) and not cell.strip() else cell for cell in row] for row in rows]
        merged = tuple(sheet.merged_cell_ranges or ())
        errors, unknown = (frozenset(_find_places(pattern, part)) for pattern in (_ERROR, _FORMULA))
        return Grid(cells, top, left, merged, errors, unknown, self._counts_days)

    def _check_extent(self, name: str, height: int, width: int, bottom: int, right: int) -> None:
        most = max(self._options.max_bytes // _CELL_BYTES, 1)
        if height * width > most:
            raise InputError(
                f"Got {height:,} rows and {width:,} columns in the sheet {quote_cell(name)} of {self._where}; expected "
                f"at most {most:,} cells: delete what stands far from the table (the last cell is "
                f"{write_address(bottom, right)}), or raise max_bytes."
            )


def write_address(row: int, column: int) -> str:
    """The name of a cell, rows and columns counted from 0.

    Examples
    --------
    >>> write_address(6, 27)
    'AB7'
    """
    letters, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def _unpack(content: bytes, where: str, options: ReadOptions) -> dict[str, bytes]:
    """The members of an archive that hold tables, no more of them than may be."""
    members, size = dict[str, bytes](), 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            kind = archive.open("mimetype").read(100) if "mimetype" in names else b""
            if "xl/workbook.bin" in names:
                raise InputError(f"Got a binary workbook, {where}; expected .xlsx, .xls or .ods: save it as .xlsx.")
            if _MAIN not in names and b"spreadsheet" not in kind:
                raise InputError(
                    f"Got a zip archive, {where}, which is no workbook; expected a table: unpack it first."
                )
            for name in sorted(names):
                if _UNUSED.match(name) or name.endswith("/"):
                    continue
                size += archive.getinfo(name).file_size
                options.check_bytes(size, where)
                # In pieces: asked for everything, it would unpack more than it says there is.
                with archive.open(name) as stream:
                    members[name] = b"".join(iter(partial(stream.read, _PIECE), b""))
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError) as problem:
        raise _damaged_error(where, str(problem)) from None
    return members


def _store(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _find_sheets(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """The sheets of an .xlsx file by name."""
    from xml.etree import ElementTree

    try:
        book = ElementTree.fromstring(members[_MAIN])
        relations = ElementTree.fromstring(members[_RELATIONS])
    except (KeyError, ElementTree.ParseError):
        return {}
    targets = {each.get("Id"): each.get("Target", "").lstrip("/") for each in relations}
    found: dict[str, bytes] = {}
    for sheet in book.iter():
        if sheet.tag.endswith("}sheet"):
            target = targets.get(next((value for key, value in sheet.items() if key.endswith("}id")), ""), "")
            part = members.get(target) or members.get(f"xl/{target}") or b""
            found[sheet.get("name", "")] = part
    return found


def _measure_xlsx(part: bytes) -> tuple[int, int, int, int]:
    """Height and width of the cells that are there, and the last row and column."""
    letters, digits = set[bytes](), set[bytes]()
    for found in _FILLED.finditer(part):
        letters.add(found[1])
        digits.add(found[2])
    if not letters:
        return 0, 0, 0, 0
    rows, columns = sorted(int(each) - 1 for each in digits), sorted(map(_read_letters, letters))
    return rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1, rows[-1], columns[-1]


def _find_places(pattern: re.Pattern[bytes], part: bytes) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(part):
        if address := _ADDRESS.match(found[0]):
            yield int(address[2]) - 1, _read_letters(address[1])


def _read_letters(letters: bytes) -> int:
    column = 0
    for letter in letters.upper():
        column = 26 * column + letter - ord("@")
    return column - 1


def _check_ods(content: bytes, where: str, options: ReadOptions) -> None:
    """Reject an .ods file whose cells, written once and repeated, are too many: whole rectangles are held."""
    most = max(options.max_bytes // _CELL_BYTES, 1)
    before = widest = height = blank = 0  # cells of finished sheets; of this one columns, rows, and blank rows since
    width = gap = repeated = 0  # of this row

    for found in chain(_ODS.finditer(content), (None,)):
        tag, facts = (found[1], found[2]) if found else (b"table", b"")
        times = int(match[1]) if (match := _REPEATED.search(facts)) else 1
        if tag in (b"table", b"table-row"):
            height, blank = (height + blank + repeated, 0) if width else (height, blank + repeated)
            widest, width, gap, repeated = max(widest, width), 0, 0, times
        elif facts.endswith(b"/") and b"value" not in facts and b"formula" not in facts:
            gap += times
        else:
            width, gap = width + gap + times, 0
        if before + max(height, 1) * max(widest, width) > most:
            raise InputError(
                f"Got more than {most:,} cells in the sheets of {where}; expected at most that: delete what stands far "
                "from the table, or raise max_bytes."
            )
        if tag == b"table":
            before, widest, height, blank, repeated = before + height * widest, 0, 0, 0, 0


def _guard(read: Callable[[], Any], where: str) -> Any:
    try:
        return read()
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as problem:  # calamine's own errors, and panics, which are no Exception
        if type(problem).__name__ == "PasswordError":
            raise InputError(
                f"Got {where}, which is protected by a password; expected a readable workbook: save it without one."
            ) from None
        raise _damaged_error(where, str(problem)) from None


def _damaged_error(where: str, reason: str) -> InputError:
    return InputError(
        f"Could not read {where} as a spreadsheet ({' '.join(reason.split())[:120]}); expected a whole .xlsx, .xls or "
        ".ods file: save it again, or as CSV."
    )
