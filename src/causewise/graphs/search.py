"""The order of the columns under which all of them together are told best.

Begun where single pairs point to; then one column after the other is moved to where it raises the total most, until
none moves. A move is a row of swaps of neighbours, and a swap changes only what two columns are told by.
"""

from collections.abc import Callable, Sequence

import numpy as np

from causewise.graphs.constraints import Constraints
from causewise.numerics import ordering

Likelihood = Callable[[int, Sequence[int]], float]
"""Of a column given those before it, in nats a row."""
OnMove = Callable[[int, int], None]
"""Called with how many columns were looked at in this sweep, and of how many."""

_SWEEPS = 12
_FAR = 0.15
"""Nats a row below the best place so far, beyond which a column is not moved on: what it lost does not come back."""
_LEAST = 1e-9
"""Nats a row that count as a gain, and the grain of the start's whole numbers."""


class Search:
    """Orders of some columns, compared by their likelihood and by what is known of them."""

    def __init__(self, likelihood: Likelihood, constraints: Constraints, rows: int) -> None:
        self._likelihood, self._before = likelihood, constraints.before
        # Added to the log-likelihood of all rows, log-odds are a prior of the order.
        self._lean = constraints.log_odds / rows

    def best(self, on_move: OnMove = lambda done, of: None) -> list[int]:
        """An order that obeys, and that no move of a single column improves."""
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
        """The order that goes against the least of what single pairs say, and against nothing that is known."""
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
        """The log-likelihood a row of all columns."""
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
