"""The paper's figures and two more, of a table of scores: bars of every method, curves, models fitted to one pair."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.catalogue import DEFAULT
from causewise.decision import Decision, Evidence
from causewise.formatting import format_number, shorten, single_line
from causewise.lab.benchmark.metrics import decision_rate_curve
from causewise.lab.benchmark.published import PAPER, paper_figures
from causewise.lab.benchmark.scores import MEAN, ScoreTable, by_seed, pair_scores
from causewise.lab.benchmark.store import Row
from causewise.lab.plotting import canvas, legend_above, line_style
from causewise.pair import FloatArray
from causewise.report.decision_wording import p_equals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AT_MOST = 8
"""So many lines in a panel can still be told apart; the best by mean AUDRC are drawn."""
ACROSS = 4
_DIAMOND: dict[str, Any] = {"marker": "D", "color": "white", "markeredgecolor": "black", "markersize": 4.5}

# ---- bars


@dataclass(frozen=True)
class Hue:
    """How the bars of one kind of method are filled."""

    name: str
    colour: str
    hatch: str

    @property
    def bar(self) -> dict[str, Any]:
        """Settings of a bar."""
        return {"color": self.colour, "hatch": self.hatch, "edgecolor": "black", "linewidth": 0.5}

    def handle(self, label: str) -> Any:
        """Entry of a legend."""
        from matplotlib.patches import Patch

        return Patch(facecolor=self.colour, hatch=self.hatch, edgecolor="black", linewidth=0.5, label=label)


LOCATION_SCALE = Hue("location-scale", "#08519c", "")
ADDITIVE = Hue("additive counterpart", "#a6cee3", "////")
COMBINED = Hue("several kinds of evidence", "#e08214", "....")
OTHER = Hue("other", "#d0d0d0", "")


def hue_of(method: str) -> Hue:
    """What the paper's list of counterparts says about a method; the default one is none of them."""
    base = method.split(":")[0]
    if base == DEFAULT:
        return COMBINED
    couples = paper_figures()["counterparts"]
    if base in {couple["location_scale"] for couple in couples}:
        return LOCATION_SCALE
    return ADDITIVE if base in {couple["additive"] for couple in couples} else OTHER


def by_set(summary: ScoreTable, sets: Sequence[str]) -> "Figure | None":
    """One panel per set, one bar per method, in the order of the table."""
    present = [name for name in sets if name in summary.sets]
    methods = [m for m in summary.methods if any((m, name) in summary.cells for name in present)]
    if not present or not methods:
        return None
    figure, axes = canvas(1, len(present), 2.2 + 1.9 * len(present), 1.4 + 0.3 * len(methods), sharey=True)
    for panel, name in zip(axes, present, strict=True):
        _bars(panel, summary, methods, name)
        panel.set_title(name)
    figure.supxlabel(_quantity(summary.metric), fontsize=10)
    _bar_legend(figure, methods, any(_in_paper(summary, methods, name) for name in present))
    return figure


def overall(summaries: Sequence[ScoreTable]) -> "Figure | None":
    """The mean over all sets, best first, one panel per metric."""
    ranked = [_ranking(summary) for summary in summaries]
    if not any(ranked):
        return None
    figure, axes = canvas(1, len(summaries), 4.8 * len(summaries), 1.6 + 0.3 * max(map(len, ranked)))
    for panel, summary, methods in zip(axes, summaries, ranked, strict=True):
        _bars(panel, summary, methods, MEAN)
        panel.set_xlabel(f"{_quantity(summary.metric)}, mean of {len(summary.sets)} sets")
    in_paper = any(_in_paper(summary, methods, MEAN) for summary, methods in zip(summaries, ranked, strict=True))
    _bar_legend(figure, sorted({method for methods in ranked for method in methods}), in_paper)
    return figure


def improvement(summary: ScoreTable, sets: Sequence[str], counterparts: Sequence[Mapping[str, str]]) -> "Figure | None":
    """One panel per set, two bars per couple, the gain in points above them."""
    present = [name for name in sets if name in summary.sets]
    couples = [c for c in counterparts if all(np.isfinite(_couple(summary, c, name)).all() for name in present)]
    if not present or not couples:
        return None
    figure, axes = canvas(1, len(present), max(4.4, 1.0 + 2.4 * len(present)), 3.4, sharey=True)
    for panel, name in zip(axes, present, strict=True):
        for place, couple in enumerate(couples):
            before, after = _couple(summary, couple, name)
            for offset, value, hue in ((-0.19, before, ADDITIVE), (0.19, after, LOCATION_SCALE)):
                panel.bar(place + offset, value, width=0.38, **hue.bar)
            gain = f"{after - before:+.0f}"
            panel.text(place, max(before, after) + 2, gain, ha="center", fontsize=9.5, fontweight="bold")
        panel.set_title(name)
        panel.set_xticks(range(len(couples)), [couple["name"].replace(", ", "\n") for couple in couples])
    axes[0].set_ylabel("accuracy (%)")
    axes[0].set_ylim(0, 114)
    axes[0].set_yticks([0, 25, 50, 75, 100])
    labels = {ADDITIVE: "constant noise (ANM)", LOCATION_SCALE: "noise that scales (LSNM)"}
    legend_above(figure, [hue.handle(label) for hue, label in labels.items()])
    return figure


