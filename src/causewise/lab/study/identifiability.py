"""The map of identifiability: the equation, and every LOCI variant, on the way out of models that fit both ways.

equation   residual of the identifiability equation on random members of the two Gaussian families that fit both ways,
           on random models like those of AN … MNU that do not, and along two paths from the first kind to the second
chance     random members of the two families, drawn symmetrically in x and y: accuracy and verdict of every variant
map        the same variants along the two paths, against the number of rows
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from causewise.catalogue import method
from causewise.criteria import LEVEL, ModelCheck
from causewise.decision import Decision
from causewise.lab.plotting import canvas, draw_line, draw_reference, figure_style, line_style
from causewise.lab.study.running import Cell, Row, Scale, StudyTable, percentage, select, values_of
from causewise.lab.theory.conditions import FAMILIES, GENERIC, PATHS, evaluate, evaluate_exact
from causewise.lab.theory.model import Model
from causewise.pair import Pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, REVISION = "identifiability", 2

STEPS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
ROWS = (100, 300, 1000, 3000)
CHANCE_ROWS, PAIRS_PER_SEED = 500, 4
NETWORK_ROWS, NETWORK_BATCH = 200, 10
MODELS = {"spline": "loci", "network": "nn-loci"}
"""The likelihood and the independence variant of a model share one fit: the evidence holds both."""
_FLOOR = 1e-16
"""Smaller residuals are drawn here: a logarithmic axis has no zero."""
_PATHS = {
    "bend": "bend: a straight line becomes a curve, its noise uneven",
    "temper": "temper: f and g stay, the cause becomes Gaussian",
}


def cells(scale: Scale) -> list[Cell]:
    """The whole map; in the fast version a corner of it."""
    seeds = scale.repetitions(100, 4)
    # One evaluation of the equation takes a second.
    members = range(min(seeds, 20))
    steps, rows = ((0.0, 0.5, 1.0), (100, 300)) if scale.fast else (STEPS, ROWS)
    work: list[Cell] = [
        {"part": "equation", "models": name, "seed": seed} for name in (*FAMILIES, *GENERIC) for seed in members
    ]
    work += [{"part": "path", "models": path, "t": t} for path in PATHS for t in steps]
    work += [
        {"part": "chance", "fit": "spline", "models": name, "n": CHANCE_ROWS, "seed": seed}
        for name in FAMILIES
        for seed in range(seeds * PAIRS_PER_SEED)
    ]
    work += [
        {"part": "map", "fit": "spline", "models": path, "t": t, "n": n, "seed": seed}
        for path in PATHS
        for t in steps
        for n in rows
        for seed in range(seeds)
    ]
    return work + (_network_cells(seeds, steps) if scale.networks else [])


def _network_cells(seeds: int, steps: tuple[float, ...]) -> list[Cell]:
    """Half as many pairs of each family as for the splines, and one size on the map: a network takes a second."""
    batches = [list(range(i, i + NETWORK_BATCH)) for i in range(0, seeds * PAIRS_PER_SEED // 2, NETWORK_BATCH)]
    chance = [
        {"part": "chance", "fit": "network", "models": name, "n": NETWORK_ROWS, "seeds": batch}
        for batch in batches
        for name in FAMILIES
    ]
    few = [list(range(i, i + NETWORK_BATCH)) for i in range(0, seeds // 4, NETWORK_BATCH)]
    return chance + [
        {"part": "map", "fit": "network", "models": path, "t": t, "n": NETWORK_ROWS, "seeds": batch}
        for path in PATHS
        for t in steps[::2]
        for batch in few
    ]


def measure(cell: Cell) -> list[Row]:
    """One model's equation, or the decisions on one batch of pairs."""
    if cell["part"] in ("equation", "path"):
        model = _model(cell, np.random.default_rng([721, cell.get("seed", 0)]))
        balance = evaluate(model)
        identity = evaluate_exact(model).worst
        return [{"worst": balance.worst, "typical": balance.typical, "identity": identity}]
    pairs = [_pair(cell, seed) for seed in cell.get("seeds", [cell.get("seed")])]
    decisions = method(f"{MODELS[cell['fit']]}-h").decide_many(pairs)
    return [row for decision in decisions for row in _score_variants(cell["fit"], decision)]


