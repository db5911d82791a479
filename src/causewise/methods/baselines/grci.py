"""GRCI: the direction whose standardised residual shares less information with the presumed cause.

Strobl and Lasko (2022): effect = m(cause) + s(cause)·noise, with m the conditional mean and s the conditional
mean absolute deviation, both by piecewise linear regression whose knots are tuned by leave-one-out error. Dependence
of cause and residual is the nearest-neighbour mutual information of Kraskov et al. (2004) up to a constant.
"""

from typing import NamedTuple

import numpy as np

from causewise.errors import REALS, SIZES, InputError
from causewise.numerics.arrays import minmax, unit_magnitude, zscore
from causewise.numerics.native import FloatArray, IntArray, native
from causewise.pair import row_order
from causewise.protocol import Directional, make_builder

FLOOR = 0.05
"""Smallest fitted scale, in standard deviations of the absolute residuals."""

EXACT = 1e-7
"""Residuals this small next to the effect, or this alike, are so but for rounding and the ridge."""

SLACK = 1e-9
"""Distances that differ by less than this fraction are equal: on rounded columns they differ by rounding alone."""

_ROWS_AT_ONCE = 250_000
"""So many are counted around in one call, a tenth of a second; between calls Python may stop."""


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
    """Minus the dependence of cause and residual, in nats up to a constant.

    `published` does not centre the effect and compares distances to the last bit, noise on rounded columns.
    """
    if len(cause) <= neighbours:
        raise InputError(f"GRCI got {len(cause)} rows; expected more than its {neighbours} neighbours.")
    order = row_order(cause, effect)
    x, y = unit_magnitude(cause[order]), unit_magnitude(effect[order])
    if not published:  # the ridge also shrinks the intercept, so that a shift of units would be felt
        y = y - np.mean(y)
    residual = _residual(minmax(x), y, _knot_counts(len(x), max_knots), ridge)
    return -_dependence(zscore(x, ddof=1), residual, neighbours, 0.0 if published else SLACK)


grci = make_builder(Directional, "grci", score, neighbours=SIZES, max_knots=(2, SIZES[1]), ridge=REALS[1])


def _knot_counts(n: int, max_knots: int) -> list[int]:
    """The candidates: a constant, a line, and ten numbers of knots up to √(n/10)."""
    grid = np.linspace(2, min(max_knots, np.sqrt(n / 10)), 10)
    return [0, *dict.fromkeys([2, *(max(2, int(k)) for k in np.round(grid))])]


def _residual(u: FloatArray, effect: FloatArray, knots: list[int], ridge: float) -> FloatArray:
    location = _tune_smooth(u, effect, knots, ridge)
    off = np.abs(effect - location.left_out)
    if np.max(off) <= EXACT * np.max(np.abs(effect)):
        raise InputError(
            "GRCI got an effect that is an exact piecewise linear function of the cause; expected noise around it: "
            "use a method for relations without noise, such as igci."
        )
    alike = np.ptp(off) <= EXACT * np.max(off)
    scale = off if alike else _tune_smooth(u, off, knots, ridge, floor=FLOOR).fitted
    residual = (effect - location.fitted) / scale
    return residual / np.std(residual, ddof=1)


def _tune_smooth(u: FloatArray, target: FloatArray, knots: list[int], ridge: float, floor: float = -np.inf) -> Smooth:
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


def count_within(ordered: FloatArray, centres: FloatArray, radius: FloatArray) -> IntArray:
    """How many entries of a sorted column lie within `radius` of each centre, ends included."""
    out = np.empty(len(centres), dtype=np.int64)
    for start in range(0, len(centres), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        _count_within(ordered, len(ordered), centres[rows], radius[rows], len(centres[rows]), out[rows])
    return out


def fit_piecewise_linear(u: FloatArray, t: FloatArray, knots: int, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Fitted values and leverages for `knots` ≥ 2 equally spaced knots on [0, 1]; `u` in [0, 1] must ascend.

    Least squares with a ridge on the coefficients of the truncated power basis 1, u, (u − κⱼ)₊, that is on the value
    and slope at 0 and on the changes of slope; O(n + knots²).
    """
    # The fit is carried in the values at the knots, where every row touches two unknowns and every ridge term three.
    # Orthogonal steps matter: a point alone in its cell has leverage 1 − O(ridge), and what normal equations leave of
    # 1 − leverage there is rounding noise.
    fitted, leverage = np.empty(len(u)), np.empty(len(u))
    edges, scratch = np.empty(knots, np.int64), np.empty(10 * knots)
    _fit_piecewise_linear(u, t, len(u), knots, ridge, edges, scratch, fitted, leverage)
    return fitted, leverage


def fit_constant(t: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Fitted values and leverages of the constant model under the same ridge."""
    n = len(t)
    return np.full(n, np.sum(t) / (n + ridge)), np.full(n, 1.0 / (n + ridge))


_count_within = native(
    "void count_within(double *ordered, int64_t n, double *centres, double *radius, int64_t count, int64_t *out)"
)
_fit_piecewise_linear = native(
    "void fit_piecewise_linear(double *u, double *t, int64_t n, int64_t knots, double ridge, int64_t *edges, "
    "double *scratch, double *fitted, double *leverage)"
)
