"""Accuracy by set, and means over all sets, as horizontal bars with intervals and the paper's number beside them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from whence.benchmark.figures.style import canvas, kind, kind_handles, short
from whence.benchmark.summary import MEAN, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def by_set(summary: Summary, sets: Sequence[str]) -> "Figure | None":
    """One panel per set, one bar per method, in the order of the table."""
    shown = [name for name in sets if name in summary.sets]
    methods = [m for m in summary.methods if any((m, name) in summary.cells for name in shown)]
    if not shown or not methods:
        return None
    figure, axes = canvas(1, len(shown), 2.2 + 1.9 * len(shown), 1.4 + 0.3 * len(methods), sharey=True)
    for panel, name in zip(axes, shown, strict=True):
        _panel(panel, summary, methods, name)
        panel.set_title(name)
    figure.supxlabel(_quantity(summary.metric), fontsize=10)
    _explain(figure, methods)
    return figure


def overall(summaries: Sequence[Summary]) -> "Figure | None":
    """The mean over all sets, best first, one panel per metric."""
    ranked = [_ranked(summary) for summary in summaries]
    if not any(ranked):
        return None
    tallest = max(map(len, ranked))
    figure, axes = canvas(1, len(summaries), 4.8 * len(summaries), 1.6 + 0.3 * tallest)
    for panel, summary, methods in zip(axes, summaries, ranked, strict=True):
        _panel(panel, summary, methods, MEAN)
        panel.set_xlabel(f"{_quantity(summary.metric)}, mean of {len(summary.sets)} sets")
    _explain(figure, sorted({method for methods in ranked for method in methods}))
    return figure


def _ranked(summary: Summary) -> list[str]:
    known = [method for method in summary.methods if not math.isnan(summary.value(method, MEAN))]
    return sorted(known, key=lambda method: (-summary.value(method, MEAN), method))


def _panel(panel: "Axes", summary: Summary, methods: Sequence[str], column: str) -> None:
    for place, method in enumerate(methods):
        value, how = summary.value(method, column), kind(method)
        if math.isnan(value):
            panel.text(1, place, "not run", va="center", fontsize=8, color="#666666")
            continue
        panel.barh(place, value, height=0.72, color=how.colour, hatch=how.hatch, edgecolor="black", linewidth=0.5)
        low, high = summary.bounds(method, column)
        if not math.isnan(low):
            for colour, width in (("white", 3.2), ("black", 1.3)):  # rimmed, to be seen on dark and on light bars
                panel.plot([low, high], [place, place], color=colour, linewidth=width, solid_capstyle="butt")
        printed = summary.printed(method, column)
        if not math.isnan(printed):
            panel.plot(printed, place, marker="D", color="white", markeredgecolor="black", markersize=4.5)
        panel.text(122, place, f"{value:.0f}", va="center", ha="right", fontsize=9)
    panel.axvline(50, color="black", linewidth=0.8, linestyle=":", zorder=0)
    panel.set_yticks(range(len(methods)), list(short(methods).values()))
    panel.set_ylim(len(methods) - 0.4, -0.6)
    panel.set_xlim(0, 123)
    panel.set_xticks([0, 50, 100])


def _explain(figure: "Figure", methods: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        *kind_handles(methods),
        Line2D([], [], color="black", linestyle=":", linewidth=0.8, label="a coin"),
        Line2D([], [], color="black", label="95 % interval"),
        Line2D([], [], marker="D", color="white", markeredgecolor="black", markersize=4.5, label="paper"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), columnspacing=1.2)


def _quantity(metric: str) -> str:
    return "accuracy (%)" if metric == "accuracy" else f"{metric.upper()} (%)"