def _model(cell: Cell, rng: np.random.Generator) -> Model:
    name = cell["models"]
    if name in PATHS:
        return PATHS[name](cell["t"])
    return FAMILIES[name](rng).forward() if name in FAMILIES else GENERIC[name](rng)


def _pair(cell: Cell, seed: int) -> Pair:
    """x is always the cause: in the families neither column is, and a method at chance has no way of knowing."""
    # The number of rows is part of the seed: cells of different n hold different pairs, not prefixes of one another.
    rng = np.random.default_rng([722, cell["n"], seed])
    return Pair.of(*_model(cell, rng).sample(rng, cell["n"]))


def _score_variants(fit: str, decision: Decision) -> list[Row]:
    ahead, behind = decision.forward, decision.backward
    if decision.failed or ahead.log_likelihood is None or behind.log_likelihood is None:
        return []
    # One fit serves both variants: the likelihoods stand in the evidence of the independence method.
    scores = {"h": decision.score, "m": ahead.log_likelihood - behind.log_likelihood}
    shared = {
        "both_fit": decision.reading is ModelCheck.BOTH_FIT,
        "p_forward": ahead.p_value,
        "p_backward": behind.p_value,
    }
    return [{"variant": f"{MODELS[fit]}-{kind}", "right": score > 0, **shared} for kind, score in scores.items()]


def tables(rows: Sequence[Row]) -> list[StudyTable]:
    """The equation, the test of chance, and the map."""
    return [_equation(rows), _path(rows), _chance(rows), _map(rows)]


def _equation(rows: Sequence[Row]) -> StudyTable:
    body = []
    for name in (*FAMILIES, *GENERIC):
        some = select(rows, part="equation", models=name)
        worst, typical = [row["worst"] for row in some], [row["typical"] for row in some]
        exact = max(row["identity"] for row in some)
        body.append((name, len(some), min(worst), max(worst), min(typical), float(np.median(typical)), exact))
    columns = ("models", "drawn", "least worst", "largest worst", "least mean", "median mean", "exact conditional")
    title = "Relative residual of the equation with the only possible backward model, over a grid of 13 × 13 points"
    return StudyTable("equation", title, columns, tuple(body))


def _path(rows: Sequence[Row]) -> StudyTable:
    some = select(rows, part="path")
    body = tuple((row["models"], row["t"], row["worst"], row["typical"]) for row in some)
    return StudyTable("path", "The equation along the two paths", ("path", "t", "worst", "mean"), body)


def _chance(rows: Sequence[Row]) -> StudyTable:
    body: list[tuple[Any, ...]] = []
    chance = select(rows, part="chance")
    for variant in sorted(values_of(chance, "variant")):
        for name in (*FAMILIES, "both families"):
            some = select(chance, variant=variant, **({"models": name} if name in FAMILIES else {}))
            accuracy = percentage([row["right"] for row in some])
            # Under the null every answer is a fair coin, so the standard error is 50/√n points whatever was observed.
            sigmas = (accuracy - 50) / (50 / np.sqrt(len(some)))
            both = percentage([row["both_fit"] for row in some])
            body.append((variant, name, some[0]["n"], len(some), accuracy, float(sigmas), both))
    columns = ("variant", "family", "n", "pairs", "accuracy (%)", "sigmas from 50 %", "both directions fit (%)")
    return StudyTable("chance", "Random members of the two families that fit both ways", columns, tuple(body))


def _map(rows: Sequence[Row]) -> StudyTable:
    body = []
    some = select(rows, part="map")
    for path in PATHS:
        for variant in sorted(values_of(some, "variant")):
            of_path = select(some, models=path, variant=variant)
            for t in values_of(of_path, "t"):
                for n in values_of(of_path, "n"):
                    body.append((path, variant, t, n, *_cell_summary(select(of_path, t=t, n=n))))
    measured = ("accuracy (%)", "rejects true (%)", "rejects false (%)", "median p true", "median p false")
    columns = ("path", "variant", "t", "n", "pairs", *measured)
    return StudyTable("map", f"Along the paths; a direction is rejected at p < {LEVEL:g}", columns, tuple(body))


