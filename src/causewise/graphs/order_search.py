"""The order of the columns with the largest log-likelihood, each column given its predecessors, and the fits in it.

Among orders with the true parents before every column, the noise that is left has the least entropy in total. How a
column comes from its predecessors, and the law of its noise, are chosen among a few by the shortest code
(`mechanisms`): a wrong order needs longer ones.

Rejected: sinks by the independence of the residual (HSIC), as RESIT finds them: every column is fitted on all others
first, and what nine splines leave of 500 rows looks independent of all of them.

The search begins at the order that contradicts single pairs least; then one column after the other is moved to where it
raises the total most, until none moves. A move is a sequence of swaps of neighbours, and a swap changes the
predecessors of two columns only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.mechanisms import Mechanism, Mechanisms
from causewise.numerics import ordering
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

Columns = int
"""A set of columns by their number: a bit each."""
Likelihood = Callable[[int, Columns], float]
"""Of a column given its predecessors, in nats a row."""
Wider = Mapping[str, Sequence[int]]
"""Columns for which mechanisms that take their time are tried, too, by the kind of these."""
OnMove = Callable[[int, int], None]
"""Called with how many columns were tried in this sweep, and of how many."""

NEIGHBOURS = 24
"""Columns that may be parents of one, at most: those that show most clearly, alone or beside the others."""
BETTER = 12.0
"""Nats by which a mechanism that takes its time must be better than what there is, to be tried in other orders."""
_SWEEPS = 12
_FAR = 0.15
"""Nats a row below the best place so far, beyond which a column is not moved on: what it lost does not come back."""
_LEAST = 1e-9
"""Nats a row that count as a gain, and the grain of the start's whole numbers."""


@dataclass(frozen=True, eq=False)
class OrderedFits:
    """A graph of columns by their number: their order, and a fit of each given its parents."""

    order: tuple[int, ...]
    fits: tuple[Mechanism, ...]
    """Of each column, in the order's order, given its parents."""
    log_likelihood: float
    """Nats a row, of all columns together, less the AIC penalty."""

    @property
    def arrows(self) -> frozenset[tuple[int, int]]:
        """Parent and child."""
        return frozenset(
            (parent, child) for child, fit in zip(self.order, self.fits, strict=True) for parent in fit.parents
        )


def fit_graph(
    columns: FloatArray, constraints: Constraints, alpha: float, on_move: OnMove = lambda done, of: None
) -> OrderedFits:
    """The graph of some columns, one line each, of any unit.

    Arrays in, numbers out, so that it can be repeated on parts of the rows in other processes.
    """
    return search_graph(columns, constraints, alpha, on_move).graph


def search_graph(
    columns: FloatArray,
    constraints: Constraints,
    alpha: float,
    on_move: OnMove = lambda done, of: None,
    wider: Wider | None = None,
) -> "GraphSearch":
    """As `fit_graph`, with all fits that were made; `wider` is what was let in on all rows, where these are a part."""
    likelihoods = Likelihoods(Mechanisms([standardise(column) for column in columns], alpha), constraints)
    search = Search(likelihoods, constraints, columns.shape[1], likelihoods.candidates)
    if wider is not None:
        likelihoods.let_in(wider)
    order = search.best(on_move)
    while wider is None and likelihoods.widen(order):
        order = search.improve(order, on_move)
    fits = tuple(likelihoods.fit(column, to_bits(order[:k])) for k, column in enumerate(order))
    return GraphSearch(OrderedFits(tuple(order), fits, search.total(order)), likelihoods, search)


class _CachedFit(NamedTuple):
    """A fit, with the columns it could choose from and those it chose: a bit each."""

    offered: Columns
    chosen: Columns
    fit: Mechanism


class Likelihoods:
    """Log-likelihoods a row of standardised columns given others, each fitted once.

    Terms come in one by one, the strongest first, so a column that was offered and not taken changes nothing: a fit
    answers for every set between the columns it chose and those it could choose from.
    """

    def __init__(self, mechanisms: Mechanisms, constraints: Constraints) -> None:
        self.mechanisms, self.constraints = mechanisms, constraints
        self._required = [to_bits(np.flatnonzero(column)) for column in constraints.required.T]
        barred = [to_bits(np.flatnonzero(column)) for column in constraints.barred.T]
        self.candidates, self._together = (
            [
                (near | required) & ~forbidden
                for near, required, forbidden in zip(each, self._required, barred, strict=True)
            ]
            for each in zip(*mechanisms.screen(NEIGHBOURS), strict=True)
        )
        self._cache: list[list[_CachedFit]] = [[] for _ in self.candidates]
        self._asked = set[tuple[str, int, Columns]]()

    def __call__(self, column: int, earlier: Columns) -> float:
        """Nats a row, less the cost of the code."""
        return self.fit_once(column, earlier).log_likelihood

    def widen(self, order: Sequence[int]) -> bool:
        """Let in mechanisms that take their time where they are better than what there is; whether there are such.

        For these columns and the parents that they then have, since either may be the other's parent. An order is
        compared with others by the same mechanisms of a column, so that none is preferred for what was tried there.
        """
        mechanisms, new = self.mechanisms, dict[str, list[int]]()
        for kind, columns in mechanisms.wider.items():
            better = set[int]()
            for place, column in enumerate(order):
                earlier = to_bits(order[:place])
                question = kind, column, earlier & self._offer(kind, column)
                if column in columns or question in self._asked:
                    continue
                self._asked.add(question)
                now, offered = self.fit_once(column, earlier), to_list(question[-1])
                required = to_list(self._required[column] & earlier)
                for other in mechanisms.fit_wider(kind, column, offered, required, now, now.parents):
                    if other.log_likelihood > now.log_likelihood + BETTER / len(now.residual):
                        better |= {column, *other.parents}
            new[kind] = sorted(better - columns)
        self.let_in(new)
        return any(new.values())

    def let_in(self, wider: Wider) -> None:
        """Mechanisms that take their time, for these columns."""
        for kind, columns in wider.items():
            self.mechanisms.wider[kind].update(columns)
            for column in columns:
                self.candidates[column] |= self._offer(kind, column)
                self._cache[column].clear()

    def _offer(self, kind: str, column: int) -> Columns:
        """What may show together only is offered to a Gaussian process."""
        return self._together[column] if kind == "Gaussian process" else self.candidates[column]

    def fit(self, column: int, earlier: Columns) -> Mechanism:
        """The column given those of its predecessors that matter, each given all others."""
        return self.mechanisms.prune(column, self.fit_once(column, earlier), to_list(self._required[column] & earlier))

    def fit_once(self, column: int, earlier: Columns) -> Mechanism:
        """The column given its predecessors, before terms are tested given all others."""
        offered = earlier & self.candidates[column]
        for cached in self._cache[column]:
            if not (cached.chosen & ~offered or offered & ~cached.offered):
                return cached.fit
        required = to_list(self._required[column] & offered)
        fit = self.mechanisms.choose(column, to_list(offered), required)
        self._cache[column].append(_CachedFit(offered, to_bits(fit.tried.union(required)), fit))
        return fit


