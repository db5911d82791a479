"""Published numbers: every row is of a known method, metric, source and set; what is compared is what was said."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import made_up
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.catalogue import CATALOGUE
from causewise.lab.benchmark import rendering
from causewise.lab.benchmark.metrics import METRICS
from causewise.lab.benchmark.publish import leaderboard
from causewise.lab.benchmark.published import (
    PAPER,
    PublishedRow,
    paper_sets,
    protocols,
    published_number,
    rows,
    sources,
)
from causewise.lab.benchmark.scores import MEAN, ScoreTable, SetScore, summarise

NAMES = {entry.name for entry in CATALOGUE}
AGAINST = rendering.Look(against="published")
METHOD_PAGES = Path(__file__).parents[3] / "docs" / "methods"


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.method}-{row.metric}-{row.source}")
def test_a_row_names_what_is_known_and_says_something(row: PublishedRow) -> None:
    assert row.method in NAMES
    assert row.metric in METRICS
    assert row.source in sources()
    assert row.values and set(row.values) <= set(paper_sets())
    assert all(0 <= value <= 100 for value in row.values.values())
    assert list(row.values) == [name for name in paper_sets() if name in row.values]


def test_no_row_is_there_twice_and_every_source_and_protocol_is_used() -> None:
    keys = [(row.method, row.metric, row.source, row.protocol) for row in rows()]
    assert len(set(keys)) == len(keys)
    assert {row.source for row in rows()} == set(sources())
    assert {each.name for row in rows() for each in row.protocol} == set(protocols())
    marks = [each.mark for each in protocols().values()]
    assert len(set(marks)) == len(marks) and all(len(mark) == 1 for mark in marks)


@pytest.mark.parametrize("metric", ["accuracy", "audrc"])
def test_the_papers_numbers_come_first(metric: str) -> None:
    for row in (row for row in rows() if (row.metric, row.source) == (metric, PAPER)):
        for name in paper_sets():
            number = published_number(metric, f"{row.method}:published=true", [name])
            assert number is not None
            assert (number.value, number.source, number.marks) == (row.values[name], PAPER, "")


def test_a_protocol_of_one_set_marks_that_set_alone() -> None:
    tue, simulated = (published_number("accuracy", "velocity", [name]) for name in ("Tue", "SIM"))
    assert tue and simulated
    assert set(tue.marks) - set(simulated.marks) == {"u"}
    assert not simulated.comparable  # tuned set by set


def test_a_mean_is_that_of_one_source_with_all_sets() -> None:
    sets = ["AN", "LS", "Tue"]
    number = published_number("accuracy", "gpi", sets)
    assert number and number.value == pytest.approx((95 + 91 + 63) / 3)
    assert published_number("accuracy", "gpi", [*sets, "Cha"]) is None
    assert published_number("auroc", "gpi", sets) is None
    assert published_number("accuracy", "gpi", []) is None


def cell(value: float, low: float, high: float, pairs: int = 100) -> SetScore:
    return SetScore(value, low, high, pairs, 0, 0.0)


def of_roche(score: SetScore) -> ScoreTable:
    """A table of one number; ROCHE's published accuracy on SIM is 78."""
    return ScoreTable("accuracy", ("roche",), ("SIM",), {("roche", "SIM"): score})


@pytest.mark.parametrize(
    ("score", "side"),
    [
        (cell(78, 70, 86), 0),
        (cell(60, 50, 70), -1),
        (cell(95, 91, 99), 1),
        (cell(95, 77, 99), 0),  # Wilson's interval ends at 89, the bootstrap's reaches it
        (cell(95, 78.4, 99), 0),  # within half a point
        (cell(60, math.nan, math.nan), -1),  # nothing was resampled: Wilson's alone
        (cell(70, 70, 70), 0),  # a bootstrap of nearly nothing: Wilson's reaches it
        (cell(70, 70, 70, pairs=10_000), -1),
    ],
)
def test_what_the_pairs_allow(score: SetScore, side: int) -> None:
    assert of_roche(score).beyond("roche", "SIM") == side


