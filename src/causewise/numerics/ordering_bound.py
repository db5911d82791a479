"""Lower bounds on the cost of any order, from circles of three: every order goes against one of their weights.

weights[i, j] is what it costs to place j before i, and one of weights[i, j] and weights[j, i] is 0.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

_TRIANGLES = 4000
"""Broken inequalities that join the linear programme in one round, the most broken first."""
_ROUNDS = 40


def packed(weights: NDArray[np.int64], items: NDArray[np.intp]) -> int:
    """Weight taken up by circles of three that share none of it, packed greedily around what an order goes against.

    Every circle of three contains a weight that the order goes against, so these are the only ones to start from.
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


def relaxed(weights: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """The linear programme over triangles (Grötschel, Jünger & Reinelt 1984): how far i stands before j, and the bound.

    With ahead[j, i] = 1 − ahead[i, j]: 0 ≤ ahead[i, j] + ahead[j, k] − ahead[i, k] ≤ 1 for all i < j < k.
    Inequalities that a solution breaks are added until none is broken.
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
        chosen, sign = _broken(solution, triangles)
        if len(chosen) == 0:
            break
        rows = np.repeat(np.arange(len(chosen)), 3)
        entries = (sign[:, None] * np.array([1.0, 1.0, -1.0])).ravel()
        new = csr_array((entries, (rows, triangles[chosen].ravel())), shape=(len(chosen), len(first)))
        left, right = vstack([left, new], format="csr"), np.concatenate([right, (sign > 0).astype(float)])
        found = linprog(price, A_ub=left, b_ub=right, bounds=(0, 1), method="highs")
        if found.x is None:
            break
        solution = found.x
        # Weak duality: any multipliers ≤ 0 give a bound, so it holds however loosely the solver stopped.
        dual = np.minimum(found.ineqlin.marginals, 0)
        bound = max(bound, reverse + dual @ right + np.minimum(price - left.T @ dual, 0).sum())
    ahead = np.zeros((count, count))
    ahead[first, second], ahead[second, first] = solution, 1 - solution
    return ahead, int(bound * scale * (1 - 1e-12))


def _triangles(count: int) -> NDArray[np.intp]:
    """For all i < j < k, the numbers of the variables (i, j), (j, k) and (i, k)."""
    number = np.zeros((count, count), dtype=np.intp)
    number[np.triu_indices(count, 1)] = np.arange(count * (count - 1) // 2)
    i, j, k = np.array(list(combinations(range(count), 3))).T
    return np.stack([number[i, j], number[j, k], number[i, k]], axis=1)


def _broken(solution: NDArray[np.float64], triangles: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Triangles whose sum is above 1 (sign 1) or below 0 (sign −1), the most broken first."""
    sums = solution[triangles] @ np.array([1.0, 1.0, -1.0])
    excess = np.maximum(sums - 1, -sums)
    chosen = np.argsort(-excess, kind="stable")[:_TRIANGLES]
    chosen = chosen[excess[chosen] > 1e-7]
    return chosen, np.where(sums[chosen] > 1, 1, -1)
