"""What the pictures of a scan share: shades, sizes of text, the line above.

No fact is told by colour alone: a direction is a place in the matrix and a triangle, confidence a lightness and a size
or a width, and what goes against the order is hollow or dashed as well as orange.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.report import panels
from causewise.report.picture import boxes_for_unknown_letters
from causewise.report.wording import count, short, shown
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALE = "#eef1f4"
POINT = 1 / 72
"""Inches."""


def label(name: str) -> str:
    """A column's name as it is written in a picture."""
    return short(shown(name), 24)


def shade(confidence: float | None, against: bool = False) -> Any:
    """House blue, or orange against the order: pale at a half, full at 1; full where a method gives no confidence."""
    from matplotlib.colors import to_rgb

    full = np.array(to_rgb(panels.OTHER if against else panels.CHOSEN))
    return 1 - (0.2 + 0.8 * strength(confidence)) * (1 - full)


def strength(confidence: float | None) -> float:
    """0 for a coin flip, 1 for certain, and where the method gives no confidence."""
    return 1.0 if confidence is None else float(np.clip(2 * confidence - 1, 0, 1))


def breadth(text: str, font: float) -> float:
    """Inches that a text takes."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    with boxes_for_unknown_letters():
        pixels = RendererAgg(1, 1, 288).get_text_width_height_descent(text, FontProperties(size=font), False)[0]
    return float(pixels) / 288


def heading(figure: "Figure", rows: Sequence[ScanRow], columns: Sequence[str]) -> None:
    """How many columns, and what became of the pairs, at the upper edge."""
    times = Counter(row.status for row in rows)
    found = [f"{count(times[each])} {each}" for each in ("oriented", "undecided", "unrelated", "failed") if times[each]]
    words = f"{count(len(columns))} columns, {count(len(rows))} pairs: {', '.join(found) or 'none judged'}"
    width, height = figure.get_size_inches()
    font = 11 * min(1, (width - 0.4) / (1.15 * breadth(words, 11)))  # bold letters are broader
    figure.text(0.2 / width, 1 - 0.2 / height, words, va="top", color=panels.INK, fontsize=font, weight="bold")
