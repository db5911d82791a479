"""Unseen rows and p-values: what sample splitting and deciding by p-value cost in accuracy and gain in calibration.

Three ways to get a residual: from the rows the model was fitted to (all), from a fit to the other half of the rows,
both halves together (cross), and from a fit to one half, tested on the other half alone (half). Two ways to decide:
by the smaller statistic or by the larger p-value. The true direction is a location-scale model, so that a calibrated
test rejects it in 5 % of the pairs.

Two controls: laws whose natural parameters are quadratics, which the splines contain (no error of approximation is
left, and both directions are true), and the test given the true noise (no error of estimation is left either).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.criteria import LEVEL
from causewise.lab.datasets.laws import LADDER, NOISE_LAWS, gaussian
from causewise.lab.plotting import canvas, draw_line, draw_reference, figure_style
from causewise.lab.study.running import Cell, Row, Scale, StudyTable, percentage, select, values_of
from causewise.lab.theory.conditions import draw_rational
from causewise.models.spline import fit_crosswise, fit_location_scale, halves
from causewise.numerics.hsic import hsic_test, p_value_at
from causewise.pair import FloatArray, row_order, standardise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, REVISION = "splitting", 2

NOISES = ("gaussian", "uniform", "laplace")
SIZES = (200, 500, 1000, 2000)
NOISE_SD, KNOTS = 0.4, {"25 knots": 25, "12 knots": 12}
WAYS = ("all", "cross", "half")
RIGHT = "right features"
_NAMES = {"all": "rows of the fit", "cross": "unseen rows, both halves", "half": "unseen rows, one half"}

Test = tuple[float, float, float]
"""Statistic, p-value and its logarithm."""


def cells(scale: Scale) -> list[Cell]:
    """Pairs of every noise law and size, with the default number of knots and with a small one."""
    pairs = range(scale.repetitions(300, 6))
    sizes = SIZES[:2] if scale.fast else SIZES
    return [
        {"noise": noise, "knots": knots, "n": n, "seed": seed}
        for knots, noises in (dict.fromkeys(KNOTS, (*NOISES, RIGHT)) | {"none": NOISES}).items()
        for noise in noises
        for n in sizes
        for seed in pairs
    ]


def measure(cell: Cell) -> list[Row]:
    """Both directions of one pair, tested in three ways."""
    # Neither noise nor knots are in the seed: the ways are compared on the same causes.
    rng = np.random.default_rng([741, cell["n"], cell["seed"]])
    if cell["noise"] == RIGHT:
        cause, effect = draw_rational(rng).sample(rng, cell["n"])
    else:
        cause = gaussian(rng, cell["n"])
        noise = NOISE_LAWS[cell["noise"]](rng, cell["n"])
        if cell["knots"] == "none":
            test = hsic_test(cause, noise)
            # The test's own p-value, and the one it would give to twice the statistic.
            return [{"p_true": test.p_value, "p_doubled": p_value_at(2 * test.statistic, test)}]
        effect = LADDER["lsnm"](rng, cause, noise, NOISE_SD)
    sides = [_tests(*columns, KNOTS[cell["knots"]]) for columns in ((cause, effect), (effect, cause))]
    return [{"way": way} | _compare(*(side[way] for side in sides)) for way in WAYS]


def _compare(ahead: Test, behind: Test) -> Row:
    return {
        "p_true": ahead[1],
        "p_false": behind[1],
        "by_statistic": ahead[0] < behind[0],
        # By the logarithms: far out in the tail both p-values underflow to zero, and would tie.
        "by_p_value": ahead[2] > behind[2],
    }


def _tests(cause: FloatArray, effect: FloatArray, n_knots: int) -> dict[str, Test]:
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    seen = fit_location_scale(u, v, n_knots=n_knots).residual
    unseen = fit_crosswise(u, v, n_knots=n_knots).residual
    # `half` is the cross-fit's residual on the rows that one of its two fits did not see: no third fit is needed.
    tested = ~halves(len(u), 0)
    tests = (hsic_test(u, seen), hsic_test(u, unseen), hsic_test(u[tested], unseen[tested]))
    return {way: (t.statistic, t.p_value, t.log_p_value) for way, t in zip(WAYS, tests, strict=True)}


def tables(rows: Sequence[Row]) -> list[StudyTable]:
    """Accuracy and rejection rates for every noise and size, the mean over them, and the controls."""
    control = _controls(rows)
    rows = [row for row in rows if row["knots"] != "none" and row["noise"] != RIGHT]
    overall, body = [], []
    for knots in values_of(rows, "knots"):
        overall += [(knots, way, *_summary(select(rows, knots=knots, way=way))) for way in WAYS]
        for noise in values_of(rows, "noise"):
            for n in values_of(rows, "n"):
                some = select(rows, knots=knots, noise=noise, n=n)
                body += [(knots, noise, n, way, *_summary(select(some, way=way))) for way in WAYS]
    accuracy = ("pairs", "by statistic (%)", "by p-value (%)")
    measured = (*accuracy, "rejects true (%)", "rejects false (%)", "only true fits (%)")
    return [
        StudyTable("overall", "All noise laws and sizes together", ("knots", "rows", *measured), tuple(overall)),
        StudyTable("splitting", "Accuracy and calibration", ("knots", "noise", "n", "rows", *measured), tuple(body)),
        control,
    ]


def _controls(rows: Sequence[Row]) -> StudyTable:
    sizes = values_of(rows, "n")
    body = []
    for knots in KNOTS:
        for way in WAYS:
            some = [select(rows, noise=RIGHT, knots=knots, way=way, n=n) for n in sizes]
            body.append(
                (f"right features, {knots}", way, *(_rejection_rate(each, "p_true", "p_false") for each in some))
            )
    noise = [select(rows, knots="none", n=n) for n in sizes]
    body.append(("the noise itself", "all", *(_rejection_rate(each, "p_true") for each in noise)))
    body.append(("the noise itself, statistic doubled", "all", *(_rejection_rate(each, "p_doubled") for each in noise)))
    title = "Controls: true directions rejected at p < 0.05 (%), by the number of rows"
    return StudyTable("controls", title, ("residual", "rows", *(f"n = {n}" for n in sizes)), tuple(body))


def _rejection_rate(some: Sequence[Row], *names: str) -> float:
    return percentage([row[name] < LEVEL for row in some for name in names])


def _summary(some: Sequence[Row]) -> tuple[Any, ...]:
    right = [percentage([row[by] for row in some]) for by in ("by_statistic", "by_p_value")]
    rejected = [percentage([row[p] < LEVEL for row in some]) for p in ("p_true", "p_false")]
    only = percentage([row["p_true"] >= LEVEL > row["p_false"] for row in some])
    return len(some), *right, *rejected, only


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """Accuracy and rejection against n, and the law of the true direction's p-values."""
    with figure_style():
        return {"against-n": _size_figure(tables(rows)[1]), "p-values": _p_value_figure(rows)}


