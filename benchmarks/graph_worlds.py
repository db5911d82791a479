"""Simulated tables with a known graph: every world of published simulators that `causewise.graph` is measured on.

`simulated(Setting(columns, rows, parents, world), seed)` has standardised columns in random positions, the edges, and
the pairs with a hidden common cause. `parents` is the number of edges over the number of columns; an expected degree of
4 is two. Mechanisms are in `graph_mechanisms.py`.

A world is *fitted* (the model of `causewise.graph` can describe it), *beyond* it, or *held out*: no weight is fitted to
the last. The gene network was looked at when the share of halves that an edge needs was chosen.
"""

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

from graph_mechanisms import (
    PLAIN,
    SENSORS,
    Mechanism,
    additive,
    draw,
    draw_bent_index,
    draw_gene,
    draw_index,
    draw_line,
    draw_log_natural,
    draw_natural,
    draw_network,
    draw_networks,
    draw_polynomial,
    draw_process,
    draw_product,
    draw_quadratic,
    draw_rough_process,
    draw_sigmoid_of_sum,
    draw_small_network,
    draw_tree,
    in_robust_units,
    location_scale,
    noise_inside,
    one_of,
    post_nonlinear,
    sigmoid,
    standardise,
    sums,
    sums_of_curves,
    sums_of_processes,
    sums_of_sigmoids,
)

Edges = set[tuple[int, int]]
Family = Literal["fitted", "beyond", "held-out"]


@dataclass(frozen=True)
class World:
    """How the columns of a table come about."""

    family: Family
    mechanism: Mechanism
    roots: tuple[str, ...] = ("normal",)
    """Laws of columns without parents."""
    scaled: bool = False
    """Whether a column is standardised before its children are drawn, as its authors do."""
    scale_free: bool = False
    """Few columns have most children."""
    hidden: float = 0.0
    """Hidden common causes, as a share of the columns."""
    error: float = 0.0
    """The largest variance of measurement error, as a share of that of the column."""
    lognormal: float = 0.0
    """Standard deviation of the logarithm of measurement error that multiplies."""


def own(family: Family, mechanism: Mechanism, laws: tuple[str, ...] = PLAIN, **more: float) -> World:
    """A world of our own: signal and noise have the same share of a column wherever it stands."""
    return World(family, mechanism, laws, scaled=True, **more)  # type: ignore[arg-type]


NORMAL = ("normal",)
SKEWED, EXPONENTIAL = ("either exponential",), ("exponential",)
MIXTURE = ("Gaussian mixture",)
SUM_OF_CURVES = additive(sums_of_curves, PLAIN, 0.5, 1.0, share=True)
PROCESS = additive(draw_process, NORMAL, 0.4**0.5, 0.8**0.5)
NOT_NORMAL = ("Laplace", "uniform", "either exponential")

