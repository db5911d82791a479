"""How well graphs of subsets of the columns agree with the graph of all, which needs no truth.

Who finds the true graph finds on every subset of its columns what is left of it when the other columns are hidden (its
latent projection: paths through hidden columns become edges, Verma & Pearl 1990). Contradictions between the two are
mistakes of one of them, whichever is right (self-compatibility, Faller et al. 2024). Agreement proves nothing: a method
can be wrong everywhere alike, and edges without a direction agree with nearly everything, which the agreement by chance
shows (`python benchmarks/graph_agreement.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from causewise.errors import SEEDS, InputError, between
from causewise.formatting import percent, visible
from causewise.graphs.causal_graph import ARROW, LINE, TWO_HEADED, CausalGraph
from causewise.graphs.comparison import Marks, compare_marks
from causewise.graphs.finder import graph as find_graph
from causewise.parallel import DEFAULT_ENGINE, Engine
from causewise.scanning.graph_reading import Ends

SUBSETS = 8
MOST_SUBSETS = 1000
_SHUFFLES = 20
"""Of the names of each subset, for the agreement by chance."""
_TAIL, _HEAD, _OPEN = "tail", "head", "open"
_ENDS = {ARROW: (_TAIL, _HEAD), LINE: (_OPEN, _OPEN), TWO_HEADED: (_HEAD, _HEAD)}
_Link = tuple[str, str, str, str]
"""Two columns in the order of their names, and the marks at the ends of the edge between them."""


@dataclass(frozen=True)
class GraphAgreement:
    """How well graphs of subsets of the columns agree with the graph of all.

    Examples
    --------
    >>> import causewise
    >>> print(causewise.GraphAgreement(0.8, 0.25, 8, 5, 0, {("a", "b"): 1.0, ("b", "c"): 0.4}))
    Graphs of 8 subsets of 5 columns agree by 80 % with the graph of all (by chance 25 %); least on b and c 40 %
    """

    score: float | None
    """F1 of the edges of all subsets, 1 where all agree; None where no graph has an edge."""
    chance: float | None
    """The same where the names of every subset are shuffled."""
    subsets: int
    """That were compared."""
    size: int
    """Columns of each."""
    skipped: int
    """Subsets of which no graph could be found."""
    edges: Mapping[Ends, float | None]
    """Of each edge: how far the subsets that hold both its columns agree with it, from 0 to 1; None where none do."""

    @property
    def above_chance(self) -> float | None:
        """The score where chance is 0 and full agreement 1."""
        if self.score is None or self.chance is None or self.chance == 1.0:
            return None
        return (self.score - self.chance) / (1.0 - self.chance)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain numbers and text."""
        edges = [
            {"parent": parent, "child": child, "agreement": share} for (parent, child), share in self.edges.items()
        ]
        return {
            "score": self.score,
            "chance": self.chance,
            "above_chance": self.above_chance,
            "subsets": self.subsets,
            "size": self.size,
            "skipped": self.skipped,
            "edges": edges,
        }

    def __str__(self) -> str:
        of = f"Graphs of {self.subsets} subsets of {self.size} columns"
        if self.score is None:
            return f"{of} have no edge to agree on"
        chance = "" if self.chance is None else f" (by chance {percent(self.chance)})"
        doubtful = [
            f"{visible(parent)} and {visible(child)} {percent(share)}"
            for (parent, child), share in sorted(self.edges.items(), key=lambda edge: edge[1] is not None and edge[1])
            if share is not None and share < 0.5
        ]
        least = f"; least on {', '.join(doubtful[:3])}" if doubtful else ""
        return f"{of} agree by {percent(self.score)} with the graph of all{chance}{least}"


