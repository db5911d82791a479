"""Results as text: tables of scores in Markdown, CSV, LaTeX or JSON, two methods compared, the contents of a store.

The same rows give the same bytes.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.formatting import csv_text, json_text, markdown_table, visible
from causewise.lab.benchmark.folds import REMARK, is_cross_fitted
from causewise.lab.benchmark.intervals import compare
from causewise.lab.benchmark.published import protocols
from causewise.lab.benchmark.row import Row, Status
from causewise.lab.benchmark.scores import MEAN, ScoreTable, grouped, scored
from causewise.lab.benchmark.sets import counted
from causewise.lab.datasets.registry import remark_on, unverified

SHORT = "†"
"""Beside a number that rests on part of a set."""
_ANSWERED = ("_answered", "_answered_accuracy", "_answered_low", "_answered_high")
_EXPLAINED = (
    "*All pairs* counts the way every score leans, withheld or not; in brackets the 95 % Wilson interval.\n"
    "In the mean every set has the same weight."
)


@dataclass(frozen=True)
class Look:
    """What a table shows beside the values."""

    intervals: bool = False
    against: str = ""
    """Ours − the paper's (`paper`), or − what any source has published (`published`)."""
    raw: bool = False
    """Whether CSV goes to a program and not to a spreadsheet."""


def render(summary: ScoreTable, form: str = "md", look: Look | None = None) -> str:
    """The table as text, ending in a line break."""
    if form not in FORMS:
        raise InputError(f"Got the format {form!r}; expected one of {', '.join(FORMS)}.")
    if not summary.methods:
        raise InputError("The store has no rows for this table; run `causewise bench run` first or ask for other sets.")
    return FORMS[form](summary, look or Look())


def cost(summary: ScoreTable) -> str:
    """Median seconds per pair, as Markdown."""
    # Kept out of the main table, whose bytes must not depend on the machine.
    rows = [(method, *(_seconds(summary, method, name) for name in summary.sets)) for method in summary.methods]
    return markdown_table(("seconds per pair (median)", *summary.sets), rows) + "\n" + _remark(summary.sets)


def withheld(summary: ScoreTable, method: str) -> str:
    """Of a method that withholds answers, as Markdown: a line per set, narrow enough for a terminal."""
    head = (f"{method}, in percent", "all pairs", "answered", "right of the answered")
    rows = [(column, *_given(summary, method, column)) for column in _columns(summary)]
    return markdown_table(head, rows, padded=True) + "\n"


def comparison_table(rows: Sequence[Row], a: str, b: str, metric: str) -> str:
    """One line per set: A − B in points, its 95 % interval, who alone is right how often, the exact sign test."""
    groups = grouped(rows)
    known = sorted({method for method, _ in groups})
    if missing := [method for method in (a, b) if method not in known]:
        raise InputError(f"Got the method {missing[0]!r}; the store has: {', '.join(known)}.")
    sets = [name for method, name in groups if method == a and (b, name) in groups]
    head = (f"{metric}: {a} − {b}", "pairs", "difference", "95 % interval", f"only {a} right", f"only {b} right", "p")
    lines = []
    for name in sets:
        first, second = _shared(groups[a, name], groups[b, name])
        if not first:
            continue
        result = compare(scored(first), scored(second), metric, name)
        bounds = f"{100 * result.low:+.1f} … {100 * result.high:+.1f}"
        pairs = counted(name, result.pairs, len({row.seed for row in first}))
        difference = f"{100 * result.difference:+.1f}"
        alone = (str(result.only_a), str(result.only_b))
        lines.append((name, pairs, difference, bounds, *alone, f"{result.p_value:.2g}"))
    return markdown_table(head, lines) + "\n" + _remark(sets)


def store_contents(rows: Sequence[Row]) -> str:
    """One line per method and set: rows by status, seconds, and a sample of what went wrong."""
    head = ("method", "set", "pairs", "status", "seconds per pair", "first failure")
    lines = []
    for (method, name), group in sorted(grouped(rows).items()):
        counts = Counter(row.status for row in group)
        said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        kept = sum(row.withheld for row in group)
        said += f"; {kept} withheld" if kept else ""
        failed = next((row for row in group if Status(row.status).broken), None)
        why = "" if failed is None else f"pair {failed.pair_id}: {failed.message}"
        seconds = float(np.median([row.seconds for row in group]))
        lines.append((method, name, str(len(group)), said, f"{seconds:.3g}", why))
    return markdown_table(head, lines, "llrlrl") + "\n" + _remark({row.dataset for row in rows})


