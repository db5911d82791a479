"""The arrows of a scan as a graph, the order of columns that contradicts them least, and circles among them.

Pairwise arrows are no multivariate discovery: a pair that only a third column ties together may have an arrow too.
Arrows that run in a circle cannot all be right, which measures a scan without the truth.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causewise.errors import InputError
from causewise.numerics.ordering import best_order, topological_order
from causewise.scanning.graph_files import build_digraph
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from networkx import DiGraph

RANDOM_SHARE = 0.25
"""Two of the eight ways to draw three arrows are circles (Kendall & Babington Smith 1940)."""


def to_digraph(rows: Iterable[ScanRow], columns: Sequence[str]) -> "DiGraph":
    """All columns as nodes, in the table's order, and an edge from cause to effect for every oriented row.

    An edge has `weight` (the confidence; 1.0 where the method gives none, so that weighted algorithms count each such
    arrow once), `n`, and, where they exist, `score` (> 0 favours the edge's own direction), `p_forward` (of the edge's
    direction) and `p_backward`. One that is given, not found, has `given` too.
    """
    edges = []
    for row in rows:
        if row.cause is not None and row.effect is not None:
            # Seen from the cause: a reader of an edge does not know which column came first in the table.
            forward, p_values = row.cause == row.x, (row.p_forward, row.p_backward)
            attributes = {
                "weight": 1.0 if row.confidence is None else row.confidence,
                "score": row.score if forward or row.score is None else -row.score,
                "p_forward": p_values[not forward],
                "p_backward": p_values[forward],
                "n": row.n,
                "given": row.is_given or None,
            }
            edges.append((row.cause, row.effect, attributes))
    return build_digraph(columns, edges)


class Order(NamedTuple):
    """Columns, causes first. Units are those of the score: log-odds for the default method."""

    columns: tuple[str, ...]
    cost: float
    """Sum of |score| over the pairs that the order contradicts."""
    bound: float
    """What every order contradicts at least; equals the cost where `exact`."""
    exact: bool
    """Whether it is shown that no order costs less."""
    total: float
    """Sum of |score| over all pairs."""

    @property
    def words(self) -> str:
        """How well the order agrees with the scores, in a sentence."""
        if self.total == 0:
            return "No pair has a score, so the order is the table's own."
        if self.exact and self.cost == 0:
            return "The order agrees with every score."
        cost, bound = (f"{100 * part / self.total:.1f} %" for part in (self.cost, self.bound))
        least = "no order contradicts less" if self.exact else f"every order contradicts {bound} or more"
        return f"The order contradicts {cost} of the scores' sum; {least}."


def find_order(rows: Iterable[ScanRow], columns: Sequence[str], before: Iterable[tuple[str, str]] = ()) -> Order:
    """The order that contradicts the least score, over oriented and undecided pairs alike.

    before: pairs of columns of which the first stands before the second whatever the scores say (what was given).
    Exact for up to 18 columns, and wherever the bound meets the cost; ties are broken by the table's order.
    """
    place, count = {name: k for k, name in enumerate(columns)}, len(columns)
    scored = [(place[row.x], place[row.y], row.score) for row in rows if row.score]
    hard = [(place[first], place[second]) for first, second in before]
    total = math.fsum(abs(score) for *_, score in scored)
    # The grain to which scores are rounded, a power of two: all sums then fit 62 bits, and a hard pair in as many.
    spare = 60 - math.ceil(math.log2(1 + len(hard)))
    unit = math.ldexp(1.0, math.frexp(total)[1] - spare) if total else 1.0
    # weights[i, j]: what it costs to place j before i. Contradicting one hard pair costs more than all scores, so that
    # a search that starts from an order without such a contradiction never makes one.
    weights, arcs = np.zeros((count, count), dtype=np.int64), np.zeros((count, count), dtype=bool)
    for x, y, score in scored:
        weights[(x, y) if score > 0 else (y, x)] += round(abs(score) / unit)
    for pair in hard:
        weights[pair] += int(total / unit) + count * count
        arcs[pair] = True
    try:
        start = topological_order(arcs)
    except ValueError:
        raise InputError(
            "Got columns that are given before each other in a circle; expected what some order can satisfy: remove "
            "one of them."
        ) from None
    best = best_order(weights, start)
    rank = np.argsort(best.items).tolist()
    cost = math.fsum(abs(score) for x, y, score in scored if (rank[x] < rank[y]) != (score > 0))
    bound = cost if best.exact else min(best.bound * unit, cost)
    return Order(tuple(columns[k] for k in best.items), cost, bound, best.exact, total)


class Quality(NamedTuple):
    """Contradictions among the arrows of a scan."""

    arrows: int
    knots: tuple[tuple[str, ...], ...]
    """Sets of columns that all cause one another along arrows (strongly connected components), in the table's order."""
    cycle: tuple[str, ...]
    """A shortest circle, each column an arrow to the next and the last one to the first; empty where there is none."""
    triples: int
    """Threes of columns whose three pairs all lean somewhere, oriented or not."""
    circular: int
    """Those that lean in a circle."""

    @property
    def share(self) -> float | None:
        """Circular triples among all; a quarter for random arrows, 0 for arrows that follow some order."""
        return self.circular / self.triples if self.triples else None

    @property
    def words(self) -> str:
        """What the numbers say, in a sentence or two."""
        arrows = "No arrows run in a circle." if self.arrows else "There are no arrows."
        if self.cycle:
            circle, tied = " → ".join((*self.cycle, self.cycle[0])), sum(map(len, self.knots))
            arrows = f"Arrows of {tied} columns run in circles, for instance {circle}: not all of these can be right."
        if self.share is None:
            return f"{arrows} No three columns have a score for each pair, so there is no triple to check."
        circular = f"{self.circular} of {self.triples} triples ({100 * self.share:.0f} %) lean in a circle"
        return f"{arrows} {circular}; random arrows would give {100 * RANDOM_SHARE:.0f} %, consistent ones none."