def measure_agreement(
    graph: CausalGraph, subsets: int = SUBSETS, size: int | None = None, seed: int = 0, engine: Engine = DEFAULT_ENGINE
) -> GraphAgreement:
    """Find graphs of random subsets of the columns, and compare each with what is left of the graph of all."""
    count = len(graph.order)
    if set(graph.values) < set(graph.order):
        raise InputError("Got a graph without its columns; expected one that causewise.graph found: find it anew.")
    if count < 3:
        raise InputError(
            f"Got a graph of {count} columns; expected at least 3: a subset of fewer has one pair at most."
        )
    between("agreement", 1, MOST_SUBSETS, subsets=subsets)
    between("agreement", *SEEDS, seed=seed)
    size = max(min(3, count - 1), (count + 1) // 2) if size is None else size
    between("agreement", 2, count - 1, size=size)
    settings = {name: graph.facts[name] for name in ("alpha", "threshold", "bootstrap", "seed") if name in graph.facts}
    whole = {(edge.parent, edge.child): edge.direction for edge in graph.edges}
    rng = np.random.default_rng(seed)
    chosen = draw_subsets(sorted(graph.order), subsets, size, rng)
    parts: list[tuple[Sequence[str], Marks]] = []
    for k, names in enumerate(chosen):
        engine.on_progress("comparing", k, len(chosen))
        try:
            found = find_graph(
                {name: graph.values[name] for name in names},
                knowledge=graph.knowledge,
                engine=Engine(engine.jobs),
                **settings,
            )
        except InputError:  # too coarse by themselves, or in another unit
            continue
        parts.append((found.order, {(edge.parent, edge.child): edge.direction for edge in found.edges}))
    engine.on_progress("comparing", len(chosen), len(chosen))
    return summarise_agreement(whole, parts, size, len(chosen) - len(parts), rng)


def summarise_agreement(
    whole: Marks, parts: Sequence[tuple[Sequence[str], Marks]], size: int, skipped: int, rng: np.random.Generator
) -> GraphAgreement:
    """The graphs of subsets, each with its columns, beside the graph of all."""
    credit = possible = chance = drawn = 0.0
    shares: dict[Ends, list[float]] = {ends: [] for ends in whole}
    for names, marks in parts:
        left = project(whole, names)
        gained, of = _score(names, marks, left)
        credit, possible = credit + gained, possible + of
        for ends in whole:
            if set(ends) <= set(names):
                shares[ends].append(_agree_on(ends, marks, left))
        for _ in range(_SHUFFLES):
            turned = dict(zip(names, rng.permutation(list(names)).tolist(), strict=True))
            gained, of = _score(names, {(turned[a], turned[b]): mark for (a, b), mark in marks.items()}, left)
            chance, drawn = chance + gained, drawn + of
    return GraphAgreement(
        credit / possible if possible else None,
        chance / drawn if drawn else None,
        len(parts),
        size,
        skipped,
        {ends: float(np.mean(each)) if each else None for ends, each in shares.items()},
    )


def _score(names: Sequence[str], marks: Marks, left: Marks) -> tuple[float, int]:
    """F1 times its denominator, and that: how many edges both graphs have."""
    edges = len(marks) + len(left)
    return (compare_marks(names, marks, left).f1 or 0.0) * edges, edges


def _agree_on(ends: Ends, marks: Marks, left: Marks) -> float:
    """The credit of one pair of columns."""
    mine, theirs = ({pair: mark for pair, mark in each.items() if set(pair) == set(ends)} for each in (marks, left))
    return 1.0 - compare_marks(ends, mine, theirs).shd


def draw_subsets(names: Sequence[str], count: int, size: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """So many different subsets of that size; all of them where there are no more."""
    if comb(len(names), size) <= count:
        return list(combinations(names, size))
    found: dict[tuple[str, ...], None] = {}
    while len(found) < count:
        places = np.sort(rng.choice(len(names), size=size, replace=False))
        found[tuple(names[k] for k in places)] = None
    return list(found)


def project(marks: Marks, kept: Collection[str]) -> dict[Ends, str]:
    """What is left of a graph when all other columns are hidden.

    Hidden columns are taken out one by one: two edges that meet at one, but for two heads, become an edge between their
    other ends with the marks they have there.

    Examples
    --------
    >>> project({("a", "h"): "->", ("h", "b"): "->", ("h", "c"): "->"}, ("a", "b", "c"))
    {('a', 'b'): '->', ('a', 'c'): '->', ('b', 'c'): '<->'}
    """
    links = {_link(a, _ENDS[mark][0], b, _ENDS[mark][1]) for (a, b), mark in marks.items()}
    for hidden in sorted({name for ends in marks for name in ends} - set(kept)):
        at = [link for link in links if hidden in link[:2]]
        links.difference_update(at)
        for (u, of_u, here), (v, of_v, there) in combinations([_seen_from(link, hidden) for link in at], 2):
            if u != v and not here == there == _HEAD:
                links.add(_link(u, of_u, v, of_v))
    found: dict[Ends, set[str]] = {}
    for a, b, at_a, at_b in sorted(links):
        found.setdefault((a, b), set()).add(f"{at_a} {at_b}")
    return dict(_merge(ends, kinds) for ends, kinds in found.items())


def _link(a: str, at_a: str, b: str, at_b: str) -> _Link:
    return (a, b, at_a, at_b) if a < b else (b, a, at_b, at_a)


def _seen_from(link: _Link, end: str) -> tuple[str, str, str]:
    """The other end, the mark there, and the mark here."""
    a, b, at_a, at_b = link
    return (b, at_b, at_a) if a == end else (a, at_a, at_b)


def _merge(ends: Ends, kinds: Collection[str]) -> tuple[Ends, str]:
    """Several edges of two columns as one: an arrow stays one beside a common cause; arrows both ways are open."""
    forward, backward = f"{_TAIL} {_HEAD}" in kinds, f"{_HEAD} {_TAIL}" in kinds
    if forward != backward:
        return (ends if forward else ends[::-1]), ARROW
    return ends, TWO_HEADED if set(kinds) == {f"{_HEAD} {_HEAD}"} else LINE