WORLDS: dict[str, World] = {
    "heteroscedastic": own("fitted", location_scale(PLAIN)),
    "homoscedastic": own("fitted", SUM_OF_CURVES),
    "skewed noise": own("fitted", location_scale(SKEWED), SKEWED),
    "long-tailed noise": own("fitted", location_scale(("t3",)), ("t3",)),
    "GP sums": World("fitted", additive(sums_of_processes, NORMAL)),
    "polynomial sums": World("fitted", additive(sums(draw_polynomial), NORMAL, 0.4, 0.4, True), MIXTURE, True),
    "sigmoid sums": World("fitted", additive(sums_of_sigmoids, NORMAL, 0.4, 0.4), MIXTURE, True),
    "GP of all parents": World("fitted", PROCESS),
    "linear exponential": World("fitted", additive(draw_line, EXPONENTIAL), EXPONENTIAL),
    "linear Gumbel": World("fitted", additive(draw_line, ("Gumbel",)), ("Gumbel",)),
    "linear uniform": World("fitted", additive(draw_line, ("uniform",)), ("uniform",)),
    "linear, not normal": own("fitted", additive(draw_line, NOT_NORMAL, 0.5, 1.0, share=True), NOT_NORMAL),
    "natural parameters, linear": World("fitted", draw_natural(True), scaled=True),
    "natural parameters, curved": World("fitted", draw_natural(False), scaled=True),
    "natural parameters, log-linear": World("fitted", draw_log_natural(True)),
    "natural parameters, log-curved": World("fitted", draw_log_natural(False)),
    "linear or GP": World(
        "fitted",
        one_of([additive(f, ("normal", "Laplace", "Gumbel")) for f in (draw_line, draw_process)]),
        ("normal", "Laplace", "Gumbel"),
    ),
    "linear, normal": World("beyond", additive(draw_line, NORMAL)),
    "quadratic": World("beyond", additive(draw_quadratic, NORMAL, 0.5, 1.0, share=True), scaled=True),
    "MLP": World("beyond", additive(lambda rng, u: draw_network(rng, u, 100, sigmoid), NORMAL)),
    "index models": World("beyond", additive(draw_index, NORMAL)),
    "MLP of mean and scale": World("beyond", draw_networks(sigmoid, 100, NORMAL, 0.4)),
    "products": own("beyond", additive(draw_product, PLAIN, 0.5, 1.0, share=True)),
    "noise inside a sigmoid": World("beyond", noise_inside(draw_sigmoid_of_sum, 0.4), MIXTURE, scaled=True),
    "noise inside a GP": World("beyond", noise_inside(draw_process, 0.4), MIXTURE, scaled=True),
    "network": own("beyond", noise_inside(draw_small_network, 1.0)),
    "post-nonlinear": own("beyond", post_nonlinear(SUM_OF_CURVES, SENSORS[:3])),
    "cube of a GP": World("beyond", post_nonlinear(PROCESS, SENSORS[4:]), scaled=True),
    "sensor over a line": World("beyond", post_nonlinear(additive(draw_line, NORMAL), SENSORS[:4]), scaled=True),
    "measurement error": World("beyond", PROCESS, error=0.8),
    "hidden causes": World("beyond", PROCESS, hidden=0.3),
    "hidden causes, heteroscedastic": own("beyond", location_scale(PLAIN), hidden=0.3),
    "heavy tails": own("beyond", in_robust_units(location_scale(("t2",))), ("t2",)),
    "held-out: rough GP": own("held-out", additive(draw_rough_process, ("t5",), 0.5, 1.0, share=True), ("t5",)),
    "held-out: cubic of an index": own(
        "held-out", additive(draw_bent_index, ("gamma",), 0.5, 1.0, share=True), ("gamma",)
    ),
    "held-out: trees": own(
        "held-out", additive(lambda rng, u: sum(draw_tree(rng, u) for _ in range(8)), PLAIN, 0.5, 1.0, share=True)
    ),
    "held-out: tanh mean and scale": own("held-out", draw_networks(np.tanh, 10, PLAIN)),
    "held-out: each its own": own(
        "held-out",
        one_of(
            [
                location_scale(("normal", "Laplace", "gamma")),
                SUM_OF_CURVES,
                PROCESS,
                additive(sums_of_sigmoids, PLAIN, 0.4, 0.8),
                additive(draw_line, NOT_NORMAL, 0.5, 1.0, share=True),
                additive(draw_product, PLAIN, 0.5, 1.0, share=True),
                draw_networks(np.tanh, 20, NORMAL),
                post_nonlinear(SUM_OF_CURVES, SENSORS[2:4]),
            ]
        ),
        ("normal", "Laplace", "uniform", "gamma", "Gaussian mixture"),
    ),
    "held-out: recorded noise": own("held-out", location_scale(("recorded",)), ("recorded",)),
    "held-out: hidden causes": own(
        "held-out", additive(draw_rough_process, ("gamma",), 0.5, 1.0, share=True), hidden=0.3
    ),
    "held-out: gene network": World("held-out", draw_gene, ("level",), scale_free=True, lognormal=0.1),
}


@dataclass(frozen=True)
class Setting:
    """A kind of table; `parents` is the number of edges over the number of columns."""

    columns: int
    rows: int
    parents: float
    world: str

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.world} {self.columns} × {self.rows}" + (
            "" if self.parents == 2 else f", degree {2 * self.parents:g}"
        )


@dataclass(frozen=True)
class Table:
    """Rows with their graph."""

    rows: np.ndarray
    """Standardised, one column each."""
    edges: Edges
    """(parent, child)."""
    hidden: set[frozenset[int]]
    """Pairs with a common cause that is no column."""


