"""The tasks of a worker process: describe a table, score two columns, scan them all, find their graph. Bytes and
settings in, plain values out.
"""

import inspect
import io
import secrets
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import numpy as np

from causewise.column_types import classify_column, explain_unusable
from causewise.errors import InputError
from causewise.examples import EXAMPLES, make_line
from causewise.formatting import json_text, plain_value
from causewise.inference import infer
from causewise.pair import MIN_ROWS, FloatArray, Pair, has_date_note
from causewise.parallel import OnProgress
from causewise.report.html_pages import render_decision, render_graph, render_scan
from causewise.scanning.result import FORMATS
from causewise.scanning.table import read_column
from causewise.serving.answering import answer_graph, answer_pair, answer_scan
from causewise.serving.limits import RequestError, list_choices
from causewise.serving.questions import parse
from causewise.tables import pair_from, read_pair, read_table
from causewise.tables.choose import ColumnTable, explain_unreadable
from causewise.tables.sheets import SheetTable
from causewise.tables.sniff import DELIMITERS
from causewise.tables.text import TextTable
from causewise.web.schema import ArrayPair
from causewise.web.teaching import Lesson, teach


def prepare() -> None:
    """Load and warm everything, so that the first answer takes as long as any other."""
    _render(render_decision, infer(read_pair(io.BytesIO(make_line(40)))))


def overview(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """A table as it was understood; an example brings its bytes along."""
    example = EXAMPLES.get(settings["example"])
    content = example.make() if example else content
    described = describe_table(_open(settings, content), settings["columns"], **settings["reading"])
    return {"overview": described, "content": content if example else b""}


def infer_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """What `causewise infer --json` prints for two columns of a table, and its page where one is wanted."""
    question = settings["question"]
    pair = read_pair(
        _open(settings, content), question["x"], question["y"], question["nan_policy"], **settings["reading"]
    )
    return _infer(pair, question, settings["page"])


def infer_arrays(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """The same for two columns that came as JSON."""
    question = parse(ArrayPair, content)
    pair = pair_from(question.x, question.y, nan_policy=question.nan_policy)
    return _infer(pair, question.model_dump(exclude={"x", "y"}), wants_page=False)


def scan_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """What `causewise scan --out x.json` writes, and its page."""
    question, reading = settings["question"], settings["reading"]
    result = answer_scan(_open(settings, content), question, reading, settings["seconds"], tell)
    record = FORMATS[".json"](result, False).decode()
    return {"title": str(result), "record": record, **_render(render_scan, result)}


def graph_file(settings: dict[str, Any], content: bytes, tell: OnProgress) -> dict[str, Any]:
    """What `causewise graph --out x.json` writes, and its page."""
    result = answer_graph(_open(settings, content), settings["question"], settings["reading"], tell)
    return {"title": str(result), "record": json_text(result.to_dict()), **_render(render_graph, result)}


def draw_lesson(settings: dict[str, Any], content: bytes, tell: OnProgress) -> Any:
    """A simulated pair and what is said of it, for the teaching view."""
    try:
        inspect.signature(Lesson).bind(**settings)
    except TypeError as problem:
        raise RequestError(
            422, f"Got settings that a lesson does not have ({str(problem)[:120]}); expected others."
        ) from None
    return teach(Lesson(**settings))


WORK = {
    "overview": overview,
    "pair": infer_file,
    "arrays": infer_arrays,
    "table": scan_file,
    "graph": graph_file,
    "lesson": draw_lesson,
}


def _open(settings: dict[str, Any], content: bytes) -> io.BytesIO:
    """The bytes as an open file, which sentences call by its name."""
    file = io.BytesIO(content)
    file.name = settings["name"]
    return file


def _infer(pair: Pair, question: dict[str, Any], wants_page: bool) -> dict[str, Any]:
    decision = answer_pair(pair, question)
    rendered = _render(render_decision, decision) if wants_page else {"page": "", "mark": ""}
    return {"title": decision.verdict, "record": json_text(decision.to_dict(), default=plain_value), **rendered}


def _render(render: Callable[..., str], result: Any) -> dict[str, str]:
    """The report's page, with a mark where each response puts the nonce of its policy."""
    # Drawn anew for every page, so that no column's name can hold it.
    mark = f"mark{secrets.token_hex(16)}"
    return {"page": render(result, nonce=mark), "mark": mark}


# ---- a table as it was understood

BARS = 24
"""Of the small picture of a column."""
_FIRST_VALUES = 5
_MOST_SHEETS = 20
"""That are offered."""
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
    choices: list[dict[str, Any]] = [{"sheet": name} for name in getattr(table, "other_sheets", ())[:_MOST_SHEETS]]
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
    if isinstance(table, SheetTable):
        return [f"Cells of {table.where}."]
    if not isinstance(table, TextTable):
        return ["A file in which every column has its name and type."]
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
