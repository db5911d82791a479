"""The order of the columns with the largest log-likelihood, each column given its predecessors, and the fits in it.

Among orders with the true parents before every column, the noise that is left has the least entropy in total. The law
of the noise is not assumed: its density is estimated from the gaps between the residuals. Every coefficient costs an
AIC penalty of one nat (Akaike 1974): a wrong order needs more of them, and what they gain on the rows they were fitted
to had outweighed the truth where functions are straight lines. Half of log n nats each (Schwarz 1978) was no better
there, and worse where noise enters otherwise than as a sum.

Rejected: sinks by the independence of the residual (HSIC), as RESIT finds them: every column is fitted on all others
first, and what nine splines leave of 500 rows looks independent of all of them.

The search begins at the order that contradicts single pairs least; then one column after the other is moved to where it
raises the total most, until none moves. A move is a sequence of swaps of neighbours, and a swap changes the
predecessors of two columns only.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.models.additive import AdditiveFit, Smooths
from causewise.numerics import ordering
from causewise.numerics.density import log_density_at_rows
from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

Likelihood = Callable[[int, Sequence[int]], float]
"""Of a column given its predecessors, in nats a row."""
OnMove = Callable[[int, int], None]
"""Called with how many columns were tried in this sweep, and of how many."""

_SWEEPS = 12
_FAR = 0.15
"""Nats a row below the best place so far, beyond which a column is not moved on: what it lost does not come back."""
_LEAST = 1e-9
"""Nats a row that count as a gain, and the grain of the start's whole numbers."""


@dataclass(frozen=True, eq=False)
class OrderedFits:
    """A graph of columns by their number: their order, and a fit of each given its parents."""

    order: tuple[int, ...]
    fits: tuple[AdditiveFit, ...]
    """Of each column, in the order's order, given its parents."""
    log_likelihood: float
    """Nats a row, of all columns together, less the AIC penalty."""

    @property
    def arrows(self) -> frozenset[tuple[int, int]]:
        """Parent and child."""
        return frozenset(
            (term.parent, child) for child, fit in zip(self.order, self.fits, strict=True) for term in fit.terms
        )


def fit_graph(
    columns: FloatArray, constraints: Constraints, alpha: float, on_move: OnMove = lambda done, of: None
) -> OrderedFits:
    """The graph of some columns, one line each, of any unit.

    Arrays in, numbers out, so that it can be repeated on parts of the rows in other processes.
    """
    likelihoods = Likelihoods(Smooths([standardise(column) for column in columns]), constraints, alpha)
    search = Search(likelihoods, constraints, columns.shape[1])
    order = search.best(on_move)
    fits = tuple(likelihoods.fit(column, order[:k]) for k, column in enumerate(order))
    return OrderedFits(tuple(order), fits, search.total(order))


def noise_p_values(columns: FloatArray, graph: OrderedFits) -> list[float | None]:
    """Of each column in the order: is its noise independent of all its predecessors? None for the first.

    The smallest of the p-values (HSIC) with each of them, times their number. A location-scale model without hidden
    common causes leaves such noise in the true order, and in no other.
    """
    kernels = [kernel_column(standardise(column)) for column in columns]
    out: list[float | None] = []
    for k, fit in enumerate(graph.fits):
        noise = kernel_column(standardise(fit.residual))
        p_values = [hsic_test(noise, kernels[other]).p_value for other in graph.order[:k]]
        out.append(min(1.0, float(np.min(p_values)) * k) if p_values else None)
    return out


class _CachedFit(NamedTuple):
    """A fit, with the columns it could choose from and those it chose: a bit each."""

    offered: int
    chosen: int
    value: float
    fit: AdditiveFit


