"""Results for readers: the leaderboard page, figures, and a folder of tables, figures and rows.

The leaderboard is one static page: every method, set and metric, sortable and filterable, without server or network.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from causewise.decision import Decision
from causewise.files import replace_with
from causewise.lab.benchmark import figures, rendering
from causewise.lab.benchmark.metrics import METRICS
from causewise.lab.benchmark.published import paper_figures
from causewise.lab.benchmark.scores import MEAN, ScoreTable, group_rows, summarise
from causewise.lab.benchmark.store import Row, export_rows
from causewise.lab.datasets.storage import list_unverified
from causewise.lab.plotting import FORMATS, figure_style, save
from causewise.report.html_pages import environment
from causewise.version import VERSION


def leaderboard(rows: Sequence[Row]) -> str:
    """The page as text; the same rows give the same bytes but for the seconds."""
    return environment("causewise.lab.benchmark").get_template("leaderboard.html").render(**_contents(rows))


def write_leaderboard(rows: Sequence[Row], path: Path) -> None:
    """Write the page, whole or not at all."""
    replace_with(path, leaderboard(rows).encode("utf-8"))


def write_all(
    rows: Sequence[Row], folder: Path, decisions: Mapping[str, Decision], formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Tables, figures, the page and the rows themselves, from what is stored."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"rows.csv": export_rows(rows), "cost.md": rendering.cost(summarise(rows, intervals=False))}
    for metric in METRICS:
        summary = summarise(rows, metric)
        look = rendering.Look(intervals=True, against="paper" if metric in ("accuracy", "audrc") else "")
        endings = {"md": "md", "csv": "csv", "latex": "tex", "json": "json"}
        texts |= {f"{metric}.{ending}": rendering.render(summary, form, look) for form, ending in endings.items()}
    for name, text in texts.items():
        replace_with(folder / name, text.encode())
    write_leaderboard(rows, folder / "leaderboard.html")
    pictures = draw(rows, folder, decisions, formats)
    return [*(folder / name for name in texts), folder / "leaderboard.html", *pictures]


def draw(
    rows: Sequence[Row],
    folder: Path,
    decisions: Mapping[str, Decision] | None = None,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw what the rows allow; `decisions` are those of the example pair, by the name of the model."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = paper_figures()
    where = contents["example"]
    accuracy, audrc = summarise(rows, "accuracy"), summarise(rows, "audrc")
    with figure_style():
        pictures = {
            "example": figures.example(decisions or {}, f"{where['dataset']}, pair {where['pair_id']}"),
            "accuracy-bars": figures.by_set(accuracy, contents["bars"]),
            "improvement": figures.improvement(accuracy, contents["improvement"], contents["counterparts"]),
            "overall": figures.overall([accuracy, audrc]),
            "decision-rate": figures.decision_rate(audrc, group_rows(rows)),
            "cost": figures.cost(accuracy),
        }
        return [p for name, figure in pictures.items() if figure for p in save(figure, folder, name, formats)]


def _contents(rows: Sequence[Row]) -> dict[str, Any]:
    """Everything the page shows, computed before it is rendered."""
    summaries = {metric: summarise(rows, metric) for metric in METRICS}
    first = summaries["accuracy"]
    columns = [*first.sets, MEAN]
    return {
        "version": VERSION,
        "metrics": list(METRICS),
        "columns": columns,
        "pairs": first.counts(),
        "unverified": list_unverified(first.sets),
        "methods": [_line(method, columns, summaries) for method in first.methods],
        "withholding": [_answers(first, method, columns) for method in first.withholding],
        "notes": rendering.notes(first),
        "total": len(rows),
        "published": any(not math.isnan(_comparable(first, method, c)) for method in first.methods for c in columns),
    }


def _line(method: str, columns: Sequence[str], summaries: dict[str, ScoreTable]) -> dict[str, Any]:
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


def _answers(summary: ScoreTable, method: str, columns: Sequence[str]) -> dict[str, Any]:
    lines = {
        column: _without_nan([summary.value(method, column), *astuple(summary.answer_rates[method, column])])
        for column in columns
        if (method, column) in summary.answer_rates
    }
    return {"name": method, "lines": lines}


def _numbers(summary: ScoreTable, method: str, column: str) -> list[float | None]:
    ours = (summary.value(method, column), *summary.bounds(method, column))
    return _without_nan([*ours, _comparable(summary, method, column)])


def _comparable(summary: ScoreTable, method: str, column: str) -> float:
    """What was published, if it was found the way the page's own numbers are: there is no place for marks."""
    number = summary.published_number(method, column)
    return number.value if number and number.comparable else math.nan


def _without_nan(numbers: Sequence[float]) -> list[float | None]:
    # In full: what is rounded here and again in the page would at times differ from the tables in the last digit.
    return [None if math.isnan(number) else number for number in numbers]
