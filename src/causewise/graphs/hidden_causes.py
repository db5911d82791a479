"""Pairs of columns that a hidden common cause joins: the second follows the noise of the first, not its value.

Where i affects j, j follows the value of i. Where a cause that is no column acts on both, what tells of it is the noise
of i: what the parents of i leave. With the value in its place, j needs the parents of i as further parents that undo
what these do to the value (collider bias), and its code is longer. So of each edge whose first column has parents of
its own both codes are compared, and the clearest becomes a two-headed one, until none is clear: a search among bow-free
acyclic path diagrams (Nowzohour et al. 2017), with curves and noise of any law. CAM-UV (Maeda and Shimizu 2021) finds
such pairs by the dependence of what regressions leave.

Which terms of a fit come in is chance in part, and a code that is a few nats shorter on all rows says little: random
halves of the rows, on each of which the terms are chosen anew, separate hidden causes from edges much better. Where i
has no parents, its noise is its value, and where it comes from them by straight lines, its noise with them says what
its value with them does: nothing is told. A pair with an edge and a hidden cause keeps the edge.

Two sensors in the same light have the same parents, and noise in common; an arrow between them fits as well, and no
code tells. But that one column's parents are all parents of another, too, is a coincidence where there are many columns
and no reason for it. Where both codes are alike and the coincidence is too large, the edge is a two-headed one.

Where the code by the noise is the shorter one and no more is clear, neither is told, and the edge has no direction.

Noise is meant as large as it is: its size, which parents may move, is common to both columns, too.

Rejected: pairs that no edge joins, by the correlation of their noise and its squares. One of 41 with a hidden cause
shows it (p < 10⁻⁴), and so does an edge that was missed.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causewise.graphs.direction import average_log
from causewise.graphs.graph_search import GraphSearch, OrderedFits
from causewise.graphs.mechanisms import Mechanisms, NaturalSums, Process
from causewise.graphs.order_search import to_bits, to_list
from causewise.graphs.reversals import Arrow
from causewise.graphs.row_parts import LOOSER, draw_half
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

HALVES, FIRST = 8, 3
"""Random halves of the rows that compare both codes, and how many of them before a pair is given up that is far off."""
CLEAR = 1.2
"""Mean of the signed logarithm of the nats that halves gain, from which an edge is a two-headed one."""
LOST = 10.0
"""Nats that all rows may lose by the noise, beside those of a coincidence, for halves to be asked."""
COINCIDENCE = math.log(100.0)
"""Nats that it takes to say that one column's parents are all parents of another, from which that is no coincidence."""
BY_CODE = "the second column follows the noise of the first, not its value: a common cause that is no column"
BY_PARENTS = (
    "the second column follows the noise of the first as well as its value, and has all of its parents: more likely a "
    "common cause that is no column"
)


@dataclass(frozen=True, eq=False)
class JoinedGraph:
    """A graph in which hidden common causes join some pairs, and no arrow does."""

    graph: OrderedFits
    """Of every column given its parents alone."""
    joint: OrderedFits
    """Of every column given its parents and the noise of those that it is joined to; that of column k of d is d + k."""
    reasons: Mapping[Arrow, str]
    """Of the pairs that were ever joined."""
    doubtful: frozenset[Arrow]
    """Arrows between columns that a hidden cause may join instead: the code by the noise is no longer."""

    @property
    def pairs(self) -> frozenset[Arrow]:
        """The column that stands first, and the other."""
        count = len(self.joint.order)
        return frozenset((parent - count, child) for parent, child in self.joint.arrows if parent >= count)


def join_by_hidden_causes(found: GraphSearch) -> JoinedGraph:
    """The graph that was found, some of its edges two-headed."""
    search = _Search(found)
    while (best := max(search.weigh_edges(), default=(0.0, (0, 0))))[0] >= CLEAR:
        search.join(best[1])
    return search.build_graph()


