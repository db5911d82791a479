"""Every page as axe-core sees it, in light and in dark, report frames and dialogs included."""

from pathlib import Path
from typing import Any

import pytest
from visiting import open_page, tour

FOUND = """async () => (await axe.run({ resultTypes: ["violations"], iframes: false })).violations
    .filter((found) => ["serious", "critical"].includes(found.impact))
    .map((found) => [found.id, ...found.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`)])"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_is_found(
    browser: Any, home: str, table: Path, files: dict[str, str], axe: str, scheme: str
) -> None:
    with open_page(browser, home, note="status of 404", color_scheme=scheme, reduced_motion="reduce") as page:
        found = []
        for stop in tour(page, home, table, files):
            for frame in page.frames:
                if frame.url != "about:blank":  # no report is shown yet
                    frame.evaluate(axe)
                    found += [(stop, frame.url, *each) for each in frame.evaluate(FOUND)]
        assert found == []


def test_a_control_without_a_name_and_pale_words_would_be_found(browser: Any, home: str, axe: str) -> None:
    with open_page(browser, home) as page:
        page.evaluate(
            """() => { document.querySelector("#pasting button").textContent = "";
                document.querySelector("footer").attributeStyleMap.set("color", "#ddd"); }"""
        )
        page.evaluate(axe)
        assert {"button-name", "color-contrast"} <= {found[0] for found in page.evaluate(FOUND)}