def _cell_summary(some: Sequence[Row]) -> tuple[Any, ...]:
    sides = ("p_forward", "p_backward")
    rejected = [percentage([row[side] < LEVEL for row in some]) for side in sides]
    medians = [float(np.median([row[side] for row in some])) for side in sides]
    return len(some), percentage([row["right"] for row in some]), *rejected, *medians


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """The residuals, and the map."""
    with figure_style():
        return {"residuals": _residuals_figure(_path(rows), rows), "map": _map_figure(_path(rows), _map(rows))}


def _residuals_figure(path: StudyTable, rows: Sequence[Row]) -> "Figure":
    """Every random model as a dot, and the two paths as lines."""
    figure, (left, right) = canvas(1, 2, 8.4, 3.6, sharey=True)
    names = (*FAMILIES, *GENERIC)
    for place, name in enumerate(names):
        values = [max(row["typical"], _FLOOR) for row in select(rows, part="equation", models=name)]
        shift = np.linspace(-0.25, 0.25, len(values))
        left.plot(place + shift, values, "o", markersize=3, color=line_style(0 if place < 2 else 1)["color"])
    left.set_xticks(range(len(names)), names, rotation=30)
    left.set(yscale="log", ylim=(_FLOOR / 3, 3), ylabel="mean relative residual", title="random models")
    for index, name in enumerate(_PATHS):
        mine = path.where(path=name)
        values = [max(mean, _FLOOR) for mean in mine.column("mean")]
        draw_line(right, mine.column("t"), values, name, index, markersize=5)
    right.set(xlabel="position t on the path", title="paths")
    right.legend(loc="lower right")
    for panel in (left, right):
        draw_reference(panel, 1e-6)
    left.annotate("tolerance", (0.02, 1e-6), xycoords=("axes fraction", "data"), va="bottom", fontsize=8)
    return figure


def _map_figure(path: StudyTable, table: StudyTable) -> "Figure":
    """One row per path: residual of the equation, accuracy, and how often the test rejects the false direction."""
    figure, axes = canvas(2, 3, 10.6, 6.2, sharex=True)
    for down, name in enumerate(_PATHS):
        residual, accuracy, rejected = axes[3 * down : 3 * down + 3]
        mine = path.where(path=name)
        draw_line(residual, mine.column("t"), mine.column("mean"), "", 0, markersize=5)
        residual.set(ylabel="mean relative residual", ylim=(-0.02, None))
        residual.set_title(_PATHS[name], loc="left")
        _accuracy_panel(accuracy, table.where(path=name))
        _rejection_panel(rejected, table.where(path=name, variant="loci-h"))
    for panel in axes[3:]:
        panel.set_xlabel("position t on the path")
    for panel in axes[4:]:
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8, handlelength=2.8)
    return figure


def _accuracy_panel(panel: "Axes", table: StudyTable) -> None:
    index = 0
    for variant in dict.fromkeys(table.column("variant")):
        for n in list(dict.fromkeys(table.where(variant=variant).column("n")))[::2]:
            mine = table.where(variant=variant, n=n)
            draw_line(panel, mine.column("t"), mine.column("accuracy (%)"), f"{variant}, n = {n}", index, linewidth=1.2)
            index += 1
    draw_reference(panel, 50)
    panel.set(ylabel="accuracy (%)", ylim=(0, 104))


def _rejection_panel(panel: "Axes", table: StudyTable) -> None:
    sizes = list(dict.fromkeys(table.column("n")))
    for index, (n, side) in enumerate([*((n, "false") for n in sizes), (sizes[-1], "true")]):
        mine = table.where(n=n)
        label = f"{side} direction, n = {n}"
        draw_line(panel, mine.column("t"), mine.column(f"rejects {side} (%)"), label, index, linewidth=1.2)
    draw_reference(panel, 5)
    panel.set(ylabel="rejected at 5 %, spline fit (%)", ylim=(-2, 104))
