"""The location-scale curve of an effect given a cause, with as many knots as the rows pay for (BIC).

Few rows get a simple curve, so that it does not wriggle where the cause is sparse. The fit of each size is the concave
one of the paper (`numerics.newton`), at its global optimum.
"""

from typing import NamedTuple

import numpy as np

from whence.models.spline import not_converged
from whence.numerics import gaussian
from whence.numerics.columns import once
from whence.numerics.design import additive_design, spline_design
from whence.numerics.newton import KKT_CERTIFIED, fit_natural
from whence.numerics.splines import spline_rows
from whence.pair import FloatArray

KNOTS = (3, 5, 8, 13, 20)
DEGREE = 3
DELTA = 1e-4
MAX_ITER = 60
PATIENCE = 2
"""The search stops after this many sizes in a row that are no better."""
ROWS_PER_COEFFICIENT = 4


class Curve(NamedTuple):
    """The fitted law of the effect at every row, in the order of the rows, both columns standardised."""

    location: FloatArray
    scale: FloatArray
    residual: FloatArray
    log_likelihood: float
    """Mean per row."""
    knots: FloatArray
    coefficients: FloatArray
    kkt: float
    n_iter: int

    @property
    def size(self) -> int:
        """How many coefficients it took."""
        return len(self.coefficients)

    @property
    def cost(self) -> float:
        """Nats a row: minus the log-likelihood, and ½ log n for each coefficient."""
        return self.price - self.log_likelihood

    @property
    def price(self) -> float:
        """Nats a row for the coefficients."""
        return float(0.5 * self.size * np.log(len(self.residual)) / len(self.residual))

    @property
    def converged(self) -> bool:
        """Whether the optimum is certified."""
        return self.kkt <= KKT_CERTIFIED

    @property
    def message(self) -> str:
        """Why the fit stopped, when it stopped short."""
        return "" if self.converged else not_converged(self.n_iter, self.kkt)


def fit_curve(u: FloatArray, v: FloatArray) -> Curve:
    """Normal(μ(u), σ²(u)); rows in the order of the cause."""
    best, worse = _of_size(u, v, KNOTS[0]), 0
    for n_knots in KNOTS[1:]:
        if worse == PATIENCE or 2 * (n_knots + DEGREE - 1) * ROWS_PER_COEFFICIENT > len(v):
            break
        curve = _of_size(u, v, n_knots)
        worse = 0 if curve.cost < best.cost else worse + 1
        best = min(best, curve, key=lambda candidate: candidate.cost)
    return best


def curve_at(curve: Curve, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Location and scale at other places; beyond the fitted range the end value holds."""
    e, p = additive_design([spline_rows(u, curve.knots, DEGREE)]).predict(curve.coefficients)
    return gaussian.location(e, p), np.sqrt(gaussian.variance(p))


def _of_size(u: FloatArray, v: FloatArray, n_knots: int) -> Curve:
    knots, design = once(spline_design, u, n_knots, DEGREE)
    solution = fit_natural(design, v, np.ones(len(v)), DELTA, MAX_ITER)
    e, p = design.predict(solution.coefficients)
    mean, scale = gaussian.location(e, p), np.sqrt(gaussian.variance(p))
    fitted = float(np.mean(gaussian.log_density(e, p, np.log(2.0 * p), v)))
    ended = solution.kkt, solution.n_iter
    return Curve(mean, scale, (v - mean) / scale, fitted, knots, solution.coefficients, *ended)
