"""The order of columns, causes first, that disagrees least with the scores of a scan."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from causewise.errors import InputError
from causewise.numerics.ordering import Items, Weights, best_order, topological_order
from causewise.scanning.scan_row import ScanRow


class Order(NamedTuple):
    """Columns, causes first. Units are those of the score: log-odds for the default method."""

    columns: tuple[str, ...]
    cost: float
    """Sum of |score| over the pairs that the order goes against."""
    bound: float
    """What every order goes against at least; equals the cost where `exact`."""
    exact: bool
    """Whether it is shown that no order costs less."""
    total: float
    """Sum of |score| over all pairs."""

    @property
    def words(self) -> str:
        """What the order is worth, in a sentence."""
        if self.total == 0:
            return "No pair has a score, so the order is the table's own."
        if self.exact and self.cost == 0:
            return "The order agrees with every score."
        against = f"The order goes against {self._share(self.cost)} of the scores' sum"
        least = "no order goes against less" if self.exact else f"every order goes against {self._share(self.bound)}"
        return f"{against}; {least}{'' if self.exact else ' or more'}."

    def _share(self, part: float) -> str:
        return f"{100 * part / self.total:.1f} %"


def order(rows: Iterable[ScanRow], columns: Sequence[str], before: Iterable[tuple[str, str]] = ()) -> Order:
    """The order that goes against the least score, over oriented and undecided pairs alike.

    before: pairs of columns of which the first stands before the second whatever the scores say (what is known).
    Exact for up to 18 columns, and wherever the bound meets the cost; ties are broken by the table's order.
    """
    place = {name: k for k, name in enumerate(columns)}
    scored = [(place[row.x], place[row.y], row.score) for row in rows if row.score]
    hard = [(place[first], place[second]) for first, second in before]
    total = math.fsum(abs(score) for *_, score in scored)
    unit = _unit(total, len(hard))
    # A search that starts from an order that obeys never leaves them: it would cost more.
    found = best_order(_weights(scored, hard, len(columns), total, unit), _obedient(hard, len(columns)))
    rank = np.argsort(found.items).tolist()
    cost = math.fsum(abs(score) for x, y, score in scored if (rank[x] < rank[y]) != (score > 0))
    bound = cost if found.exact else min(found.bound * unit, cost)
    return Order(tuple(columns[k] for k in found.items), cost, bound, found.exact, total)


def _obedient(hard: Iterable[tuple[int, int]], count: int) -> Items:
    arcs = np.zeros((count, count), dtype=bool)
    for pair in hard:
        arcs[pair] = True
    try:
        return topological_order(arcs)
    except ValueError:
        raise InputError(
            "Got columns that are known to stand before each other in a circle; expected what some order can obey: "
            "remove one of them."
        ) from None


def _unit(total: float, hard: int) -> float:
    """The grain to which scores are rounded, a power of two: all sums then fit 62 bits, and a known pair in as many."""
    spare = 60 - math.ceil(math.log2(1 + hard))
    return math.ldexp(1.0, math.frexp(total)[1] - spare) if total else 1.0


def _weights(
    scored: Iterable[tuple[int, int, float]], hard: Iterable[tuple[int, int]], count: int, total: float, unit: float
) -> Weights:
    """weights[i, j]: what it costs to place j before i. Going against one known pair costs more than all scores."""
    weights = np.zeros((count, count), dtype=np.int64)
    for x, y, score in scored:
        weights[(x, y) if score > 0 else (y, x)] += round(abs(score) / unit)
    for first, second in hard:
        weights[first, second] += int(total / unit) + count * count
    return weights
