"""The page of every method: ours and the published number side by side, computed from the kept rows in every build."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from causewise.catalogue import CATALOGUE, cost
from causewise.formatting import markdown_table
from causewise.lab.benchmark.published import PAPER, Published, protocols, rows, sources
from causewise.lab.benchmark.scores import MEAN, ScoreTable

FIRST = "The paper's own"
GROUPS = {
    title: tuple(entry.name for entry in CATALOGUE if entry.group == title)
    for title in dict.fromkeys(entry.group for entry in sorted(CATALOGUE, key=lambda entry: entry.group != FIRST))
}
"""Methods by their heading in the catalogue, the paper's own first; those without a page here are passed over."""
LEFT_OUT = {
    "discrete": "refuses continuous columns: it takes 6 of the 999 pairs, and answers one of them",
    "ordinal": "refuses all 999 pairs, of which none has a column of twelve values or fewer",
}
"""Why a method has no numbers on the sets."""
SIGN = {-1: ("below", "▼"), 0: ("", ""), 1: ("above", "▲")}


def table(summary: ScoreTable, pages: Mapping[str, str], seconds: bool) -> str:
    """Groups of methods × sets and their mean, as HTML: Markdown has no groups of rows, nor a column that stays."""
    columns = ["method", *summary.sets, MEAN, *(["time"] if seconds else [])]
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    parts = [f"<thead><tr>{heads}</tr></thead>"]
    for title, names in GROUPS.items():
        group = f'<th scope="rowgroup" colspan="{len(columns)}"><span>{title}</span></th>'
        known = [name for name in names if name in pages]
        lines = (_line(summary, method, name, pages[name], seconds) for name, method in _run(summary, known))
        parts += [f'<tbody><tr class="group">{group}</tr>', *lines, "</tbody>"]
    label = "Accuracy" if summary.metric == "accuracy" else summary.metric.upper()
    head = f'<div class="every-method" tabindex="0" role="region" aria-label="{label} of every method"><table>'
    return "\n".join([head, *parts, "</table></div>"])


def standing(summary: ScoreTable, pages: Mapping[str, str]) -> str:
    """Who reaches the published numbers, as Markdown: a line for each method that has some."""
    lines = []
    everyone = [name for names in GROUPS.values() for name in names]
    for name, method in ((name, method) for name, method in _run(summary, everyone) if method and name in pages):
        found = {column: summary.published_number(method, column) for column in summary.sets}
        numbers = {column: number for column, number in found.items() if number is not None}
        if not numbers:
            continue
        off = [column for column in numbers if summary.beyond(method, column)]
        said = ", ".join(f"{c} {summary.value(method, c):.0f} ({numbers[c].value:.0f})" for c in off) or "none"
        within = f"{len(numbers) - len(off)} of {len(numbers)}"
        marks = "".join(dict.fromkeys("".join(number.marks for number in numbers.values()))) or "–"
        lines.append((f"[`{method}`](../methods/{pages[name]}.md)", within, said, marks))
    head = ("method", "sets that agree", "those that do not: ours (published)", "marks")
    return markdown_table(head, lines, "lrll")


def listed() -> str:
    """Every row of published.toml, as Markdown, with its source."""
    marks = "\n".join(f"- **{each.mark}** {each.says}" for each in protocols().values())
    told = sources()
    lines = [
        (
            f"`{row.method}`",
            row.metric,
            ", ".join(row.values),
            "".join(each.mark for each in row.protocol) or "–",
            told[row.source],
        )
        for row in rows()
        if row.source != PAPER
    ]
    return f"{marks}\n\n{markdown_table(('method', 'metric', 'sets', 'marks', 'source'), lines, 'lllll')}"


def method_pages(index: Path) -> dict[str, str]:
    """The page that each method is described on, by its name."""
    found = re.findall(r"^\| (`.*?`) \| \[.*?\]\((.*?)\.md\)", index.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: page for names, page in found for name in re.findall(r"`(.*?)`", names)}


def _run(summary: ScoreTable, names: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Each name with those its rows are filed under, settings and all, the default form first; None without rows."""
    for name in names:
        forms = sorted(method for method in summary.methods if method.split(":")[0] == name)
        yield from ((name, method) for method in forms or [None])


def _line(summary: ScoreTable, method: str | None, name: str, page: str, seconds: bool) -> str:
    another = method != name and name in summary.methods
    # Another form stands below the default one, whose name need not be repeated.
    shown = f"<code>{escape((method or name).removeprefix(f'{name}:') if another else method or name)}</code>"
    link = f'<a href="../methods/{page}.html">{shown}</a>'
    start = f'<tr data-method="{escape(method or name)}"><th scope="row"{" class=form" if another else ""}>{link}</th>'
    if method is None:
        why = LEFT_OUT.get(name, "not run")
        return f'{start}<td class="why" colspan="{len(summary.sets) + 1 + seconds}">{why}</td></tr>'
    cells = [_cell(summary, method, column) for column in (*summary.sets, MEAN)]
    price = None if another else cost(name)
    time = f"<td>{_duration(price.seconds) if price else ''}</td>" if seconds else ""
    return f"{start}{''.join(cells)}{time}</tr>"


def _cell(summary: ScoreTable, method: str, column: str) -> str:
    value, number = summary.value(method, column), summary.published_number(method, column)
    if math.isnan(value):
        return "<td>–</td>"
    kind, sign = SIGN[summary.beyond(method, column)]
    kind = kind if number and number.comparable else ""  # no colour beside an answer to another question
    digits = 1 if column == MEAN else 0
    theirs = f' <span class="published">({_theirs(number, digits)})</span>' if number else ""
    return f"<td{f' class={kind}' if kind else ''}>{value:.{digits}f}{theirs}{sign}</td>"


def _theirs(number: Published, digits: int = 0) -> str:
    return f"{number.value:.{digits}f}" + (f"<sup>{number.marks}</sup>" if number.marks else "")


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"
