"""A table as it was understood: how it was read, and column by column what can be scored and why the rest cannot."""

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from causewise.column_types import classify_column, explain_unusable
from causewise.errors import InputError
from causewise.pair import MIN_ROWS, FloatArray, has_date_note
from causewise.scanning.table import read_column
from causewise.tables import read_table
from causewise.tables.choose import ColumnTable, explain_unreadable
from causewise.tables.sniff import DELIMITERS
from causewise.tables.text import TextTable
from causewise.web.request_error import list_choices

BARS = 24
"""Of the small picture of a column."""
_FIRST_VALUES = 5
_MARKS = {".": "a point", ",": "a comma"}
_Read = tuple[FloatArray, tuple[str, ...]] | InputError
"""A column as numbers with its notes, or the error that says why not."""


def describe_table(stream: BinaryIO, most_columns: int, **reading: Any) -> dict[str, Any]:
    """What a person should check before anything is asked of a table; an error where it cannot be read at all."""
    table, where = read_table(stream, **reading)
    if len(table.names) > most_columns:
        raise InputError(
            f"Got {len(table.names):,} columns in {where}; expected at most {most_columns:,}, which is what this page "
            "takes: leave some out, or use causewise scan on the command line."
        )
    # Of two columns both are meant, and the error says what is wrong with one.
    passed_over = {} if len(table.names) == 2 else table.passed_over
    read = _read_columns(table, [k for k in range(len(table.names)) if k not in passed_over])
    columns = [
        _describe_column(name, read[k], table.notes(k)) if k in read else _blank_column(name, passed_over[k])
        for k, name in enumerate(table.names)
    ]
    errors = [each for each in read.values() if isinstance(each, InputError)]
    numbers = {k: each[0] for k, each in read.items() if not isinstance(each, InputError)}
    rows = max(map(len, numbers.values()), default=0)
    missing = sum(column["missing"] for column in columns)
    judged = sum(column["judged"] for column in columns)
    choices: list[dict[str, Any]] = []
    for choice in (each for error in errors for each in list_choices(error)):
        if choice not in choices:
            choices.append(choice)
    return {
        "rows": rows,
        "missing": missing,
        "judged": judged,
        "understood": [
            *_describe_layout(table, reading),
            *_describe_size(rows, missing, judged, len(columns)),
            *table.notes(*numbers),
        ],
        "columns": columns,
        "choices": choices,
    }


def _read_columns(table: ColumnTable, places: Sequence[int]) -> dict[int, _Read]:
    read: dict[int, _Read] = {}
    for k, raw in zip(places, table.columns_or_errors(*places), strict=True):
        try:
            read[k] = read_column(raw, table.names[k])
        except InputError as problem:
            read[k] = problem
    return read


def _describe_column(name: str, read: _Read, notes: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(read, InputError):
        return _blank_column(name, explain_unreadable(read, name))
    values, own_notes = read
    is_date = has_date_note(name, (*notes, *own_notes))
    present = values[np.isfinite(values)]
    why = explain_unusable(values, MIN_ROWS, is_date)
    record = _blank_column(name, why) | {"judged": not why, "missing": int(np.count_nonzero(np.isnan(values)))}
    record["first"] = [float(each) if np.isfinite(each) else None for each in values[:_FIRST_VALUES]]
    if len(present):
        record |= {"least": float(np.min(present)), "largest": float(np.max(present))}
        record["kind"] = str(classify_column(present, is_date))
    return record | ({} if why else {"bars": _histogram(present)})


def _blank_column(name: str, why: str) -> dict[str, Any]:
    record: dict[str, Any] = {"name": name, "judged": False, "why": why, "kind": "", "missing": 0, "first": []}
    return record | {"bars": [], "least": None, "largest": None}


def _histogram(values: FloatArray) -> list[float]:
    """Heights of a histogram, the highest 1."""
    # Scaled first: the width of a bar of values near the largest doubles is no double.
    unit = float(np.max(np.abs(values)))
    counts = np.histogram(values / unit, BARS)[0]
    return [round(float(each), 3) for each in counts / counts.max()]


def _describe_layout(table: ColumnTable, reading: dict[str, Any]) -> list[str]:
    if not isinstance(table, TextTable):
        return ["A Parquet file, in which every column has its name and type."]
    layout = table.layout
    decimal = reading.get("decimal") or layout.marks.decimal
    return [
        f"Cells are separated by {DELIMITERS[layout.delimiter]}.",
        f"Decimals are written with {_MARKS[decimal]}." if decimal else "No decimals are written.",
        "The first line holds the names." if layout.header else "The columns have no names, so they are numbered.",
    ]


def _describe_size(rows: int, missing: int, judged: int, columns: int) -> list[str]:
    if not rows:  # no column could be read
        return [f"{judged} of {columns} columns can be scored."]
    cells = f"{missing:,} cell{'s' * (missing != 1)} without a value" if missing else "no cell without a value"
    return [f"{rows:,} row{'s' * (rows != 1)}; {cells}.", f"{judged} of {columns} columns can be scored."]