def notes(summary: ScoreTable) -> list[str]:
    """What a reader must know beside the numbers."""
    fitted = any(is_cross_fitted(method, name) for method in summary.methods for name in summary.sets)
    remarks = filter(None, (REMARK if fitted else "", remark_on(summary.sets)))
    return [*summary.failures(), *summary.incomplete(), *summary.partial(), *remarks]


def _explained(summary: ScoreTable, look: Look) -> list[str]:
    """What the letters beside published numbers mean, of those that are there."""
    used = "".join(_marks(summary, method, column, look) for method in summary.methods for column in _columns(summary))
    return [f"{each.mark}: {each.says}" for each in protocols().values() if each.mark in used]


def _remark(sets: Collection[str]) -> str:
    return f"\n- {remark_on(sets)}.\n" if unverified(sets) else ""


def _columns(summary: ScoreTable) -> tuple[str, ...]:
    return (*summary.sets, MEAN) if len(summary.sets) > 1 else summary.sets


def _seconds(summary: ScoreTable, method: str, name: str) -> str:
    return f"{summary.cells[method, name].seconds:.3g}" if (method, name) in summary.cells else "–"


def _text(summary: ScoreTable, method: str, column: str, look: Look, bold: Callable[[str], str]) -> str:
    value = summary.value(method, column)
    if math.isnan(value):
        return "–"
    # Compared as displayed: two methods that show the same number are both the best.
    text = f"{value:.1f}"
    if text == f"{summary.best(column):.1f}":
        text = bold(text)
    text += SHORT if summary.is_partial(method, column) else ""
    if look.intervals:
        low, high = summary.bounds(method, column)
        text += f" [{low:.0f}–{high:.0f}]"
    theirs = _theirs(summary, method, column, look)
    if not math.isnan(theirs):
        text += f" ({value - theirs:+.1f}{_marks(summary, method, column, look)})"
    return text


def _theirs(summary: ScoreTable, method: str, column: str, look: Look) -> float:
    """What ours is compared with; NaN where there is nothing."""
    if look.against == "paper":
        return summary.printed(method, column)
    number = summary.published(method, column) if look.against else None
    return math.nan if number is None else number.value


def _marks(summary: ScoreTable, method: str, column: str, look: Look) -> str:
    """The letters that say how a published number came about; the paper's has none."""
    number = summary.published(method, column) if look.against == "published" else None
    return f" {number.marks}" if number and number.marks else ""


def _given(summary: ScoreTable, method: str, column: str) -> list[str]:
    value, found = summary.value(method, column), summary.answer_rates.get((method, column))
    if found is None:
        return ["–", "–", "–"]
    right = "–" if math.isnan(found.accuracy) else f"{found.accuracy:.1f} [{found.low:.0f}–{found.high:.0f}]"
    return [f"{value:.1f}", f"{found.share:.1f}", right]


def _withholding(summary: ScoreTable) -> list[str]:
    """Methods whose given answers are shown apart."""
    # The areas under a curve rank all pairs, withheld or not; only accuracy is a matter of answers given.
    return summary.withholding if summary.metric == "accuracy" else []


def _lines(summary: ScoreTable, look: Look, bold: Callable[[str], str]) -> Iterator[list[str]]:
    for method in summary.methods:
        yield [method, *(_text(summary, method, column, look, bold) for column in _columns(summary))]


def _caption(summary: ScoreTable, look: Look) -> str:
    parts = [f"{'accuracy' if summary.metric == 'accuracy' else summary.metric.upper()} in percent"]
    parts += ["[95 % bootstrap interval over pairs]"] if look.intervals else []
    parts += [f"(ours − {look.against})"] if look.against else []
    parts += [f"{SHORT} = not all pairs"] if _any_short(summary) else []
    return ", ".join(parts)


def _any_short(summary: ScoreTable) -> bool:
    return any(summary.is_partial(method, MEAN) for method in summary.methods)


def _markdown(summary: ScoreTable, look: Look) -> str:
    head = (_caption(summary, look), *_columns(summary))
    lines = [markdown_table(head, list(_lines(summary, look, lambda text: f"**{text}**")))]
    for method in _withholding(summary):
        lines += ["", withheld(summary, method).rstrip()]
    if _withholding(summary):
        lines += ["", _EXPLAINED]
    if said := notes(summary) + _explained(summary, look):
        failures = summary.failures()
        lines += ["", *(f"- {visible(note)}{' (failures count as wrong)' * (note in failures)}." for note in said)]
    return "\n".join(lines) + "\n"


