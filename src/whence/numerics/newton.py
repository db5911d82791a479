"""The concave location-scale fit, solved to its global optimum by a Newton method under bounds.

Rows i with weight sᵢ and non-negative features φᵢ (few non-zeros, see `design`) have natural parameters
e = φᵢ·w₁ and p = φᵢ·w₂ with w₂ ≥ 0 (see `gaussian`). Minimise

    F(w₁, w₂) = [ −Σ sᵢ ℓ(eᵢ, pᵢ; vᵢ) + δ/2 (‖w₁‖² + ‖w₂‖²) ] / Σ sᵢ,

which is strictly convex. The two coefficients of one feature are stored side by side, so that the Hessian of a spline
basis has a band of half-width 2·degree + 1 and a Newton step costs O(features), whatever the rows cost.

Newton's method under bounds: each step goes to the minimum of the quadratic model of F under w₂ ≥ 0, found by
primal-dual active sets (Hintermüller, Ito & Kunisch 2002), and is shortened until F falls. The certificate is the
largest entry of the projected gradient, the w₂ part multiplied by max(w₂, 1e-3): the change of F for a *relative*
change of a precision.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.arrays import FloatArray, IntArray
from whence.numerics.design import (
    LONGEST_RUN,
    Design,
    band_run,
    block,
    least_squares,
    predict_rows,
    predict_run,
    scatter,
    scatter_run,
)
from whence.numerics.gaussian import location, log_density, loss_gradient, loss_hessian, variance
from whence.numerics.linear import damped_cholesky, solve

BoolArray = NDArray[np.bool_]

KKT_GOAL = 1e-10
"""Aimed at; rounding may stop the descent a little earlier."""
KKT_CERTIFIED = 1e-6
"""A fit whose certificate is below this is called converged."""
_SMALLEST_SCALING = 1e-3
_NEAR_ZERO = 1e-4
_ROUNDING = 1e-13
_POLISH = 3
_ACTIVE_SETS = 12
"""Systems solved for one step at most; two or three are usual."""


class Solution(NamedTuple):
    """Optimum of the concave fit: coefficients, the certificate, and how the descent ended."""

    coefficients: FloatArray
    """w₁ and w₂ of each feature side by side: even places hold w₁, odd ones w₂."""
    objective: float
    kkt: float
    n_iter: int
    hessian: FloatArray
    """Hessian of F at the optimum, band storage of `linear`, coefficients interleaved."""


def fit_natural(design: Design, v: FloatArray, weights: FloatArray, delta: float, max_iter: int) -> Solution:
    """Fit the rows of a design to the targets v."""
    rows = (design.values, design.bounds, design.index)
    start = _start(*rows, design.size, design.half_width, v, weights)
    found = Solution(*_projected_newton(*rows, design.half_width, v, weights, delta, start, max_iter))
    if found.kkt <= KKT_CERTIFIED:
        return found
    # F is convex, so a far start costs steps but no optimum; a near one can still be numerically unlucky.
    plain = np.tile([0.0, 0.5], design.size)
    again = Solution(*_projected_newton(*rows, design.half_width, v, weights, delta, plain, max_iter))
    return min(found, again, key=lambda solution: solution.objective)


@njit(cache=True, nogil=True)
def _start(
    values: FloatArray,
    bounds: IntArray,
    index: IntArray,
    size: int,
    half_width: int,
    v: FloatArray,
    s: FloatArray,
) -> FloatArray:
    """Least squares for the location, then the local mean of its squared residuals for the scale."""
    # Unpenalised coefficients can be enormous where few rows lie, and a start there is worse than none.
    beta = least_squares(values, bounds, index, size, half_width, v, s, 1e-8 * s.sum())
    mu, _ = predict_rows(values, bounds, index, beta)
    squares = s * (v - mu) ** 2
    overall = max(squares.sum() / s.sum(), 1e-8)
    local = np.zeros(2 * size)
    scatter(values, bounds, index, squares, s, local)
    blocks = 0.0
    for value in block(values, bounds, 0, index.shape[1])[:, 0]:
        blocks += value
    w = np.empty(2 * size)
    for j in range(size):
        # A feature that few rows touch borrows from the whole, and no variance starts below a hundredth of it.
        spread = (local[2 * j] + overall) / (local[2 * j + 1] + 1.0)
        p = 0.5 / max(spread, 0.01 * overall) / blocks
        w[2 * j] = 2.0 * p * blocks * beta[2 * j]
        w[2 * j + 1] = p
    return w


@njit(cache=True, nogil=True)
def _projected_newton(
    values: FloatArray,
    bounds: IntArray,
    index: IntArray,
    half_width: int,
    v: FloatArray,
    s: FloatArray,
    delta: float,
    w: FloatArray,
    max_iter: int,
) -> tuple[FloatArray, float, float, int, FloatArray]:
    delta = delta / s.sum()
    s = s / s.sum()
    value = _objective(values, bounds, index, v, s, delta, w)
    factor, held = np.zeros((len(w), half_width + 1)), np.zeros(len(w), np.bool_)
    iteration, polished = 0, 0
    while True:
        gradient, band = _derivatives(values, bounds, index, half_width, v, s, delta, w)
        kkt = _certificate(w, gradient)
        if kkt <= KKT_GOAL or iteration >= max_iter:
            break
        # A step in the free coefficients alone, projected (Bertsekas 1982), needs no inner loop, but every coefficient
        # that it drives through zero cuts it short: 25 iterations of four evaluations each in place of ten of one. The
        # inner loop costs O(features), an evaluation O(rows).
        step = _newton_step(band, factor, gradient, w, held)
        iteration += 1
        length, fell = 1.0, False
        while length > 1e-15 and not fell:  # Armijo backtracking on the projected path
            trial = _projected(w, length, step)
            slope = ((trial - w) * gradient).sum()
            value_trial = _objective(values, bounds, index, v, s, delta, trial)
            # A promised gain below rounding cannot be seen in F; there the step's quadratic convergence is trusted.
            fell = value_trial < value + 1e-4 * slope or -_ROUNDING < slope < 0.0
            length *= 0.5
        if not fell or polished > _POLISH:
            break
        polished += slope > -_ROUNDING
        w, value = trial, value_trial
    return w, value, kkt, iteration, band


# Both passes over the rows go run by run through a scratch of that length: no array of n is written in an iteration.


@njit(cache=True, nogil=True)
def _objective(
    values: FloatArray, bounds: IntArray, index: IntArray, v: FloatArray, s: FloatArray, delta: float, w: FloatArray
) -> float:
    e, p = np.empty(LONGEST_RUN), np.empty(LONGEST_RUN)
    total = 0.5 * delta * (w * w).sum()
    for r in range(len(index)):
        start, stop = bounds[r], bounds[r + 1]
        here = block(values, bounds, r, index.shape[1])
        predict_run(here, index[r], w, e[: stop - start], p[: stop - start])
        for i in range(stop - start):
            if s[start + i] > 0.0:
                if not p[i] > 0.0:
                    return np.inf
                total -= s[start + i] * log_density(e[i], p[i], np.log(2.0 * p[i]), v[start + i])
    return total


@njit(cache=True, nogil=True)
def _derivatives(
    values: FloatArray,
    bounds: IntArray,
    index: IntArray,
    half_width: int,
    v: FloatArray,
    s: FloatArray,
    delta: float,
    w: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Gradient and Hessian of F."""
    scratch = np.empty((7, LONGEST_RUN))
    gradient = delta * w
    band = np.zeros((len(w), half_width + 1))
    band[:, -1] = delta
    for r in range(len(index)):
        rows = slice(bounds[r], bounds[r + 1])
        here = slice(0, bounds[r + 1] - bounds[r])
        e, p, ge, gp = scratch[0, here], scratch[1, here], scratch[2, here], scratch[3, here]
        hee, hep, hpp = scratch[4, here], scratch[5, here], scratch[6, here]
        features = block(values, bounds, r, index.shape[1])
        predict_run(features, index[r], w, e, p)
        _row_derivatives(e, p, v[rows], s[rows], ge, gp, hee, hep, hpp)
        scatter_run(features, index[r], ge, gp, gradient)
        band_run(features, index[r], hee, hep, hpp, band)
    return gradient, band


