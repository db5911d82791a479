"""Figures and the page: all are there, in every format, the same each time, and hold what they should."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import made_up
import numpy as np
import pytest

from causewise.decision import Decision, Evidence
from causewise.lab.benchmark.publish import draw, leaderboard
from causewise.lab.benchmark.published import paper_figures, paper_sets
from causewise.lab.benchmark.scores import MEAN, summarise
from causewise.lab.plotting import line_style
from causewise.pair import Pair

NAMES = {"example", "accuracy-bars", "improvement", "overall", "decision-rate", "cost"}


def decisions() -> dict[str, Decision]:
    rng = np.random.default_rng(0)
    pair = Pair.of(*rng.normal(size=(2, 40)))
    evidence = Evidence(0.0, log_likelihood=-1.0, hsic=1e-3, p_value=0.2, location=0 * pair.x, scale=1 + 0 * pair.x)
    return {"a": Decision("a", pair, 1.0, evidence, evidence), "b": Decision("b", pair, 1.0, evidence, evidence)}


ROWS = made_up.rows(sets=("LS", "LSs", "MNU"), pairs=12)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return draw(ROWS, tmp_path_factory.mktemp("drawn"), decisions())


def test_every_figure_comes_in_every_format(drawn: list[Path]) -> None:
    assert {path.name for path in drawn} == {f"{name}.{form}" for name in NAMES for form in ("pdf", "svg", "png")}
    starts = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}
    assert all(path.read_bytes().startswith(starts[path.suffix[1:]]) for path in drawn)


def test_the_same_rows_give_the_same_picture(drawn: list[Path], tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in drawn if path.suffix == ".svg"}
    again = draw(made_up.rows(sets=("LS", "LSs", "MNU"), pairs=12), tmp_path, decisions(), formats=("svg",))
    assert {path.name: path.read_bytes() for path in again} == first


def test_what_cannot_be_drawn_is_left_out(tmp_path: Path) -> None:
    rows = made_up.rows(sets=("own", "LS"), methods=("mine", "loci-m"), pairs=6)
    rows = [row for row in rows if (row.method, row.dataset) != ("mine", "LS")]
    names = {path.stem for path in draw(rows, tmp_path, formats=("svg",))}
    assert names == {"accuracy-bars", "overall", "decision-rate", "cost"}


def test_lines_can_be_told_apart() -> None:
    looks = [tuple(line_style(index).values()) for index in range(32)]
    assert len(set(looks)) == 32


class Cells(HTMLParser):
    """Collects the numbers the page carries, and whether anything is fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[tuple[str, str], dict[str, list[float]]] = {}
        self.links: list[str] = []
        self._row = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = dict(attrs)
        self.links += [str(have[name]) for name in ("src", "href") if name in have]
        if tag == "tr":
            self._row = have.get("data-name") or ""
        if "data-numbers" in have:
            self.numbers[self._row, str(have["data-column"])] = json.loads(have["data-numbers"] or "")


def test_the_page_carries_every_number_and_fetches_nothing() -> None:
    rows = made_up.rows(failed=2)
    text = leaderboard(rows)
    page = Cells()
    page.feed(text)
    assert page.links == []
    assert not re.search(r"https?://|@import|url\(", text)
    for metric in ("accuracy", "audrc", "auroc"):
        summary = summarise(rows, metric)
        for method in summary.methods:
            for column in (*summary.sets, MEAN):
                value, low, high, _ = page.numbers[method, column][metric]
                assert value == pytest.approx(summary.value(method, column), abs=0.01)
                assert low <= value <= high
    assert "mine failed on 2 of 20 pairs of AN" in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_a_methods_name_cannot_inject_markup() -> None:
    assert "<script>alert" not in leaderboard(made_up.rows(methods=("<script>alert(1)</script>",)))


def test_the_papers_figures_name_its_own_sets() -> None:
    shown = paper_figures()
    assert {*shown["bars"], *shown["improvement"], shown["example"]["dataset"]} <= set(paper_sets())
