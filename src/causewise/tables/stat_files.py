"""Files of Stata (.dta), SPSS (.sav, .zsav) and SAS (.sas7bdat, .xpt) -> columns, with the labels of their values.

A column whose every value has a label holds categories: in the order of their numbers where SPSS calls it ordinal, and
without a known order elsewhere, since no other format says. Labels of a few values (99: refused) leave it numbers, and
a note names them.
"""

import io
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.tables.cells import quote_cell
from causewise.tables.frames import FrameTable, as_table, describe_levels
from causewise.tables.source import ReadOptions

_NAMES = {"stata": "Stata", "spss": "SPSS", "sas": "SAS", "sas transport": "SAS transport"}
_READERS = {"stata": "read_dta", "spss": "read_sav", "sas": "read_sas7bdat", "sas transport": "read_xport"}
_CELL_BYTES = 32
_LISTED = 5


def stat_table(content: bytes, kind: str, where: str, options: ReadOptions) -> FrameTable:
    """A file of a statistics program, given by its bytes."""
    try:
        import pyreadstat
    except ImportError:
        raise InputError(
            f"Got the {_NAMES[kind]} file {where}, and no reader for it is installed; install one with: "
            "pip install '.[stats]', or save it as CSV."
        ) from None
    read = getattr(pyreadstat, _READERS[kind])
    _, facts = _guard(lambda: read(io.BytesIO(content), metadataonly=True), kind, where)
    row_bytes = sum(max(width, _CELL_BYTES) for width in facts.variable_storage_width.values()) or _CELL_BYTES
    most = min(options.max_lines, options.max_bytes // row_bytes)
    columns, facts = _guard(lambda: read(io.BytesIO(content), output_format="dict", row_limit=most + 1), kind, where)
    rows = len(next(iter(columns.values()), ()))
    options.check_rows(rows, where)
    options.check_bytes(rows * row_bytes, where)
    return _label_columns(columns, facts)


def _label_columns(columns: Mapping[str, list[Any]], facts: Any) -> FrameTable:
    held, remarks, unordered = dict[str, Any](), dict[int, str](), set[int]()
    for k, (name, values) in enumerate(columns.items()):
        labels = facts.variable_value_labels.get(name, {})
        present = {value for value in values if value is not None and value == value}
        named = [value for value in sorted(labels, key=str) if value in present]
        if present and len(named) == len(present):
            if facts.variable_measure.get(name) == "ordinal":
                levels = sorted(labels)
                place: dict[Any, float] = {level: i for i, level in enumerate(levels)}
                held[name] = np.array([place.get(value, math.nan) for value in values])
                remarks[k] = describe_levels(name, [labels[level] for level in levels])
            else:
                held[name] = np.array([*(labels.get(value) for value in values), None], dtype=object)[:-1]
                unordered.add(k)
            continue
        held[name] = _as_numbers(values)
        if named:
            listed = ", ".join(f"{value:g}: {quote_cell(labels[value])}" for value in named[:_LISTED])
            remarks[k] = f"{name!r} has numbers with a label ({listed}), which are read as numbers."
    return replace(as_table(held), remarks=remarks, unordered=frozenset(unordered))


def _as_numbers(values: list[Any]) -> Any:
    """A column of numbers with gaps as an array of them; any other as it is."""
    try:
        return np.array([math.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        return np.array([*values, None], dtype=object)[:-1]


def _guard(read: Callable[[], tuple[Any, Any]], kind: str, where: str) -> tuple[Any, Any]:
    try:
        return read()
    except Exception as problem:  # its own error, and what dates beyond Python's raise
        reason = " ".join(str(problem).split())[:120]
        raise InputError(
            f"Could not read {where} as a file of {_NAMES[kind]} ({reason}); expected a whole one: save it again, or "
            "as CSV."
        ) from None