def _latex(summary: ScoreTable, look: Look) -> str:
    columns = _columns(summary)
    head = [f"% {_caption(summary, look)}", rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    body = [" & ".join(["method", *map(_escaped, columns)]) + r" \\", r"\midrule"]
    for cells in _lines(summary, look, lambda text: rf"\textbf{{{text}}}"):
        body.append(_latex_line(cells))
    for method in _withholding(summary):
        given = zip(*(_given(summary, method, column)[1:] for column in columns), strict=True)
        names = (f"{method}: answered", f"{method}: right of the answered")
        body += [r"\midrule", *(_latex_line([name, *cells]) for name, cells in zip(names, given, strict=True))]
    said = notes(summary) + _explained(summary, look)
    tail = [r"\bottomrule", r"\end{tabular}", *(f"% {visible(note)}" for note in said)]
    return "\n".join([*head, *body, *tail]) + "\n"


def _latex_line(cells: list[str]) -> str:
    numbers = (cell.replace("–", "--").replace(SHORT, r"$^\dagger$") for cell in cells[1:])
    return " & ".join([_escaped(cells[0]), *numbers]) + r" \\"


def _escaped(text: str) -> str:
    text = visible(text).replace("\\", r"\textbackslash ")
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    return text


def _csv(summary: ScoreTable, look: Look) -> str:
    parts = ["", *(f"_{name}" for name in _beside(look))]
    columns = _columns(summary)
    extra = [column + part for column in columns for part in _ANSWERED] if _withholding(summary) else []
    counted = [f"{name}_pairs" for name in summary.sets] if _any_short(summary) else []
    unsure = unverified(summary.sets)
    remark = {"unverified_sets": " ".join(unsure)} if unsure else {}
    lines = [["method", *(column + part for column in columns for part in parts), "failed", *counted, *extra, *remark]]
    for method in summary.methods:
        failed = sum(cell.failed for (name, _), cell in summary.cells.items() if name == method)
        numbers = [number for column in columns for number in _numbers(summary, method, column, look)]
        more = [number for column in columns for number in _answers(summary, method, column)] if extra else []
        cells = [summary.cells.get((method, name)) for name in summary.sets] if counted else []
        pairs = ["" if cell is None else str(cell.pairs) for cell in cells]
        line = [*map(_decimal, numbers), str(failed), *pairs, *map(_decimal, more)]
        lines.append([method, *line, *remark.values()])
    return csv_text(lines, look.raw)


def _beside(look: Look) -> list[str]:
    """What stands beside a value where columns have names."""
    return [*(["low", "high"] if look.intervals else []), *([f"minus_{look.against}"] if look.against else [])]


def _decimal(number: float) -> str:
    return "" if math.isnan(number) else f"{number:.4f}"


def _answers(summary: ScoreTable, method: str, column: str) -> tuple[float, ...]:
    found = summary.answer_rates.get((method, column))
    return (math.nan,) * len(_ANSWERED) if found is None else astuple(found)


def _numbers(summary: ScoreTable, method: str, column: str, look: Look) -> list[float]:
    value = summary.value(method, column)
    bounds = list(summary.bounds(method, column)) if look.intervals else []
    return [value, *bounds, *([value - _theirs(summary, method, column, look)] if look.against else [])]


def _json(summary: ScoreTable, look: Look) -> str:
    rows = [
        {"method": method} | {column: _record(summary, method, column, look) for column in _columns(summary)}
        for method in summary.methods
    ]
    whole = {"metric": summary.metric, "unit": "percent", "sets": summary.sets, "rows": rows, "notes": notes(summary)}
    return json_text(whole, indent=1) + "\n"


def _record(summary: ScoreTable, method: str, column: str, look: Look) -> dict[str, Any]:
    record = _named(["value", *_beside(look)], _numbers(summary, method, column, look))
    number = summary.published(method, column) if look.against == "published" else None
    if number is not None:
        record |= {"source": number.source, "protocol": [each.name for each in number.protocol]}
    if method in _withholding(summary):
        record["answered"] = _named(["share", "accuracy", "low", "high"], _answers(summary, method, column))
    cell = summary.cells.get((method, column))
    return record if cell is None else record | {"pairs": cell.pairs, "failed": cell.failed}


def _named(names: Sequence[str], numbers: Sequence[float]) -> dict[str, Any]:
    return {name: None if math.isnan(number) else round(number, 4) for name, number in zip(names, numbers, strict=True)}


def _shared(a: Sequence[Row], b: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of the pairs (and seeds) both have, in the same order."""
    theirs = {(row.seed, row.pair_id): row for row in b}
    first = [row for row in a if (row.seed, row.pair_id) in theirs]
    return first, [theirs[row.seed, row.pair_id] for row in first]


FORMS: dict[str, Callable[[ScoreTable, Look], str]] = {"md": _markdown, "csv": _csv, "latex": _latex, "json": _json}