def _couple(summary: ScoreTable, couple: Mapping[str, str], name: str) -> tuple[float, float]:
    return summary.value(couple["additive"], name), summary.value(couple["location_scale"], name)


def _ranking(summary: ScoreTable) -> list[str]:
    complete = [method for method in summary.methods if not math.isnan(summary.value(method, MEAN))]
    return sorted(complete, key=lambda method: (-summary.value(method, MEAN), method))


def _bars(panel: "Axes", summary: ScoreTable, methods: Sequence[str], column: str) -> None:
    for place, method in enumerate(methods):
        value = summary.value(method, column)
        if math.isnan(value):
            panel.text(1, place, "not run", va="center", fontsize=8, color="#666666")
            continue
        panel.barh(place, value, height=0.72, **hue_of(method).bar)
        low, high = summary.bounds(method, column)
        if not math.isnan(low):
            # A white rim around the black line: it is seen on dark and on light bars alike.
            for colour, width in (("white", 3.2), ("black", 1.3)):
                panel.plot([low, high], [place, place], color=colour, linewidth=width, solid_capstyle="butt")
        if printed := summary.published_number(method, column, PAPER):
            panel.plot(printed.value, place, **_DIAMOND)
        panel.text(122, place, f"{value:.0f}", va="center", ha="right", fontsize=9)
    panel.axvline(50, color="black", linewidth=0.8, linestyle=":", zorder=0)
    panel.set_yticks(range(len(methods)), list(_short_names(methods).values()))
    panel.set_ylim(len(methods) - 0.4, -0.6)
    panel.set_xlim(0, 123)
    panel.set_xticks([0, 50, 100])


def _in_paper(summary: ScoreTable, methods: Sequence[str], column: str) -> bool:
    """Whether the paper has a number to show beside some bar."""
    return any(summary.published_number(method, column, PAPER) for method in methods)


def _bar_legend(figure: "Figure", methods: Sequence[str], in_paper: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        *_hue_handles(methods),
        Line2D([], [], color="black", linestyle=":", linewidth=0.8, label="a coin"),
        Line2D([], [], color="black", label="95 % interval"),
    ]
    if in_paper:
        handles.append(Line2D([], [], label="paper", **_DIAMOND))
    legend_above(figure, handles)


def _hue_handles(methods: Sequence[str]) -> list[Any]:
    hues = {hue_of(method) for method in methods}
    return [hue.handle(hue.name) for hue in (COMBINED, LOCATION_SCALE, ADDITIVE, OTHER) if hue in hues]


def _quantity(metric: str) -> str:
    return "accuracy (%)" if metric == "accuracy" else f"{metric.upper()} (%)"


def _short_names(methods: Sequence[str]) -> dict[str, str]:
    """Names without settings, where no other method here has the same name."""
    bases = [method.split(":")[0] for method in methods]
    return {m: base if bases.count(base) == 1 else m for m, base in zip(methods, bases, strict=True)}


# ---- accuracy against cost

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


def cost(summary: ScoreTable) -> "Figure | None":
    """Median seconds per pair (logarithmic) against mean accuracy over all sets."""
    points = {}
    for method in _ranking(summary):
        seconds = float(np.mean([summary.cells[method, name].seconds for name in summary.sets]))
        points[method] = (max(seconds, 1e-6), summary.value(method, MEAN))
    if not points:
        return None
    figure, (panel,) = canvas(1, 1, 6.4, 4.4)
    for index, (method, (seconds, value)) in enumerate(sorted(points.items())):
        look = {"marker": line_style(index)["marker"], "color": hue_of(method).colour}
        panel.scatter(seconds, value, s=52, edgecolor="black", linewidth=0.7, zorder=3, **look)
    panel.set_xscale("log")
    panel.margins(x=0.22, y=0.12)
    panel.set_xlabel("seconds per pair on one core (median, logarithmic)")
    panel.set_ylabel(f"accuracy (%), mean of {len(summary.sets)} sets")
    panel.grid(color="#dddddd", linewidth=0.6)
    legend_above(figure, _hue_handles(list(points)))
    # Names are placed in points on paper, and only a finished layout says where the data are.
    figure.draw_without_rendering()
    _place_names(panel, {method: points[method] for method in summary.methods if method in points})
    return figure


