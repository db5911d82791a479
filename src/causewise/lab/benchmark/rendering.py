"""Results as text: tables of scores in Markdown, CSV, LaTeX or JSON, two methods compared, the contents of a store.

The same rows give the same bytes.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.formatting import csv_text, json_text, markdown_table, visible
from causewise.lab.benchmark.metrics import compare
from causewise.lab.benchmark.published import PAPER, Published, protocols
from causewise.lab.benchmark.scores import MEAN, AnswerRate, ScoreTable, group_rows, pair_scores
from causewise.lab.benchmark.sets import CROSS_FITTING_REMARK, count_pairs, is_cross_fitted
from causewise.lab.benchmark.store import Row, Status
from causewise.lab.datasets.storage import list_unverified, remark_on

PARTIAL = "†"
"""Beside a number that rests on part of a set."""
_ABOUT_WITHHELD = (
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
    cells = [[summary.cells.get((method, name)) for name in summary.sets] for method in summary.methods]
    seconds = [["–" if cell is None else f"{cell.seconds:.3g}" for cell in line] for line in cells]
    rows = [(method, *line) for method, line in zip(summary.methods, seconds, strict=True)]
    return markdown_table(("seconds per pair (median)", *summary.sets), rows) + "\n" + _remark(summary.sets)


def withheld_table(summary: ScoreTable, method: str) -> str:
    """Of a method that withholds answers, as Markdown: a line per set, narrow enough for a terminal."""
    head = (f"{method}, in percent", "all pairs", "answered", "right of the answered")
    rows = [(column, *_answer_words(summary, method, column)) for column in _columns(summary)]
    return markdown_table(head, rows, padded=True) + "\n"


def comparison_table(rows: Sequence[Row], a: str, b: str, metric: str) -> str:
    """One line per set: A − B in points, its 95 % interval, who alone is right how often, the exact sign test."""
    groups = group_rows(rows)
    known = sorted({method for method, _ in groups})
    if missing := [method for method in (a, b) if method not in known]:
        raise InputError(f"Got the method {missing[0]!r}; the store has: {', '.join(known)}.")
    sets = [name for method, name in groups if method == a and (b, name) in groups]
    head = (f"{metric}: {a} − {b}", "pairs", "difference", "95 % interval", f"only {a} right", f"only {b} right", "p")
    lines = []
    for name in sets:
        # The rows of the pairs (and seeds) both have, in the same order.
        theirs = {(row.seed, row.pair_id): row for row in groups[b, name]}
        first = [row for row in groups[a, name] if (row.seed, row.pair_id) in theirs]
        if not first:
            continue
        second = [theirs[row.seed, row.pair_id] for row in first]
        result = compare(pair_scores(first), pair_scores(second), metric, name)
        bounds = f"{100 * result.low:+.1f} … {100 * result.high:+.1f}"
        pairs = count_pairs(name, result.pairs, len({row.seed for row in first}))
        alone = (str(result.only_a), str(result.only_b))
        lines.append((name, pairs, f"{100 * result.difference:+.1f}", bounds, *alone, f"{result.p_value:.2g}"))
    return markdown_table(head, lines) + "\n" + _remark(sets)


def store_contents(rows: Sequence[Row]) -> str:
    """One line per method and set: rows by status, seconds, and a sample of what went wrong."""
    head = ("method", "set", "pairs", "status", "seconds per pair", "first failure")
    lines = []
    for (method, name), group in sorted(group_rows(rows).items()):
        counts = Counter(row.status for row in group)
        status = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        if withheld := sum(row.withheld for row in group):
            status += f"; {withheld} withheld"
        failed = next((row for row in group if Status(row.status).broken), None)
        why = "" if failed is None else f"pair {failed.pair_id}: {failed.message}"
        seconds = float(np.median([row.seconds for row in group]))
        lines.append((method, name, str(len(group)), status, f"{seconds:.3g}", why))
    return markdown_table(head, lines, "llrlrl") + "\n" + _remark({row.dataset for row in rows})


def notes(summary: ScoreTable) -> list[str]:
    """What a reader must know beside the numbers."""
    fitted = any(is_cross_fitted(method, name) for method in summary.methods for name in summary.sets)
    remarks = filter(None, (CROSS_FITTING_REMARK if fitted else "", remark_on(summary.sets)))
    return [*summary.failures(), *summary.incomplete(), *summary.partial(), *remarks]


def _remark(sets: Collection[str]) -> str:
    return f"\n- {remark_on(sets)}.\n" if list_unverified(sets) else ""


def _columns(summary: ScoreTable) -> tuple[str, ...]:
    return (*summary.sets, MEAN) if len(summary.sets) > 1 else summary.sets


def _withholding(summary: ScoreTable) -> list[str]:
    # The areas under a curve rank all pairs, withheld or not; only accuracy is a matter of answers given.
    return summary.withholding if summary.metric == "accuracy" else []


# ---- numbers


def _find_published(summary: ScoreTable, method: str, column: str, look: Look) -> Published | None:
    """What ours is compared with."""
    return summary.published_number(method, column, PAPER if look.against == "paper" else "") if look.against else None


def _numbers(summary: ScoreTable, method: str, column: str, look: Look) -> dict[str, float]:
    numbers = {"value": summary.value(method, column)}
    if look.intervals:
        numbers["low"], numbers["high"] = summary.bounds(method, column)
    if look.against:
        theirs = _find_published(summary, method, column, look)
        numbers[f"minus_{look.against}"] = math.nan if theirs is None else numbers["value"] - theirs.value
    return numbers


def _answer_rate(summary: ScoreTable, method: str, column: str) -> dict[str, float]:
    missing = AnswerRate(math.nan, math.nan, math.nan, math.nan)
    return asdict(summary.answer_rates.get((method, column), missing))


def _answer_words(summary: ScoreTable, method: str, column: str) -> list[str]:
    rate = summary.answer_rates.get((method, column))
    if rate is None:
        return ["–", "–", "–"]
    right = "–" if math.isnan(rate.accuracy) else f"{rate.accuracy:.1f} [{rate.low:.0f}–{rate.high:.0f}]"
    return [f"{summary.value(method, column):.1f}", f"{rate.share:.1f}", right]


# ---- for people


def _text(summary: ScoreTable, method: str, column: str, look: Look, bold: str) -> str:
    value = summary.value(method, column)
    if math.isnan(value):
        return "–"
    # Compared as displayed: two methods that show the same number are both the best.
    text = f"{value:.1f}"
    if text == f"{summary.best(column):.1f}":
        text = bold % text
    text += PARTIAL if summary.is_partial(method, column) else ""
    if look.intervals:
        low, high = summary.bounds(method, column)
        text += f" [{low:.0f}–{high:.0f}]"
    if theirs := _find_published(summary, method, column, look):
        text += f" ({value - theirs.value:+.1f}{f' {theirs.marks}' if theirs.marks else ''})"
    return text


def _lines(summary: ScoreTable, look: Look, bold: str) -> Iterator[list[str]]:
    for method in summary.methods:
        yield [method, *(_text(summary, method, column, look, bold) for column in _columns(summary))]


def _caption(summary: ScoreTable, look: Look) -> str:
    parts = [f"{'accuracy' if summary.metric == 'accuracy' else summary.metric.upper()} in percent"]
    parts += ["[95 % bootstrap interval over pairs]"] if look.intervals else []
    parts += [f"(ours − {look.against})"] if look.against else []
    parts += [f"{PARTIAL} = not all pairs"] if _any_partial(summary) else []
    return ", ".join(parts)


def _any_partial(summary: ScoreTable) -> bool:
    return any(summary.is_partial(method, MEAN) for method in summary.methods)


def _legend(summary: ScoreTable, look: Look) -> list[str]:
    """What the letters beside published numbers mean, of those that are there."""
    numbers = (
        _find_published(summary, method, column, look) for method in summary.methods for column in _columns(summary)
    )
    marks = {mark for number in numbers if number for mark in number.marks}
    return [f"{each.mark}: {each.says}" for each in protocols().values() if each.mark in marks]


def _markdown(summary: ScoreTable, look: Look) -> str:
    head = (_caption(summary, look), *_columns(summary))
    lines = [markdown_table(head, list(_lines(summary, look, "**%s**")))]
    for method in _withholding(summary):
        lines += ["", withheld_table(summary, method).rstrip()]
    if _withholding(summary):
        lines += ["", _ABOUT_WITHHELD]
    if remarks := notes(summary) + _legend(summary, look):
        failures = summary.failures()
        lines += ["", *(f"- {visible(note)}{' (failures count as wrong)' * (note in failures)}." for note in remarks)]
    return "\n".join(lines) + "\n"


def _latex(summary: ScoreTable, look: Look) -> str:
    columns = _columns(summary)
    head = [f"% {_caption(summary, look)}", rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    body = [" & ".join(["method", *map(_escape_latex, columns)]) + r" \\", r"\midrule"]
    body += [_latex_line(cells) for cells in _lines(summary, look, r"\textbf{%s}")]
    for method in _withholding(summary):
        answers = zip(*(_answer_words(summary, method, column)[1:] for column in columns), strict=True)
        names = (f"{method}: answered", f"{method}: right of the answered")
        body += [r"\midrule", *(_latex_line([name, *cells]) for name, cells in zip(names, answers, strict=True))]
    remarks = [f"% {visible(note)}" for note in notes(summary) + _legend(summary, look)]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}", *remarks]) + "\n"


def _latex_line(cells: Sequence[str]) -> str:
    numbers = (cell.replace("–", "--").replace(PARTIAL, r"$^\dagger$") for cell in cells[1:])
    return " & ".join([_escape_latex(cells[0]), *numbers]) + r" \\"


def _escape_latex(text: str) -> str:
    text = visible(text).replace("\\", r"\textbackslash ")
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    return text


# ---- for programs


def _csv(summary: ScoreTable, look: Look) -> str:
    lines = [_csv_line(summary, method, look) for method in summary.methods]
    return csv_text([[name for name, _ in lines[0]], *([cell for _, cell in line] for line in lines)], look.raw)


def _csv_line(summary: ScoreTable, method: str, look: Look) -> list[tuple[str, str]]:
    """Every cell with the name of its column; no dictionary, since a set may be named as another's column is."""
    line = [("method", method)]
    for column in _columns(summary):
        for name, number in _numbers(summary, method, column, look).items():
            line.append((column if name == "value" else f"{column}_{name}", _decimal(number)))
    line.append(("failed", str(sum(cell.failed for (name, _), cell in summary.cells.items() if name == method))))
    for name in summary.sets if _any_partial(summary) else ():
        cell = summary.cells.get((method, name))
        line.append((f"{name}_pairs", "" if cell is None else str(cell.pairs)))
    for column in _columns(summary) if _withholding(summary) else ():
        for name, number in _answer_rate(summary, method, column).items():
            line.append((f"{column}_answered" + ("" if name == "share" else f"_{name}"), _decimal(number)))
    unsure = " ".join(list_unverified(summary.sets))
    return [*line, ("unverified_sets", unsure)] if unsure else line


