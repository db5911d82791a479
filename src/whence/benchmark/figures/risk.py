"""Risk–coverage curves: the share of wrong answers among the most certain ones, as more of them are asked for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, line
from whence.benchmark.intervals import Indices
from whence.benchmark.metrics import Scored, running_accuracy
from whence.pair import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST = 0.02
"""Shares below this are not drawn: the error of a handful of pairs says nothing."""


def risk_coverage(panels: Mapping[str, Mapping[str, Scored]], resamples: Mapping[str, Indices]) -> "Figure":
    """A panel for every kind of data, a line for every method; the first method has its 95 % band.

    `resamples` are those of a panel's pairs, one a row.
    """
    figure, axes = canvas(1, len(panels), 0.8 + 2.9 * len(panels), 3.7, sharex=True)
    for panel, (title, methods) in zip(axes, panels.items(), strict=True):
        for index, (name, scored) in enumerate(methods.items()):
            _curve(panel, name, risk(scored), index)
        _band(panel, next(iter(methods.values())), resamples[title])
        panel.set_title(title, pad=4)
        panel.set_ylim(bottom=0)
    axes[0].set(xlim=(0, 102), ylabel="wrong among the answered (%)")
    figure.supxlabel("coverage (%): the most certain answers first", fontsize=10)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), handlelength=3.2)
    return figure


def risk(scored: Scored) -> FloatArray:
    """Weighted share of wrong answers in per cent among the k most certain (see `Scored.order`), k = 1 … n."""
    order = scored.order
    return np.asarray(100 * (1 - running_accuracy(scored.correct[order], scored.weight[order])))


def _curve(panel: "Axes", name: str, curve: FloatArray, index: int) -> None:
    rate = np.arange(1, len(curve) + 1) / len(curve)
    shown = rate >= FIRST
    marks = (index * len(curve) // 40, max(1, len(curve) // 6))
    panel.plot(100 * rate[shown], curve[shown], label=name, markevery=marks, markersize=4, linewidth=1.3, **line(index))


def _band(panel: "Axes", scored: Scored, resamples: Indices) -> None:
    place = np.argsort(scored.order)
    ranked = scored.order[np.sort(place[resamples], axis=1)]
    curves = 100 * (1 - running_accuracy(scored.correct[ranked], scored.weight[ranked]))
    low, high = np.quantile(curves, [0.025, 0.975], axis=0)
    rate = np.arange(1, curves.shape[1] + 1) / curves.shape[1]
    shown = rate >= FIRST
    panel.fill_between(100 * rate[shown], low[shown], high[shown], color=line(0)["color"], alpha=0.15, linewidth=0)
