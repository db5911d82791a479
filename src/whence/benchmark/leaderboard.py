"""One static page: every method, set and metric, sortable and filterable, without a server or a network."""

import json
import math
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from whence.benchmark.metrics import METRICS
from whence.benchmark.row import Row
from whence.benchmark.summary import MEAN, Summary, summarise
from whence.benchmark.tables import notes
from whence.version import VERSION


def page(rows: Sequence[Row]) -> str:
    """The page as text; the same rows give the same bytes but for the seconds."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("whence.benchmark"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("leaderboard.html").render(**contents(rows))


def write(rows: Sequence[Row], path: Path) -> None:
    """Write the page."""
    path.write_text(page(rows), encoding="utf-8")


def contents(rows: Sequence[Row]) -> dict[str, Any]:
    """Everything the page shows, computed before it is rendered."""
    summaries = {metric: summarise(rows, metric) for metric in METRICS}
    first = summaries["accuracy"]
    columns = [*first.sets, MEAN]
    return {
        "version": VERSION,
        "metrics": list(METRICS),
        "columns": columns,
        "pairs": first.counts(),
        "methods": [_line(method, columns, summaries) for method in first.methods],
        "best": {metric: {c: summary.best(c) for c in columns} for metric, summary in summaries.items()},
        "withholding": [_withheld(first, method, columns) for method in first.withholding],
        "notes": notes(first),
        "total": len(rows),
    }


def _line(method: str, columns: Sequence[str], summaries: dict[str, Summary]) -> dict[str, Any]:
    first = summaries["accuracy"]
    cells = [cell for (name, _), cell in first.cells.items() if name == method]
    by_column = {
        column: json.dumps({metric: _numbers(summary, method, column) for metric, summary in summaries.items()})
        for column in columns
    }
    return {
        "name": method,
        "cells": by_column,
        "shown": {column: first.value(method, column) for column in columns},
        "seconds": sum(cell.seconds for cell in cells) / len(cells),
        "failed": sum(cell.failed for cell in cells),
    }


def _withheld(summary: Summary, method: str, columns: Sequence[str]) -> dict[str, Any]:
    known = [column for column in columns if (method, column) in summary.answered]
    lines = {column: [summary.value(method, column), *astuple(summary.answered[method, column])] for column in known}
    return {"name": method, "lines": {column: _rounded(numbers) for column, numbers in lines.items()}}


def _numbers(summary: Summary, method: str, column: str) -> list[float | None]:
    numbers = [summary.value(method, column), *summary.bounds(method, column), summary.printed(method, column)]
    return _rounded(numbers)


def _rounded(numbers: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(number) else round(number, 2) for number in numbers]
