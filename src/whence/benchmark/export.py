"""Rows as CSV: one line per pair and method, in file orientation."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, fields

from whence.benchmark.row import Row

_FIRST = ("dataset", "pair_id", "method", "score", "truth", "correct", "seconds", "status")
COLUMNS = (*_FIRST, *(field.name for field in fields(Row) if field.name not in _FIRST))


def export(rows: Sequence[Row]) -> str:
    """CSV text; a number that is none is an empty cell, `correct` and `flipped` are 1 or 0."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in asdict(row).items()})
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value