def to_bits(columns: Iterable[int]) -> Columns:
    """A set of columns."""
    return sum(1 << int(k) for k in columns)


def to_list(columns: Columns) -> list[int]:
    """The columns of a set, ascending."""
    return [k for k in range(columns.bit_length()) if columns >> k & 1]


class Search:
    """Orders of some columns, compared by their likelihood and by background knowledge."""

    def __init__(
        self, likelihood: Likelihood, constraints: Constraints, rows: int, candidates: Sequence[Columns]
    ) -> None:
        self._likelihood, self._before, self._candidates = likelihood, constraints.before, candidates
        # Added to the log-likelihood of all rows, log-odds are a prior of the order.
        self._lean = constraints.log_odds / rows

    def best(self, on_move: OnMove = lambda done, of: None) -> list[int]:
        """An order that satisfies the constraints, and that no move of a single column improves."""
        return self.improve(self.start(), on_move)

    def improve(self, order: Sequence[int], on_move: OnMove = lambda done, of: None) -> list[int]:
        """Columns moved one at a time, until no move gains."""
        order = list(order)
        for _ in range(_SWEEPS):
            before = list(order)
            for done, column in enumerate(before, start=1):
                here = order.index(column)
                order.insert(self._best_place(order, here), order.pop(here))
                on_move(done, len(order))
            if order == before:
                break
        return order

    def start(self) -> list[int]:
        """The order that contradicts single pairs least, and no constraint."""
        count = len(self._before)
        gains = np.zeros((count, count))
        for i in range(count):
            for j in range(i):
                gains[j, i] = self.swap_gain(0, i, j)
        gains -= gains.T
        weights = np.rint(np.maximum(gains, 0.0) / _LEAST).astype(np.int64)
        weights[self._before] += 1 + weights.sum()
        return [int(k) for k in ordering.best_order(weights, ordering.topological_order(self._before)).items]

    def total(self, order: Sequence[int]) -> float:
        """The log-likelihood a row of all columns, each given its predecessors."""
        return float(sum(self._likelihood(column, to_bits(order[:k])) for k, column in enumerate(order)))

    def swap_gain(self, before: Columns, a: int, b: int) -> float:
        """What is gained if b comes before a instead of behind it, both directly behind the same columns."""
        lean = float(self._lean[b, a])
        if not (self._candidates[a] >> b & 1 or self._candidates[b] >> a & 1):
            return lean
        likelihood = self._likelihood
        swapped = likelihood(b, before) + likelihood(a, before | 1 << b)
        return lean + swapped - likelihood(a, before) - likelihood(b, before | 1 << a)

    def _moves(self, order: Sequence[int], here: int, way: int) -> Iterator[tuple[int, float]]:
        """Places of a column moved on one by one, with what is gained in all, as far as constraints let it."""
        column, gain, at, before = order[here], 0.0, here, to_bits(order[:here])
        while 0 <= at + way < len(order):
            other = order[at + way]
            first, second = (column, other) if way > 0 else (other, column)
            if self._before[first, second]:
                return
            if way < 0:
                before &= ~(1 << other)
            gain += self.swap_gain(before, first, second)
            if way > 0:
                before |= 1 << other
            at += way
            yield at, gain

    def reversal_loss(self, order: Sequence[int], parent: int, child: int) -> float:
        """Nats a row lost by the best order with the child before the parent, one of them moved past the other.

        Infinite where background knowledge forbids it.
        """
        first, last, best = order.index(parent), order.index(child), -np.inf
        for here, there, way in ((last, first, -1), (first, last, 1)):
            for at, gain in self._moves(order, here, way):
                if (at - there) * way >= 0:
                    best = max(best, gain)
                if gain < max(best, 0.0) - _FAR:
                    best = max(best, gain)
                    break
        return -best

    def _best_place(self, order: Sequence[int], here: int) -> int:
        best, place = _LEAST, here
        for way in (-1, 1):
            for at, gain in self._moves(order, here, way):
                if gain > best:
                    best, place = gain, at
                if gain < best - _FAR:
                    break
        return place


class GraphSearch(NamedTuple):
    """A graph, and what it takes to ask how much worse others are."""

    graph: OrderedFits
    likelihoods: Likelihoods
    search: Search

    @property
    def wider(self) -> Wider:
        """What was let in."""
        return {kind: sorted(columns) for kind, columns in self.likelihoods.mechanisms.wider.items()}
