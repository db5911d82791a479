"""The linear ordering problem: the order of items that goes against the least weight.

weights[i, j] ≥ 0 is what it costs to place j before i. Whole numbers, so that sums do not depend on the order of
adding and ties are ties. The problem is NP-hard (Karp 1972, as feedback arc set; Martí & Reinelt 2011).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.ordering_bound import packed, relaxed

Weights = NDArray[np.int64]
Items = NDArray[np.intp]

EXACT = 18
"""Items that are always ordered exactly, by 2¹⁸ subsets: a fifth of a second and 40 MB."""
RELAXED = 60
"""Items for which the linear programme is solved: a tenth of a second where weights mostly agree, ten for noise."""
_TRIES = 12_000
"""Shaken orders times items, after which the search ends."""
_ROUNDING = 1e-9


class Ordering(NamedTuple):
    """Items first to last; what the order costs, and what every order costs at least."""

    items: Items
    cost: int
    bound: int

    @property
    def exact(self) -> bool:
        """Whether no order costs less, up to the linear programme's rounding."""
        return _meet(self.cost, self.bound)


def best_order(weights: Weights, start: Items) -> Ordering:
    """The cheapest order found; of orders that go against the same weights, the one nearest to 0, 1, 2, ….

    Items are first split into groups within which one can come back to every item along weights: only there must an
    order go against any. A group of up to 18 items is ordered exactly; a larger one at no more than the start's cost.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    net = np.maximum(weights - weights.T, 0)
    unavoidable = int(np.minimum(weights, weights.T).sum()) // 2
    count, label = connected_components(csr_array(net), directed=True, connection="strong")
    kept = net > 0
    bound = unavoidable
    rank = np.argsort(start)
    for group in (np.flatnonzero(label == each) for each in range(count)):
        if len(group) > 2:
            inside = np.ix_(group, group)
            items, least = _ordered(net[inside], np.argsort(rank[group]))
            bound += least
            place = np.argsort(items)
            kept[inside] &= place[:, None] < place
    items = topological(kept)
    return Ordering(items, cost_of(weights, items), bound)


def cost_of(weights: Weights, items: Items) -> int:
    """The weight that an order goes against."""
    return int(np.tril(weights[np.ix_(items, items)]).sum())


def _meet(cost: int, bound: int) -> bool:
    return cost - bound <= _ROUNDING * cost


def _ordered(weights: Weights, start: Items) -> tuple[Items, int]:
    """An order of one group, and a lower bound on the cost of every order."""
    if len(weights) <= EXACT:
        items = _by_subsets(weights)
        return items, cost_of(weights, items)
    starts = [start, np.argsort(weights.sum(0) - weights.sum(1), kind="stable")]
    bound = 0
    if len(weights) <= RELAXED:
        ahead, bound = relaxed(weights)
        starts.append(np.argsort(-ahead.sum(1), kind="stable"))
    items = _searched(weights, starts, bound)
    return items, max(bound, packed(weights, items))


def _by_subsets(weights: Weights) -> Items:
    """Dynamic programming (Held & Karp 1962): least[R], the cost of the best order of the subset R.

    The first of R pays the weights by which others of R wanted to precede it; the others are a smaller subset.
    Going forward from the full set, the first item that attains the minimum gives the first of the best orders.
    """
    count = len(weights)
    pays = np.zeros((1, count), dtype=np.int64)
    for row in weights:
        pays = np.concatenate([pays, pays + row])
    bits = 1 << np.arange(count)
    subsets = np.arange(1 << count)
    size = np.bitwise_count(subsets)
    least = np.zeros(1 << count, dtype=np.int64)
    never = np.iinfo(np.int64).max

    def options(some: NDArray[np.int64]) -> NDArray[np.int64]:
        within = some[:, None]
        return np.where(within & bits, least[within ^ bits] + pays[some], never)

    for members in range(1, count + 1):
        layer = subsets[size == members]
        least[layer] = options(layer).min(axis=1)
    rest = np.array([(1 << count) - 1])
    items = []
    for _ in range(count):
        items.append(int(options(rest)[0].argmin()))
        rest ^= bits[items[-1]]
    return np.array(items)


def _searched(weights: Weights, starts: list[Items], bound: int) -> Items:
    """Iterated local search (Schiavinotto & Stützle 2004): shake the best order, settle it, keep what is no worse."""
    settled = [_settled(weights, start) for start in starts]
    costs = [cost_of(weights, items) for items in settled]
    best, cost = settled[int(np.argmin(costs))], min(costs)
    rng = np.random.default_rng(0)
    for _ in range(_TRIES // len(weights)):
        if _meet(cost, bound):
            break
        items = _settled(weights, _shaken(best, rng))
        found = cost_of(weights, items)
        if found <= cost:
            best, cost = items, found
    return best


def _shaken(items: Items, rng: np.random.Generator) -> Items:
    shaken = items.tolist()
    for _ in range(max(3, len(shaken) // 12)):
        shaken.insert(int(rng.integers(len(shaken))), shaken.pop(int(rng.integers(len(shaken)))))
    return np.array(shaken)


def _settled(weights: Weights, items: Items) -> Items:
    """Take out one item at a time and put it where it costs least, until none moves."""
    gain = weights - weights.T
    moved = True
    while moved:
        moved = False
        for item in range(len(items)):
            here = int(np.flatnonzero(items == item)[0])
            rest = np.delete(items, here)
            # Each step to the right past another item costs what the item would rather precede it by.
            cost = np.concatenate([[0], np.cumsum(gain[item, rest])])
            there = int(cost.argmin())
            if cost[there] < cost[here]:
                items = np.insert(rest, there, item)
                moved = True
    return items


def topological(arcs: NDArray[np.bool_]) -> Items:
    """An order along all arcs; of the items that nothing holds back, always the first. A circle is a ValueError."""
    waiting = arcs.sum(axis=0)
    items = []
    for _ in range(len(arcs)):
        item = int(np.argmax(waiting == 0))
        if waiting[item]:
            raise ValueError("arcs run in a circle")
        items.append(item)
        waiting -= arcs[item]
        waiting[item] = -1
    return np.array(items, dtype=np.intp)
