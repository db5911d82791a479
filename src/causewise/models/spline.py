"""Spline models of an effect given a cause.

    fit_location_scale   the concave fit of the paper
    fit_crosswise        the same, with every row judged by a fit that has not seen it
    fit_location         plain least squares
    standard_errors      how sure the concave fit is of its location and scale

Rows come sorted by the cause, and both columns standardised.
"""

import numpy as np
from numpy.typing import NDArray

from causewise.models.fit import Fit
from causewise.numerics import gaussian
from causewise.numerics.columns import once
from causewise.numerics.newton import KKT_CERTIFIED, Solution, fit_natural
from causewise.numerics.splines import (
    Design,
    SplineRows,
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


def fit_location_scale(
    cause: FloatArray,
    effect: FloatArray,
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    weights: FloatArray | None = None,
    max_iter: int = MAX_ITER,
) -> Fit:
    """Normal(μ(u), σ²(u)) at the global optimum of the penalised likelihood in natural parameters."""
    _, design = once(spline_design, cause, n_knots, degree)
    row_weights = np.ones(len(effect)) if weights is None else weights
    solution = fit_natural(design, effect, row_weights, delta, max_iter)
    e, p = design.predict(solution.coefficients)
    return natural_fit(e, p, effect, row_weights, solution)


def natural_fit(e: FloatArray, p: FloatArray, effect: FloatArray, weights: FloatArray, solution: Solution) -> Fit:
    """The `Fit` that natural parameters at every row are, with the certificate of the solution they come from."""
    per_row = gaussian.log_density(e, p, np.log(2.0 * p), effect)
    return Fit.of(
        effect,
        gaussian.location(e, p),
        np.sqrt(gaussian.variance(p)),
        float(np.average(per_row, weights=weights)),
        n_iter=solution.n_iter,
        kkt=solution.kkt,
        message="" if solution.kkt <= KKT_CERTIFIED else not_converged(solution.n_iter, solution.kkt),
    )


def not_converged(n_iter: int, kkt: float) -> str:
    """The sentence for a fit that stopped short of its certificate."""
    return (
        f"The fit stopped after {n_iter} Newton steps with a KKT residual of {kkt:.1e}, above the certified "
        f"{KKT_CERTIFIED:.0e}: its numbers are approximate; raise max_iter or delta, or remove extreme rows."
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
    return natural_fit(e, p, effect, np.ones(len(effect)), worse)


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
    mean = project(_rows(cause, n_knots, degree), effect)
    squared_error = float(np.mean((effect - mean) ** 2))
    # The scale recorded is the residuals' own, so that residuals are standardised like those of every other model.
    scale = np.full(len(effect), np.sqrt(squared_error))
    return Fit.of(effect, mean, scale, -gaussian.HALF_LOG_2PI - 0.5 * squared_error)


def _rows(cause: FloatArray, n_knots: int, degree: int) -> SplineRows:
    return spline_rows(cause, uniform_knots(float(cause[0]), float(cause[-1]), n_knots, degree), degree)


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
