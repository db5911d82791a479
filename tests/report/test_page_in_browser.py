"""The page in a browser, sent under the strictest policy a server can set: nothing is refused, nothing is loaded."""

import re
from pathlib import Path
from typing import Any

import pytest
from specimens import SPECIMENS

from causewise.inference import Answer
from causewise.report.html_pages import render_decision

POLICY = "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; base-uri 'none'"
HOME = "http://causewise.test/"


def opened(browser: Any, html: str, headers: dict[str, str] | None = None, **look: Any) -> tuple[Any, list[str]]:
    """The page as the browser has it, and what it complained of or asked for."""
    page = browser.new_page(**look)
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda problem: told.append(str(problem)))

    def answer(route: Any) -> None:
        if route.request.url == HOME:
            route.fulfill(body=html, content_type="text/html; charset=utf-8", headers=headers or {})
        elif not route.request.url.endswith("/favicon.ico"):
            told.append(route.request.url)
            route.abort()

    page.route("**/*", answer)
    page.goto(HOME)
    return page, told


def test_no_inline_exception_is_needed(browser: Any) -> None:
    policy = {"Content-Security-Policy": POLICY.format("abc")}
    page, told = opened(browser, render_decision(SPECIMENS["repeated"], nonce="abc"), policy)
    # Style sheet, picture and script are alive.
    assert page.evaluate("getComputedStyle(document.querySelector('.answer')).borderLeftWidth") == "8px"
    assert page.evaluate("getComputedStyle(document.querySelector('svg text')).fill") == "rgb(91, 102, 115)"
    assert page.locator("button[data-copies]").first.is_visible()
    assert told == []


@pytest.mark.parametrize("kind", ["clear", "failed", "repeated", "warned"])
def test_three_sheets_of_paper_are_enough(browser: Any, kind: str, tmp_path: Path) -> None:
    decision = SPECIMENS[kind]
    answers = [Answer(name, decision, 0.1) for name in ("a", "b", "c", "d", "e")]
    page, _ = opened(browser, render_decision(decision, answers=answers))
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", path=tmp_path / "page.pdf"))
    assert 1 <= len(sheets) <= 3


def test_the_policy_bites(browser: Any) -> None:
    _, told = opened(browser, render_decision(SPECIMENS["clear"]), {"Content-Security-Policy": POLICY.format("abc")})
    assert any("Content Security Policy" in line for line in told)


def test_the_file_of_its_own_is_quiet_too(browser: Any) -> None:
    page, told = opened(browser, render_decision(SPECIMENS["clear"]), color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.querySelector('svg text')).fill") == "rgb(163, 174, 187)"
    assert told == []
