"""The teaching view: a slider moves, everything follows, and on a phone the verdict stays before the eyes."""

from collections.abc import Iterator
from typing import Any

import pytest
from visiting import open_page

PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def view(browser: Any, home: str) -> Iterator[Any]:
    with open_page(browser, home, viewport=PHONE, color_scheme="dark") as page:
        page.goto(f"{home}teach")
        page.locator("#drawn figure").first.wait_for()
        yield page


def dots(view: Any) -> str:
    return view.locator("#drawn .dots path").first.get_attribute("d")


def test_a_slider_draws_anew_and_the_link_keeps_it(view: Any) -> None:
    before = dots(view)
    with view.expect_response("**/api/lesson?*"):
        view.get_by_label("Amount of noise").fill("1.2")
    assert view.locator("#said-amount").inner_text() == "1.2"
    view.wait_for_function("location.search.includes('amount=1.2')")
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


@pytest.mark.parametrize("slider", ["f", "amount", "bend", "seed"])
def test_the_verdict_is_in_sight_while_a_slider_moves(view: Any, slider: str) -> None:
    view.locator(f"#control-{slider}").evaluate("(control) => control.scrollIntoView({ block: 'center' })")
    verdict, control = view.locator("#verdict-said").bounding_box(), view.locator(f"#control-{slider}").bounding_box()
    assert 0 <= verdict["y"] <= PHONE["height"] - verdict["height"]
    assert verdict["y"] + verdict["height"] <= control["y"] or control["y"] + control["height"] <= verdict["y"]
