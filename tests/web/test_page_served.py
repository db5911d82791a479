"""The page in a browser: a table, a verdict, other columns, a scan, a cancelled one; nothing is asked elsewhere."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from asking import columns, csv_of
from running import Running

CHROMIUM = shutil.which("chromium")


@pytest.fixture
def page(server: Running) -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    driver = pytest.importorskip("playwright.sync_api")
    told: list[str] = []
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(90_000)
        opened.on("console", lambda message: told.append(message.text))
        opened.on("pageerror", lambda problem: told.append(str(problem)))
        home = f"http://127.0.0.1:{server.port}/"
        opened.on("request", lambda asked: None if asked.url.startswith(home) else told.append(asked.url))
        opened.goto(home)
        yield opened
        browser.close()
    # A refusal is an answer, of which the browser makes a note of its own.
    assert not [each for each in told if "status of 422" not in each]


def give(page: Any, content: bytes) -> None:
    page.set_input_files("#file", {"name": "table.csv", "mimeType": "text/csv", "buffer": content})
    page.wait_for_selector("#seen:not([hidden])")


def verdict(page: Any, text: str) -> None:
    page.locator("#verdict", has_text=text).wait_for(state="attached")
    page.frame_locator("#report").locator("h1").wait_for()


def test_a_table_goes_in_and_answers_come_out(page: Any) -> None:
    give(page, csv_of(columns()))
    page.click("#judge")
    verdict(page, "dose → response")
    link = page.url
    page.click("#swap")
    page.select_option("#y", "other")
    page.click("#judge")
    verdict(page, "are unrelated")
    page.click("#scan")
    verdict(page, "3 pairs of 3 columns")
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename.endswith(".html")
    page.goto(link)
    verdict(page, "dose → response")
    assert page.locator("#columns tr").count() == 3


def test_a_scan_can_be_cancelled_with_the_keyboard(page: Any) -> None:
    give(page, csv_of({f"c{k}": columns(300, seed=k)["response"] for k in range(50)}))
    page.focus("#scan")
    page.keyboard.press("Enter")
    page.wait_for_selector("#working:not([hidden])")
    page.focus("#cancel")
    page.keyboard.press("Enter")
    page.locator("#trouble", has_text="Cancelled.").wait_for()
    assert page.locator("#answer").is_hidden()


def test_what_is_wrong_with_a_table_is_said_and_can_be_answered(page: Any) -> None:
    page.set_input_files("#file", {"name": "t.csv", "mimeType": "text/csv", "buffer": b"1,2\n" + b"0.5,1.5\n" * 30})
    page.get_by_role("button", name="The first line holds names").click()
    page.wait_for_selector("#seen:not([hidden])")
    assert page.locator("#trouble").is_hidden()
    assert "no: it is" in page.inner_text("#columns")


def test_every_control_has_a_name(page: Any) -> None:
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, select, textarea, input, progress, iframe")]
            .filter((each) => !(each.labels?.length || each.textContent.trim() || each.ariaLabel || each.title
                || each.getAttribute("aria-labelledby"))).map((each) => each.outerHTML)"""
    )
    assert unnamed == []
