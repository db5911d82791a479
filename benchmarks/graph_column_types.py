"""What a column that is not continuous does to a graph: simulated tables of six columns, one of them levels or counts.

    python benchmarks/graph_column_types.py [--tables 40] [--only count]

The column is a root of the graph, or an effect: of its parents and noise, then cut or rounded as its law says; what
depends on it depends on what is recorded. Four ways to treat it: left out; its equal values spread over their cells,
and then like any column; a cause alone, which no column moves; its place among its true ancestors and descendants known
(`known=`). A line has the wrong edges a table between the other columns, and the edges of the column itself: right,
turned round and invented, a table.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.order_search import fit_graph
from causewise.lab.datasets.laws import CAUSE_LAWS, NOISE_LAWS, draw_any, positive, smooth
from causewise.numerics.row_sampling import break_ties, scramble
from causewise.pair import FloatArray, standardise

Random = np.random.Generator
Edges = set[tuple[int, int]]
COLUMNS, ROWS, ALPHA = 6, 500, 0.001


def levelled(levels: int, rng: Random, column: FloatArray) -> FloatArray:
    """Ordered levels, cut at random quantiles."""
    cuts = np.sort(rng.uniform(0.05, 0.95, levels - 1))
    return np.digitize(column, np.quantile(column, cuts)).astype(float)


def rounded(steps: int, rng: Random, column: FloatArray) -> FloatArray:
    """So many steps over its range."""
    return np.round(column / np.ptp(column) * steps)


def counted(mean: float, rng: Random, column: FloatArray) -> FloatArray:
    """Poisson, the logarithm of its mean the column."""
    return rng.poisson(mean * np.exp(0.5 * column - 0.125)).astype(float)


def inflated(share: float, rng: Random, column: FloatArray) -> FloatArray:
    """Positive, and 0 in a share of the rows whatever else they hold."""
    return np.where(rng.random(len(column)) < share, 0.0, column - column.min() + 0.1)


def floored(share: float, rng: Random, column: FloatArray) -> FloatArray:
    """Not below a quantile."""
    return np.maximum(column, np.quantile(column, share))


def untouched(rng: Random, column: FloatArray) -> FloatArray:
    """As it is: the line to hold the others against."""
    return column


LAWS: dict[str, Callable[[Random, FloatArray], FloatArray]] = {
    "continuous": untouched,
    "two values": partial(levelled, 2),
    "3 levels": partial(levelled, 3),
    "7 levels": partial(levelled, 7),
    "rounded to 10 steps": partial(rounded, 10),
    "rounded to 30 steps": partial(rounded, 30),
    "count, mean 3": partial(counted, 3.0),
    "count, mean 10": partial(counted, 10.0),
    "zero-inflated by 20 %": partial(inflated, 0.2),
    "zero-inflated by 60 %": partial(inflated, 0.6),
    "floor at the 30 % quantile": partial(floored, 0.3),
}


@dataclass(frozen=True)
class World:
    """A table with its graph."""

    columns: FloatArray
    """One line a column."""
    edges: Edges
    special: int
    """The column that is not continuous."""


def world(law: str, root: bool, seed: int) -> World:
    """A table as it is recorded.

    Every column is standardised before its children are made. Each pair has an edge with the chance 2/5; the column
    that is not continuous has a child if it is a root, and a parent if it is not.
    """
    rng = np.random.default_rng([seed, root])
    order = rng.permutation(COLUMNS)
    place = 0 if root else int(rng.integers(1, COLUMNS))
    special, columns, edges = int(order[place]), np.zeros((COLUMNS, ROWS)), Edges()
    for k, child in enumerate(map(int, order)):
        parents = [int(other) for other in order[:k] if rng.random() < 0.4]
        if k == place and not root and not parents:
            parents = [int(order[0])]
        if k == 1 and root and special not in parents:
            parents = [special, *parents]
        edges |= {(parent, child) for parent in parents}
        noise = draw_any(NOISE_LAWS if parents else CAUSE_LAWS, rng, ROWS)
        if parents:
            mean = standardise(np.sum([smooth(rng, columns[p]) for p in parents], axis=0))
            scale = np.prod([positive(rng, columns[p]) for p in parents if rng.random() < 0.7], axis=0)
            noise = mean + rng.uniform(0.3, 0.8) * scale * noise
        columns[child] = standardise(noise)
        if child == special:
            columns[child] = standardise(LAWS[law](np.random.default_rng([seed, 1]), columns[child]))
    return World(columns, edges, special)


def treated(seen: World) -> Iterator[tuple[str, Edges]]:
    """Of every treatment its name and the edges that are found."""
    s, others = seen.special, [k for k in range(COLUMNS) if k != seen.special]
    key = scramble(np.arange(ROWS, dtype=np.uint64))
    loose = seen.columns.copy()
    loose[s] = standardise(break_ties(loose[s], loose[s], key))
    free = Constraints.none(COLUMNS)
    before = free.before.copy()
    for a, b in ancestry(seen.edges):
        before[a, b] = s in (a, b)
    among = fit_graph(seen.columns[others], Constraints.none(COLUMNS - 1), ALPHA).arrows
    yield "out", {(others[a], others[b]) for a, b in among}
    yield "spread", set(fit_graph(loose, free, ALPHA).arrows)
    yield (
        "cause",
        set(fit_graph(seen.columns, replace(free, barred=free.barred | (np.arange(COLUMNS) == s)), ALPHA).arrows),
    )
    yield "known", set(fit_graph(seen.columns, replace(free, before=before), ALPHA).arrows)


def ancestry(edges: Edges) -> Edges:
    """Every column and all that come after it."""
    reach = np.zeros((COLUMNS, COLUMNS), dtype=bool)
    for pair in edges:
        reach[pair] = True
    for _ in range(COLUMNS):
        reach |= reach @ reach
    return {(int(a), int(b)) for a, b in np.argwhere(reach)}


def judged(seen: World, found: Edges) -> tuple[int, int, int, int]:
    """Wrong edges between the other columns; edges of the column itself that are right, turned round and invented."""
    mine, back = {edge for edge in found if seen.special in edge}, {(b, a) for a, b in seen.edges}
    wrong = sum(seen.special not in edge for edge in found ^ seen.edges)
    return wrong, len(mine & seen.edges), len(mine & back), len(mine - seen.edges - back)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print("| law | place | others wrong: out | spread | cause | known | own: spread | cause | known |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for law in (law for law in LAWS if given.only in law):
        for root in (True, False):
            worlds = [world(law, root, seed) for seed in range(given.tables)]
            totals: dict[str, FloatArray] = defaultdict(lambda: np.zeros(4))
            for seen in worlds:
                for name, found in treated(seen):
                    totals[name] += np.array(judged(seen, found)) / given.tables
            wrong = [f"{totals[name][0]:.1f}" for name in ("out", "spread", "cause", "known")]
            own = [" ".join(f"{count:.1f}" for count in totals[name][1:]) for name in ("spread", "cause", "known")]
            print(f"| {law} | {'root' if root else 'effect'} | {' | '.join([*wrong, *own])} |", flush=True)


if __name__ == "__main__":
    main()
