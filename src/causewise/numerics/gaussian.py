"""The Gaussian in natural parameters: the only place of the map between (e, p) and (location, scale), and the concave
location-scale fit, solved to its global optimum by a Newton method under bounds.

With η₁ = e and η₂ = −p, p > 0 (Immer et al. 2023, §4), one observation v has

    log density = e·v − p·v² − e²/4p + ½ log 2p − ½ log 2π,   location = e / 2p,   variance = 1 / 2p.

For the map only arithmetic operators and a logarithm handed in by the caller are used, so that the same lines serve
NumPy arrays and JAX tracers; compiled loops have their own.

Rows i with weight sᵢ and non-negative features φᵢ (few non-zeros, see `splines`) have natural parameters
e = φᵢ·w₁ and p = φᵢ·w₂ with w₂ ≥ 0. Minimise

    F(w₁, w₂) = [ −Σ sᵢ ℓ(eᵢ, pᵢ; vᵢ) + δ/2 (‖w₁‖² + ‖w₂‖²) ] / Σ sᵢ,

which is strictly convex. The two coefficients of one feature are stored side by side, so that the Hessian of a spline
basis has a band of half-width 2·degree + 1 and a Newton step costs O(features), whatever the rows cost.

Newton's method under bounds: each step goes to the minimum of the quadratic model of F under w₂ ≥ 0, found by
primal-dual active sets (Hintermüller, Ito & Kunisch 2002), and is shortened until F falls. The certificate is the
largest entry of the projected gradient, the w₂ part multiplied by max(w₂, 1e-3): the change of F for a *relative*
change of a precision.
"""

import math
from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray, native
from causewise.numerics.splines import Design

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def location(e, p):  # type: ignore[no-untyped-def]  # scalars, NumPy and JAX arrays alike
    """Mean e / 2p."""
    return e / (2.0 * p)


def variance(p):  # type: ignore[no-untyped-def]  # as above
    """Variance 1 / 2p."""
    return 1.0 / (2.0 * p)


def log_density(e, p, log_2p, v):  # type: ignore[no-untyped-def]  # as above
    """Log density of v; `log_2p` is log(2p), which a network has already and a spline must compute."""
    return e * v - p * v * v - e * e / (4.0 * p) + 0.5 * log_2p - HALF_LOG_2PI


def loss_gradient(mean, var, v):  # type: ignore[no-untyped-def]  # as above
    """Derivatives of −log density in (e, p), written with the location and the variance that (e, p) stand for."""
    # v² − mean² as a product: the squares of a far v would cancel.
    return mean - v, (v - mean) * (v + mean) - var


# ---- the concave fit


KKT_GOAL = 1e-10
"""Aimed at; rounding may stop the descent a little earlier."""
KKT_CERTIFIED = 1e-6
"""A fit whose certificate is below this is called converged."""
_ROWS_AT_ONCE = 1_000_000
"""Newton steps are taken several in one call while they pass over no more rows than this; between calls Python may stop
the descent."""


class Solution(NamedTuple):
    """Optimum of the concave fit: coefficients, the certificate, and how the descent ended."""

    coefficients: FloatArray
    """w₁ and w₂ of each feature side by side: even places hold w₁, odd ones w₂."""
    objective: float
    kkt: float
    n_iter: int
    hessian: FloatArray
    """Hessian of F at the optimum, band storage of `splines`, coefficients interleaved."""


def fit_natural(design: Design, v: FloatArray, weights: FloatArray, delta: float, max_iter: int) -> Solution:
    """Fit the rows of a design to the targets v."""
    near = descend(design, v, weights, delta, start_near(design, v, weights), max_iter)
    if near.kkt <= KKT_CERTIFIED:
        return near
    # F is convex, so a far start costs steps but no optimum; a near one can still be numerically unlucky.
    far = descend(design, v, weights, delta, np.tile([0.0, 0.5], design.size), max_iter)
    return min(near, far, key=lambda solution: solution.objective)


def start_near(design: Design, v: FloatArray, s: FloatArray) -> FloatArray:
    """Least squares for the location, then the local mean of its squared residuals for the scale."""
    # Unpenalised coefficients can be enormous where few rows lie, and a start there is worse than none.
    beta = design.least_squares(v, s, 1e-8 * float(np.sum(s)))
    squares = s * (v - design.predict(beta)[0]) ** 2
    overall = max(float(np.sum(squares) / np.sum(s)), 1e-8)
    local = design.scatter(squares, s)
    # A feature that few rows touch borrows from the whole, and no variance starts below a hundredth of it.
    variance = (local[0::2] + overall) / (local[1::2] + 1.0)
    p = 0.5 / np.maximum(variance, 0.01 * overall)
    w = np.empty(2 * design.size)
    # Each input has features of its own that sum to one, and the precision is shared out among the inputs.
    w[0::2], w[1::2] = 2.0 * p * beta[0::2], p / float(np.sum(design.block(0)[:, 0]))
    return w


def descend(
    design: Design,
    v: FloatArray,
    weights: FloatArray,
    delta: float,
    start: FloatArray,
    max_iter: int,
    goal: float = KKT_GOAL,
) -> Solution:
    """Newton's method under bounds from a given start, until the certificate is below the goal."""
    total = float(np.sum(weights))
    size, width = len(start), design.half_width + 1
    w, held, state = start.copy(), np.zeros(size, np.bool_), np.zeros(4)
    gradient, band, scratch = np.empty(size), np.empty((size, width)), np.empty(size * (2 * width + 2))
    steps = max(1, _ROWS_AT_ONCE // len(v))
    rows, model = (*design.runs, v, weights / total), (delta / total, goal, max_iter, steps, size, width)
    while not _newton_advance(*rows, *model, w, held, gradient, band, state, scratch):
        pass
    value, kkt, n_iter, _ = state.tolist()
    return Solution(w, value, kkt, int(n_iter), band)


_newton_advance = native(
    "bool newton_advance(double *values, int64_t *bounds, int64_t *index, int64_t runs, int64_t touched, double *v, "
    "double *s, double delta, double goal, int64_t max_iter, int64_t steps, int64_t size, int64_t width, double *w, "
    "uint8_t *held, double *gradient, double *band, double *state, double *scratch)"
)
