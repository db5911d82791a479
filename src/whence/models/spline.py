"""Spline models of an effect given a cause: the concave location-scale fit of the paper, and plain least squares.

Also the asymptotic standard errors of the concave fit. Rows are sorted by the cause and columns are standardised by the
caller.
"""

import numpy as np
from numba import njit

from whence.models.fit import Fit
from whence.numerics import gaussian
from whence.numerics.banded import damped_cholesky, solve
from whence.numerics.design import Design, additive_design, block, predict_rows
from whence.numerics.newton import KKT_CERTIFIED, Solution, fit_natural
from whence.numerics.spline_projection import project
from whence.numerics.splines import SplineRows, spline_rows, uniform_knots
from whence.pair import FloatArray

N_KNOTS = 25
DEGREE = 5
DELTA = 1e-5
"""Prior precision of the published program; the paper's text says 1e-6."""
MAX_ITER = 500
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
    design = additive_design([_rows(cause, n_knots, degree)])
    row_weights = np.ones(len(effect)) if weights is None else weights
    solution = fit_natural(design, effect, row_weights, delta, max_iter)
    e, p = predict_rows(design.values, design.bounds, design.index, solution.coefficients)
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
    factor = np.zeros_like(band)
    damped_cholesky(band, factor)
    return factor


def standard_errors(design: Design, coefficients: FloatArray, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the location and of the scale at every row of a design."""
    rows = (design.values, design.bounds, design.index)
    e, p = predict_rows(*rows, coefficients)
    mu, variance = gaussian.location(e, p), gaussian.variance(p)
    # μ = e/2p and σ = (2p)^−½, so dμ = de/2p − μ dp/p and dσ = −σ dp/2p.
    of_mean = _quadratic_forms(*rows, factor, variance, -mu / p)
    of_std = _quadratic_forms(*rows, factor, np.zeros_like(p), -0.5 * np.sqrt(variance) / p)
    return np.sqrt(of_mean), np.sqrt(of_std)


@njit(cache=True, nogil=True)
def _quadratic_forms(
    values: FloatArray,
    bounds: np.ndarray,
    index: np.ndarray,
    factor: FloatArray,
    per_location: FloatArray,
    per_precision: FloatArray,
) -> FloatArray:
    """gᵀ H⁻¹ g per row, where g = (per_location, per_precision) spread over the row's features."""
    out = np.empty(len(per_location))
    for r in range(len(index)):
        here = block(values, bounds, r, index.shape[1])
        for i in range(bounds[r], bounds[r + 1]):
            g = np.zeros(len(factor))
            for k in range(len(here)):
                g[2 * index[r, k]] += here[k, i - bounds[r]] * per_location[i]
                g[2 * index[r, k] + 1] += here[k, i - bounds[r]] * per_precision[i]
            out[i] = (g * solve(factor, g)).sum()
    return out