def measure_quality(rows: Sequence[ScanRow], columns: Sequence[str]) -> Quality:
    """Circles among the oriented pairs, and among the leanings of all triples that have three scores."""
    import networkx as nx

    arrows = to_digraph(rows, columns)
    place = {name: k for k, name in enumerate(columns)}
    parts = [sorted(part, key=place.__getitem__) for part in nx.strongly_connected_components(arrows) if len(part) > 1]
    knots = sorted(map(tuple, parts), key=lambda part: place[part[0]])
    return Quality(arrows.number_of_edges(), tuple(knots), _shortest_cycle(arrows, knots), *_count_triples(rows))


def _shortest_cycle(arrows: "DiGraph", knots: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Every arrow of a knot closes some circle; none is shorter than three, since a pair has one arrow."""
    import networkx as nx

    best: tuple[str, ...] = ()
    for knot in knots:
        inside = arrows.subgraph(knot)
        for cause in knot:
            for effect in inside.successors(cause):
                path = tuple(nx.shortest_path(inside, effect, cause))
                if not best or len(path) < len(best):
                    best = (cause, *path[:-1])
                if len(best) == 3:
                    return best
    return best


def _count_triples(rows: Iterable[ScanRow]) -> tuple[int, int]:
    leaning = [(row.x, row.y) if row.score > 0 else (row.y, row.x) for row in rows if row.score]
    # A column with one leaning is in no triple: of a scan with one target nothing is left.
    times = Counter(name for arrow in leaning for name in arrow)
    place = {name: k for k, name in enumerate(name for name in times if times[name] > 1)}
    wins = np.zeros((len(place), len(place)), dtype=np.float32)
    for cause, effect in leaning:
        if cause in place and effect in place:
            wins[place[cause], place[effect]] = 1
    # Closed walks of three steps: a circle has three starts, a triple three starts and two ways round. Entries of the
    # squares are counts below 2²⁴, which single precision holds exactly.
    either = wins + wins.T
    all_walks, circular = (int(np.sum((steps @ steps) * steps.T, dtype=np.float64)) for steps in (either, wins))
    return all_walks // 6, circular // 3
