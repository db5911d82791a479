"""Iterated feasible generalised least squares: the classical rival of the concave fit.

Location Φw₁ and variance Φw₂ are fitted in turn: the squared residuals are regressed on the features, the location anew
with the inverse variances as weights, until the likelihood stands still.
"""

from typing import NamedTuple

import numpy as np

from causewise.models.fit import Fit
from causewise.models.spline import DEGREE, N_KNOTS
from causewise.numerics.columns import once
from causewise.numerics.gaussian import HALF_LOG_2PI
from causewise.numerics.splines import Design, spline_design
from causewise.pair import FloatArray

ALPHA = 1e-6
MAX_PASSES = 100
FLOOR, PREDICTED_FLOOR, PREDICTED_CEILING = 1e-6, 1e-7, 1e7
TOLERANCE = 1e-6


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
    """Run the alternation on the rows of a design with targets v."""
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
    found = alternate(design, effect, alpha, max_passes)
    if not np.all(np.isfinite(found.fitted_mean)):
        raise FloatingPointError("the alternating least squares left the range of numbers")
    scale = np.sqrt(found.fitted_variance)
    per_row = -0.5 * ((effect - found.fitted_mean) / scale) ** 2 - np.log(scale)
    message = "" if found.change < TOLERANCE else _not_converged(found)
    log_likelihood = float(np.mean(per_row)) - HALF_LOG_2PI
    return Fit.of(effect, found.fitted_mean, scale, log_likelihood, n_iter=found.passes, message=message)


def _not_converged(found: Alternation) -> str:
    if found.passes == 1:
        return "The alternating fit was stopped after its first pass, before it could settle; raise max_passes."
    return (
        f"The alternating fit still moved by {found.change:.1e} nats a row after {found.passes} passes: its numbers "
        "are approximate, and nothing guarantees that more passes settle; the concave fit has one optimum."
    )