@njit(cache=True, nogil=True)
def _row_derivatives(
    e: FloatArray,
    p: FloatArray,
    v: FloatArray,
    s: FloatArray,
    ge: FloatArray,
    gp: FloatArray,
    hee: FloatArray,
    hep: FloatArray,
    hpp: FloatArray,
) -> None:
    """First and second derivatives of −s·ℓ in (e, p)."""
    for i in range(len(v)):
        if s[i] > 0.0:
            mean, var = location(e[i], p[i]), variance(p[i])
            by_e, by_p = loss_gradient(mean, var, v[i])
            ee, ep, pp = loss_hessian(mean, var)
            ge[i], gp[i] = s[i] * by_e, s[i] * by_p
            hee[i], hep[i], hpp[i] = s[i] * ee, s[i] * ep, s[i] * pp
        else:
            ge[i] = gp[i] = hee[i] = hep[i] = hpp[i] = 0.0


@njit(cache=True, nogil=True)
def _projected(w: FloatArray, length: float, step: FloatArray) -> FloatArray:
    trial = w + length * step
    for j in range(1, len(w), 2):
        trial[j] = max(trial[j], 0.0)
    return trial


@njit(cache=True, nogil=True)
def _certificate(w: FloatArray, gradient: FloatArray) -> float:
    worst = 0.0
    for j in range(len(w)):
        if j % 2 == 0:
            worst = max(worst, abs(gradient[j]))
        elif w[j] > 0.0 or gradient[j] < 0.0:
            worst = max(worst, abs(gradient[j]) * max(w[j], _SMALLEST_SCALING))
    return worst


