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

from whence.datasets.laws import NOISE_LAWS, gaussian
from whence.datasets.mechanisms import LADDER
from whence.decision import LEVEL
from whence.models.spline import fit_crosswise, fit_location_scale, halves
from whence.numerics.hsic import HsicTest, hsic_test, p_value_at
from whence.pair import FloatArray, standardise
from whence.study.ledger import Cell, Row
from whence.study.output import Table, select, share, values_of
from whence.study.study import Scale
from whence.theory.families import draw_rational

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, REVISION = "splitting", 2

NOISES = ("gaussian", "uniform", "laplace")
SIZES = (200, 500, 1000, 2000)
LEVEL_OF_NOISE, KNOTS = 0.4, {"25 knots": 25, "12 knots": 12}
WAYS = ("all", "cross", "half")
RIGHT = "right features"


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
    rng = np.random.default_rng([741, cell["n"], cell["seed"]])
    if cell["noise"] == RIGHT:
        cause, effect = draw_rational(rng).sample(rng, cell["n"])
    else:
        cause = gaussian(rng, cell["n"])
        noise = NOISE_LAWS[cell["noise"]](rng, cell["n"])
        if cell["knots"] == "none":
            return [_given_noise(hsic_test(cause, noise))]
        effect = LADDER["lsnm"](rng, cause, noise, LEVEL_OF_NOISE)
    sides = [_tests(*columns, KNOTS[cell["knots"]]) for columns in ((cause, effect), (effect, cause))]
    return [{"way": way} | _compared(*(side[way] for side in sides)) for way in WAYS]


def _given_noise(test: HsicTest) -> Row:
    """The test's own p-value, and the one it would give to twice the statistic."""
    return {"p_true": test.p_value, "p_doubled": p_value_at(2 * test.statistic, test)}


Test = tuple[float, float, float]
"""Statistic, p-value and its logarithm."""


def _compared(ahead: Test, behind: Test) -> Row:
    return {
        "p_true": ahead[1],
        "p_false": behind[1],
        "by_statistic": ahead[0] < behind[0],
        "by_p_value": ahead[2] > behind[2],
    }


def _tests(cause: FloatArray, effect: FloatArray, n_knots: int) -> dict[str, Test]:
    order = np.argsort(cause)
    u, v = standardise(cause[order]), standardise(effect[order])
    seen = fit_location_scale(u, v, n_knots=n_knots).residual
    unseen = fit_crosswise(u, v, n_knots=n_knots).residual
    tested = ~halves(len(u), 0)
    found = (hsic_test(u, seen), hsic_test(u, unseen), hsic_test(u[tested], unseen[tested]))
    return {way: (t.statistic, t.p_value, t.log_p_value) for way, t in zip(WAYS, found, strict=True)}


def tables(rows: Sequence[Row]) -> list[Table]:
    """Accuracy and rejection rates for every noise and size, the mean over them, and the controls."""
    control = _controls(rows)
    rows = [row for row in rows if row["knots"] != "none" and row["noise"] != RIGHT]
    body = []
    for knots in values_of(rows, "knots"):
        for noise in values_of(rows, "noise"):
            for n in values_of(rows, "n"):
                body += [
                    (knots, noise, n, way, *_summary(select(rows, knots=knots, noise=noise, n=n, way=way)))
                    for way in WAYS
                ]
    overall = [
        (knots, way, *_summary(select(rows, knots=knots, way=way)))
        for knots in values_of(rows, "knots")
        for way in WAYS
    ]
    measured = (
        "pairs",
        "by statistic (%)",
        "by p-value (%)",
        "rejects true (%)",
        "rejects false (%)",
        "only true fits (%)",
    )
    return [
        Table("overall", "All noise laws and sizes together", ("knots", "rows", *measured), tuple(overall)),
        Table("splitting", "Accuracy and calibration", ("knots", "noise", "n", "rows", *measured), tuple(body)),
        control,
    ]


def _controls(rows: Sequence[Row]) -> Table:
    sizes = values_of(rows, "n")
    body = []
    for knots in KNOTS:
        for way in WAYS:
            some = [select(rows, noise=RIGHT, knots=knots, way=way, n=n) for n in sizes]
            body.append((f"right features, {knots}", way, *(_rejected(each, "p_true", "p_false") for each in some)))
    given = [select(rows, knots="none", n=n) for n in sizes]
    body.append(("the noise itself", "all", *(_rejected(each, "p_true") for each in given)))
    body.append(("the noise itself, statistic doubled", "all", *(_rejected(each, "p_doubled") for each in given)))
    title = "Controls: true directions rejected at p < 0.05 (%), by the number of rows"
    return Table("controls", title, ("residual", "rows", *(f"n = {n}" for n in sizes)), tuple(body))


def _rejected(some: Sequence[Row], *names: str) -> float:
    return share([row[name] < LEVEL for row in some for name in names])[0]


def _summary(some: Sequence[Row]) -> tuple[Any, ...]:
    right = [share([row[by] for row in some])[0] for by in ("by_statistic", "by_p_value")]
    rejected = [share([row[p] < LEVEL for row in some])[0] for p in ("p_true", "p_false")]
    only = share([row["p_true"] >= LEVEL > row["p_false"] for row in some])[0]
    return len(some), *right, *rejected, only


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """Accuracy and rejection against n, and the law of the true direction's p-values."""
    from whence.study.splitting_figures import against_n, p_values

    return {"against-n": against_n(tables(rows)[1]), "p-values": p_values(rows)}
