"""A summary as Markdown, CSV, LaTeX or JSON; the same rows give the same bytes."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from whence.benchmark.summary import MEAN, Summary
from whence.pair import InputError


@dataclass(frozen=True)
class Look:
    """What a table shows beside the values."""

    intervals: bool = False
    paper: bool = False
    """Ours − the paper's."""


def render(summary: Summary, form: str = "md", look: Look | None = None) -> str:
    """The table as text, ending in a line break."""
    if form not in FORMS:
        raise InputError(f"Got the format {form!r}; expected one of {', '.join(FORMS)}.")
    if not summary.methods:
        raise InputError("The store has no rows for this table; run `whence bench run` first or ask for other sets.")
    return FORMS[form](summary, look or Look())


def cost(summary: Summary) -> str:
    """Median seconds per pair, as Markdown; kept out of the main table, which must not depend on the machine."""
    lines = [f"| seconds per pair (median) | {' | '.join(summary.sets)} |", "|---|" + "---:|" * len(summary.sets)]
    for method in summary.methods:
        cells = [summary.cells.get((method, name)) for name in summary.sets]
        lines.append(f"| {method} | {' | '.join('–' if c is None else f'{c.seconds:.3g}' for c in cells)} |")
    return "\n".join(lines) + "\n"


def notes(summary: Summary) -> list[str]:
    """What a reader must know beside the numbers."""
    return [*summary.failures(), *summary.incomplete()]


def _columns(summary: Summary) -> tuple[str, ...]:
    return (*summary.sets, MEAN) if len(summary.sets) > 1 else summary.sets


def _text(summary: Summary, method: str, column: str, look: Look, bold: Callable[[str], str]) -> str:
    value = summary.value(method, column)
    if math.isnan(value):
        return "–"
    text = f"{value:.1f}"
    if text == f"{summary.best(column):.1f}":
        text = bold(text)
    if look.intervals:
        low, high = summary.bounds(method, column)
        text += f" [{low:.0f}–{high:.0f}]"
    printed = summary.printed(method, column)
    if look.paper and not math.isnan(printed):
        text += f" ({value - printed:+.1f})"
    return text


def _lines(summary: Summary, look: Look, bold: Callable[[str], str]) -> Iterator[list[str]]:
    for method in summary.methods:
        yield [method, *(_text(summary, method, column, look, bold) for column in _columns(summary))]


def _caption(summary: Summary, look: Look) -> str:
    parts = [f"{'accuracy' if summary.metric == 'accuracy' else summary.metric.upper()} in percent"]
    parts += ["[95 % bootstrap interval over pairs]"] if look.intervals else []
    parts += ["(ours − paper)"] if look.paper else []
    return ", ".join(parts)


def _markdown(summary: Summary, look: Look) -> str:
    columns = _columns(summary)
    lines = [f"| {_caption(summary, look)} | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    lines += [f"| {' | '.join(cells)} |" for cells in _lines(summary, look, lambda text: f"**{text}**")]
    if said := notes(summary):
        lines += ["", *(f"- {note} (failures count as wrong)." for note in said)]
    return "\n".join(lines) + "\n"


def _latex(summary: Summary, look: Look) -> str:
    columns = _columns(summary)
    head = [f"% {_caption(summary, look)}", rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    body = [" & ".join(["method", *columns]) + r" \\", r"\midrule"]
    for cells in _lines(summary, look, lambda text: rf"\textbf{{{text}}}"):
        body.append(" & ".join([_escaped(cells[0]), *(cell.replace("–", "--") for cell in cells[1:])]) + r" \\")
    tail = [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in notes(summary))]
    return "\n".join([*head, *body, *tail]) + "\n"


def _escaped(text: str) -> str:
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    return text


def _csv(summary: Summary, look: Look) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ["", *(["_low", "_high"] if look.intervals else []), *(["_minus_paper"] if look.paper else [])]
    writer.writerow(["method", *(column + part for column in _columns(summary) for part in parts), "failed"])
    for method in summary.methods:
        failed = sum(cell.failed for (name, _), cell in summary.cells.items() if name == method)
        numbers = [number for column in _columns(summary) for number in _numbers(summary, method, column, look)]
        writer.writerow([method, *("" if math.isnan(number) else f"{number:.4f}" for number in numbers), failed])
    return out.getvalue()


def _numbers(summary: Summary, method: str, column: str, look: Look) -> list[float]:
    value = summary.value(method, column)
    bounds = list(summary.bounds(method, column)) if look.intervals else []
    return [value, *bounds, *([value - summary.printed(method, column)] if look.paper else [])]


def _json(summary: Summary, look: Look) -> str:
    rows = [
        {"method": method} | {column: _record(summary, method, column, look) for column in _columns(summary)}
        for method in summary.methods
    ]
    whole = {"metric": summary.metric, "unit": "percent", "sets": summary.sets, "rows": rows, "notes": notes(summary)}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _record(summary: Summary, method: str, column: str, look: Look) -> dict[str, Any]:
    names = ["value", *(["low", "high"] if look.intervals else []), *(["minus_paper"] if look.paper else [])]
    numbers = _numbers(summary, method, column, look)
    record: dict[str, Any] = {
        name: None if math.isnan(number) else round(number, 4) for name, number in zip(names, numbers, strict=True)
    }
    cell = summary.cells.get((method, column))
    return record if cell is None else record | {"pairs": cell.pairs, "failed": cell.failed}


FORMS: dict[str, Callable[[Summary, Look], str]] = {"md": _markdown, "csv": _csv, "latex": _latex, "json": _json}
