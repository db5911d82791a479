"""Files of Stata (.dta), SPSS (.sav, .zsav) and SAS (.sas7bdat, .xpt) -> columns, with the labels of their values.

A column whose every value has a label holds categories: in the order of their numbers where SPSS calls it ordinal, and
without a known order elsewhere, since no other format says. Labels of a few values (99: refused) leave it numbers, and
a note names them.
"""

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.tables.cells import quote_cell
from causewise.tables.frames import FrameTable, as_table, describe_levels
from causewise.tables.source import ReadOptions
from causewise.worker import CrashError, call_apart

_NAMES = {"stata": "Stata", "spss": "SPSS", "sas": "SAS", "sas transport": "SAS transport"}
_READERS = {"stata": "read_dta", "spss": "read_sav", "sas": "read_sas7bdat", "sas transport": "read_xport"}
_CELL_BYTES = 32
_LISTED = 5


@dataclass(frozen=True)
class _Content:
    """Columns by name, and of some the labels of their values and what SPSS calls them."""

    columns: Mapping[str, list[Any]]
    labels: Mapping[str, Mapping[Any, str]]
    measures: Mapping[str, str]


def stat_table(content: bytes, kind: str, where: str, options: ReadOptions) -> FrameTable:
    """A file of a statistics program, given by its bytes."""
    try:
        import pyreadstat  # noqa: F401  # before anything is spent on the file
    except ImportError:
        raise InputError(
            f"Got a file of {_NAMES[kind]}, {where}, and no reader for it is installed; install one with: "
            "pip install '.[stats]', or save it as CSV."
        ) from None
    # Damaged files crash the reader.
    try:
        return _label_columns(call_apart(_read, content, kind, where, options))
    except CrashError:
        raise _damaged_error(kind, where, "its reader crashed") from None


def _read(content: bytes, kind: str, where: str, options: ReadOptions) -> _Content:
    import pyreadstat

    read = getattr(pyreadstat, _READERS[kind])
    try:
        _, facts = read(io.BytesIO(content), metadataonly=True)
        row_bytes = sum(max(width, _CELL_BYTES) for width in facts.variable_storage_width.values()) or _CELL_BYTES
        most = min(options.max_lines, options.max_bytes // row_bytes)
        columns, facts = read(io.BytesIO(content), output_format="dict", row_limit=most + 1)
    except MemoryError:
        raise
    except Exception as problem:  # its own error, and what dates beyond Python's raise
        raise _damaged_error(kind, where, str(problem)) from None
    rows = len(next(iter(columns.values()), ()))
    options.check_rows(rows, where)
    options.check_bytes(rows * row_bytes, where)
    return _Content(dict(columns), dict(facts.variable_value_labels), dict(facts.variable_measure))


def _label_columns(content: _Content) -> FrameTable:
    held, remarks, unordered = dict[str, Any](), dict[int, str](), set[int]()
    for k, (name, values) in enumerate(content.columns.items()):
        labels = content.labels.get(name, {})
        present = {value for value in values if value is not None and value == value}
        named = [value for value in sorted(labels, key=str) if value in present]
        if present and len(named) == len(present):
            if content.measures.get(name) == "ordinal":
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


def _damaged_error(kind: str, where: str, reason: str) -> InputError:
    return InputError(
        f"Could not read {where} as a file of {_NAMES[kind]} ({' '.join(reason.split())[:120]}); expected a whole one: "
        "save it again, or as CSV."
    )
