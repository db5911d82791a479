"""Curves: accuracy as a method answers on pairs it is less sure of, and the models fitted to one pair."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from causewise.decision import Decision, Evidence
from causewise.lab.benchmark.figures.style import canvas, line, short_names
from causewise.lab.benchmark.metrics import decision_rate_curve
from causewise.lab.benchmark.row import Row
from causewise.lab.benchmark.scores import ScoreTable, by_seed, scored
from causewise.pair import FloatArray
from causewise.report.wording import number, p_equals, short, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AT_MOST = 8
"""So many lines in a panel can still be told apart; the best by mean AUDRC are drawn."""
ACROSS = 4


def decision_rate(summary: ScoreTable, groups: Mapping[tuple[str, str], Sequence[Row]]) -> "Figure | None":
    """One panel per set. `summary` is that of AUDRC; `groups` are the rows behind it, first seed only."""
    if not summary.methods:
        return None
    methods = _best(summary)
    names = short_names(methods)
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


def example(decisions: Mapping[str, Decision], title: str) -> "Figure | None":
    """One pair, mean and band: a row of panels per model, a column per direction; None where no curves were kept."""
    if not decisions or any(_fit(decision.forward) is None for decision in decisions.values()):
        return None
    figure, axes = canvas(len(decisions), 2, 7.6, 0.6 + 2.8 * len(decisions))
    for row, (model, decision) in enumerate(decisions.items()):
        pair = decision.pair
        there, back = axes[2 * row], axes[2 * row + 1]
        _panel(there, pair.x, pair.y, decision.forward, (pair.x_name, pair.y_name), model)
        _panel(back, pair.y, pair.x, decision.backward, (pair.y_name, pair.x_name), model)
    figure.suptitle(title, fontsize=11)
    return figure


def _best(summary: ScoreTable) -> list[str]:
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


def _fit(evidence: Evidence) -> tuple[FloatArray, FloatArray] | None:
    if evidence.location is None or evidence.scale is None:
        return None
    return evidence.location, evidence.scale


def _panel(
    panel: "Axes", cause: FloatArray, effect: FloatArray, evidence: Evidence, names: tuple[str, str], model: str
) -> None:
    fit = _fit(evidence)
    assert fit is not None
    order = np.argsort(cause, kind="stable")
    at, middle, spread = cause[order], fit[0][order], fit[1][order]
    panel.fill_between(at, middle - 2 * spread, middle + 2 * spread, color="#c6dbef", linewidth=0)
    panel.scatter(cause, effect, s=5, color="#666666", alpha=0.7, linewidth=0, rasterized=True)
    for edge in (middle - 2 * spread, middle + 2 * spread):
        panel.plot(at, edge, color="#08519c", linewidth=0.9, linestyle="--")
    panel.plot(at, middle, color="#08306b", linewidth=1.8)
    panel.set(xlabel=names[0], ylabel=names[1])
    low, high = np.quantile(effect, [0.0, 1.0])
    room = 0.15 * (high - low)
    panel.set_ylim(low - room, high + room)
    cause_name, effect_name = (short(shown(name), 18) for name in names)
    panel.set_title(f"{model}, {cause_name} → {effect_name}{_numbers(evidence)}", fontsize=9, parse_math=False)


def _numbers(evidence: Evidence) -> str:
    said = []
    if evidence.log_likelihood is not None:
        said.append(f"log-likelihood {number(evidence.log_likelihood, 3)}")
    tests = [f"HSIC {number(evidence.hsic, 3)}"] if evidence.hsic is not None else []
    tests += [p_equals(evidence)] if evidence.p_value is not None else []
    # A line each: side by side they are wider than a panel.
    return "".join(f"\n{each}" for each in (*said, ", ".join(tests)) if each)
