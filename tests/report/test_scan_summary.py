"""The scan's page: one file of bounded size, the same bytes for the same scan, harmless whatever a column is called."""

import base64
import json
import math
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from scans import HOSTILE, drawn_scan
from test_pair_numbers import floats

import causewise
from causewise.report import scan_summary
from causewise.report.html_pages import render_scan
from causewise.report.scan_summary import json_block, tabulate
from causewise.scanning.result import Scan

MEGABYTE = 10**6


def embedded(page: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The two blocks of JSON, as a browser finds them."""
    blocks = re.findall(r'<script type="application/json" id="scan-(?:numbers|reports)">(.*?)</script>', page, re.S)
    table, reports = (json.loads(block) for block in blocks)
    return table, reports


@pytest.fixture(scope="module")
def small() -> Scan:
    """Of a table with an arrow, judged for real."""
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, 400)
    response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=400)
    holes = np.where(rng.uniform(size=400) < 0.2, np.nan, rng.normal(size=400))
    table = {"dose": dose, "response": response, "noise": rng.normal(size=400), "holes": holes, "site": np.ones(400)}
    return causewise.scan(table, engine=causewise.Engine(jobs=1))


def test_what_is_given_is_counted_apart_and_stands_behind_what_was_found(small: Scan) -> None:
    knowledge = {"required": [["noise", "dose"]], "before": [["response", "dose"]], "forbidden": [["dose", "noise"]]}
    table = dict(zip(small.columns, small.scorer.values, strict=True))
    scan = causewise.scan(table, knowledge=knowledge, engine=causewise.Engine(jobs=1))
    assert scan.counts["oriented"] == 0 and scan.counts["given"] == 2
    assert str(scan) == "6 pairs of 4 columns: 0 oriented, 0 undecided, 4 unrelated, 2 given"
    page = render_scan(scan)
    assert "No arrows found, 2 given, between 4 columns" in page
    assert "4 are unrelated and 2 are given by background knowledge" in page
    assert 'class="answer tie"' in page and 'class="arrow given"' in page and ", given; by the data alone" in page
    record = {(row["x"], row["y"]): row for row in scan.to_dict()["rows"]}["dose", "response"]
    assert (record["status"], record["is_given"]) == ("oriented", True)
    edges = scan.to_networkx().edges
    assert edges["response", "dose"]["given"] is True
    free = causewise.scan(table, knowledge={"before": [["dose", "response"]]}, engine=causewise.Engine(jobs=1))
    assert free.counts["given"] == 0 and free.counts["oriented"] == 1  # the data say so themselves


def test_ten_thousand_pairs_are_five_megabytes_at_most() -> None:
    scan = drawn_scan([f"column number {k}" for k in range(142)], method="igci")
    page = render_scan(scan)
    table, reports = embedded(page)
    assert len(table["rows"]["x"]) == len(scan) == 10_011
    assert len(reports) == scan_summary.MOST_REPORTS
    assert len(page.encode()) < 5 * MEGABYTE
    assert all(map(math.isfinite, floats([table, reports])))


def test_more_than_fits_is_left_out_from_the_unsure_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_summary, "MOST_PAIRS", 20)
    monkeypatch.setattr(scan_summary, "MOST_SENTENCES", 50)
    monkeypatch.setattr(scan_summary, "MOST_BYTES", 30_000)
    scan = drawn_scan([f"v{k}" for k in range(12)])
    page = render_scan(scan)
    table, reports = embedded(page)
    assert [table["statuses"][k] for k in table["rows"]["status"]] == ["oriented"] * 14 + ["undecided"] * 6
    assert 0 < len(reports) < 14
    assert "The 20 surest of 66 pairs are here" in page
    assert sum(map(len, table["sentences"])) <= 50


def test_the_same_scan_gives_the_same_bytes(small: Scan) -> None:
    assert render_scan(small) == render_scan(small)


def test_a_report_is_what_infer_says(small: Scan) -> None:
    table, reports = embedded(render_scan(small))
    rows = table["rows"]
    first = [table["names"][rows[end][0]] for end in ("x", "y")]
    assert (first, rows["way"][0], reports[0]["verdict"]) == (["dose", "response"], 1, "dose → response")
    lone = next(row for row in small if row.status == "oriented")
    assert reports[0]["confidence"] == f"{math.floor(100 * (lone.confidence or 0))} %"


def test_columns_come_back_to_within_a_step(small: Scan) -> None:
    table, _ = embedded(render_scan(small))
    stored = table["columns"]
    steps = np.frombuffer(base64.b64decode(stored["values"]), "<u2").reshape(len(table["names"]), stored["rows"])
    assert small.scorer is not None
    rows = np.sort(np.random.default_rng(0).choice(400, size=stored["rows"], replace=False, shuffle=False))
    for name, low, high, found in zip(table["names"], stored["low"], stored["high"], steps, strict=True):
        true = np.asarray(small.scorer.values[small.columns.index(name)])[rows]
        back = np.where(found == 65535, np.nan, low + (high - low) * found / 65534.0)
        assert np.array_equal(np.isnan(back), np.isnan(true))
        assert np.nanmax(np.abs(back - true)) <= (high - low) * 2e-5


def test_a_column_without_a_value_in_the_rows_kept_is_all_missing() -> None:
    scan = drawn_scan(["a", "b", "c"], n=1000, method="igci")
    assert scan.scorer is not None
    scan.scorer.values[1, 1:] = np.nan
    table, _ = embedded(render_scan(Scan(scan.rows, scan.columns, {}, scan.facts, scorer=None)))
    assert table["columns"] is None
    stored = json.loads(tabulate(Scan((), scan.columns, {}, scan.facts, scorer=scan.scorer), (), ()))["columns"]
    assert stored["low"] == []


class _Attributes(HTMLParser):
    """Every attribute that a parser sees."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {name for name, _ in attrs}


@pytest.mark.parametrize("nonce", ["", "abc"])
def test_no_name_becomes_markup(nonce: str) -> None:
    page = render_scan(drawn_scan(HOSTILE, method="igci"), nonce)
    assert page.count("<script") == page.count("</script") == 3
    assert "<img" not in page and "<!--" not in page and " 49 " not in page
    assert "\u202e" not in page and "\x00" not in page
    attributes = _Attributes()
    attributes.feed(page)
    assert {"class", "aria-label", "viewbox"} <= attributes.names
    assert not [name for name in attributes.names if name.startswith("on") or name == "style"]
    table, _ = embedded(page)
    assert table["names"][0] == HOSTILE[0]
    assert page.count('nonce="abc"') == 2 * bool(nonce)


def test_a_block_of_json_reads_back() -> None:
    record = {"</script>": ["<!--", "&amp;", "\u2028", "é", "🌡"]}
    assert json.loads(json_block(record)) == record
    assert not set("<>&\u2028") & set(json_block(record))


def test_every_number_of_columns_and_pairs_has_a_page() -> None:
    for count in (2, 3):
        assert "columns" in render_scan(drawn_scan([f"v{k}" for k in range(count)], method="igci"))
    wide = drawn_scan([f"v{k}" for k in range(12)], method="igci")
    starlike = Scan(tuple(wide.rows[:11]), wide.columns, {}, wide.facts, scorer=None)
    assert "3 arrows between 12 columns" in render_scan(starlike)
    alone = Scan((), ("a", "b"), {}, wide.facts)
    assert "No arrows between 2 columns" in render_scan(alone)


def test_what_was_left_out_is_named(small: Scan) -> None:
    page = render_scan(small)
    assert "<bdi>site</bdi></strong>: it is 1 in every row" in page
    assert "This is no map of the whole table" in page


def test_an_adjusted_scan_shows_what_is_left_of_its_columns() -> None:
    rng = np.random.default_rng(0)
    common = rng.normal(size=300)
    table = {"common": common, **{name: np.sin(common) + 0.4 * rng.normal(size=300) for name in "ab"}}
    page = render_scan(causewise.scan(table, adjust=["common"], engine=causewise.Engine(jobs=1)))
    assert "<dt>Adjusted for</dt><dd>common</dd>" in page
    stored = embedded(page)[0]["columns"]
    # What is left is in standard deviations, unlike the columns themselves.
    assert all(high - low > 4 for low, high in zip(stored["low"], stored["high"], strict=True))


def test_the_page_is_written_whole(small: Scan, tmp_path: Any) -> None:
    small.report(tmp_path / "scan.html")
    assert (tmp_path / "scan.html").read_text(encoding="utf-8") == render_scan(small)
