"""Entropic causality (Kocaoglu et al. 2017): the direction that needs less randomness, for columns of few levels.

Model: effect = f(cause, E) with E independent of the cause and of small entropy, f any function. The E of least entropy
is the coupling of least entropy of the laws of effect given each level of the cause, which is hard to find; the greedy
coupling has at most some bits more. The direction with the smaller H(cause) + H(E) is chosen. Only the laws count, not
the values: levels may be names.
"""

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError, between
from causewise.numerics.arrays import minmax
from causewise.pair import FloatArray
from causewise.protocol import Directional, make_builder

LEVELS = (2, 100)
"""A coupling of k laws over m levels takes some k·m steps, each over the k laws."""
DIGITS = 9
"""Places are rounded to these before binning, so that one on an edge falls the same way in any units."""


def entropy(masses: FloatArray) -> float:
    """In bits, of masses that sum to one; no mass adds nothing, and their order does not matter to the last bit."""
    held = masses[masses > 0.0]
    return -math.fsum(held * np.log2(held))


def greedy_coupling(laws: Sequence[Sequence[int]]) -> list[int]:
    """The masses of a coupling of laws, each given by whole numbers of the same sum; the masses have that sum too.

    Each step takes the largest mass that every law can give from its largest entry, the smallest of these maxima, so
    that at least one entry is used up: there are fewer steps than entries.
    """
    heaps = [[-count for count in law if count] for law in laws]
    for heap in heaps:
        heapq.heapify(heap)
    masses = []
    while heaps[0]:
        mass = -max(heap[0] for heap in heaps)
        masses.append(mass)
        for heap in heaps:
            left = heap[0] + mass
            if left:
                heapq.heapreplace(heap, left)
            else:
                heapq.heappop(heap)
    return masses


def noise_entropy(table: NDArray[np.intp]) -> float:
    """Bits of the greedy coupling of the laws in the rows of a table of counts."""
    # Over a common denominator the laws are whole numbers: nothing is rounded, so that no order of levels can matter.
    totals = [int(total) for total in np.sum(table, axis=1)]
    common = math.lcm(*totals)
    laws = [[int(count) * (common // total) for count in row] for row, total in zip(table, totals, strict=True)]
    return entropy(np.array([mass / common for mass in greedy_coupling(laws)]))


def levels_of(column: FloatArray, max_levels: int, bins: int | None) -> NDArray[np.intp]:
    """Each row's level; a column of more is cut into bins of equal width where their number is given, else refused."""
    values, level = np.unique(column, return_inverse=True)
    if len(values) <= (bins or max_levels):
        return level
    if bins is not None:
        place = np.floor(np.round(minmax(column) * bins, DIGITS))
        return np.unique(np.minimum(place, bins - 1), return_inverse=True)[1]
    raise InputError(
        f"Entropic inference got a column with {len(values)} distinct values; expected at most {max_levels}, since it "
        "compares the laws of levels: choose a column of few levels, or quantise with bins=8."
    )


def score(cause: FloatArray, effect: FloatArray, *, max_levels: int = 30, bins: int | None = None) -> float:
    """Minus the bits of randomness that the direction needs: H(cause) + H(E) of the greedy coupling.

    A column of more than `max_levels` values is refused unless `bins` of equal width are asked for.
    """
    u, v = (levels_of(column, max_levels, bins) for column in (cause, effect))
    width = int(np.max(v)) + 1
    table = np.bincount(u * width + v, minlength=(int(np.max(u)) + 1) * width).reshape(-1, width)
    return -(entropy(np.sum(table, axis=1) / len(u)) + noise_entropy(table))


def _check_bins(bins: int | None) -> None:
    if bins is not None:
        between("entropic", *LEVELS, bins=bins)


entropic = make_builder(Directional, "entropic", score, max_levels=LEVELS, bins=_check_bins)
