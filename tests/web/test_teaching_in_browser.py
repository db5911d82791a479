"""The teaching view in a browser: a slider moves, everything follows; nothing is complained of or asked elsewhere."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from running import Running

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def view(server: Running) -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    driver = pytest.importorskip("playwright.sync_api")
    home = f"http://127.0.0.1:{server.port}"
    told: list[str] = []
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda problem: told.append(str(problem)))
        page.on("request", lambda request: request.url.startswith(home) or told.append(request.url))
        page.goto(f"{home}/teach")
        page.locator("#drawn figure").first.wait_for()
        yield page
        browser.close()
    assert told == []


def dots(view: Any) -> str:
    return view.locator("#drawn .dots path").first.get_attribute("d")


def test_a_slider_draws_anew_and_the_link_keeps_it(view: Any) -> None:
    before = dots(view)
    with view.expect_response("**/api/lesson?*"):
        view.get_by_label("Amount of noise").fill("1.2")
    assert view.locator("#said-amount").inner_text() == "1.2"
    view.wait_for_url("**amount=1.2*")
    assert dots(view) != before
    view.reload()
    view.locator("#drawn figure").first.wait_for()
    assert view.get_by_label("Amount of noise").input_value() == "1.2"


def test_a_preset_is_pressed_by_keyboard(view: Any) -> None:
    button = view.get_by_role("button", name="linear and Gaussian")
    button.focus()
    view.keyboard.press("Enter")
    view.get_by_role("heading", name="Undecided between x and y").wait_for()
    assert button.get_attribute("aria-pressed") == "true"
    assert view.locator("figure.chosen").count() == 0
    assert view.get_by_text("What “undecided” means").is_visible()


def test_a_narrow_screen_has_no_sideways_scroll(view: Any) -> None:
    assert view.evaluate("() => document.documentElement.scrollWidth") <= 390
