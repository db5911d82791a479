"""Spline models of an effect given a cause.

    fit_location_scale   the concave fit of the paper
    fit_crosswise        the same, with every row scored by a fit that has not seen it
    fit_location         plain least squares
    fit_fgls             iterated feasible generalised least squares, the classical rival of the concave fit
    standard_errors      how sure the concave fit is of its location and scale

Rows come sorted by the cause, and both columns standardised.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.models import Fit
from causewise.numerics import gaussian
from causewise.numerics.columns import once
from causewise.numerics.gaussian import KKT_CERTIFIED, Solution, fit_natural
from causewise.numerics.splines import (
    Design,
    additive_design,
    damped_cholesky,
    project,
    spline_design,
    spline_rows,
    uniform_knots,
)
from causewise.pair import FloatArray

N_KNOTS = 25
DEGREE = 5
DELTA = 1e-5
"""Prior precision of the published program; the paper's text says 1e-6."""
MAX_ITER = 500
SMALLEST_PRECISION = 1e-7
"""Inside a gap of its own rows a fit knows nothing and its precision falls to zero; there the scale stays finite."""
_HELD = 1e300
ALPHA, MAX_PASSES = 1e-6, 100
"""Ridge penalty and passes of `fit_fgls`; the ridge is the published study's."""
FLOOR, PREDICTED_FLOOR, PREDICTED_CEILING = 1e-6, 1e-7, 1e7
TOLERANCE = 1e-6


def fit_location_scale(
    cause: FloatArray,
    effect: FloatArray,
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    max_iter: int = MAX_ITER,
) -> Fit:
    """Normal(μ(u), σ²(u)) at the global optimum of the penalised likelihood in natural parameters."""
    _, design = once(spline_design, cause, n_knots, degree)
    solution = fit_natural(design, effect, np.ones(len(effect)), delta, max_iter)
    return _as_fit(*design.predict(solution.coefficients), effect, solution)


def _as_fit(e: FloatArray, p: FloatArray, effect: FloatArray, solution: Solution) -> Fit:
    """The `Fit` that natural parameters at every row are, with the certificate of the solution they come from."""
    per_row = gaussian.log_density(e, p, np.log(2.0 * p), effect)
    return Fit.of(
        effect,
        gaussian.location(e, p),
        np.sqrt(gaussian.variance(p)),
        float(np.mean(per_row)),
        n_iter=solution.n_iter,
        kkt=solution.kkt,
        message=convergence_message(solution),
    )


def convergence_message(solution: Solution) -> str:
    """The sentence for a fit that stopped short of its certificate; empty if it did not."""
    if solution.kkt <= KKT_CERTIFIED:
        return ""
    return (
        f"The fit stopped after {solution.n_iter} Newton steps with a KKT residual of {solution.kkt:.1e}, above the "
        f"certified {KKT_CERTIFIED:.0e}: its numbers are approximate; raise max_iter or delta, or remove extreme rows."
    )


def fit_crosswise(
    cause: FloatArray,
    effect: FloatArray,
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    max_iter: int = MAX_ITER,
    split_seed: int = 0,
) -> Fit:
    """The concave fit of each half of the rows, evaluated on the other; the likelihood is that of unseen rows."""
    first = halves(len(cause), split_seed)
    e, p = np.empty_like(effect), np.empty_like(effect)
    solutions = []
    for seen in (first, ~first):
        u = cause[seen]
        if u[0] == u[-1]:
            raise FloatingPointError("one half of the rows has a constant cause, so nothing can be fitted to it")
        # Knots span the rows a half is fitted to; rows of the other half beyond them get the value at the end.
        knots = uniform_knots(float(u[0]), float(u[-1]), n_knots, degree)
        solutions.append(fit_natural(_design(u, knots, degree), effect[seen], np.ones(len(u)), delta, max_iter))
        e[~seen], p[~seen] = _design(cause[~seen], knots, degree).predict(solutions[-1].coefficients)
    p = np.maximum(p, SMALLEST_PRECISION)
    worse = max(solutions, key=lambda solution: solution.kkt)
    return _as_fit(e, p, effect, worse)


