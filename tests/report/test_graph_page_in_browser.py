"""The page of a causal graph in a browser, under a policy of nonces: edges open, nothing is refused or loaded."""

from typing import Any

import pytest
from causal import empty_graph, hostile_graph, mixed_graph
from test_page_in_browser import POLICY, opened

from causewise.report.html_pages import render_graph


@pytest.mark.parametrize("graph", [mixed_graph(), hostile_graph()], ids=["mixed", "hostile"])
def test_every_edge_opens_and_is_drawn(browser: Any, graph: Any) -> None:
    page, told = opened(browser, render_graph(graph, nonce="abc"), {"Content-Security-Policy": POLICY.format("abc")})
    assert page.locator("details.edge figure").count() == 0
    page.get_by_role("button", name="Open all").click()
    page.locator("details.edge").last.locator("figure").first.wait_for()
    assert page.locator("details.edge figure").count() == 2 * len(graph.edges)
    assert page.locator("details.edge figure .mean").count() == 2 * len(graph.edges)
    marks = page.locator("figure .mark").all_inner_texts()
    assert marks.count("given") == 2 and marks.count("arrow") == 2
    page.get_by_role("button", name="Close all").click()
    assert page.locator("details.edge[open]").count() == 0
    assert told == []


def test_a_graph_without_edges_is_quiet(browser: Any) -> None:
    page, told = opened(browser, render_graph(empty_graph()), color_scheme="dark")
    assert page.locator("h1").inner_text() == "No edge between 7 columns" and told == []


def test_a_line_of_the_picture_is_hit_beside_it(browser: Any) -> None:
    page, _ = opened(browser, render_graph(mixed_graph()))
    line = page.locator(".causal .link").first
    x, y = line.locator("path.reach").evaluate(
        """(path) => { const at = path.getPointAtLength(path.getTotalLength() / 2), to = path.getScreenCTM();
            return [at.x * to.a + to.e + 4, at.y * to.d + to.f]; }"""
    )
    page.mouse.click(x, y)
    assert page.locator(f"#{line.get_attribute('data-edge')}[open]").count() == 1


def test_a_narrow_screen_has_no_sideways_scroll(browser: Any) -> None:
    page, told = opened(browser, render_graph(hostile_graph()), viewport={"width": 390, "height": 800})
    page.get_by_role("button", name="Open all").click()
    page.locator("details.edge figure").last.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390 and told == []