SETTINGS = [
    *(Setting(10, 1000, 2.0, world) for world in WORLDS if "gene" not in world),
    Setting(20, 500, 1.15, "held-out: gene network"),
    Setting(5, 500, 2.0, "linear exponential"),
    Setting(20, 500, 2.0, "linear exponential"),
    Setting(20, 500, 2.0, "GP of all parents"),
]


def simulated(setting: Setting, seed: int) -> Table:
    """One table of a setting; the same seed draws the same."""
    world = WORLDS[setting.world]
    key = [seed, setting.columns, setting.rows, round(100 * setting.parents), zlib.crc32(setting.world.encode())]
    rng = np.random.default_rng(key)
    secret = max(1, round(world.hidden * setting.columns)) if world.hidden else 0
    graph = draw_graph(rng, setting, world.scale_free, secret)
    rows = np.zeros((setting.rows, len(graph)))
    for k, parents in enumerate(graph):
        values = world.mechanism(rng, rows[:, parents]) if parents else draw(rng, world.roots, setting.rows)
        rows[:, k] = standardise(values) if world.scaled else values
    if world.error:
        rows += np.sqrt(rng.uniform(0.2, world.error, len(graph))) * rows.std(axis=0) * rng.normal(size=rows.shape)
    if world.lognormal:
        rows *= np.exp(world.lognormal * rng.normal(size=rows.shape))
    place = rng.permutation(setting.columns)
    edges = {
        (int(place[a - secret]), int(place[b - secret])) for b, some in enumerate(graph) for a in some if a >= secret
    }
    families = [[int(place[b - secret]) for b, some in enumerate(graph) if a in some] for a in range(secret)]
    pairs = {frozenset((a, b)) for children in families for a in children for b in children if a != b}
    table = np.empty((setting.rows, setting.columns))
    table[:, place] = rows[:, secret:]
    return Table((table - table.mean(axis=0)) / table.std(axis=0), edges, pairs)


def draw_graph(rng: np.random.Generator, setting: Setting, scale_free: bool, secret: int) -> list[list[int]]:
    """The parents of every column among those before it; the first `secret` ones will be hidden.

    Each hidden one has three or four children, drawn from all columns.
    """
    graph: list[list[int]] = [[] for _ in range(secret)]
    share = min(1.0, 2 * setting.parents / max(setting.columns - 1, 1))
    children = np.ones(setting.columns)
    for k in range(setting.columns):
        if scale_free:  # preferential attachment of regulators (Barabási and Albert 1999)
            number = min(k, rng.poisson(setting.parents)) if k else 0
            chosen = rng.choice(k, number, replace=False, p=children[:k] / children[:k].sum()) if number else []
            children[list(chosen)] += 2
        else:
            chosen = np.flatnonzero(rng.random(k) < share)
        graph.append([secret + int(parent) for parent in chosen])
    for cause in range(secret):
        for child in rng.choice(setting.columns, min(setting.columns, rng.integers(3, 5)), replace=False):
            graph[secret + int(child)].insert(0, cause)
    return graph


def sortability(edges: Edges, values: np.ndarray) -> float:
    """How often a value rises along directed paths: 0.5 says nothing of the order, 1 all of it (Reisach et al. 2021).

    Pairs are counted once for every length of a path between them; ties count half. Not a number without an edge.
    """
    step = np.zeros((len(values), len(values)), dtype=bool)
    for parent, child in edges:
        step[parent, child] = True
    ties = np.isclose(values[:, None], values)
    rises = np.where(ties, 0.5, values[:, None] < values)
    reach, won, count = step, 0.0, 0
    while reach.any():
        won, count = won + rises[reach].sum(), count + reach.sum()
        reach = reach @ step
    return won / count if count else float("nan")


def variance_sortability(rows: np.ndarray, edges: Edges) -> float:
    """By the variance of columns (Reisach et al. 2021); 0.5 for standardised ones."""
    return sortability(edges, rows.var(axis=0))


def r2_sortability(rows: np.ndarray, edges: Edges) -> float:
    """By the share of a column's variance that all others explain linearly (Reisach et al. 2023); scale-free."""
    return sortability(edges, 1 - 1 / np.diag(np.linalg.pinv(np.corrcoef(rows.T), hermitian=True)))
