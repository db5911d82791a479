"""A heat map: accuracy of every method in every cell of the robustness grid, the number printed in each square."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas
from whence.pair import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = "PuOr"
"""Orange below chance, purple above: colour-blind readers can tell them apart, and the numbers need no colour."""
PALE = 30.0
"""Points from 50 within which a square is pale enough for dark figures."""
WIDE, HIGH = 0.34, 0.185
"""Inches of a square."""
GAP = 0.6
"""Space between two blocks, in squares."""


def heat_map(
    values: FloatArray, cells: Sequence[str], methods: Sequence[str], summaries: Mapping[str, FloatArray]
) -> "Figure":
    """`values` in per cent, cells × methods; cells are called `<axis>/<cell>`, those of an axis one after another.

    `summaries` stand above the cells: a name and a number for every method.
    """
    blocks = [
        ("", list(summaries), np.array(list(summaries.values())).reshape(-1, len(methods))),
        *_axes(values, cells),
    ]
    rows = sum(len(names) + GAP for _, names, _ in blocks) - GAP
    figure, (panel,) = canvas(1, 1, 2.7 + WIDE * len(methods), 1.4 + HIGH * rows)
    top = 0.0
    ticks: dict[float, str] = {}
    for axis, names, block in blocks:
        if names:
            _block(panel, block, top)
            panel.text(
                len(methods) + 0.2, top + len(names) / 2, axis, rotation=270, va="center", fontsize=8, weight="bold"
            )
            ticks |= {top + i + 0.5: name for i, name in enumerate(names)}
            top += len(names) + GAP
    _frame(panel, methods, ticks, top - GAP)
    return figure


def _axes(values: FloatArray, cells: Sequence[str]) -> list[tuple[str, list[str], FloatArray]]:
    """Axis, names of its cells, their values."""
    found, start = [], 0
    for axis, members in groupby(cells, key=lambda cell: cell.split("/")[0]):
        names = [cell.split("/", 1)[1] for cell in members]
        found.append((axis, names, values[start : start + len(names)]))
        start += len(names)
    return found


def _block(panel: "Axes", block: FloatArray, top: float) -> None:
    edges = np.arange(block.shape[1] + 1), top + np.arange(block.shape[0] + 1)
    panel.pcolormesh(*edges, block, cmap=COLOURS, vmin=0, vmax=100, edgecolors="white", linewidth=0.5)
    for (row, column), value in np.ndenumerate(block):
        ink = "white" if abs(value - 50) > PALE else "black"
        text = f"{value:.0f}" if np.isfinite(value) else "–"
        panel.text(column + 0.5, top + row + 0.5, text, ha="center", va="center_baseline", fontsize=7, color=ink)


def _frame(panel: "Axes", methods: Sequence[str], ticks: Mapping[float, str], bottom: float) -> None:
    panel.set(xlim=(0, len(methods) + 0.9), ylim=(bottom, 0))
    panel.set_xticks(np.arange(len(methods)) + 0.5, methods, rotation=60, ha="left", rotation_mode="anchor")
    panel.set_yticks(list(ticks), list(ticks.values()))
    panel.tick_params(length=0, labelsize=8, top=False, labeltop=True, bottom=False, labelbottom=False, pad=2)
    panel.spines[:].set_visible(False)
