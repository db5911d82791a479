"""GRCI: the direction whose standardised residual shares less information with the presumed cause.

Strobl and Lasko (2022): effect = m(cause) + s(cause)·noise, with m the conditional mean and s the conditional
mean absolute deviation, both by piecewise linear regression whose knots are tuned by leave-one-out error. Dependence
of cause and residual is the nearest-neighbour mutual information of Kraskov et al. (2004) up to a constant.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.arrays import minmax, unit_magnitude, zscore
from whence.numerics.linear import back_substitution, rotate_in
from whence.pair import FloatArray, InputError, row_order
from whence.protocol import Directional, Method
from whence.ranges import SIZES, between, positive

IntArray = NDArray[np.int64]

FLOOR = 0.05
"""Smallest fitted scale, in standard deviations of the absolute residuals."""

EXACT = 1e-7
"""Residuals this small next to the effect, or this alike, are so but for rounding and the ridge."""

SLACK = 1e-9
"""Distances that differ by less than this fraction are equal: on rounded columns they differ by rounding alone."""


class Smooth(NamedTuple):
    """A fitted curve at every row, in sample and leaving the row out."""

    fitted: FloatArray
    left_out: FloatArray


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    neighbours: int = 10,
    max_knots: int = 200,
    ridge: float = 1e-8,
    published: bool = False,
) -> float:
    """Minus the dependence of cause and residual, in nats up to a constant."""
    if len(cause) <= neighbours:
        raise InputError(f"GRCI got {len(cause)} rows; expected more than its {neighbours} neighbours.")
    order = row_order(cause, effect)
    x, y = unit_magnitude(cause[order]), unit_magnitude(effect[order])
    if not published:  # the ridge also shrinks the intercept, so that a shift of units would be felt
        y = y - np.mean(y)
    residual = _residual(minmax(x), y, _knot_counts(len(x), max_knots), ridge)
    return -_dependence(zscore(x, ddof=1), residual, neighbours, 0.0 if published else SLACK)


def grci(neighbours: int = 10, max_knots: int = 200, ridge: float = 1e-8, published: bool = False) -> Method:
    """GRCI; `published` does not centre the effect and compares distances to the last bit, noise on rounded columns."""
    settings: dict[str, Any] = {
        "neighbours": neighbours,
        "max_knots": max_knots,
        "ridge": ridge,
        "published": published,
    }
    between("grci", *SIZES, neighbours=neighbours)
    between("grci", 2, SIZES[1], max_knots=max_knots)
    positive("grci", ridge=ridge)
    return Directional("grci", partial(score, **settings), settings)


def _knot_counts(n: int, max_knots: int) -> list[int]:
    """The candidates: a constant, a line, and ten numbers of knots up to √(n/10)."""
    grid = np.linspace(2, min(max_knots, np.sqrt(n / 10)), 10)
    return [0, *dict.fromkeys([2, *(max(2, int(k)) for k in np.round(grid))])]


def _residual(u: FloatArray, effect: FloatArray, knots: list[int], ridge: float) -> FloatArray:
    location = _tuned(u, effect, knots, ridge)
    off = np.abs(effect - location.left_out)
    if np.max(off) <= EXACT * np.max(np.abs(effect)):
        raise InputError(
            "GRCI got an effect that is an exact piecewise linear function of the cause; expected noise around it: "
            "use a method for relations without noise, such as igci."
        )
    alike = np.ptp(off) <= EXACT * np.max(off)
    scale = off if alike else _tuned(u, off, knots, ridge, floor=FLOOR).fitted
    residual = (effect - location.fitted) / scale
    return residual / np.std(residual, ddof=1)


def _tuned(u: FloatArray, target: FloatArray, knots: list[int], ridge: float, floor: float = -np.inf) -> Smooth:
    """The candidate with the smallest leave-one-out error; the first wins a tie."""
    unit = np.std(target, ddof=1)
    t = target / unit
    best, chosen = np.inf, Smooth(target, target)
    for k in knots:
        fitted, leverage = fit_piecewise_linear(u, t, k, ridge) if k else fit_constant(t, ridge)
        fitted = np.maximum(fitted, floor)
        missed = (t - fitted) / (1.0 - leverage)
        error = float(np.mean(missed * missed))
        if error < best:
            best, chosen = error, Smooth(fitted * unit, np.maximum(t - missed, floor) * unit)
    return chosen


def _dependence(cause: FloatArray, residual: FloatArray, neighbours: int, slack: float) -> float:
    """Kraskov's statistic −mean[ψ(n_cause) + ψ(n_residual)], each count with the point itself."""
    radius = kth_distance(cause, residual, neighbours) * (1.0 + slack)
    psi = _digamma(len(cause))
    beside = (psi[count_within(np.sort(column), column, radius)] for column in (cause, residual))
    return -float(np.mean(sum(beside)))