@njit(cache=True, nogil=True)
def _newton_step(
    band: FloatArray, factor: FloatArray, gradient: FloatArray, w: FloatArray, held: BoolArray
) -> FloatArray:
    """The step to the minimum of the quadratic model of F under w₂ ≥ 0, by primal-dual active sets.

    `held` says which coefficients the last step held at zero, and is brought up to date.
    """
    step = np.empty(0)
    for _ in range(_ACTIVE_SETS):
        step = _held_step(band, factor, gradient, w, held)
        if not _exchange(band, gradient, w, step, held):
            return step
    # The sets run in a circle, which rounding can make them do: Bertsekas' step always descends once projected.
    for j in range(1, len(w), 2):
        held[j] = gradient[j] > 0.0 and w[j] <= _NEAR_ZERO and w[j] * band[j, -1] <= gradient[j]
    return _held_step(band, factor, gradient, w, held)


@njit(cache=True, nogil=True)
def _held_step(
    band: FloatArray, factor: FloatArray, gradient: FloatArray, w: FloatArray, held: BoolArray
) -> FloatArray:
    """Newton's step in the free coefficients, while the held ones go to zero."""
    size, width = band.shape[0], band.shape[1] - 1
    reduced, right = band.copy(), -gradient
    for i in range(size):
        for c in range(max(0, i - width), i):
            if held[i] or held[c]:
                if not held[c]:
                    right[c] += band[i, width + c - i] * w[i]
                elif not held[i]:
                    right[i] += band[i, width + c - i] * w[c]
                reduced[i, width + c - i] = 0.0
    for i in range(size):
        if held[i]:
            reduced[i, width], right[i] = 1.0, -w[i]
    if not damped_cholesky(reduced, factor):
        return np.full(size, np.nan)
    return solve(factor, right)


@njit(cache=True, nogil=True)
def _exchange(band: FloatArray, gradient: FloatArray, w: FloatArray, step: FloatArray, held: BoolArray) -> bool:
    """Hold what the step would make negative, free what the model's slope would raise; False if nothing changed."""
    size, width = band.shape[0], band.shape[1] - 1
    changed = False
    for j in range(1, size, 2):
        now = w[j] + step[j] < 0.0
        if held[j]:
            slope = gradient[j]
            for c in range(max(0, j - width), j + 1):
                slope += band[j, width + c - j] * step[c]
            for i in range(j + 1, min(size, j + width + 1)):
                slope += band[i, width + j - i] * step[i]
            now = slope >= 0.0
        changed |= now != held[j]
        held[j] = now
    return changed
