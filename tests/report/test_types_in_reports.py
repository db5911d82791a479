"""Pages and the terminal say what a column is where it is not continuous, and nothing where it is."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import causewise
from causewise.cli.app import app
from causewise.report.html_pages import render_card, render_decision, render_scan

N = 300
RNG = np.random.default_rng(0)
A = RNG.uniform(-2, 2, N)
TABLE = {
    "<a>": A,
    "b": np.sin(2 * A) + (0.1 + 0.2 * abs(A)) * RNG.normal(size=N),
    "visits": RNG.poisson(np.exp(1 + 0.5 * A)).astype(float),
    "stage": np.digitize(A, [-1, 1]),
    "day": np.datetime64("2020-01-01") + (100 * A).astype("m8[D]"),
    "town": ["Ulm"] * N,
}


def words(page: str) -> str:
    """What a reader sees of a page."""
    return re.sub(r"<(style|script)[^>]*>.*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)


def test_a_card_and_a_page_name_the_kind() -> None:
    decision = causewise.infer(TABLE, "<a>", "visits")
    assert "visits: count" in words(render_card(decision))
    page = re.sub(r"\s+", " ", words(render_decision(decision)))
    assert "Column type of visits count" in page
    assert "Column type continuous count" in page  # in the table of the data


def test_of_continuous_columns_only_the_data_say_so() -> None:
    decision = causewise.infer(TABLE, "<a>", "b")
    assert "continuous" not in words(render_card(decision))
    assert "Column type of" not in words(render_decision(decision))


@pytest.fixture(scope="module")
def scan_page() -> str:
    return render_scan(causewise.scan(TABLE, engine=causewise.Engine(jobs=1)))


def test_the_page_of_a_scan_lists_kinds_notes_and_what_was_left_out(scan_page: str) -> None:
    page = re.sub(r"\s+", " ", words(scan_page))
    assert "visits : count stage : few levels" in page
    assert "holds dates or times, read as days since 1970-01-01." in page
    assert "town : it holds text" in page
    numbers = json.loads(re.search(r'<script[^>]*id="scan-numbers"[^>]*>(.*?)</script>', scan_page, re.DOTALL)[1])
    assert dict(zip(numbers["names"], numbers["recorded"], strict=True))["stage"] == "few levels"


def test_the_terminal_names_them_too(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = zip(*TABLE.values(), strict=True)
    path.write_text("\n".join([",".join(TABLE), *(",".join(map(str, row)) for row in rows)]))
    scanned = CliRunner().invoke(app, ["scan", str(path), "--jobs", "1"])
    assert "Not continuous: visits (count); stage (few levels)." in scanned.stderr
    assert "Left out: town (it holds text)." in scanned.stderr
    assert "read as days" in scanned.stderr
    found = CliRunner().invoke(app, ["graph", str(path), "--jobs", "1"])
    assert "stage (it takes only 3 values: too coarse" in found.stderr
    assert "read as days" in found.stdout
