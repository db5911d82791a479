"""What a column that is not continuous does to a graph: simulated tables of six columns, one of them levels or counts.

    python benchmarks/graph_kinds.py [--tables 40] [--only count]

The column is a root of the graph, or an effect: of its parents and noise, then cut or rounded as its law says; what
depends on it depends on what is recorded. Four ways to treat it: its equal values are spread over the room to their
neighbours, and it is a column like any other; it is a cause alone, without parents; its place among its true ancestors
and descendants is known (`known=`), and it is spread; it is left out. Of each: the share of the true edges between the
other columns that the order turns round, wrong edges between them a table, and edges of the column itself that are
right, turned round and invented, a table.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from whence.datasets.laws import CAUSE_LAWS, NOISE_LAWS, any_of
from whence.datasets.mechanisms import positive, smooth
from whence.graphs.constraints import Constraints
from whence.graphs.found import find
from whence.numerics.ties import scrambled, spread
from whence.pair import FloatArray, standardise

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
        noise = any_of(NOISE_LAWS if parents else CAUSE_LAWS, rng, ROWS)
        if parents:
            mean = standardise(np.sum([smooth(rng, columns[p]) for p in parents], axis=0))
            scale = np.prod([positive(rng, columns[p]) for p in parents if rng.random() < 0.7], axis=0)
            noise = mean + rng.uniform(0.3, 0.8) * scale * noise
        columns[child] = standardise(noise)
        if child == special:
            columns[child] = standardise(LAWS[law](np.random.default_rng([seed, 1]), columns[child]))
    return World(columns, edges, special)


def treated(law: str, root: bool, seed: int) -> Iterator[tuple[str, World, list[int], Edges]]:
    """Of every treatment: its name, the table, and the order and edges that it finds."""
    seen = world(law, root, seed)
    s, others = seen.special, [k for k in range(COLUMNS) if k != seen.special]
    loose = replace(seen, columns=seen.columns.copy())
    key = scrambled(np.arange(ROWS, dtype=np.uint64))
    loose.columns[s] = standardise(spread(seen.columns[s], seen.columns[s], key))
    free, cause, known = (Constraints.none(COLUMNS) for _ in range(3))
    cause = replace(cause, barred=cause.barred | (np.arange(COLUMNS) == s))
    before = known.before.copy()
    for a, b in ancestry(seen.edges):
        before[a, b] = s in (a, b)
    for name, table, told in (
        ("spread", loose, free),
        ("cause", seen, cause),
        ("known", loose, replace(known, before=before)),
    ):
        found = find(table.columns, told, ALPHA)
        yield name, seen, list(found.order), set(found.arrows)
    found = find(seen.columns[others], Constraints.none(COLUMNS - 1), ALPHA)
    yield "out", seen, [others[k] for k in found.order], {(others[a], others[b]) for a, b in found.arrows}


def ancestry(edges: Edges) -> Edges:
    """Every column and all that come after it."""
    reach = np.zeros((COLUMNS, COLUMNS), dtype=bool)
    for pair in edges:
        reach[pair] = True
    for _ in range(COLUMNS):
        reach |= reach @ reach
    return {(int(a), int(b)) for a, b in np.argwhere(reach)}


def judged(seen: World, order: list[int], found: Edges) -> list[float]:
    """Turned and all edges between the others, wrong ones there; right, turned, invented ones of the column itself."""
    s = seen.special
    truth, mine = {e for e in seen.edges if s not in e}, {e for e in found if s in e}
    place = {k: i for i, k in enumerate(order)}
    turned = sum(place[a] > place[b] for a, b in truth)
    wrong = len({e for e in found if s not in e} ^ truth)
    back = {(b, a) for a, b in seen.edges}
    return [turned, len(truth), wrong, len(mine & seen.edges), len(mine & back), len(mine - seen.edges - back)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print("| law | place | way | turned, of the others' edges | wrong edges there | own right | turned | invented |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    for law in (law for law in LAWS if given.only in law):
        for root in (True, False):
            rows: dict[str, list[list[float]]] = {}
            for seed in range(given.tables):
                for name, seen, order, found in treated(law, root, seed):
                    rows.setdefault(name, []).append(judged(seen, order, found))
            for name, each in rows.items():
                turned, of, wrong, right, back, extra = np.array(each).sum(axis=0)
                counts = " | ".join(f"{count / given.tables:.2f}" for count in (wrong, right, back, extra))
                share = f"{100 * turned / of:.1f} %"
                print(f"| {law} | {'root' if root else 'effect'} | {name} | {share} | {counts} |", flush=True)


if __name__ == "__main__":
    main()
