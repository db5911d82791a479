"""The leaderboard in a browser: it shows what the tables show, digit for digit, and says nothing in the console."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up import rows as made_up_rows

from causewise.lab.benchmark.publish import leaderboard
from causewise.lab.benchmark.rendering import render
from causewise.lab.benchmark.scores import summarise


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    place: Path = tmp_path_factory.mktemp("board") / "leaderboard.html"
    place.write_text(leaderboard(made_up_rows()), encoding="utf-8")
    opened = browser.new_page()
    opened.on("console", lambda message: pytest.fail(message.text))
    opened.goto(place.as_uri())
    yield opened


@pytest.mark.parametrize("metric", ["accuracy", "audrc"])
def test_the_page_rounds_as_the_table_does(page: Any, metric: str) -> None:
    page.select_option("#metric", metric)
    shown = {row.get_attribute("data-name"): row.locator("td.value > span").all_inner_texts() for row in _lines(page)}
    table = render(summarise(made_up_rows(), metric)).split("\n\n")[0].splitlines()[2:]
    said = {
        cells[1].strip(): [cell.strip(" *†") for cell in cells[2:-1]] for cells in (line.split("|") for line in table)
    }
    assert shown == said


@pytest.mark.parametrize("eighths", range(0, 801, 7))
def test_numbers_halfway_between_are_rounded_as_python_does(page: Any, eighths: int) -> None:
    value = eighths / 8
    assert page.evaluate(f"[fixed({value}, 1), fixed({value}, 0)]") == [f"{value:.1f}", f"{value:.0f}"]


def test_every_heading_sorts_from_the_keyboard(page: Any) -> None:
    for button in page.locator("thead button").all()[: page.locator("#board thead button").count()]:
        button.press("Enter")
        assert button.locator("xpath=..").get_attribute("aria-sort") in ("ascending", "descending")


def _lines(page: Any) -> list[Any]:
    return page.locator("#board tbody tr").all()