def halves(n: int, seed: int) -> NDArray[np.bool_]:
    """Which rows, in the order of the cause, are in the first half; of an odd number the last is tossed for alone."""
    # Of each two neighbours one goes to either half, by a coin from a seed, so that both halves cover the same range
    # and neither the order of a file nor the naming of the columns matters.
    coins = np.random.default_rng(seed).integers(0, 2, (n + 1) // 2).astype(bool)
    return np.column_stack([coins, ~coins]).ravel()[:n]


def _design(cause: FloatArray, knots: FloatArray, degree: int) -> Design:
    return additive_design([spline_rows(np.ascontiguousarray(cause), knots, degree)])


def fit_location(cause: FloatArray, effect: FloatArray, n_knots: int = N_KNOTS, degree: int = DEGREE) -> Fit:
    """Least squares on the same splines; the likelihood is that of a Normal with *unit* scale, as in the paper."""
    knots = uniform_knots(float(cause[0]), float(cause[-1]), n_knots, degree)
    mean = project(spline_rows(cause, knots, degree), effect)
    squared_error = float(np.mean((effect - mean) ** 2))
    # The scale recorded is the residuals' own, so that residuals are standardised like those of every other model.
    scale = np.full(len(effect), np.sqrt(squared_error))
    return Fit.of(effect, mean, scale, -gaussian.HALF_LOG_2PI - 0.5 * squared_error)


class Alternation(NamedTuple):
    """Where the alternation ended. Coefficients stand at the even places of an interleaved vector, see `splines`."""

    location: FloatArray
    variance: FloatArray
    fitted_mean: FloatArray
    fitted_variance: FloatArray
    passes: int
    change: float
    """Of the mean negative log-likelihood in the last pass."""

    def predict(self, design: Design) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation at the rows of another design on the same knots."""
        mean, _ = design.predict(self.location)
        variance, _ = design.predict(self.variance)
        return mean, np.sqrt(np.clip(variance, PREDICTED_FLOOR, PREDICTED_CEILING))


def alternate(design: Design, v: FloatArray, alpha: float = ALPHA, max_passes: int = MAX_PASSES) -> Alternation:
    """Fit location Φw₁ and variance Φw₂ in turn, until the likelihood stands still.

    The squared residuals are regressed on the features, the location anew with the inverse variances as weights.
    """
    ones = np.ones(len(v))
    # The ridge penalty is the published study's: α times the sum of the row weights.
    w1 = design.least_squares(v, ones, len(v) * alpha)
    mean, _ = design.predict(w1)
    last, change, passes = np.inf, np.inf, 0
    w2, variance = w1, ones
    while passes < max_passes and not change < TOLERANCE:
        w2 = design.least_squares((v - mean) ** 2, ones, len(v) * alpha)
        # Neither step knows of the other's criterion, and nothing keeps Φw₂ positive but this floor; with many features
        # per row the variance falls through to it (Immer et al. 2023, appendix).
        variance = np.maximum(design.predict(w2)[0], FLOOR)
        w1 = design.least_squares(v, 1.0 / variance, alpha * float(np.sum(1.0 / variance)))
        mean, _ = design.predict(w1)
        # Mean negative log-likelihood with the weights' common factor profiled out, as weighted least squares has it.
        loss = 0.5 * float(np.log(np.mean((v - mean) ** 2 / variance)) + np.mean(np.log(variance)))
        change, last = abs(loss - last), loss
        passes += 1
    return Alternation(w1, w2, mean, variance, passes, change)


def fit_fgls(
    cause: FloatArray,
    effect: FloatArray,
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    alpha: float = ALPHA,
    max_passes: int = MAX_PASSES,
) -> Fit:
    """Normal(μ(u), σ²(u)) by alternation; rows sorted by the cause, columns standardised."""
    _, design = once(spline_design, cause, n_knots, degree)
    end = alternate(design, effect, alpha, max_passes)
    if not np.all(np.isfinite(end.fitted_mean)):
        raise FloatingPointError("the alternating least squares left the range of numbers")
    scale = np.sqrt(end.fitted_variance)
    per_row = -0.5 * ((effect - end.fitted_mean) / scale) ** 2 - np.log(scale)
    message = ""
    if not end.change < TOLERANCE:
        message = (
            f"The alternating fit still moved by {end.change:.1e} nats a row after {end.passes} passes: its numbers "
            "are approximate, and nothing guarantees that more passes settle; the concave fit has one optimum."
        )
        if end.passes == 1:
            message = "The alternating fit was stopped after its first pass, before it could settle; raise max_passes."
    log_likelihood = float(np.mean(per_row)) - gaussian.HALF_LOG_2PI
    return Fit.of(effect, end.fitted_mean, scale, log_likelihood, n_iter=end.passes, message=message)


# Standard errors, by the delta method on the inverse Fisher information. In natural parameters the Hessian of the
# negative log-likelihood does not depend on the targets: it *is* the Fisher information (plus the prior's precision).


def information_factor(hessian: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Cholesky factor (band storage) of the information of the free coefficients; those held at zero are known."""
    band = hessian.copy()
    # An enormous information on the diagonal says: known exactly. Band storage keeps its shape.
    held = np.flatnonzero(coefficients[1::2] <= 0.0) * 2 + 1
    band[held, -1] = _HELD
    factor = damped_cholesky(band)
    return np.full_like(band, np.nan) if factor is None else factor


def standard_errors(design: Design, coefficients: FloatArray, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the location and of the scale at every row of a design."""
    e, p = design.predict(coefficients)
    mu, variance = gaussian.location(e, p), gaussian.variance(p)
    # μ = e/2p and σ = (2p)^−½, so dμ = de/2p − μ dp/p and dσ = −σ dp/2p.
    of_mean = design.quadratic_forms(factor, variance, -mu / p)
    of_std = design.quadratic_forms(factor, np.zeros_like(p), -0.5 * np.sqrt(variance) / p)
    return np.sqrt(of_mean), np.sqrt(of_std)
