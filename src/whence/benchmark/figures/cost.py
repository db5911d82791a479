"""Accuracy against cost: who buys how much with a second."""

import math
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, kind, line
from whence.benchmark.summary import MEAN, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def cost(summary: Summary) -> "Figure | None":
    """Median seconds per pair (logarithmic) against mean accuracy over all sets."""
    points = _points(summary)
    if not points:
        return None
    figure, (panel,) = canvas(1, 1, 6.4, 4.4)
    for index, (method, (seconds, value)) in enumerate(sorted(points.items())):
        how = {"marker": line(index)["marker"], "color": kind(method).colour}
        panel.scatter(seconds, value, s=52, edgecolor="black", linewidth=0.7, zorder=3, **how)
    panel.set_xscale("log")
    panel.margins(x=0.22, y=0.12)
    panel.set_xlabel("seconds per pair on one core (median, logarithmic)")
    panel.set_ylabel(f"accuracy (%), mean of {len(summary.sets)} sets")
    panel.grid(color="#dddddd", linewidth=0.6)
    figure.draw_without_rendering()
    _names(panel, points)
    return figure


def _points(summary: Summary) -> dict[str, tuple[float, float]]:
    found = {}
    for method in summary.methods:
        value = summary.value(method, MEAN)
        if not math.isnan(value):
            seconds = float(np.mean([summary.cells[method, name].seconds for name in summary.sets]))
            found[method] = (max(seconds, 1e-6), value)
    return found


def _names(panel: "Axes", points: dict[str, tuple[float, float]]) -> None:
    """Names beside the points, moved up or down until they do not cover one another."""
    taken: list[tuple[float, float, float]] = []
    for method, point in sorted(points.items(), key=lambda each: -each[1][1]):
        x, y = panel.transData.transform(point)
        width = 6.2 * len(method)
        place = y
        while any(abs(place - other) < 11 and x < right and left < x + width for left, right, other in taken):
            place -= 2
        taken.append((x, x + width, place))
        offset = (7, (place - y) * 0.72 - 3)  # pixels to points
        panel.annotate(method, point, xytext=offset, textcoords="offset points", fontsize=8.5)