def _size_figure(table: StudyTable) -> "Figure":
    """One row of panels per number of knots; Gaussian noise."""
    columns = {
        "by statistic (%)": "accuracy by statistic (%)",
        "by p-value (%)": "accuracy by p-value (%)",
        "rejects true (%)": "true direction, p < 0.05 (%)",
        "rejects false (%)": "false direction, p < 0.05 (%)",
    }
    knots, sizes = list(dict.fromkeys(table.column("knots"))), sorted(set(table.column("n")))
    figure, axes = canvas(len(knots), 4, 10.6, 2.5 * len(knots) + 0.5, sharex=True, sharey="col")
    for place, panel in enumerate(axes):
        down, across = divmod(place, 4)
        column, label = list(columns.items())[across]
        for index, way in enumerate(WAYS):
            mine = table.where(knots=knots[down], noise="gaussian", rows=way)
            draw_line(panel, mine.column("n"), mine.column(column), _NAMES[way], index, linewidth=1.2)
        panel.set(xscale="log")
        panel.set_title(label if down == 0 else "", fontsize=9.5)
        if across == 2:
            draw_reference(panel, 5)
        if across == 0:
            panel.set_ylabel(knots[down])
    for panel in axes[-4:]:
        panel.set_xlabel("rows n")
        panel.set_xticks(sizes, [str(n) for n in sizes], minor=False)
        panel.set_xticks([], minor=True)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _p_value_figure(rows: Sequence[Row]) -> "Figure":
    """Distribution function of the true direction's p-values; a calibrated test follows the diagonal."""
    sizes = values_of(rows, "n")
    n = sizes[min(2, len(sizes) - 1)]
    worlds = {
        "random smooth f and g": [row for row in rows if row["knots"] == "25 knots" and row["noise"] != RIGHT],
        "f and g within the splines": select(rows, knots="25 knots", noise=RIGHT),
    }
    figure, axes = canvas(1, len(worlds), 8.0, 3.7, sharey=True)
    for panel, (name, mine) in zip(axes, worlds.items(), strict=True):
        for index, way in enumerate(WAYS):
            p = np.sort([row["p_true"] for row in select(mine, n=n, way=way)])
            share = np.arange(1, len(p) + 1) / len(p)
            draw_line(panel, p, share, _NAMES[way], index, drawstyle="steps-post", marker="", linewidth=1.5)
        panel.axline((0, 0), slope=1, color="#202020", linewidth=0.8, linestyle=":")
        title = f"{name}, 25 knots, n = {n}"
        panel.set(xlabel="p-value of the true direction", title=title, xlim=(0, 1), ylim=(0, 1.01))
    axes[0].set_ylabel("share of pairs below")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure
