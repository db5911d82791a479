"""The scan's page in a browser, under a policy of nonces: sort, filter, open a pair, walk by keyboard."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from scans import HOSTILE, drawn_scan
from test_page_in_browser import POLICY, opened

from causewise.report.html_pages import render_scan

NAMES = [*HOSTILE, *(f"v{k}" for k in range(6))]


@pytest.fixture(scope="module")
def html() -> str:
    """The page of 105 pairs."""
    return render_scan(drawn_scan(NAMES), nonce="abc")


@pytest.fixture
def page(browser: Any, html: str) -> Iterator[Any]:
    """It, opened; at the end nothing was complained of or asked for."""
    found, told = opened(browser, html, {"Content-Security-Policy": POLICY.format("abc")})
    yield found
    found.close()
    assert told == []


def cells(page: Any, place: int) -> list[str]:
    return page.locator(f"#pairs-table tbody tr > :nth-child({place})").all_inner_texts()


def numbers(texts: list[str]) -> list[float]:
    return [float(text.split(" %")[0]) for text in texts if text not in ("–", "no lean")]


def test_a_head_sorts_both_ways_and_says_so(page: Any) -> None:
    head = page.get_by_role("columnheader", name="Confidence")
    for way in ("descending", "ascending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == way
        found = numbers(cells(page, 3))
        assert len(found) > 20
        assert found == sorted(found, reverse=way == "descending")
    page.get_by_role("columnheader", name="Pair").get_by_role("button").click()
    assert head.get_attribute("aria-sort") is None


def test_filters_leave_what_they_say(page: Any) -> None:
    page.get_by_role("searchbox", name="Column").fill("V5")
    assert page.locator("#pairs-said").inner_text() == "14 of 105 pairs"
    assert all("v5" in text for text in cells(page, 1))
    page.get_by_role("searchbox", name="Column").fill("")
    for status in ("undecided", "unrelated", "failed"):
        page.get_by_label(status).uncheck()
    assert set(cells(page, 2)) == {"oriented"}
    page.get_by_role("button", name="Show all").click()
    page.get_by_text("105 pairs", exact=True).wait_for()
    page.get_by_label("Confidence at least").fill("90")
    assert cells(page, 3) and min(numbers(cells(page, 3))) >= 90
    page.get_by_label("with warnings only").check()
    assert set(cells(page, 7)) == {"1"}


def test_pages_are_turned(page: Any) -> None:
    first = cells(page, 1)
    assert len(first) == 50 and page.get_by_role("button", name="First").is_disabled()
    page.get_by_role("navigation").get_by_role("button", name="Next").click()
    assert not set(cells(page, 1)) & set(first)
    page.get_by_role("button", name="Last").click()
    assert len(cells(page, 1)) == 5


def test_a_row_opens_its_pair_and_the_keyboard_walks_on(page: Any) -> None:
    page.locator("#pairs-table tbody button").first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    title = dialog.get_by_role("heading", level=2)
    assert dialog.is_visible() and " → " in title.inner_text()
    assert dialog.locator("figure").count() == 2
    assert dialog.locator(".bars tr").count() == 6  # three terms that are not 0, the sum, the score, the scale
    assert dialog.locator(".outcomes rect").count() == 3
    assert dialog.locator(".mark").inner_text() == "chosen"
    before = title.inner_text()
    page.keyboard.press("ArrowRight")
    assert title.inner_text() != before
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert page.evaluate("document.activeElement.className") == "open"


def test_what_a_warning_stops_has_no_number_and_what_hardly_leans_no_lean(page: Any) -> None:
    for status in ("oriented", "unrelated", "failed"):
        page.get_by_label(status).uncheck()
    rows = list(zip(*(cells(page, place) for place in (1, 3, 4)), strict=True))
    stopped = [pair for pair, sure, score in rows if sure == "–"]
    weak = [pair for pair, sure, score in rows if sure == "no lean"]
    assert stopped and weak and all(" · " in pair for pair in (*stopped, *weak))
    assert all(score == "–" for pair, sure, score in rows if pair in stopped)
    page.get_by_label("Confidence at least").fill("61")
    assert not {*stopped, *weak} & set(cells(page, 1))
    page.get_by_role("button", name="Show all").click()
    page.locator("#pairs-table tbody tr", has_text=stopped[0]).get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator(".badge").inner_text() == "undecided, not scored"
    assert "Score" not in dialog.locator("dl.key").inner_text()
    assert dialog.locator(".outcomes, .bars").count() == 0


def test_what_is_given_is_marked_and_has_no_confidence_of_its_own(browser: Any) -> None:
    scan = drawn_scan(["a", "b", "c", "d", "e"])
    rows = [replace(row, is_given=row.status == "oriented" or k == 2) for k, row in enumerate(scan.rows)]
    page, told = opened(browser, render_scan(replace(scan, rows=tuple(rows))))
    assert "2 given, between 5 columns" in page.get_by_role("heading", level=1).inner_text()
    assert [status for status in cells(page, 2) if status in ("oriented", "given")] == ["given"] * 3
    sure = [cell for cell, status in zip(cells(page, 3), cells(page, 2), strict=True) if status == "given"]
    assert sorted(cell.startswith("data alone") for cell in sure) == [False, True, True]
    legend = page.locator("#matrix-legend").inner_text()
    assert "is given to cause it" in legend and "is given as unrelated" in legend and "causes the column" not in legend
    page.get_by_label("Confidence at least").fill("61")
    assert "given" not in cells(page, 2)
    page.get_by_role("button", name="Show all").click()
    page.locator("#pairs-table tbody tr.given button").first.click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator(".badge").inner_text().startswith("given, by the data alone")
    assert dialog.locator(".mark").inner_text() == "given" and "tie" in dialog.get_attribute("class")
    page.close()
    assert told == []


def test_a_pair_without_a_report_has_its_picture(page: Any) -> None:
    page.get_by_label("oriented").uncheck()
    page.get_by_label("undecided").uncheck()
    page.locator("#pairs-table tbody button").first.click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator("svg[role=img]").count() == 1
    assert dialog.locator(".dots path").first.get_attribute("d").startswith("M")


def test_the_matrix_is_walked_by_keyboard(page: Any) -> None:
    page.locator("#matrix").focus()
    page.keyboard.press("ArrowRight")
    said = page.locator("#matrix-said").inner_text()
    assert "," in said or ":" in said
    page.keyboard.press("Enter")
    assert page.get_by_role("dialog").is_visible()


def test_a_narrow_screen_has_no_sideways_scroll(browser: Any, html: str) -> None:
    page, told = opened(browser, html, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#pairs-table tbody button").first.click()
    assert page.evaluate("document.getElementById('pair').scrollWidth") <= 390
    assert told == []
