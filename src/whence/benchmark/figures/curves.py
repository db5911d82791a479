"""Decision-rate curves: how accuracy falls as a method is made to answer on pairs it is less sure of."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from whence.benchmark.figures.style import canvas, line, short
from whence.benchmark.metrics import decision_rate_curve
from whence.benchmark.row import Row
from whence.benchmark.summary import Summary, by_seed, scored

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AT_MOST = 8
"""So many lines in a panel can still be told apart; the best by mean AUDRC are drawn."""
ACROSS = 4


def curves(summary: Summary, groups: Mapping[tuple[str, str], Sequence[Row]]) -> "Figure | None":
    """One panel per set. `summary` is that of AUDRC; `groups` are the rows behind it, first seed only."""
    if not summary.methods:
        return None
    methods = _best(summary)
    names = short(methods)
    across = min(ACROSS, len(summary.sets))
    down = -(-len(summary.sets) // across)
    figure, axes = canvas(down, across, 0.8 + 2.5 * across, 1.1 + 2.1 * down, sharex=True, sharey=True)
    for panel, name in zip(axes, summary.sets, strict=False):
        for index, method in enumerate(methods):
            _line(panel, groups.get((method, name), ()), names[method], index)
        panel.axhline(50, color="black", linewidth=0.7, linestyle=":", zorder=0)
        panel.set_title(name, pad=3)
    for index, panel in enumerate(axes):
        if index >= len(summary.sets):
            panel.set_axis_off()
        elif index + across >= len(summary.sets):  # nothing below it
            panel.tick_params(labelbottom=True)
    axes[0].set(xlim=(0, 102), ylim=(0, 104), xticks=[0, 50, 100], yticks=[0, 50, 100])
    figure.supxlabel("decision rate (%): the most certain answers first", fontsize=10)
    figure.supylabel("accuracy (%)", fontsize=10)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(4, len(labels)), handlelength=3.2)
    return figure


def _best(summary: Summary) -> list[str]:
    means = {m: np.nanmean([summary.value(m, name) for name in summary.sets]) for m in summary.methods}
    chosen = sorted(summary.methods, key=lambda method: (-means[method], method))[:AT_MOST]
    return [method for method in summary.methods if method in chosen]


def _line(panel: "Axes", rows: Sequence[Row], name: str, index: int) -> None:
    if not rows:
        panel.plot([], [], label=name, markersize=4.5, linewidth=1.3, **line(index))
        return
    curve = 100 * decision_rate_curve(scored(next(iter(by_seed(rows).values()))))
    rate = 100 * np.arange(1, len(curve) + 1) / len(curve)
    # Markers of neighbouring lines are staggered so that lines at 100 % do not hide one another.
    step = max(1, len(curve) // 5)
    marks = (index * step // AT_MOST, step)
    panel.plot(rate, curve, label=name, markevery=marks, markersize=4.5, linewidth=1.3, **line(index))
