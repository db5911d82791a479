"""A table as it was understood: how it was read, and column by column what can be judged and why the rest cannot."""

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from causewise.column_types import kind_of, unfit
from causewise.errors import InputError
from causewise.pair import MIN_ROWS, FloatArray, as_column, has_date_note
from causewise.tables import read_table
from causewise.tables.choose import ColumnTable
from causewise.tables.sniff import DELIMITERS
from causewise.tables.text import TextTable
from causewise.web.refusal import choices

BARS = 24
"""Of the small picture of a column."""
_SHOWN = 5
"""First values of a column."""
_MARKS = {".": "a point", ",": "a comma"}


def overview(stream: BinaryIO, most_columns: int, **asked: Any) -> dict[str, Any]:
    """What a person should check before anything is asked of a table; a refusal where it cannot be read at all."""
    table, where = read_table(stream, **asked)
    if len(table.names) > most_columns:
        raise InputError(
            f"Got {len(table.names):,} columns in {where}; expected at most {most_columns:,}, which is what this page "
            "takes: leave some out, or use causewise scan on the command line."
        )
    # Of two columns both are meant, and whoever holds them against each other is told what is wrong with one.
    passed_over = {} if len(table.names) == 2 else table.passed_over
    read = _readable(table, [k for k in range(len(table.names)) if k not in passed_over])
    columns = [
        _column(name, read[k] if k in read else InputError(passed_over[k]), table.notes(k) if k in read else ())
        for k, name in enumerate(table.names)
    ]
    rows = max((len(each[0]) for each in read.values() if not isinstance(each, InputError)), default=0)
    missing = sum(column["missing"] for column in columns)
    judged = sum(column["judged"] for column in columns)
    places = [k for k, each in read.items() if not isinstance(each, InputError)]
    understood = [*_layout_words(table, asked), *_counts(rows, missing, judged, len(columns)), *table.notes(*places)]
    found = {"rows": rows, "missing": missing, "judged": judged, "understood": understood, "columns": columns}
    unclear = [each for problem in read.values() if isinstance(problem, InputError) for each in choices(problem)]
    return found | {"choices": [each for k, each in enumerate(unclear) if each not in unclear[:k]]}


def _readable(table: ColumnTable, places: Sequence[int]) -> dict[int, tuple[FloatArray, tuple[str, ...]] | InputError]:
    """Columns as numbers with what is to be said of them, or the refusal that says why not.

    All are read in one pass; where one spoils it, the halves are, so that few bad columns cost few passes more.
    """
    if not places:
        return {}
    try:
        raw = table.columns(*places)
        return {k: as_column(values, table.names[k]) for k, values in zip(places, raw, strict=True)}
    except InputError as problem:
        if len(places) == 1:
            return {places[0]: problem}
        middle = len(places) // 2
        return _readable(table, places[:middle]) | _readable(table, places[middle:])


def _column(name: str, read: tuple[FloatArray, tuple[str, ...]] | InputError, notes: tuple[str, ...]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": name,
        "judged": False,
        "why": "",
        "kind": "",
        "missing": 0,
        "first": [],
        "bars": [],
    }
    facts |= {"least": None, "largest": None}
    if isinstance(read, InputError):
        return facts | {"why": str(read)}
    values, said = read
    dated = has_date_note(name, (*notes, *said))
    present = values[np.isfinite(values)]
    facts |= {"why": unfit(values, MIN_ROWS, dated), "missing": int(np.count_nonzero(np.isnan(values)))}
    facts["judged"] = not facts["why"]
    facts["first"] = [float(each) if np.isfinite(each) else None for each in values[:_SHOWN]]
    if len(present):
        facts |= {
            "least": float(np.min(present)),
            "largest": float(np.max(present)),
            "kind": str(kind_of(present, dated)),
        }
    return facts | ({"bars": _bars(present)} if facts["judged"] else {})


def _bars(values: FloatArray) -> list[float]:
    """Heights of a histogram, the highest 1."""
    # Scaled first: the width of a bar of values near the largest doubles is no double.
    unit = float(np.max(np.abs(values)))
    counts = np.histogram(values / unit, BARS)[0]
    return [round(float(each), 3) for each in counts / counts.max()]


def _layout_words(table: ColumnTable, asked: dict[str, Any]) -> list[str]:
    if not isinstance(table, TextTable):
        return ["A Parquet file, in which every column has its name and type."]
    layout = table.layout
    decimal = asked.get("decimal") or layout.marks.decimal
    return [
        f"Cells are separated by {DELIMITERS[layout.delimiter]}.",
        f"Decimals are written with {_MARKS[decimal]}." if decimal else "No decimals are written.",
        "The first line holds the names." if layout.header else "The columns have no names, so they are numbered.",
    ]


def _counts(rows: int, missing: int, judged: int, columns: int) -> list[str]:
    if not rows:  # no column could be read
        return [f"{judged} of {columns} columns can be judged."]
    cells = f"{missing:,} cell{'s' * (missing != 1)} without a value" if missing else "no cell without a value"
    return [f"{rows:,} row{'s' * (rows != 1)}; {cells}.", f"{judged} of {columns} columns can be judged."]