def _digamma(n: int) -> FloatArray:
    """ψ(0 … n): ψ(1) = −γ and ψ(k + 1) = ψ(k) + 1/k; the entry for 0 is never read."""
    return np.concatenate(([np.nan, -np.euler_gamma], -np.euler_gamma + np.cumsum(1.0 / np.arange(1, n))))


def kth_distance(a: FloatArray, b: FloatArray, k: int) -> FloatArray:
    """Maximum-norm distance of every point (aᵢ, bᵢ) to its k-th nearest other point, 1 ≤ k < n."""
    from scipy.spatial import cKDTree

    points = np.column_stack([a, b])
    # The nearest of all is the point itself, at distance 0, or one that is equal to it.
    return np.asarray(cKDTree(points).query(points, [k + 1], p=np.inf)[0][:, 0])


@njit(cache=True, nogil=True)
def count_within(ordered: FloatArray, centres: FloatArray, radius: FloatArray) -> IntArray:
    """How many entries of a sorted column lie within `radius` of each centre, ends included."""
    # The test is on the rounded difference, |v − c| ≤ r, never on v ≤ c + r as in a search for c ± r: a radius that is
    # itself the difference of two entries would lose its own end to rounding. Rounded subtraction is monotone, so
    # bisection stays valid.
    out = np.empty(len(centres), dtype=np.int64)
    for i in range(len(centres)):
        c, r = centres[i], radius[i]
        low, high = 0, len(ordered)
        while low < high:
            mid = (low + high) // 2
            if c - ordered[mid] > r:
                low = mid + 1
            else:
                high = mid
        first, high = low, len(ordered)
        while low < high:
            mid = (low + high) // 2
            if ordered[mid] - c <= r:
                low = mid + 1
            else:
                high = mid
        out[i] = low - first
    return out


@njit(cache=True, nogil=True)
def fit_piecewise_linear(u: FloatArray, t: FloatArray, knots: int, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Fitted values and leverages for `knots` ≥ 2 equally spaced knots on [0, 1]; `u` in [0, 1] must ascend.

    Least squares with a ridge on the coefficients of the truncated power basis 1, u, (u − κⱼ)₊, that is on the value
    and slope at 0 and on the changes of slope; O(n + knots²).
    """
    # The fit is carried in the values at the knots, where every row touches two unknowns and every ridge term three.
    # Orthogonal steps matter: a point alone in its cell has leverage 1 − O(ridge), and what normal equations leave of
    # 1 − leverage there is rounding noise.
    cells = knots - 1
    edges = _cell_edges(u, cells)
    factor, rhs = _triangular(u, t, edges, ridge)
    theta = back_substitution(factor, rhs)
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
    rotate_in(factor, rhs, 0, np.array([root, 0.0, 0.0]), 0.0)
    rotate_in(factor, rhs, 0, np.array([-slope, slope, 0.0]), 0.0)
    for c in range(cells - 1):
        rotate_in(factor, rhs, c, np.array([slope, -2.0 * slope, slope]), 0.0)
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
    rotate_in(factor, rhs, c, np.array([root * (1.0 - w_mean), root * w_mean, 0.0]), root * t_mean)
    if spread > 0.0:
        along = np.sum((w - w_mean) * (t - t_mean)) / spread
        rotate_in(factor, rhs, c, np.array([-spread, spread, 0.0]), along)


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
