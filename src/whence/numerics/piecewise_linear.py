"""Continuous piecewise linear regression on equally spaced knots with its exact leave-one-out predictions.

Least squares with a ridge on the coefficients of the truncated power basis 1, u, (u − κⱼ)₊, that is on the value and
slope at 0 and on the changes of slope. The fit is carried in the values at the knots, where every row touches two
unknowns and every ridge term three: cells are compressed to two rows each and joined by Givens rotations, O(n + p²).
Orthogonal steps matter: a point alone in its cell has leverage 1 − O(ridge), and what normal equations leave of
1 − leverage there is rounding noise.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@njit(cache=True, nogil=True)
def fit_piecewise_linear(u: FloatArray, t: FloatArray, knots: int, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Fitted values and leverages for `knots` ≥ 2 equally spaced knots on [0, 1]; `u` in [0, 1] must ascend."""
    cells = knots - 1
    edges = _cell_edges(u, cells)
    factor, rhs = _triangular(u, t, edges, ridge)
    theta = _solve_upper(factor, rhs)
    lever = _lever_factors(factor)
    fitted, leverage = np.empty(len(u)), np.empty(len(u))
    for c in range(cells):
        for i in range(edges[c], edges[c + 1]):
            w = u[i] * cells - c
            fitted[i] = theta[c] * (1.0 - w) + theta[c + 1] * w
            first = lever[c, 0] * (1.0 - w) + lever[c, 1] * w
            second = lever[c, 2] * w
            leverage[i] = first * first + second * second
    return fitted, leverage


@njit(cache=True, nogil=True)
def fit_constant(t: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Fitted values and leverages of the constant model under the same ridge."""
    n = len(t)
    return np.full(n, np.sum(t) / (n + ridge)), np.full(n, 1.0 / (n + ridge))


@njit(cache=True, nogil=True)
def _cell_edges(u: FloatArray, cells: int) -> IntArray:
    """Index of the first row of each cell [c, c + 1) / cells; the last cell is closed."""
    edges = np.full(cells + 1, len(u), dtype=np.int64)
    edges[0] = 0
    c = 0
    for i in range(len(u)):
        while c < cells - 1 and u[i] * cells >= c + 1:
            c += 1
            edges[c] = i
    return edges


@njit(cache=True, nogil=True)
def _triangular(u: FloatArray, t: FloatArray, edges: IntArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Upper triangle, three diagonals, of the stacked data and ridge rows, with the right-hand side."""
    cells = len(edges) - 1
    factor, rhs = np.zeros((cells + 1, 3)), np.zeros(cells + 1)
    root = np.sqrt(ridge)
    slope = root * cells
    _add_row(factor, rhs, 0, root, 0.0, 0.0, 0.0)
    _add_row(factor, rhs, 0, -slope, slope, 0.0, 0.0)
    for c in range(cells - 1):
        _add_row(factor, rhs, c, slope, -2.0 * slope, slope, 0.0)
    for c in range(cells):
        first, last = edges[c], edges[c + 1]
        if last > first:
            _add_cell(factor, rhs, c, u[first:last] * cells - c, t[first:last])
    return factor, rhs


@njit(cache=True, nogil=True)
def _add_cell(factor: FloatArray, rhs: FloatArray, c: int, w: FloatArray, t: FloatArray) -> None:
    """Two rows with the same normal equations as the cell's rows (1 − w, w | t): the QR factor of (1, w | t)."""
    root = np.sqrt(len(w))
    w_mean, t_mean = np.mean(w), np.mean(t)
    spread = np.sqrt(np.sum((w - w_mean) ** 2))
    _add_row(factor, rhs, c, root * (1.0 - w_mean), root * w_mean, 0.0, root * t_mean)
    if spread > 0.0:
        _add_row(factor, rhs, c, -spread, spread, 0.0, np.sum((w - w_mean) * (t - t_mean)) / spread)


@njit(cache=True, nogil=True)
def _add_row(factor: FloatArray, rhs: FloatArray, start: int, r0: float, r1: float, r2: float, value: float) -> None:
    """Rotate the row (r0, r1, r2 at columns start …| value) into the triangle."""
    for j in range(start, len(rhs)):
        length = np.hypot(factor[j, 0], r0)
        if r0 != 0.0:
            cos, sin = factor[j, 0] / length, r0 / length
            old1, old2, old_value = factor[j, 1], factor[j, 2], rhs[j]
            factor[j, 0] = length
            factor[j, 1] = cos * old1 + sin * r1
            factor[j, 2] = cos * old2 + sin * r2
            rhs[j] = cos * old_value + sin * value
            r1, r2, value = cos * r1 - sin * old1, cos * r2 - sin * old2, cos * value - sin * old_value
        r0, r1, r2 = r1, r2, 0.0
        if r0 == 0.0 and r1 == 0.0:
            return


@njit(cache=True, nogil=True)
def _solve_upper(factor: FloatArray, rhs: FloatArray) -> FloatArray:
    p = len(rhs)
    x = np.zeros(p + 2)
    for j in range(p - 1, -1, -1):
        x[j] = (rhs[j] - factor[j, 1] * x[j + 1] - factor[j, 2] * x[j + 2]) / factor[j, 0]
    return x[:p]


@njit(cache=True, nogil=True)
def _lever_factors(factor: FloatArray) -> FloatArray:
    """For each cell the 2 × 2 triangle C with leverage |C (1 − w, w)|², from columns c, c + 1 of the inverse of Rᵀ."""
    p = len(factor)
    inverse = np.zeros((p, p))
    for column in range(p):
        for j in range(column, p):
            value = 1.0 if j == column else 0.0
            for back in range(1, 3):
                if j - back >= column:
                    value -= factor[j - back, back] * inverse[column, j - back]
            inverse[column, j] = value / factor[j, 0]
    out = np.empty((p - 1, 3))
    for c in range(p - 1):
        out[c, 0] = np.sqrt(np.sum(inverse[c] ** 2))
        out[c, 1] = np.sum(inverse[c] * inverse[c + 1]) / out[c, 0]
        out[c, 2] = np.sqrt(np.sum((inverse[c + 1] - out[c, 1] / out[c, 0] * inverse[c]) ** 2))
    return out
