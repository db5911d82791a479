"""The order of the columns with the largest log-likelihood, each column given its predecessors.

Among orders with the true parents before every column, the noise that is left has the least entropy in total. How a
column comes from its predecessors, and the law of its noise, are chosen among a few by the shortest code
(`mechanisms`): a wrong order needs longer ones.

Rejected: sinks by the independence of the residual (HSIC), as RESIT finds them: every column is fitted on all others
first, and what nine splines leave of 500 rows looks independent of all of them.

The search begins at two orders, since moves may end where no single one gains, far from the best. One contradicts
single pairs least. The other takes, again and again, the column that the others, each compared with it given all that
stand before, want least to precede: where straight lines carry common causes on, pairs by themselves mislead, and given
these causes they do not (as DirectLiNGAM finds sources, Shimizu et al. 2011). Then one column after the other is moved
to where it raises the total most, until none moves. A move is a sequence of swaps of neighbours, and a swap changes the
predecessors of two columns only.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.mechanisms import Mechanism, Mechanisms
from causewise.numerics import ordering

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
_FAR = 0.08
"""Nats a row below the best place so far, beyond which a column is not moved on: what it lost does not come back."""
_LEAST = 1e-9
"""Nats a row that count as a gain, and the grain of the start's whole numbers."""


class _CachedFit(NamedTuple):
    """A fit, with the columns it could choose from, those it was chosen by, and its parents: a bit each."""

    offered: Columns
    tried: Columns
    parents: Columns
    fit: Mechanism


class Likelihoods:
    """Log-likelihoods a row of standardised columns given others, each fitted once.

    Terms come in one by one, the strongest first, so a column that was offered and not taken changes nothing: a fit
    answers for every set between the columns it was chosen by and those it could choose from. Fits end in one of
    several optima: a better one that was found where fewer columns were offered is one of more columns, too.
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

    def widen(self, orders: Sequence[Sequence[int]]) -> bool:
        """Let in mechanisms that take their time where they are better than what there is; whether there are such.

        For these columns and the parents that they then have, since either may be the other's parent. An order is
        compared with others by the same mechanisms of a column, so that none is preferred for what was tried there.
        """
        mechanisms, new = self.mechanisms, dict[str, list[int]]()
        places = [(column, to_bits(order[:place])) for order in orders for place, column in enumerate(order)]
        for kind, columns in mechanisms.wider.items():
            better = set[int]()
            # A sensor may show only beside a parent that stands behind it as yet.
            more = [(column, -1) for column in range(len(self.candidates))] if kind == "sensor" else []
            for column, earlier in [*places, *more]:
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
        required, cache = self._required[column] & offered, self._cache[column]
        if all(cached.tried & ~offered or offered & ~cached.offered for cached in cache):
            fit = self.mechanisms.choose(column, to_list(offered), to_list(required))
            tried = to_bits(fit.tried) | required
            cache.append(_CachedFit(offered, tried, to_bits(fit.parents), fit))
            cache.sort(key=lambda cached: -cached.fit.log_likelihood)
        return next(cached.fit for cached in cache if not (cached.parents & ~offered or required & ~cached.parents))


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
        return self.choose(self.reach(on_move))

    def reach(self, on_move: OnMove = lambda done, of: None) -> list[list[int]]:
        """Where moves end that begin at each of the starts."""
        return [self.improve(start, on_move) for start in (self.start_by_sources(), self.start_by_pairs())]

    def choose(self, orders: Sequence[Sequence[int]]) -> list[int]:
        """The order with the largest total, background knowledge included; of equal ones the first."""

        def measure(order: Sequence[int]) -> int:
            return round((self.total(order) + self._sum_lean(order)) / _LEAST)

        best = max(orders, key=measure)
        return list(best)

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

    def start_by_sources(self) -> list[int]:
        """Column after column the one that those left contradict least as their source, given those before it."""
        left, before, order = set(range(len(self._before))), 0, list[int]()
        contradictions = dict.fromkeys(left, 0)
        while left:
            least, source = sys.maxsize, -1
            # Those that were contradicted little are likely to be so again: most others are given up early.
            for column in sorted(left, key=lambda k: (contradictions[k], k)):
                if not any(self._before[other, column] for other in left):
                    contradictions[column] = self._sum_contradictions(column, left, before, least, contradictions)
                    if contradictions[column] < least:
                        least, source = contradictions[column], column
            order.append(source)
            left.remove(source)
            before |= 1 << source
        return order

    def _sum_contradictions(
        self, column: int, left: Iterable[int], before: Columns, most: int, likely: Mapping[int, int]
    ) -> int:
        """Gains of those that are left from standing before a column, directly behind others; no more than it takes.

        In grains: rounding, which is another on another machine, orders no columns that nothing orders.
        """
        total = 0
        for other in sorted(left, key=lambda k: (likely[k], k)):
            if other != column:
                total += max(0, round(self.swap_gain(before, column, other) / _LEAST))
                if total >= most:
                    break
        return total

    def start_by_pairs(self) -> list[int]:
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

    def _sum_lean(self, order: Sequence[int]) -> float:
        """What background knowledge adds: half a log-odds for, or against, every pair."""
        return 0.5 * float(np.sum(np.triu(self._lean[np.ix_(order, order)], 1)))

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
