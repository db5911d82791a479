"""The page of every method: each of the catalogue once, true numbers, a mark where ours and theirs differ."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from causewise.catalogue import CATALOGUE
from causewise.lab.benchmark.scores import MEAN, ScoreTable, summarise
from causewise.lab.benchmark.store import Row

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def every() -> ModuleType:
    sys.path[:0] = [str(DOCS / "_ext"), str(DOCS / "benchmarks")]
    try:
        import every_method

        return every_method
    finally:
        del sys.path[:2]


@pytest.fixture(scope="module")
def rows(every: ModuleType) -> list[Row]:
    sys.path.insert(0, str(DOCS / "benchmarks"))
    try:
        import keep

        return keep.kept()
    finally:
        del sys.path[0]


@pytest.fixture(scope="module")
def summary(rows: list[Row]) -> ScoreTable:
    return summarise(rows, intervals=False)


def test_every_method_of_the_catalogue_is_in_one_group(every: ModuleType) -> None:
    named = [name for names in every.GROUPS.values() for name in names]
    assert len(set(named)) == len(named)
    assert {entry.name for entry in CATALOGUE} <= set(named)
    assert set(every.LEFT_OUT) <= set(named)


def test_the_kept_rows_have_every_method_or_the_page_says_why_not(every: ModuleType, summary: ScoreTable) -> None:
    run = {method.split(":")[0] for method in summary.methods}
    assert run | set(every.LEFT_OUT) >= {entry.name for entry in CATALOGUE}
    assert not summary.incomplete()


def test_a_line_has_the_numbers_of_its_method(every: ModuleType, summary: ScoreTable) -> None:
    pages = every.method_pages(DOCS / "methods" / "README.md")
    text = every.table(summary, pages, seconds=True)
    lines = dict(re.findall(r'<tr data-method="([^"]+)">(.*?)</tr>', text))
    shown_here = [method for method in summary.methods if method.split(":")[0] in pages]
    assert set(lines) >= set(shown_here)
    for method in shown_here:
        shown = [float(number) for number in re.findall(r"<td[^>]*>([\d.]+)", lines[method])]
        values = [round(summary.value(method, name)) for name in summary.sets] + [round(summary.value(method, MEAN), 1)]
        assert shown[: len(values)] == values, method
    # Every cell that the head promises, and every link leads to a page.
    width = text.count('<th scope="col">') - 1
    assert all(line.count("<td") == width for name, line in lines.items() if name in summary.methods)
    for page in re.findall(r'href="\.\./methods/([^"]+)\.html"', text):
        assert (DOCS / "methods" / f"{page}.md").exists(), page


def test_a_difference_is_marked_and_told(every: ModuleType, rows: list[Row]) -> None:
    """`heci` turned round on AN: 98 becomes 2."""
    turned = [
        replace(row, score=-row.score, correct=not row.correct)
        for row in rows
        if row.method == "heci" and row.dataset == "AN"
    ]
    same = [row for row in rows if row.method == "heci" and row.dataset == "LS"]
    summary = summarise([*turned, *same], intervals=False)
    pages = {"heci": "heci"}
    text = every.table(summary, pages, seconds=False)
    assert text.count("▼") == 1 and "▲" not in text
    (line,) = [line for line in every.standing(summary, pages).splitlines() if "heci" in line]
    assert "| 1 of 2 | AN 2 (98) |" in line


def test_every_published_row_beside_the_papers_is_listed(every: ModuleType) -> None:
    from causewise.lab.benchmark.published import PAPER, rows

    text = every.listed()
    others = [row for row in rows() if row.source != PAPER]
    assert len(re.findall(r"^\| `", text, re.MULTILINE)) == len(others)