def _place_names(panel: "Axes", points: dict[str, tuple[float, float]]) -> None:
    """Names beside their points, where they cover neither a point nor one another."""
    to_points = 72 / panel.figure.dpi
    where = {method: panel.transData.transform(point) * to_points for method, point in points.items()}
    taken: list[Box] = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in where.values()]
    names = _short_names(list(points))
    for method, (x, y) in sorted(where.items(), key=lambda each: -each[1][1]):
        width = _LETTER * len(names[method])
        lefts = [x + right - part * width for right, _, part in _PLACES]
        boxes = [(a, y + up, a + width, y + up + _HEIGHT) for a, (_, up, _) in zip(lefts, _PLACES, strict=True)]
        crowding = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = crowding.index(min(crowding))
        taken.append(boxes[best])
        right, up, part = _PLACES[best]
        side = {0.0: "left", 0.5: "center", 1.0: "right"}[part]
        panel.annotate(names[method], points[method], (right, up), textcoords="offset points", ha=side, fontsize=9)


def _overlap(a: Box, b: Box) -> float:
    across, along = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, across) * max(0.0, along)


# ---- curves


def decision_rate(summary: ScoreTable, groups: Mapping[tuple[str, str], Sequence[Row]]) -> "Figure | None":
    """One panel per set. `summary` is that of AUDRC; `groups` are the rows behind it, first seed only."""
    if not summary.methods:
        return None
    means = {m: np.nanmean([summary.value(m, name) for name in summary.sets]) for m in summary.methods}
    best = sorted(summary.methods, key=lambda method: (-means[method], method))[:AT_MOST]
    methods = [method for method in summary.methods if method in best]
    names = _short_names(methods)
    across = min(ACROSS, len(summary.sets))
    down = -(-len(summary.sets) // across)
    figure, axes = canvas(down, across, 0.8 + 2.5 * across, 1.1 + 2.1 * down, sharex=True, sharey=True)
    for panel, name in zip(axes, summary.sets, strict=False):
        for index, method in enumerate(methods):
            _curve(panel, groups.get((method, name), ()), names[method], index)
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


def _curve(panel: "Axes", rows: Sequence[Row], name: str, index: int) -> None:
    style = {"label": name, "markersize": 4.5, "linewidth": 1.3, **line_style(index)}
    if not rows:
        panel.plot([], [], **style)
        return
    curve = 100 * decision_rate_curve(pair_scores(next(iter(by_seed(rows).values()))))
    rate = 100 * np.arange(1, len(curve) + 1) / len(curve)
    # Markers of neighbouring lines are staggered so that lines at 100 % do not hide one another.
    step = max(1, len(curve) // 5)
    panel.plot(rate, curve, markevery=(index * step // AT_MOST, step), **style)


# ---- one pair


def example(decisions: Mapping[str, Decision], title: str) -> "Figure | None":
    """One pair, mean and band: a row of panels per model, a column per direction; None where no curves were kept."""
    if not decisions or any(d.forward.location is None or d.forward.scale is None for d in decisions.values()):
        return None
    figure, axes = canvas(len(decisions), 2, 7.6, 0.6 + 2.8 * len(decisions))
    for row, (model, decision) in enumerate(decisions.items()):
        pair = decision.pair
        there, back = axes[2 * row], axes[2 * row + 1]
        _fitted_panel(there, pair.x, pair.y, decision.forward, (pair.x_name, pair.y_name), model)
        _fitted_panel(back, pair.y, pair.x, decision.backward, (pair.y_name, pair.x_name), model)
    figure.suptitle(title, fontsize=11)
    return figure


def _fitted_panel(
    panel: "Axes", cause: FloatArray, effect: FloatArray, evidence: Evidence, names: tuple[str, str], model: str
) -> None:
    assert evidence.location is not None and evidence.scale is not None
    order = np.argsort(cause, kind="stable")
    at, middle, scale = cause[order], evidence.location[order], evidence.scale[order]
    panel.fill_between(at, middle - 2 * scale, middle + 2 * scale, color="#c6dbef", linewidth=0)
    panel.scatter(cause, effect, s=5, color="#666666", alpha=0.7, linewidth=0, rasterized=True)
    for edge in (middle - 2 * scale, middle + 2 * scale):
        panel.plot(at, edge, color="#08519c", linewidth=0.9, linestyle="--")
    panel.plot(at, middle, color="#08306b", linewidth=1.8)
    panel.set(xlabel=names[0], ylabel=names[1])
    low, high = np.quantile(effect, [0.0, 1.0])
    margin = 0.15 * (high - low)
    panel.set_ylim(low - margin, high + margin)
    cause_name, effect_name = (shorten(single_line(name), 18) for name in names)
    panel.set_title(f"{model}, {cause_name} → {effect_name}{_numbers(evidence)}", fontsize=9, parse_math=False)


def _numbers(evidence: Evidence) -> str:
    likelihood = (
        "" if evidence.log_likelihood is None else f"log-likelihood {format_number(evidence.log_likelihood, 3)}"
    )
    tests = [f"HSIC {format_number(evidence.hsic, 3)}"] if evidence.hsic is not None else []
    tests += [p_equals(evidence)] if evidence.p_value is not None else []
    # A line each: side by side they are wider than a panel.
    return "".join(f"\n{each}" for each in (likelihood, ", ".join(tests)) if each)
