"""PNL, the post-nonlinear model (Zhang & Hyvärinen 2009): a nonlinear, increasing sensor on top of additive noise.

Model: h(effect) = g(cause) + N with h increasing and N independent of the cause. h and g are splines fitted together by
Gaussian maximum likelihood, i.e. minimising the mean of ½(h(y) − g(x))² − log h′(y). For fixed h the best g is a
projection, and in what remains the objective is convex in h's non-negative coefficients: one optimum, no random starts.
The direction whose residual is more independent of the cause (HSIC) wins.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from whence.decision import Evidence
from whence.numerics.hsic import hsic_test
from whence.numerics.native import FloatArray, native
from whence.numerics.splines import SplineRows, extend_knots, spline_rows, uniform_knots
from whence.pair import InputError, row_order, standardise
from whence.protocol import Directional
from whence.ranges import SPLINE_DEGREES, between, positive

MAX_KNOTS = 300
"""Matrices here are dense: a fit costs the cube of the knots."""
NEAR_ZERO = 1e-4
_ENTRIES_AT_ONCE = 30_000_000
"""Of a matrix, so many in one call, a tenth of a second; between calls Python may stop the descent."""


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    n_knots: int = 25,
    degree: int = 5,
    h_knots: int = 25,
    ridge: float = 1e-3,
) -> Evidence:
    """Minus the HSIC of cause and residual h(effect) − g(cause)."""
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    features = dense(spline_rows(x, uniform_knots(np.min(x), np.max(x), n_knots, degree), degree))
    h = increasing_basis(y, h_knots)
    gram = features.T @ features + ridge * np.eye(features.shape[1])
    weights = np.asarray(np.linalg.solve(gram, features.T @ h.values), dtype=np.float64)
    left_over = h.values - features @ weights
    # min over g of ‖h − g‖² + ridge ‖w‖² is a quadratic form in h's coefficients; a ridge on those keeps noiseless data
    # finite.
    quadratic = (left_over.T @ left_over + ridge * weights.T @ weights) / len(x)
    quadratic += ridge / len(x) * np.diag(np.mean(h.values**2, axis=0))
    fit = quadratic_minus_log(quadratic, h.derivatives)
    residual = left_over @ fit.weights
    test = hsic_test(x, residual)
    return Evidence(
        -test.statistic,
        hsic=test.statistic,
        p_value=test.p_value,
        log_p_value=test.log_p_value,
        converged=fit.converged,
        n_iter=fit.n_iter,
        message="" if fit.converged else f"The fit of h stopped short of its optimum after {fit.n_iter} Newton steps.",
    )


def pnl(
    *, n_knots: int = 25, degree: int = 5, h_knots: int = 25, ridge: float = 1e-3, published: bool = False
) -> Directional:
    """The method: g has `n_knots` equally spaced knots of the given degree, h is cubic with `h_knots` quantile knots.

    No published program gives a score worth reproducing: the one in use replaces the independence test by a t-test.
    """
    between("pnl", 2, MAX_KNOTS, n_knots=n_knots, h_knots=h_knots)
    between("pnl", *SPLINE_DEGREES, degree=degree)
    positive("pnl", ridge=ridge)
    if published:
        raise InputError(
            "Got published=true for pnl; whence has only its own form, since the published program tests equal means "
            "in place of independence: leave the setting out."
        )
    settings: dict[str, Any] = {"n_knots": n_knots, "degree": degree, "h_knots": h_knots, "ridge": ridge}
    return Directional("pnl", partial(score, **settings), settings | {"published": published})


class IncreasingBasis(NamedTuple):
    """Values, of mean 0, and derivatives of the basis at the rows (rows × functions); non-negative sums increase."""

    values: FloatArray
    derivatives: FloatArray


def dense(rows: SplineRows) -> FloatArray:
    """All basis functions at every row, zeros included."""
    out = np.zeros((len(rows.first), rows.size))
    np.put_along_axis(out, rows.first[:, None] + np.arange(rows.values.shape[1]), rows.values, axis=1)
    return out


def increasing_basis(column: FloatArray, n_knots: int, degree: int = 3) -> IncreasingBasis:
    """Increasing splines with knots at equally spaced quantiles, so that every interval holds as many rows."""
    # A spline whose B-spline coefficients increase is increasing (Ramsay 1988): write h = Σⱼ βⱼ Iⱼ, Iⱼ = Σ_{k≥j} B_k
    # and β ≥ 0; the derivative of Iⱼ is one B-spline of a degree lower, so h and h′ are both linear in β.
    base = np.unique(_even_quantiles(column, n_knots))
    knots = extend_knots(base, degree)
    values = dense(spline_rows(column, knots, degree))
    lower = dense(spline_rows(column, knots[1:-1], degree - 1))
    span = knots[degree + 1 : -1] - knots[1 : -degree - 1]
    # I₀ = Σ B_k = 1 is the constant, which the other side of a regression has already. Counted from the other end, Iⱼ
    # is Iⱼ − 1; centred, the two are one function, and a ridge cannot tell the ends apart.
    increasing = np.cumsum(values[:, ::-1], axis=1)[:, -2::-1]
    return IncreasingBasis(increasing - np.mean(increasing, axis=0), lower * (degree / span))


def _even_quantiles(column: FloatArray, count: int) -> FloatArray:
    """Equally spaced quantiles, linear between order statistics."""
    # Places are kept as fractions: one that rounding moves off a row that begins a run of ties gives a second value,
    # one bit beside the tied one.
    ordered = np.sort(column)
    below, rest = np.divmod(np.arange(count) * (len(ordered) - 1), count - 1)
    above = np.minimum(below + 1, len(ordered) - 1)
    return np.asarray(ordered[below] + rest / (count - 1) * (ordered[above] - ordered[below]))


class Barrier(NamedTuple):
    """Minimiser of the programme and how the descent ended."""

    weights: FloatArray
    converged: bool
    n_iter: int


def quadratic_minus_log(
    quadratic: FloatArray, rows: FloatArray, max_iter: int = 200, tolerance: float = 1e-7
) -> Barrier:
    """Minimise ½ βᵀQβ − mean log(rows·β) over β ≥ 0: strictly convex for positive definite Q, so the start is free."""
    # Projected Newton (Bertsekas 1982): weights at zero that the gradient holds there stay, the others take a Newton
    # step, shortened along the projected path until the objective falls.
    beta = np.ones(len(quadratic))
    beta /= np.sqrt(beta @ quadratic @ beta)
    value = _objective(quadratic, rows, beta)
    for iteration in range(max_iter):
        pull, bend = _derivatives(rows, beta)
        gradient, hessian = quadratic @ beta - pull, quadratic + bend
        if np.max(np.abs(np.where((beta == 0.0) & (gradient > 0.0), 0.0, gradient * _scale(beta)))) <= tolerance:
            return Barrier(beta, True, iteration)
        # Held is also what lies just above zero and would cross it: left free, it cuts every step of the others short.
        held = (gradient > 0.0) & (beta <= NEAR_ZERO * np.max(beta)) & (beta * np.diag(hessian) <= gradient)
        step = -beta * held
        free = np.flatnonzero(~held)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], -gradient[free])
        length, fell = 1.0, False
        while length > 1e-12 and not fell:
            trial = np.maximum(beta + length * step, 0.0)
            trial_value = _objective(quadratic, rows, trial)
            fell = trial_value <= value + 1e-4 * float(gradient @ (trial - beta))
            length *= 0.5
        if not fell:
            return Barrier(beta, False, iteration)
        beta, value = trial, trial_value
    return Barrier(beta, False, max_iter)


def _scale(beta: FloatArray) -> FloatArray:
    """The gradient is judged by the change it promises for a relative change of a weight."""
    return np.maximum(beta, 1e-3 * np.max(beta))


def _objective(quadratic: FloatArray, rows: FloatArray, beta: FloatArray) -> float:
    return float(0.5 * beta @ quadratic @ beta) - _mean_log(rows, beta)


def _blocks(rows: FloatArray) -> Iterator[FloatArray]:
    at_once = max(1, _ENTRIES_AT_ONCE // rows.shape[1])
    return (rows[start : start + at_once] for start in range(0, len(rows), at_once))


def _mean_log(rows: FloatArray, beta: FloatArray) -> float:
    """Mean log(rows·β); minus infinity where one of them is not positive."""
    return sum(_log_sum(block, len(block), len(beta), beta) for block in _blocks(rows)) / len(rows)


def _derivatives(rows: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradient and minus the Hessian of the mean log(rows·β)."""
    gradient, bend = np.zeros(len(beta)), np.zeros((len(beta), len(beta)))
    for block in _blocks(rows):
        _log_sum_derivatives(block, len(block), len(beta), beta, gradient, bend)
    return gradient / len(rows), bend / len(rows)


@native("log_sum")
def _log_sum(rows: FloatArray, n: int, k: int, beta: FloatArray) -> float: ...


@native("log_sum_derivatives")
def _log_sum_derivatives(
    rows: FloatArray, n: int, k: int, beta: FloatArray, gradient: FloatArray, bend: FloatArray
) -> None: ...