class Likelihoods:
    """Log-likelihoods a row of standardised columns given others, each fitted once.

    Terms come in one by one, the strongest first, so a column that was offered and not taken changes nothing: a fit
    answers for every set between the columns it chose and those it could choose from.
    """

    def __init__(self, smooths: Smooths, constraints: Constraints, alpha: float) -> None:
        self.smooths, self.constraints, self.alpha = smooths, constraints, alpha
        self._cache: list[list[_CachedFit]] = [[] for _ in smooths.columns]

    def __call__(self, column: int, earlier: Iterable[int]) -> float:
        """Nats a row, less the AIC penalty."""
        return self._fit_once(column, earlier).value

    def fit(self, column: int, earlier: Iterable[int]) -> AdditiveFit:
        """The column given those of its predecessors that matter, each given all others."""
        required = self._list_required(column, earlier)
        return self.smooths.prune(column, self._fit_once(column, earlier).fit, self.alpha, required)

    def _fit_once(self, column: int, earlier: Iterable[int]) -> _CachedFit:
        candidates = [k for k in earlier if not self.constraints.barred[k, column]]
        offered = _bits(candidates)
        for cached in self._cache[column]:
            if not (cached.chosen & ~offered or offered & ~cached.offered):
                return cached
        required = self._list_required(column, candidates)
        fit = self.smooths.fit(column, candidates, self.alpha, required)
        chosen = _bits({term.parent for term in fit.terms}.union(required))
        self._cache[column].append(_CachedFit(offered, chosen, _log_likelihood(fit), fit))
        return self._cache[column][-1]

    def _list_required(self, column: int, earlier: Iterable[int]) -> list[int]:
        return [k for k in earlier if self.constraints.required[k, column]]


def _bits(columns: Iterable[int]) -> int:
    return sum(1 << k for k in columns)


def _log_likelihood(fit: AdditiveFit) -> float:
    density = log_density_at_rows(fit.residual)
    if density is None:  # where ties leave no gaps, which is rare (see `graph_columns`), the normal law is all there is
        density = -0.5 * fit.residual**2 - 0.5 * np.log(2 * np.pi)
    return float(np.mean(density - fit.log_scale)) - fit.coefficients / len(fit.residual)


class Search:
    """Orders of some columns, compared by their likelihood and by background knowledge."""

    def __init__(self, likelihood: Likelihood, constraints: Constraints, rows: int) -> None:
        self._likelihood, self._before = likelihood, constraints.before
        # Added to the log-likelihood of all rows, log-odds are a prior of the order.
        self._lean = constraints.log_odds / rows

    def best(self, on_move: OnMove = lambda done, of: None) -> list[int]:
        """An order that satisfies the constraints, and that no move of a single column improves."""
        order = self.start()
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
                gains[j, i] = self.swap_gain([i, j], 0)
        gains -= gains.T
        weights = np.rint(np.maximum(gains, 0.0) / _LEAST).astype(np.int64)
        weights[self._before] += 1 + weights.sum()
        return [int(k) for k in ordering.best_order(weights, ordering.topological_order(self._before)).items]

    def total(self, order: Sequence[int]) -> float:
        """The log-likelihood a row of all columns, each given its predecessors."""
        return float(sum(self._likelihood(column, order[:k]) for k, column in enumerate(order)))

    def swap_gain(self, order: Sequence[int], low: int) -> float:
        """What is gained if the columns at `low` and behind it change places."""
        likelihood, before, a, b = self._likelihood, order[:low], order[low], order[low + 1]
        swapped = likelihood(b, before) + likelihood(a, [*before, b])
        return float(self._lean[b, a]) + swapped - likelihood(a, before) - likelihood(b, [*before, a])

    def _best_place(self, order: Sequence[int], here: int) -> int:
        best, place = _LEAST, here
        for way in (-1, 1):
            now, gain, at = list(order), 0.0, here
            while 0 <= at + way < len(now):
                low = min(at, at + way)
                if self._before[now[low], now[low + 1]]:
                    break
                gain += self.swap_gain(now, low)
                now[low], now[low + 1] = now[low + 1], now[low]
                at += way
                if gain > best:
                    best, place = gain, at
                if gain < best - _FAR:
                    break
        return place
