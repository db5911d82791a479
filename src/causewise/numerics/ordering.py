"""The linear ordering problem: the order of items that contradicts the least weight.

weights[i, j] ≥ 0 is what it costs to place j before i. Whole numbers, so that sums do not depend on the order of
adding and ties are ties. The problem is NP-hard (Karp 1972, as feedback arc set; Martí & Reinelt 2011).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.numerics.native import FloatArray

Weights = NDArray[np.int64]
Items = NDArray[np.intp]

EXACT = 18
"""Items that are always ordered exactly, by 2¹⁸ subsets: a fifth of a second and 40 MB."""
RELAXED = 60
"""Items for which the linear programme is solved: a tenth of a second where weights mostly agree, ten for noise."""
_TRIES = 12_000
"""Perturbed orders times items, after which the search ends."""
_ROUNDING = 1e-9
_TRIANGLES = 4000
"""Violated inequalities that join the linear programme in one round, the most violated first."""
_ROUNDS = 40


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
    """The cheapest order found; of orders that contradict the same weights, the one nearest to 0, 1, 2, ….

    Items are first split into groups within which one can come back to every item along weights: only there must an
    order contradict any. A group of up to 18 items is ordered exactly; a larger one at no more than the start's cost.
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
            items, least = _order_group(net[inside], np.argsort(rank[group]))
            bound += least
            place = np.argsort(items)
            kept[inside] &= place[:, None] < place
    items = topological_order(kept)
    return Ordering(items, cost_of(weights, items), bound)


def cost_of(weights: Weights, items: Items) -> int:
    """The weight that an order contradicts."""
    return int(np.tril(weights[np.ix_(items, items)]).sum())


def _meet(cost: int, bound: int) -> bool:
    return cost - bound <= _ROUNDING * cost


def _order_group(weights: Weights, start: Items) -> tuple[Items, int]:
    """An order of one group, and a lower bound on the cost of every order."""
    if len(weights) <= EXACT:
        items = _order_by_subsets(weights)
        return items, cost_of(weights, items)
    starts = [start, np.argsort(weights.sum(0) - weights.sum(1), kind="stable")]
    bound = 0
    if len(weights) <= RELAXED:
        ahead, bound = solve_relaxation(weights)
        starts.append(np.argsort(-ahead.sum(1), kind="stable"))
    items = _search(weights, starts, bound)
    return items, max(bound, pack_triangles(weights, items))


def _order_by_subsets(weights: Weights) -> Items:
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


def _search(weights: Weights, starts: list[Items], bound: int) -> Items:
    """Iterated local search (Schiavinotto & Stützle 2004): perturb the best order and keep what is no worse."""
    optima = [_improve(weights, start) for start in starts]
    costs = [cost_of(weights, items) for items in optima]
    best, cost = optima[int(np.argmin(costs))], min(costs)
    rng = np.random.default_rng(0)
    for _ in range(_TRIES // len(weights)):
        if _meet(cost, bound):
            break
        items = _improve(weights, _perturb(best, rng))
        if (now := cost_of(weights, items)) <= cost:
            best, cost = items, now
    return best


def _perturb(items: Items, rng: np.random.Generator) -> Items:
    order = items.tolist()
    for _ in range(max(3, len(order) // 12)):
        order.insert(int(rng.integers(len(order))), order.pop(int(rng.integers(len(order)))))
    return np.array(order)


def _improve(weights: Weights, items: Items) -> Items:
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


def topological_order(arcs: NDArray[np.bool_]) -> Items:
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


# Lower bounds on the cost of any order, from circles of three: every order contradicts one of their weights. Of
# weights[i, j] and weights[j, i] one is 0.


def pack_triangles(weights: Weights, items: Items) -> int:
    """Weight taken up by circles of three that share none of it, packed greedily around what an order contradicts.

    Every circle of three contains a weight that the order contradicts, so these are the only ones to start from.
    """
    left = weights.copy()
    place = np.argsort(items)
    against = np.argwhere((left > 0) & (place[:, None] > place))
    bound = 0
    for i, j in against[np.argsort(-left[tuple(against.T)], kind="stable")]:
        # i → j → k → i, for all k at once: the circles share only i → j.
        through = np.minimum(left[j], left[:, i])
        used = np.diff(np.minimum(np.cumsum(through), left[i, j]), prepend=0)
        left[j] -= used
        left[:, i] -= used
        taken = int(used.sum())
        left[i, j] -= taken
        bound += taken
    return bound


def solve_relaxation(weights: Weights) -> tuple[FloatArray, int]:
    """The linear programme over triangles (Grötschel, Jünger & Reinelt 1984): how far i stands before j, and the bound.

    With ahead[j, i] = 1 − ahead[i, j]: 0 ≤ ahead[i, j] + ahead[j, k] − ahead[i, k] ≤ 1 for all i < j < k.
    Inequalities that a solution violates are added until none is.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    count = len(weights)
    first, second = np.triu_indices(count, 1)
    scale = max(int(weights.max()), 1)
    # i before j costs weights[j, i], the reverse weights[i, j].
    price = (weights[second, first] - weights[first, second]) / scale
    reverse = (weights[first, second] / scale).sum()
    triangles = _triangles(count)
    solution, bound = (price < 0).astype(float), 0.0
    left, right = csr_array((0, len(first))), np.zeros(0)
    for _ in range(_ROUNDS):
        chosen, sign = _find_violations(solution, triangles)
        if len(chosen) == 0:
            break
        rows = np.repeat(np.arange(len(chosen)), 3)
        entries = (sign[:, None] * np.array([1.0, 1.0, -1.0])).ravel()
        new = csr_array((entries, (rows, triangles[chosen].ravel())), shape=(len(chosen), len(first)))
        left, right = vstack([left, new], format="csr"), np.concatenate([right, (sign > 0).astype(float)])
        solved = linprog(price, A_ub=left, b_ub=right, bounds=(0, 1), method="highs")
        if solved.x is None:
            break
        solution = solved.x
        # Weak duality: any multipliers ≤ 0 give a bound, so it holds however loosely the solver stopped.
        dual = np.minimum(solved.ineqlin.marginals, 0)
        bound = max(bound, reverse + dual @ right + np.minimum(price - left.T @ dual, 0).sum())
    ahead = np.zeros((count, count))
    ahead[first, second], ahead[second, first] = solution, 1 - solution
    return ahead, int(bound * scale * (1 - 1e-12))


def _triangles(count: int) -> Items:
    """For all i < j < k, the numbers of the variables (i, j), (j, k) and (i, k)."""
    number = np.zeros((count, count), dtype=np.intp)
    number[np.triu_indices(count, 1)] = np.arange(count * (count - 1) // 2)
    i, j, k = np.array(list(combinations(range(count), 3))).T
    return np.stack([number[i, j], number[j, k], number[i, k]], axis=1)


def _find_violations(solution: FloatArray, triangles: Items) -> tuple[Items, Weights]:
    """Triangles whose sum is above 1 (sign 1) or below 0 (sign −1), the most violated first."""
    sums = solution[triangles] @ np.array([1.0, 1.0, -1.0])
    excess = np.maximum(sums - 1, -sums)
    chosen = np.argsort(-excess, kind="stable")[:_TRIANGLES]
    chosen = chosen[excess[chosen] > 1e-7]
    return chosen, np.where(sums[chosen] > 1, 1, -1)