def _decimal(number: float) -> str:
    return "" if math.isnan(number) else f"{number:.4f}"


def _json(summary: ScoreTable, look: Look) -> str:
    rows = [
        {"method": method} | {column: _record(summary, method, column, look) for column in _columns(summary)}
        for method in summary.methods
    ]
    whole = {"metric": summary.metric, "unit": "percent", "sets": summary.sets, "rows": rows, "notes": notes(summary)}
    return json_text(whole, indent=1) + "\n"


def _record(summary: ScoreTable, method: str, column: str, look: Look) -> dict[str, Any]:
    record = _round(_numbers(summary, method, column, look))
    number = _find_published(summary, method, column, look) if look.against == "published" else None
    if number is not None:
        record |= {"source": number.source, "protocol": [each.name for each in number.protocol]}
    if method in _withholding(summary):
        record["answered"] = _round(_answer_rate(summary, method, column))
    cell = summary.cells.get((method, column))
    return record if cell is None else record | {"pairs": cell.pairs, "failed": cell.failed}


def _round(numbers: Mapping[str, float]) -> dict[str, Any]:
    return {name: None if math.isnan(number) else round(number, 4) for name, number in numbers.items()}


FORMS: dict[str, Callable[[ScoreTable, Look], str]] = {"md": _markdown, "csv": _csv, "latex": _latex, "json": _json}