@given(st.floats(0, 100), st.integers(1, 1000))
def test_the_further_off_the_surer_and_never_both_ways(value: float, pairs: int) -> None:
    """Moving towards the published number never makes a difference out of none."""
    side = of_roche(cell(value, value, value, pairs)).beyond("roche", "SIM")
    nearer = (value + 78) / 2
    assert side in (0, 1 if value > 78 else -1)
    assert abs(of_roche(cell(nearer, nearer, nearer, pairs)).beyond("roche", "SIM")) <= abs(side)


def test_nothing_is_beyond_where_nothing_was_published() -> None:
    summary = summarise(made_up.rows(methods=("mine", "kcdc")), intervals=False)
    assert all(summary.beyond(method, column) == 0 for method in summary.methods for column in ("AN", "LS", MEAN))


@pytest.mark.parametrize("form", rendering.FORMS)
def test_a_table_against_what_was_published(form: str) -> None:
    summary = summarise(made_up.rows(sets=("AN", "Tue"), methods=("slope", "loci-m", "kcdc"), pairs=99))
    text = rendering.render(summary, form, AGAINST)
    ours = {method: summary.value(method, "Tue") for method in summary.methods}
    theirs = {"slope": 72.9, "loci-m": 52.0}
    if form == "json":
        read = {row["method"]: row["Tue"] for row in json.loads(text)["rows"]}
        assert {name: row.get("minus_published") for name, row in read.items()} == {
            name: round(ours[name] - theirs[name], 4) if name in theirs else None for name in ours
        }
        assert (read["slope"]["source"], read["slope"]["protocol"]) == ("brogueira2026", ["rerun"])
        assert "source" not in read["kcdc"]
    elif form == "csv":
        read = {row["method"]: row["Tue_minus_published"] for row in csv.DictReader(io.StringIO(text))}
        assert read["kcdc"] == "" and float(read["loci-m"]) == pytest.approx(ours["loci-m"] - 52, abs=1e-3)
    else:
        assert f"({ours['slope'] - 72.9:+.1f} r)" in text and f"({ours['loci-m'] - 52:+.1f})" in text
        assert "r: another group's run of the authors' program" in text
        assert "settings chosen" not in text


def test_against_the_paper_others_have_no_number() -> None:
    summary = summarise(made_up.rows(methods=("slope", "loci-m")), intervals=False)
    table = json.loads(rendering.render(summary, "json", replace(AGAINST, against="paper")))
    assert {row["method"]: row["AN"]["minus_paper"] is None for row in table["rows"]} == {
        "slope": True,
        "loci-m": False,
    }


def test_the_page_has_no_number_of_another_protocol() -> None:
    page = leaderboard(made_up.rows(methods=("velocity",)))
    assert "was published" not in page
    assert "was published" in leaderboard(made_up.rows(methods=("velocity", "slope")))


def quoted() -> list[tuple[str, str, list[str]]]:
    """Rows of published numbers on the methods' pages: page, the method above, cells."""
    found = []
    for page in sorted(METHOD_PAGES.glob("*.md")):
        method = page.stem
        for line in page.read_text(encoding="utf-8").splitlines():
            head, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            if named := re.fullmatch(r"`([a-z-]+)`", head):
                method = named[1]
            if re.match(r"published$|paper$|another group's run", head):
                found.append((page.stem, method, cells))
    return found


@pytest.mark.parametrize(
    ("page", "method", "cells"), quoted(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_page_quotes_what_is_kept_here(page: str, method: str, cells: list[str]) -> None:
    assert len(cells) == 10
    for name, cell in zip(paper_sets(), cells, strict=False):
        for metric, text in zip(("accuracy", "audrc"), cell.split(" / "), strict=False):
            number = published_number(metric, method, [name])
            assert number is not None and abs(float(text) - number.value) <= 0.5, (page, metric, name)


def test_the_pages_quote_something() -> None:
    assert {page for page, _, _ in quoted()} >= {"cgnn", "gpi", "nn-loci", "roche", "slope", "sloppy", "velocity"}