class _Search:
    """Fits of all columns, while one pair after the other is joined."""

    def __init__(self, found: GraphSearch) -> None:
        self.found, self.order, self.count = found, found.graph.order, len(found.graph.order)
        likelihoods = found.likelihoods
        earlier = {column: to_bits(self.order[:k]) for k, column in enumerate(self.order)}
        self._offered = {column: to_list(bits & likelihoods.candidates[column]) for column, bits in earlier.items()}
        """Columns, and the noise of columns, that each may depend on."""
        self._whole = {column: likelihoods.fit_once(column, bits) for column, bits in earlier.items()}
        self._fits = dict(zip(self.order, found.graph.fits, strict=True))
        """Given those that matter."""
        self._weights: dict[Arrow, float] = {}
        self._reasons: dict[Arrow, str] = {}
        self._lost: dict[Arrow, float] = {}
        """Nats that all rows lose by the noise."""
        self._halves: dict[int, Mechanisms] = {}
        self._codes: dict[tuple[int, int, tuple[int, ...]], float] = {}
        self._mechanisms = self._add_noises()

    def weigh_edges(self) -> Iterator[tuple[float, Arrow]]:
        """Of each edge that is not given: what speaks for a hidden cause instead."""
        constraints = self.found.likelihoods.constraints
        given = constraints.before | constraints.required
        for child, fit in self._fits.items():
            for parent in fit.parents:
                pair = parent, child
                if parent < self.count and not given[pair] and (self._can_tell(pair) or self._shares_parents(pair)):
                    if pair not in self._weights:
                        self._weights[pair] = self._weigh(pair)
                    yield self._weights[pair], pair

    def join(self, pair: Arrow) -> None:
        """Let the noise of the first stand where its value did, and fit anew what depends on that."""
        self._offered[pair[1]] = self._replace_value(pair)
        self._reasons[pair] = BY_PARENTS if self._shares_parents(pair) else BY_CODE
        changed = set[int]()
        for column in self.order:
            offered = self._offered[column]
            if column == pair[1] or any(k - self.count in changed for k in offered):
                required = self._list_required(column, offered)
                self._whole[column] = self._mechanisms.choose(column, offered, required)
                self._fits[column] = self._mechanisms.prune(column, self._whole[column], required)
                self._mechanisms = self._add_noises()
                changed.add(column)
        self._weights = {each: weight for each, weight in self._weights.items() if changed.isdisjoint(each)}
        self._halves, self._codes = {}, {}

    def build_graph(self) -> JoinedGraph:
        """As it is now."""
        alone = dict(self._fits)
        for column, fit in self._fits.items():
            if any(k >= self.count for k in fit.parents):
                alone[column] = self.found.likelihoods.fit(column, to_bits(k for k in fit.parents if k < self.count))
        total = sum(fit.log_likelihood for fit in self._whole.values())
        graph, joint = (
            OrderedFits(self.order, tuple(fits[column] for column in self.order), total) for fits in (alone, self._fits)
        )
        shorter = {pair for pair in graph.arrows if self._lost.get(pair, math.inf) <= 0.0 and self._can_tell(pair)}
        return JoinedGraph(graph, joint, self._reasons, frozenset(shorter))

    def _can_tell(self, pair: Arrow) -> bool:
        """Whether the code by the noise may differ from that by the value."""
        first, second = (self._fits[column] for column in pair)
        return first.kind != "lines" and not first.parents.isdisjoint(second.parents)

    def _shares_parents(self, pair: Arrow) -> bool:
        """Whether the second has all parents of the first, and so many that this is no coincidence."""
        return self._weigh_coincidence(pair) > COINCIDENCE

    def _weigh_coincidence(self, pair: Arrow) -> float:
        """Nats that it takes to say that the second has all parents of the first, were its own drawn from all others.

        Those that are given to stand before the first are drawn from among these: if there are few, all may be parents
        of both for a reason.
        """
        first, second = (self._fits[column].parents - {pair[0]} for column in pair)
        given = set(np.flatnonzero(self.found.likelihoods.constraints.before[:, pair[0]]).tolist())
        if not first <= second:
            return 0.0
        nats = 0.0
        for own, others, possible in (
            (len(first & given), len(second & given), len(given)),
            (len(first - given), len(second - given), self.count - 2 - len(given)),
        ):
            nats += math.log(math.comb(max(possible, others), own) / math.comb(others, own))
        return nats

    def _weigh(self, pair: Arrow) -> float:
        """The mean of the signed logarithm of the nats that halves gain by the noise; 0 where all rows contradict.

        Halves are not asked where it is no code that tells.
        """
        parent, child = pair
        instead, rows = self._replace_value(pair), len(self._whole[child].residual)
        required = self._list_required(child, instead)
        joined = self._mechanisms.choose(child, instead, required)
        self._lost[pair] = (self._whole[child].log_likelihood - joined.log_likelihood) * rows
        if self._lost[pair] > LOST + self._weigh_coincidence(pair):
            return 0.0
        shows = parent + self.count in self._mechanisms.prune(child, joined, required).parents
        if not shows or self._shares_parents(pair):
            return CLEAR if shows else 0.0
        gains: list[float] = []
        for number in range(HALVES):
            half = self._code_half(number, child, instead) - self._code_half(number, child, self._offered[child])
            gains.append(half)
            if len(gains) == FIRST and average_log(gains) < CLEAR / 2:
                break
        return average_log(gains)

    def _code_half(self, number: int, column: int, offered: Sequence[int]) -> float:
        """Nats of a column's code on half of the rows."""
        columns = self._mechanisms.smooths.columns
        rows = draw_half(len(columns[column]), 0, number)
        if number not in self._halves:
            halves = [standardise(each[rows]) for each in columns]
            self._halves[number] = self._build_mechanisms(halves, LOOSER * self._mechanisms.alpha)
        key = number, column, tuple(offered)
        if key not in self._codes:
            fit = self._halves[number].choose(column, offered, self._list_required(column, offered))
            self._codes[key] = fit.log_likelihood * len(rows)
        return self._codes[key]

    def _replace_value(self, pair: Arrow) -> list[int]:
        parent, child = pair
        return sorted({*self._offered[child], parent + self.count} - {parent})

    def _list_required(self, column: int, offered: Sequence[int]) -> list[int]:
        required = self.found.likelihoods.constraints.required
        return [k for k in offered if k < self.count and required[k, column]]

    def _add_noises(self) -> Mechanisms:
        """The mechanisms of all columns, and behind them of the noise of each."""
        mechanisms = self.found.likelihoods.mechanisms
        noises = [standardise(self._fits[column].unscaled_noise) for column in range(self.count)]
        return self._build_mechanisms([*mechanisms.smooths.columns[: self.count], *noises], mechanisms.alpha)

    def _build_mechanisms(self, columns: Sequence[FloatArray], alpha: float) -> Mechanisms:
        """Both codes of a column are chosen among the same mechanisms; those that take their time where it has one."""
        out = Mechanisms(columns, alpha)
        slow = {k: type(fit.fit) for k, fit in self._fits.items()}
        for kind, which in (("Gaussian process", Process), ("natural parameters", NaturalSums)):
            out.wider[kind] = {k for k, each in slow.items() if each is which}
        out.wider["sensor"] = {k for k, fit in self._fits.items() if fit.sensor is not None and fit.sensor.is_learnt}
        return out
