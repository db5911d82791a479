"""PNL, the post-nonlinear model (Zhang & Hyvärinen 2009): a nonlinear, increasing sensor on top of additive noise.

Model: h(effect) = g(cause) + N with h increasing and N independent of the cause. h and g are splines fitted together by
Gaussian maximum likelihood, i.e. minimising the mean of ½(h(y) − g(x))² − log h′(y). For fixed h the best g is a
projection, and in what remains the objective is convex in h's non-negative coefficients: one optimum, no random starts.
The direction whose residual is more independent of the cause (HSIC) wins.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from causewise.decision import Evidence
from causewise.errors import REALS, SPLINE_DEGREES, InputError
from causewise.numerics.hsic import hsic_test
from causewise.numerics.native import FloatArray, IntArray, native
from causewise.numerics.splines import SplineRows, extend_knots, spline_rows, uniform_knots
from causewise.pair import row_order, standardise
from causewise.protocol import Directional, make_builder

KNOTS = (2, 300)
"""Matrices here are dense: a fit costs the cube of the knots."""
BLOCK = 4096
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
    published: bool = False,
) -> Evidence:
    """Minus the HSIC of cause and residual h(effect) − g(cause).

    g has `n_knots` equally spaced knots of the given degree, h is cubic with `h_knots` quantile knots.
    """
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    h = IncreasingBasis.of(y, h_knots)
    parts = DenseParts(spline_rows(x, uniform_knots(np.min(x), np.max(x), n_knots, degree), degree), h, y)
    size, many = parts.causes.size, len(h.middle)
    gram, cross, squares = ridge * np.eye(size), np.zeros((size, many)), np.zeros(many)
    for features, values in parts:
        gram += features.T @ features
        cross += features.T @ values
        squares += np.einsum("ij,ij->j", values, values)
    weights = np.asarray(np.linalg.solve(gram, cross), dtype=np.float64)
    # min over g of ‖h − g‖² + ridge ‖w‖² is a quadratic form in h's coefficients; a ridge on those keeps noiseless data
    # finite. It is summed from what g leaves over: a difference of two sums of squares would cancel.
    quadratic = ridge * weights.T @ weights + ridge / len(x) * np.diag(squares)
    for features, values in parts:
        left_over = values - features @ weights
        quadratic += left_over.T @ left_over
    fit = quadratic_minus_log(quadratic / len(x), h.derivatives(y))
    residual = h.curve(y, fit.weights) - along(parts.causes, weights @ fit.weights)
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


def _refuse_published(published: bool) -> None:
    # The program in use replaces the independence test by a t-test: no score worth reproducing.
    if published:
        raise InputError(
            "Got published=true for pnl; causewise has only its own form, since the published program tests equal "
            "means in place of independence: leave the setting out."
        )


pnl = make_builder(
    Directional,
    "pnl",
    score,
    n_knots=KNOTS,
    degree=SPLINE_DEGREES,
    h_knots=KNOTS,
    ridge=REALS[1],
    published=_refuse_published,
)


class IncreasingBasis(NamedTuple):
    """Increasing splines, of which non-negative sums increase; `middle` is what each has on average over the rows."""

    knots: FloatArray
    degree: int
    middle: FloatArray

    @classmethod
    def of(cls, column: FloatArray, n_knots: int, degree: int = 3) -> "IncreasingBasis":
        """Knots at equally spaced quantiles, so that every interval holds as many rows."""
        knots = extend_knots(np.unique(_even_quantiles(column, n_knots)), degree)
        rows = spline_rows(column, knots, degree)
        totals = np.bincount(_places(rows).ravel(), rows.values.ravel(), rows.size)
        return cls(knots, degree, _sum_from_end(totals / len(column)))

    def values(self, column: FloatArray) -> FloatArray:
        """Every function at every row, less its average over the rows that the basis was made for."""
        return _sum_from_end(dense(spline_rows(column, self.knots, self.degree))) - self.middle

    def curve(self, column: FloatArray, weights: FloatArray) -> FloatArray:
        """Σ weights × functions at every row."""
        # Σⱼ βⱼ Σ_{k≥j} B_k = Σ_k B_k Σ_{j≤k} βⱼ
        heights = np.concatenate([[0.0], np.cumsum(weights)])
        return along(spline_rows(column, self.knots, self.degree), heights) - float(self.middle @ weights)

    def derivatives(self, column: FloatArray) -> FloatArray:
        """Of every function at every row: one B-spline of a degree lower."""
        lower = dense(spline_rows(column, self.knots[1:-1], self.degree - 1))
        lower *= self.degree / (self.knots[self.degree + 1 : -1] - self.knots[1 : -self.degree - 1])
        return lower


def _sum_from_end(splines: FloatArray) -> FloatArray:
    """From B-splines to increasing ones."""
    # A spline whose B-spline coefficients increase is increasing (Ramsay 1988): write h = Σⱼ βⱼ Iⱼ, Iⱼ = Σ_{k≥j} B_k
    # and β ≥ 0; the derivative of Iⱼ is one B-spline of a degree lower, so h and h′ are both linear in β. I₀ = Σ B_k
    # = 1 is the constant, which the other side of a regression has already. Counted from the other end, Iⱼ is Iⱼ − 1;
    # centred, the two are one function, and a ridge cannot tell the ends apart.
    return np.cumsum(splines[..., ::-1], axis=-1)[..., -2::-1]


class DenseParts:
    """Both bases at the rows, a block of them at a time; whole, the matrices would take a thousand bytes a row."""

    def __init__(self, causes: SplineRows, effects: IncreasingBasis, y: FloatArray) -> None:
        self.causes, self.effects, self.y = causes, effects, y
        self.kept = [self._part(slice(0, len(y)))] if len(y) <= BLOCK else None

    def __iter__(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        if self.kept is not None:
            return iter(self.kept)
        return (self._part(slice(start, start + BLOCK)) for start in range(0, len(self.y), BLOCK))

    def _part(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        first, values, size = self.causes
        return dense(SplineRows(first[rows], values[rows], size)), self.effects.values(self.y[rows])


def dense(rows: SplineRows) -> FloatArray:
    """All basis functions at every row, zeros included."""
    out = np.zeros((len(rows.first), rows.size))
    np.put_along_axis(out, _places(rows), rows.values, axis=1)
    return out


def along(rows: SplineRows, weights: FloatArray) -> FloatArray:
    """Σ weights × basis functions at every row."""
    return np.asarray(np.einsum("ij,ij->i", rows.values, weights[_places(rows)]))


def _places(rows: SplineRows) -> IntArray:
    return rows.first[:, None] + np.arange(rows.values.shape[1])


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
        # What the gradient promises for a relative change of a weight.
        promise = gradient * np.maximum(beta, 1e-3 * np.max(beta))
        if np.max(np.abs(np.where((beta == 0.0) & (gradient > 0.0), 0.0, promise))) <= tolerance:
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


def _blocks(rows: FloatArray) -> Iterator[FloatArray]:
    at_once = max(1, _ENTRIES_AT_ONCE // rows.shape[1])
    return (rows[start : start + at_once] for start in range(0, len(rows), at_once))


def _objective(quadratic: FloatArray, rows: FloatArray, beta: FloatArray) -> float:
    return float(0.5 * beta @ quadratic @ beta) - _mean_log(rows, beta)


def _mean_log(rows: FloatArray, beta: FloatArray) -> float:
    """Mean log(rows·β); minus infinity where one of them is not positive."""
    return sum(_log_sum(block, len(block), len(beta), beta) for block in _blocks(rows)) / len(rows)


def _derivatives(rows: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradient and minus the Hessian of the mean log(rows·β)."""
    gradient, bend = np.zeros(len(beta)), np.zeros((len(beta), len(beta)))
    for block in _blocks(rows):
        _log_sum_derivatives(block, len(block), len(beta), beta, gradient, bend)
    return gradient / len(rows), bend / len(rows)


_log_sum = native("double log_sum(double *rows, int64_t n, int64_t k, double *beta)")
_log_sum_derivatives = native(
    "void log_sum_derivatives(double *rows, int64_t n, int64_t k, double *beta, double *gradient, double *bend)"
)
