"""Whatever holds two columns, in; a checked Pair, out: the front door for files, data frames and arrays.

asking      what a caller says about a table, and refusals that this would answer
source      a path or standard input -> bytes, bounded, with one sentence for everything that can be wrong with a file
sniff       the layout of a text table: delimiter, header, what its cells say about decimal marks
text        bytes -> the two columns asked for
parquet     a Parquet file -> the two columns asked for, and no others
frames      pandas, polars and Arrow tables, dictionaries and arrays -> the two columns asked for
marks       what a point or a comma inside a number means
cells       one cell -> one number; what counts as missing
passed_over which columns a whole table is judged without, and why
choose      which two columns are meant: by name, by number, or because there are only two
"""

import os
from dataclasses import replace
from typing import Any, BinaryIO, TypeGuard

from causewise.errors import InputError
from causewise.pair import NanPolicy, Pair
from causewise.tables.choose import ColumnTable, choose

__all__ = ["pair_from", "read_pair", "read_table", "table_from"]


Source = str | os.PathLike[str] | BinaryIO
"""The path of a file, `-` for standard input, or a file that is open for reading bytes."""


def read_pair(
    source: Source,
    x: str | int | None = None,
    y: str | int | None = None,
    nan_policy: NanPolicy = "raise",
    **asked: Any,
) -> Pair:
    """Read two columns of a CSV or Parquet file, given by its path or open already; `-` reads standard input.

    Columns are given by name or by number counted from 1; a name that exists wins. Without them the table must have
    exactly two columns of numbers (a leading column of row numbers is passed over). Where a text table can be read in
    two ways, `decimal` ("." or ",") and `header` (whether the first line holds names) say which; `max_bytes` and
    `max_lines` bound what is read.
    """
    table, where = read_table(source, **asked)
    return _pair(table, where, x, y, nan_policy)


def read_table(source: Source, **asked: Any) -> tuple[ColumnTable, str]:
    """A CSV or Parquet file as a table, and what to call it in a sentence; `asked` as in `read_pair`."""
    from causewise.tables.asking import Asked
    from causewise.tables.source import PARQUET, read, read_stream, shown
    from causewise.tables.text import TextTable

    said = Asked(**asked)
    if is_file(source):
        where = shown(str(getattr(source, "name", "the table")))
        content: Any = read_stream(source, said, where)
    else:
        path = os.fspath(source)  # type: ignore[arg-type]  # no open file here
        content, where = read(path, said), shown(path)
    if isinstance(content, bytes) and not content.startswith(PARQUET):
        return TextTable.of(content, where, said), where
    from causewise.tables.parquet import parquet_table

    return parquet_table(content, where, said), where


def is_file(data: Any) -> TypeGuard[BinaryIO]:
    """Whether this is a file that is open already."""
    return hasattr(data, "read")


def table_from(data: Any, **asked: Any) -> tuple[ColumnTable, str]:
    """What a user holds, a table of any kind or the path of one."""
    if isinstance(data, (str, os.PathLike)) or is_file(data):
        return read_table(data, **asked)
    from causewise.tables.frames import as_table

    return as_table(data), "the table"


def pair_from(data: Any, x: Any = None, y: Any = None, nan_policy: NanPolicy = "raise", **asked: Any) -> Pair:
    """Make a pair of what a user holds.

    `pair_from(table, "rain", "river")` for a pandas, polars or Arrow table, a dictionary of columns or a matrix;
    `pair_from(rain, river)` for two sequences, whose names are kept where they have one; or the path of a file, or
    one that is open, read as `asked`.
    """
    if isinstance(data, Pair):
        return data
    if isinstance(data, (str, os.PathLike)) or is_file(data):
        return read_pair(data, x, y, nan_policy, **asked)
    from causewise.tables.frames import as_table, as_two_columns, said_of

    two = as_two_columns(data, x, y)
    if two is not None:
        (a, a_name), (b, b_name) = two
        pair = _checked(a, b, a_name, b_name, nan_policy)
        said = (*said_of(data[0] if x is None else data, a_name), *said_of(data[1] if x is None else x, b_name))
        return replace(pair, notes=(*said, *pair.notes))
    return _pair(as_table(data), "the table", x, y, nan_policy)


def _pair(table: ColumnTable, where: str, x: str | int | None, y: str | int | None, nan_policy: NanPolicy) -> Pair:
    i, j = choose(table, where, x, y)
    a, b = table.columns(i, j)
    pair = _checked(a, b, table.names[i], table.names[j], nan_policy)
    return replace(pair, notes=(*table.notes(i, j), *pair.notes))


def _checked(a: Any, b: Any, a_name: str, b_name: str, nan_policy: NanPolicy) -> Pair:
    try:
        return Pair.of(a, b, x_name=a_name, y_name=b_name, nan_policy=nan_policy)
    except OverflowError:
        raise InputError(
            f"A value in {a_name!r} or {b_name!r} is too large for a floating-point number; expected values below "
            "1.8e308: remove or correct it."
        ) from None
