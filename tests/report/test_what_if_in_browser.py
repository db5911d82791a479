"""What if, in a browser: columns are chosen, the cause is dragged or stepped, the numbers are those of Python."""

import re
from pathlib import Path
from typing import Any

import pytest
from scans import HOSTILE
from test_page_in_browser import POLICY, opened
from test_what_if import valley_graph

from causewise.graphs.effect import short_number
from causewise.report.html_pages import render_graph


def asked_page(browser: Any, at: list[float], **look: Any) -> tuple[Any, list[str]]:
    graph = valley_graph()
    text = render_graph(graph, nonce="abc", effects=[graph.effect("rain", "crop", at=at)])
    return opened(browser, text, {"Content-Security-Policy": POLICY.format("abc")}, **look)


@pytest.mark.parametrize("value", [5.0, 40.0])
def test_numbers_are_those_of_the_effect(browser: Any, value: float) -> None:
    page, told = asked_page(browser, [value])
    effect = valley_graph().effect("rain", "crop", at=[value])
    mean, low, high, scale = (short_number(each[0]) for each in (effect.mean, effect.low, effect.high, effect.scale))
    assert page.locator("#what-if-mean").inner_text() == f"{mean} (90%: {low} to {high})"
    assert page.locator("#what-if-scale").inner_text().startswith(scale)
    assert page.locator("#what-if-beyond").is_visible() == (value > 30) and told == []


def test_the_cause_is_stepped_dragged_and_typed(browser: Any) -> None:
    page, told = asked_page(browser, [5.0])
    slider, mean = page.get_by_role("slider", name="Value that rain is set to"), page.locator("#what-if-mean")
    before = (mean.inner_text(), page.locator("#what-if-drawn .marker").get_attribute("d"))
    for _ in range(4):
        slider.press("ArrowRight")
    assert mean.inner_text() != before[0]
    assert page.locator("#what-if-drawn .marker").get_attribute("d") != before[1]
    assert re.match(r"5\.\d+: crop \S+ on average", slider.get_attribute("aria-valuetext"))
    page.locator("#what-if-said", has_text=re.compile("rain set to 5")).wait_for(state="attached")
    box = page.locator("#what-if-drawn").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 60)
    page.mouse.down()
    seen = set()
    for share in (0.35, 0.45, 0.55, 0.75):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 60)
        seen.add((mean.inner_text(), page.get_by_label("Set to", exact=True).input_value()))
    page.mouse.up()
    assert len({value for _, value in seen}) == 4
    assert page.locator("#what-if-beyond").is_visible()  # as far right as the picture goes
    field = page.get_by_label("Set to", exact=True)
    field.fill("5")
    effect = valley_graph().effect("rain", "crop", at=[5.0])
    assert mean.inner_text().startswith(short_number(effect.mean[0]))
    for wrong in ("", "1e9", "-1e9"):
        field.fill(wrong)
        field.press("Enter")
        assert "NaN" not in mean.inner_text() and mean.inner_text()
    assert told == []


def test_other_columns_are_chosen_and_refusals_are_told(browser: Any) -> None:
    graph = valley_graph()
    page, told = opened(browser, render_graph(graph))
    page.get_by_label("and look at").select_option("lots")
    assert page.locator("#what-if-refused").inner_text() == graph.effects["rain", "lots"].reason
    assert page.locator("#what-if-told").is_hidden()
    page.get_by_label("Set", exact=True).select_option("wet")
    assert page.get_by_label("and look at").input_value() == str(graph.order.index("crop"))
    slider = page.get_by_role("slider")
    assert slider.get_attribute("max") == "1"
    slider.press("End")
    assert slider.get_attribute("aria-valuetext").startswith("1: crop")
    page.get_by_role("button", name="soil → crop").click()
    assert page.locator("#what-if-sentence").inner_text().startswith("Setting soil from")
    assert "soil" not in page.get_by_label("and look at").inner_text().split()
    page.get_by_label("Set", exact=True).select_option("lots")
    assert "no path of arrows" in page.locator("#what-if-refused").inner_text() and told == []


def test_paper_has_curves_and_no_controls(browser: Any, tmp_path: Path) -> None:
    page, _ = asked_page(browser, [2.0, 5.0])
    assert page.locator("#what-if-printed figure").first.is_hidden()
    page.emulate_media(media="print")
    assert page.locator("#what-if-printed figure .mean").count() == 1
    assert page.locator("#what-if-printed figure").is_visible() and page.locator("#what-if-live").is_hidden()
    page.emulate_media(media="screen")
    strongest, _ = opened(browser, render_graph(valley_graph()))
    assert 1 < strongest.locator("#what-if-printed figure").count() <= 4


@pytest.mark.parametrize("names", [None, HOSTILE[:5]], ids=["plain", "hostile"])
def test_a_phone_has_no_sideways_scroll(browser: Any, names: Any) -> None:
    graph = valley_graph(names) if names else valley_graph()
    page, told = opened(browser, render_graph(graph), viewport={"width": 390, "height": 800}, color_scheme="dark")
    assert page.locator("#what-if-drawn .mean").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390 and told == []
