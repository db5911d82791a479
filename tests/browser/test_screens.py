"""Pictures of every page in `out/screens`, to be looked at: light, dark, on a phone, on paper (`make screens`)."""

from pathlib import Path
from typing import Any

import pytest
from visiting import open_page, tour

OUT = Path(__file__).parents[2] / "out" / "screens"
DESK, PHONE, PAPER = {"width": 1200, "height": 900}, {"width": 390, "height": 800}, {"width": 718, "height": 1047}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": DESK},
    "dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {"viewport": PHONE},
    "print": {"viewport": PAPER},
}


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_every_page_is_drawn_and_fits_its_width(
    browser: Any, home: str, table: Path, files: dict[str, str], look: str
) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    with open_page(browser, home, note="status of 404", reduced_motion="reduce", **LOOKS[look]) as page:
        for stop in tour(page, home, table, files):
            page.wait_for_timeout(300)  # a frame grows with its report
            page.emulate_media(media="print" if look == "print" else "screen")
            page.screenshot(path=OUT / f"{look} {stop}.png".replace(" ", "-"), full_page=stop != "pair of the scan")
            for frame in page.frames:
                width = frame.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                assert width <= 0, stop
            page.emulate_media(media="screen")  # on paper there is nothing to press
