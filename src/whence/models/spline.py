"""Spline models of an effect given a cause: the concave location-scale fit of the paper, and plain least squares.

Both take rows sorted by the cause and standardised columns (see `methods`), and return a `Fit`.
"""

import numpy as np

from whence.models.fit import Fit
from whence.numerics import gaussian
from whence.numerics.design import additive_design, predict_rows
from whence.numerics.newton import KKT_CERTIFIED, fit_natural
from whence.numerics.splines import SplineRows, project, spline_rows, uniform_knots
from whence.pair import FloatArray

N_KNOTS = 25
DEGREE = 5
DELTA = 1e-5
"""Prior precision of the published program; the paper's text says 1e-6."""
MAX_ITER = 500


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
    mean = gaussian.location(e, p)
    scale = np.sqrt(gaussian.variance(p))
    per_row = gaussian.log_density(e, p, np.log(2.0 * p), effect)
    converged = solution.kkt <= KKT_CERTIFIED
    return Fit(
        log_likelihood=float(np.average(per_row, weights=row_weights)),
        location=mean,
        scale=scale,
        residual=(effect - mean) / scale,
        converged=converged,
        n_iter=solution.n_iter,
        kkt=solution.kkt,
        message="" if converged else not_converged(solution.n_iter, solution.kkt),
    )


def fit_location(cause: FloatArray, effect: FloatArray, n_knots: int = N_KNOTS, degree: int = DEGREE) -> Fit:
    """Least squares on the same splines; the likelihood is that of a Normal with *unit* scale, as in the paper.

    The scale recorded is the residuals' own, so that residuals are standardised like those of every other model.
    """
    mean = project(_rows(cause, n_knots, degree), effect)
    squared_error = float(np.mean((effect - mean) ** 2))
    scale = np.full(len(effect), np.sqrt(squared_error))
    return Fit(
        log_likelihood=-gaussian.HALF_LOG_2PI - 0.5 * squared_error,
        location=mean,
        scale=scale,
        residual=(effect - mean) / scale,
    )


def not_converged(n_iter: int, kkt: float) -> str:
    """The sentence for a fit that stopped short of its certificate."""
    return (
        f"The fit stopped after {n_iter} Newton steps with a KKT residual of {kkt:.1e}, above the certified "
        f"{KKT_CERTIFIED:.0e}: its numbers are approximate; raise max_iter or delta, or remove extreme rows."
    )


def _rows(cause: FloatArray, n_knots: int, degree: int) -> SplineRows:
    return spline_rows(cause, uniform_knots(float(cause[0]), float(cause[-1]), n_knots, degree), degree)
