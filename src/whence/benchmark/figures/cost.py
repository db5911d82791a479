"""Accuracy against cost: who buys how much with a second."""

import math
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, kind, kind_handles, line, short
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
    figure.legend(handles=kind_handles(list(points)), loc="outside upper center", ncols=3)
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


# Where a name may stand, as (points right, points up, part of its width to the left), the best place first.
_PLACES = (
    (8, -3, 0.0),
    (-8, -3, 1.0),
    (0, 9, 0.5),
    (0, -15, 0.5),
    (8, 8, 0.0),
    (8, -14, 0.0),
    (-8, 8, 1.0),
    (-8, -14, 1.0),
)
_LETTER, _HEIGHT, _MARK = 5.6, 10.0, 5.0
"""Rough sizes in points."""

Box = tuple[float, float, float, float]


def _names(panel: "Axes", points: dict[str, tuple[float, float]]) -> None:
    """Names beside their points, where they cover neither a point nor one another."""
    to_points = 72 / panel.figure.dpi
    where = {method: panel.transData.transform(point) * to_points for method, point in points.items()}
    taken: list[Box] = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in where.values()]
    names = short(list(points))
    for method, (x, y) in sorted(where.items(), key=lambda each: -each[1][1]):
        boxes = [_box(x, y, names[method], place) for place in _PLACES]
        crowding = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = crowding.index(min(crowding))
        taken.append(boxes[best])
        right, up, part = _PLACES[best]
        side = {0.0: "left", 0.5: "center", 1.0: "right"}[part]
        panel.annotate(names[method], points[method], (right, up), textcoords="offset points", ha=side, fontsize=9)


def _box(x: float, y: float, name: str, place: tuple[float, float, float]) -> Box:
    right, up, part = place
    width = _LETTER * len(name)
    left = x + right - part * width
    return (left, y + up, left + width, y + up + _HEIGHT)


def _overlap(a: Box, b: Box) -> float:
    across, along = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, across) * max(0.0, along)
