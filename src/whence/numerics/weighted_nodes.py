"""A column stood in for by some tens of weighted points, for sums of smooth functions over its rows.

Over a box one bandwidth wide, Chebyshev interpolation with twelve terms represents exp(−p d²/bandwidth), p ≤ 3, to
2 (b√2/4)^q/√q! with q = 12 and b = √p (see `local_moments`): 3e-7 for p = 3. Summing the interpolant over the rows of a
box leaves weights on its nodes. A box with no more rows than nodes keeps its rows.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.local_moments import in_cells, numbered

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_TERMS = 12


def weighted_nodes(column: FloatArray, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    """Points in ascending order and their weights, which sum to the number of rows."""
    width = np.sqrt(bandwidth)
    middle, number, place = in_cells(column, width)
    occupied, box = numbered(number)
    angles = (np.arange(_TERMS)[::-1] + 0.5) * np.pi / _TERMS
    transform = np.cos(np.arange(_TERMS)[:, None] * angles) * (2.0 / _TERMS)
    transform[0] *= 0.5
    where, weights = _nodes(box, place, np.bincount(box), occupied, np.cos(angles), transform)
    order = np.argsort(where, kind="stable")
    return middle + width * where[order], weights[order]


@njit(cache=True, nogil=True)
def _nodes(
    box: IntArray,
    place: FloatArray,
    rows: IntArray,
    centre: FloatArray,
    nodes: FloatArray,
    transform: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Places in units of the box's width, and weights."""
    terms = len(nodes)
    start = np.zeros(len(rows) + 1, np.int64)
    for c in range(len(rows)):
        start[c + 1] = start[c] + min(rows[c], terms)
    where, weights = np.empty(start[-1]), np.ones(start[-1])
    moments = np.zeros((len(rows), terms))
    filled = np.zeros(len(rows), np.int64)
    for i in range(len(box)):
        c = box[i]
        if rows[c] <= terms:
            where[start[c] + filled[c]] = centre[c] + place[i]
            filled[c] += 1
        else:
            _add_chebyshev(2.0 * place[i], moments[c])
    for c in range(len(rows)):
        if rows[c] > terms:
            where[start[c] : start[c + 1]] = centre[c] + 0.5 * nodes
            weights[start[c] : start[c + 1]] = moments[c] @ transform
    return where, weights


@njit(cache=True, nogil=True)
def _add_chebyshev(x: float, out: FloatArray) -> None:
    before, here = 1.0, x
    out[0] += 1.0
    for k in range(1, len(out)):
        out[k] += here
        before, here = here, 2.0 * x * here - before
