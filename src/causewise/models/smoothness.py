"""Knots and prior precision of a location-scale fit of several inputs, chosen by the rows that a fit has not seen.

Cross-validation in five parts. The fit of all rows is the start for the fit of every part's others, from which Newton's
method has a step or two to go (Beirami et al. 2017 stop after one): all five cost about as much as one from scratch.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.models.spline import DELTA, N_KNOTS
from causewise.numerics import gaussian
from causewise.numerics.gaussian import descend, start_near
from causewise.numerics.splines import Design, additive_design, dense_design, extend_knots, spline_rows
from causewise.pair import FloatArray

KNOTS = (2, 3, 4, 6, 9, 14, N_KNOTS)
"""Numbers of knots that are tried, until more have been worse `_PATIENCE` times."""
DELTAS = (DELTA, 1e-3, 1e-2, 1e-1, 1.0)
"""Prior precisions that are tried with the best of them, likewise."""
_PATIENCE, _FOLDS, _MOST_ROWS = 2, 5, 10_000
_GOAL, _STEPS = 1e-4, 30
"""Of the descents here: which smoothness is best shows long before an optimum is certified."""
_FEW = 4
"""Of so few inputs rows often touch the same features."""
_BEYOND = 0.1
"""Of the range of the targets: so far outside it a mean may be predicted from several inputs."""
_SMALLEST = float(np.finfo(float).tiny ** 0.25)
"""Precision of inputs in a gap where every coefficient is zero, which carry no information: the scale is huge there."""


class Smoothness(NamedTuple):
    """How closely a fit may follow the rows."""

    n_knots: int
    delta: float


def choose_smoothness(
    rows: FloatArray, target: FloatArray, weights: FloatArray, degree: int, spacing: str, delta: float | None = None
) -> Smoothness:
    """The smoothness under which each fifth of the rows is likeliest, given the others; of knots alone where δ is."""
    # Parts by the rank of a row among all: neither the order of the rows nor one that stands there twice matters.
    rank = np.unique(np.column_stack([rows, target]), axis=0, return_inverse=True)[1].ravel()
    step = -(-int(rank.max() + 1) // _MOST_ROWS)
    rows, target, weights, rank = (each[rank % step == 0] for each in (rows, target, weights, rank // step))
    if rank.max() < 2 * _FOLDS:  # too few to choose by: as smooth as it gets
        return Smoothness(KNOTS[0], DELTAS[-1] if delta is None else delta)
    best, most, worse = Smoothness(KNOTS[0], DELTA if delta is None else delta), -math.inf, 0

    def improve(trial: Smoothness) -> bool:
        nonlocal best, most, worse
        if worse == _PATIENCE:
            return False
        found = held_out_likelihood(rows, target, weights, rank % _FOLDS, trial, degree, spacing)
        best, most, worse = (trial, found, 0) if found > most else (best, most, worse + 1)
        return True

    for n_knots in KNOTS:
        # Where rows are fewer than coefficients the prior alone smooths: more knots need not be tried.
        crowded = 2 * rows.shape[1] * (n_knots + degree - 1) > rank.max()
        if (crowded and n_knots > KNOTS[0]) or not improve(best._replace(n_knots=n_knots)):
            break
    if delta is None:
        worse = 0
        all(improve(best._replace(delta=each)) for each in DELTAS[1:])
    return best


def held_out_likelihood(
    rows: FloatArray,
    target: FloatArray,
    weights: FloatArray,
    fold: NDArray[np.intp],
    smoothness: Smoothness,
    degree: int,
    spacing: str,
) -> float:
    """Log-likelihood of the rows of each part under the fit of the others."""
    knots = place_knots(rows, smoothness.n_knots, degree, spacing)
    design, order = build_design(rows, knots, degree)
    rows, target, weights = (each[order] for each in (rows, target, weights))
    near = descend(
        design, target, weights, smoothness.delta, start_near(design, target, weights), _STEPS, _GOAL
    ).coefficients
    total = 0.0
    for part in range(_FOLDS):
        unseen = fold[order] == part
        seen, others = rows[~unseen], target[~unseen]
        fit = descend(design, target, np.where(unseen, 0.0, weights), smoothness.delta, near, _STEPS, _GOAL)
        # Beyond the rows that were seen a fit is constant.
        inside = np.clip(rows[unseen], seen.min(axis=0), seen.max(axis=0))
        there, sorting = build_design(inside, knots, degree)
        e, p = bound_natural(*there.predict(fit.coefficients), bound_means(others))
        density = gaussian.log_density(e, p, np.log(2.0 * p), target[unseen][sorting])
        total += float(weights[unseen][sorting] @ density)
    return total


def bound_means(target: FloatArray) -> tuple[float, float]:
    """Between these lie the means predicted from several inputs."""
    # μ is a ratio of two sums over the inputs: at values that were never seen together both can be next to nothing.
    low, high = float(target.min()), float(target.max())
    return low - _BEYOND * (high - low), high + _BEYOND * (high - low)


def bound_natural(e: FloatArray, p: FloatArray, bounds: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Natural parameters with a positive precision and a mean between bounds."""
    p = np.maximum(p, _SMALLEST)
    return np.clip(e, 2.0 * p * bounds[0], 2.0 * p * bounds[1]), p


def place_knots(rows: FloatArray, n_knots: int, degree: int, spacing: str) -> list[FloatArray]:
    """Knots of every input column, *uniform* or at its *quantile*s."""
    return [_column_knots(column, n_knots, degree, spacing) for column in rows.T]


def _column_knots(column: FloatArray, n_knots: int, degree: int, spacing: str) -> FloatArray:
    low, high = float(column.min()), float(column.max())
    # A constant input still needs an interval of positive length for its knots.
    if low == high:
        low, high = low - 0.5, high + 0.5
    base = np.linspace(low, high, n_knots)
    if spacing == "quantile":
        # Quantiles of a column with ties coincide, and a knot that stands twice makes a spline less smooth there.
        quantiles = np.unique(np.quantile(column, np.linspace(0, 1, n_knots)))
        base = quantiles if len(quantiles) > 1 else base
    return extend_knots(base, degree)


def build_design(rows: FloatArray, knots: list[FloatArray], degree: int) -> tuple[Design, NDArray[np.intp]]:
    """The design of rows sorted by the first input, as designs must be, and their order."""
    order = np.argsort(rows[:, 0], kind="stable")
    inputs = zip(rows[order].T, knots, strict=True)
    columns = [spline_rows(np.ascontiguousarray(u), each, degree) for u, each in inputs]
    touched, size = (degree + 1) * len(columns), sum(column.size for column in columns)
    return (dense_design if len(columns) > _FEW and size <= 2 * touched else additive_design)(columns), order
