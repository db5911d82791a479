"""Accuracy of every method: bars by set and overall, what modelling the scale adds, and accuracy against cost."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from causewise.lab.benchmark.figures.style import (
    ADDITIVE,
    LOCATION_SCALE,
    canvas,
    kind,
    kind_handles,
    legend_above,
    line,
    short_names,
)
from causewise.lab.benchmark.scores import MEAN, ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Box = tuple[float, float, float, float]

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
"""Rough sizes in points of a letter's width, a line's height and half a marker."""


def by_set(summary: ScoreTable, sets: Sequence[str]) -> "Figure | None":
    """One panel per set, one bar per method, in the order of the table."""
    shown = [name for name in sets if name in summary.sets]
    methods = [m for m in summary.methods if any((m, name) in summary.cells for name in shown)]
    if not shown or not methods:
        return None
    figure, axes = canvas(1, len(shown), 2.2 + 1.9 * len(shown), 1.4 + 0.3 * len(methods), sharey=True)
    for panel, name in zip(axes, shown, strict=True):
        _bars(panel, summary, methods, name)
        panel.set_title(name)
    figure.supxlabel(_quantity(summary.metric), fontsize=10)
    _bar_legend(figure, methods, any(_printed(summary, methods, name) for name in shown))
    return figure


def overall(summaries: Sequence[ScoreTable]) -> "Figure | None":
    """The mean over all sets, best first, one panel per metric."""
    ranked = [_ranked(summary) for summary in summaries]
    if not any(ranked):
        return None
    tallest = max(map(len, ranked))
    figure, axes = canvas(1, len(summaries), 4.8 * len(summaries), 1.6 + 0.3 * tallest)
    for panel, summary, methods in zip(axes, summaries, ranked, strict=True):
        _bars(panel, summary, methods, MEAN)
        panel.set_xlabel(f"{_quantity(summary.metric)}, mean of {len(summary.sets)} sets")
    printed = [_printed(summary, methods, MEAN) for summary, methods in zip(summaries, ranked, strict=True)]
    _bar_legend(figure, sorted({method for methods in ranked for method in methods}), any(printed))
    return figure


def improvement(summary: ScoreTable, sets: Sequence[str], counterparts: Sequence[Mapping[str, str]]) -> "Figure | None":
    """One panel per set, two bars per couple, the gain in points above them."""
    shown = [name for name in sets if name in summary.sets]
    couples = [couple for couple in counterparts if all(_known(summary, couple, name) for name in shown)]
    if not shown or not couples:
        return None
    figure, axes = canvas(1, len(shown), max(4.4, 1.0 + 2.4 * len(shown)), 3.4, sharey=True)
    for panel, name in zip(axes, shown, strict=True):
        for place, couple in enumerate(couples):
            _couple(panel, summary, couple, name, place)
        panel.set_title(name)
        panel.set_xticks(range(len(couples)), [couple["name"].replace(", ", "\n") for couple in couples])
    axes[0].set_ylabel("accuracy (%)")
    axes[0].set_ylim(0, 114)
    axes[0].set_yticks([0, 25, 50, 75, 100])
    _improvement_legend(figure)
    return figure


def cost(summary: ScoreTable) -> "Figure | None":
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
    legend_above(figure, kind_handles(list(points)))
    # Names are placed in points on paper, and only a finished layout says where the data are.
    figure.draw_without_rendering()
    _names(panel, points)
    return figure


def _ranked(summary: ScoreTable) -> list[str]:
    known = [method for method in summary.methods if not math.isnan(summary.value(method, MEAN))]
    return sorted(known, key=lambda method: (-summary.value(method, MEAN), method))


def _bars(panel: "Axes", summary: ScoreTable, methods: Sequence[str], column: str) -> None:
    for place, method in enumerate(methods):
        value, how = summary.value(method, column), kind(method)
        if math.isnan(value):
            panel.text(1, place, "not run", va="center", fontsize=8, color="#666666")
            continue
        panel.barh(place, value, height=0.72, color=how.colour, hatch=how.hatch, edgecolor="black", linewidth=0.5)
        low, high = summary.bounds(method, column)
        if not math.isnan(low):
            # A white rim around the black line: it is seen on dark and on light bars alike.
            for colour, width in (("white", 3.2), ("black", 1.3)):
                panel.plot([low, high], [place, place], color=colour, linewidth=width, solid_capstyle="butt")
        printed = summary.printed(method, column)
        if not math.isnan(printed):
            panel.plot(printed, place, marker="D", color="white", markeredgecolor="black", markersize=4.5)
        panel.text(122, place, f"{value:.0f}", va="center", ha="right", fontsize=9)
    panel.axvline(50, color="black", linewidth=0.8, linestyle=":", zorder=0)
    panel.set_yticks(range(len(methods)), list(short_names(methods).values()))
    panel.set_ylim(len(methods) - 0.4, -0.6)
    panel.set_xlim(0, 123)
    panel.set_xticks([0, 50, 100])


def _printed(summary: ScoreTable, methods: Sequence[str], column: str) -> bool:
    """Whether the paper has a number to show beside some bar."""
    return any(not math.isnan(summary.printed(method, column)) for method in methods)


def _bar_legend(figure: "Figure", methods: Sequence[str], printed: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        *kind_handles(methods),
        Line2D([], [], color="black", linestyle=":", linewidth=0.8, label="a coin"),
        Line2D([], [], color="black", label="95 % interval"),
    ]
    if printed:
        handles.append(
            Line2D([], [], marker="D", color="white", markeredgecolor="black", markersize=4.5, label="paper")
        )
    legend_above(figure, handles)


def _quantity(metric: str) -> str:
    return "accuracy (%)" if metric == "accuracy" else f"{metric.upper()} (%)"


def _known(summary: ScoreTable, couple: Mapping[str, str], name: str) -> bool:
    values = (summary.value(couple[part], name) for part in ("additive", "location_scale"))
    return not any(math.isnan(value) for value in values)


def _couple(panel: "Axes", summary: ScoreTable, couple: Mapping[str, str], name: str, place: int) -> None:
    before, after = (summary.value(couple[part], name) for part in ("additive", "location_scale"))
    for offset, value, how in ((-0.19, before, ADDITIVE), (0.19, after, LOCATION_SCALE)):
        panel.bar(
            place + offset, value, width=0.38, color=how.colour, hatch=how.hatch, edgecolor="black", linewidth=0.5
        )
    panel.text(place, max(before, after) + 2, f"{after - before:+.0f}", ha="center", fontsize=9.5, fontweight="bold")


def _improvement_legend(figure: "Figure") -> None:
    from matplotlib.patches import Patch

    words = {ADDITIVE: "constant noise (ANM)", LOCATION_SCALE: "noise that scales (LSNM)"}
    handles = [
        Patch(facecolor=how.colour, hatch=how.hatch, edgecolor="black", linewidth=0.5, label=label)
        for how, label in words.items()
    ]
    legend_above(figure, handles)


def _points(summary: ScoreTable) -> dict[str, tuple[float, float]]:
    found = {}
    for method in summary.methods:
        value = summary.value(method, MEAN)
        if not math.isnan(value):
            seconds = float(np.mean([summary.cells[method, name].seconds for name in summary.sets]))
            found[method] = (max(seconds, 1e-6), value)
    return found


def _names(panel: "Axes", points: dict[str, tuple[float, float]]) -> None:
    """Names beside their points, where they cover neither a point nor one another."""
    to_points = 72 / panel.figure.dpi
    where = {method: panel.transData.transform(point) * to_points for method, point in points.items()}
    taken: list[Box] = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in where.values()]
    names = short_names(list(points))
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
