"""Files, data frames and arrays -> two columns, checked as a Pair.

source      a path, an open file or standard input -> bytes, bounded; how a table is to be read
sniff       the layout of a text table: delimiter, header, decimal marks
text        bytes -> columns
parquet     a Parquet file -> columns, read one at a time; an Arrow file
workbook    a spreadsheet file -> the cells of a sheet, bounded
sheet_layout  where the names and the numbers of a sheet stand
sheets      the table on a sheet -> columns
stat_files  a Stata, SPSS or SAS file -> columns
frames      pandas, polars and Arrow tables, dictionaries and arrays -> columns
cells       one cell -> one number; decimal and thousands marks; what counts as missing
choose      which two columns are meant, and why the others are passed over
"""

import os
from dataclasses import replace
from typing import Any

from causewise.errors import InputError
from causewise.pair import NanPolicy, Pair
from causewise.tables.choose import ColumnTable, choose
from causewise.tables.source import Source

__all__ = ["pair_from", "read_pair", "read_table", "table_from"]


def read_pair(
    source: Source,
    x: str | int | None = None,
    y: str | int | None = None,
    nan_policy: NanPolicy = "raise",
    **options: Any,
) -> Pair:
    """Read two columns of a file, given by its path or open already; `-` reads standard input.

    CSV, Parquet, Arrow (Feather), spreadsheets, Stata, SPSS and SAS; what a file is, its content tells.

    Columns are given by name or by number counted from 1; a name that exists wins. Without them the table must have
    exactly two columns of numbers (a leading column of row numbers is passed over). Where a text table can be read in
    two ways, `decimal` ("." or ","), `header` (whether the first line holds names) and `sep` say which; `sheet` is the
    sheet of a workbook, by name or number; `max_bytes` and `max_lines` bound what is read.
    """
    table, where = read_table(source, **options)
    return _make_pair(table, *choose(table, where, x, y), nan_policy)


def read_table(source: Source, **options: Any) -> tuple[ColumnTable, str]:
    """A file as a table, and what to call it in a sentence; `options` as in `read_pair`."""
    from causewise.tables.source import ReadOptions, find_format, read_source

    checked = ReadOptions(**options)
    content, where = read_source(source, checked)
    kind = find_format(content) if isinstance(content, bytes) else "parquet"
    if kind == "sheet":
        from causewise.tables.sheets import sheet_table

        return sheet_table(content, where, checked), where  # type: ignore[arg-type]  # Parquet alone is a path
    if checked.sheet is not None:
        raise InputError(
            f"Got sheet={checked.sheet!r} and {where}, which has no sheets; expected a workbook, or no sheet to be "
            "named: leave it out."
        )
    if kind in ("parquet", "arrow"):
        from causewise.tables.parquet import arrow_table, parquet_table

        return (arrow_table if kind == "arrow" else parquet_table)(content, where, checked), where  # type: ignore[arg-type]
    if kind:
        from causewise.tables.stat_files import stat_table

        return stat_table(content, kind, where, checked), where  # type: ignore[arg-type]
    from causewise.tables.text import TextTable

    return TextTable.of(content, where, checked), where  # type: ignore[arg-type]


def table_from(data: Any, **options: Any) -> tuple[ColumnTable, str]:
    """What a user holds, a table of any type or the path of one."""
    if _is_source(data):
        return read_table(data, **options)
    from causewise.tables.frames import as_table

    return as_table(data), "the table"


def pair_from(data: Any, x: Any = None, y: Any = None, nan_policy: NanPolicy = "raise", **options: Any) -> Pair:
    """Make a pair of what a user holds.

    `pair_from(table, "rain", "river")` for a pandas, polars or Arrow table, a dictionary of columns or a matrix;
    `pair_from(rain, river)` for two sequences, whose names are kept where they have one; or the path of a file, or
    one that is open, read as `options` say.
    """
    if isinstance(data, Pair):
        return data
    if _is_source(data):
        return read_pair(data, x, y, nan_policy, **options)
    from causewise.tables.frames import as_table, as_two_columns

    if two := as_two_columns(data, x, y):
        return _make_pair(two, 0, 1, nan_policy)
    table = as_table(data)
    return _make_pair(table, *choose(table, "the table", x, y), nan_policy)


def _is_source(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike)) or hasattr(data, "read")


def _make_pair(table: ColumnTable, i: int, j: int, nan_policy: NanPolicy) -> Pair:
    x_name, y_name = table.names[i], table.names[j]
    x, y = table.columns(i, j)
    try:
        pair = Pair.of(x, y, x_name=x_name, y_name=y_name, nan_policy=nan_policy)
    except OverflowError:
        raise InputError(
            f"A value in {x_name!r} or {y_name!r} is too large for a floating-point number; expected values below "
            "1.8e308: remove or correct it."
        ) from None
    return replace(pair, notes=(*table.notes(i, j), *pair.notes))
