"""Ordered regression: levels as a latent value f(u) + g(u)·noise that is cut at thresholds.

P(level ≤ k | u) = F((tₖ − f(u)) / g(u)), with F the law of the noise (McCullagh 1980). Where g is one and F has a
log-concave density, as the four laws here do, the log-likelihood is concave in thresholds and f together (Pratt 1981),
and Newton's steps end at its only optimum. With a log g beside them it need not be: then a step takes the whole Hessian
where that is definite, and elsewhere leaves out the part of it that can have the wrong sign. What is constant in f and
in log g is in the thresholds and in F.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import log_expit, log_ndtr, logit, ndtri

from whence.pair import FloatArray

Levels = NDArray[np.intp]
END = 100.0
"""Where the first level begins and the last one ends: beyond, each of the four laws has no mass in double precision."""
RIDGE = 1e-3
"""On the coefficients: a spline's sum to a constant, which is not theirs, and levels that do not overlap would take
them to infinity."""
MAX_ITER = 60
HALVINGS = 30
CLOSE = 1e-11
"""Of the log-likelihood a row that a Newton step promises; the fit ends below."""


class NoiseLaw(NamedTuple):
    """What a fit asks of a law F with density f."""

    mass: Callable[[FloatArray, FloatArray], FloatArray]
    """log (F(b) − F(a)) for a < b."""
    log_density: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    """Of the log density."""
    quantile: Callable[[FloatArray], FloatArray]


def _log_one_minus_exp(x: FloatArray) -> FloatArray:
    """log (1 − eˣ) for x < 0, to full precision at both ends (Mächler 2012)."""
    return np.where(x > -0.69, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


def _normal_mass(a: FloatArray, b: FloatArray) -> FloatArray:
    low, high = np.where(a > 0, -b, a), np.where(a > 0, -a, b)  # the tail in which differences keep their digits
    top = log_ndtr(high)
    return top + _log_one_minus_exp(log_ndtr(low) - top)


NORMAL = NoiseLaw(_normal_mass, lambda x: -0.5 * x * x - 0.5 * np.log(2 * np.pi), lambda x: -x, ndtri)
LOGISTIC = NoiseLaw(
    lambda a, b: log_expit(b) + log_expit(-a) + _log_one_minus_exp(a - b),
    lambda x: log_expit(x) + log_expit(-x),
    lambda x: -np.tanh(x / 2),
    logit,
)
LEAST = NoiseLaw(
    lambda a, b: -np.exp(a) + _log_one_minus_exp(np.exp(a) - np.exp(b)),
    lambda x: x - np.exp(x),
    lambda x: 1 - np.exp(np.minimum(x, END)),
    lambda share: np.log(-np.log1p(-share)),
)
"""Gumbel's law of the least of many values, skewed to the left: a complementary log-log link."""
LARGEST = NoiseLaw(
    lambda a, b: LEAST.mass(-b, -a),
    lambda x: LEAST.log_density(-x),
    lambda x: -LEAST.slope(-x),
    lambda share: -LEAST.quantile(1 - share),
)
"""Its mirror image."""
OTHER_LAWS = (LOGISTIC, LEAST, LARGEST)


class Ordered(NamedTuple):
    """A fitted law of levels given a cause."""

    log_mass: FloatArray
    """Of every row's level."""
    thresholds: FloatArray
    place: FloatArray
    """f at every row."""
    log_scale: FloatArray
    """log g at every row."""
    coefficients: FloatArray
    """All: thresholds, f, log g."""
    log_likelihood: float
    """Of all rows together."""


def fit_ordered(
    level: Levels,
    weight: FloatArray,
    place: FloatArray,
    scale: FloatArray,
    law: NoiseLaw = NORMAL,
    start: FloatArray | None = None,
) -> Ordered:
    """Levels 0, 1, …, all of them there, given the bases of f and of log g at every row (of no columns for none)."""
    count = int(level.max()) + 1
    share = np.cumsum(np.bincount(level, weight))[:-1] / weight.sum()
    theta = np.concatenate([law.quantile(share), np.zeros(place.shape[1] + scale.shape[1])]) if start is None else start
    task = _Task(level, weight, place, scale, law, count)
    value = task.value(theta)
    for _ in range(MAX_ITER):
        step, promise = task.step(theta)
        if promise <= CLOSE * weight.sum():
            break
        for _ in range(HALVINGS):
            tried = task.value(theta + step)
            if tried > value:
                theta, value = theta + step, tried
                break
            step = step / 2
        else:
            break
    f, s = place @ theta[count - 1 :][: place.shape[1]], scale @ theta[count - 1 + place.shape[1] :]
    mass = task.log_mass(theta)
    return Ordered(mass, theta[: count - 1], f, s, theta, float(weight @ mass))


class _Task(NamedTuple):
    """The penalised log-likelihood and its Newton step."""

    level: Levels
    weight: FloatArray
    place: FloatArray
    scale: FloatArray
    law: NoiseLaw
    levels: int

    def _ends(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Low and high end of every row's level, and 1/g."""
        inner, middle = self.levels - 1, self.levels - 1 + self.place.shape[1]
        f, unit = self.place @ theta[inner:middle], np.exp(-(self.scale @ theta[middle:]))
        cuts = np.concatenate([[0.0], theta[:inner], [0.0]])
        low = np.where(self.level > 0, (cuts[self.level] - f) * unit, -END)
        high = np.where(self.level < inner, (cuts[self.level + 1] - f) * unit, END)
        return low, high, unit

    def log_mass(self, theta: FloatArray) -> FloatArray:
        """Of every row's level."""
        low, high, _ = self._ends(theta)
        return self.law.mass(low, high)

    def value(self, theta: FloatArray) -> float:
        """Minus infinity where thresholds are out of order."""
        inner = self.levels - 1
        if np.any(np.diff(theta[:inner]) <= 0):
            return -np.inf
        value = self.weight @ self.log_mass(theta) - 0.5 * RIDGE * theta[inner:] @ theta[inner:]
        return float(value) if np.isfinite(value) else -np.inf

    def step(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Newton's step, and what it promises."""
        low, high, unit = self._ends(theta)
        mass, inner, middle = self.law.mass(low, high), self.levels - 1, self.levels - 1 + self.place.shape[1]
        # First and second derivatives of the log mass by its two ends.
        up, down = np.exp(self.law.log_density(high) - mass), -np.exp(self.law.log_density(low) - mass)
        up_up, down_down = self.law.slope(high) * up - up * up, self.law.slope(low) * down - down * down
        by_high = self._by_theta(self.level, self.level < inner, high, unit)
        by_low = self._by_theta(self.level - 1, self.level > 0, low, unit)
        w = self.weight[:, None]
        gradient = by_high.T @ (self.weight * up) + by_low.T @ (self.weight * down)
        gradient[inner:] -= RIDGE * theta[inner:]
        across = by_high.T @ (w * (up * down)[:, None] * by_low)
        hessian = by_high.T @ (w * up_up[:, None] * by_high) + by_low.T @ (w * down_down[:, None] * by_low)
        curvature = -(hessian - across - across.T)
        curvature[range(inner, len(theta)), range(inner, len(theta))] += RIDGE
        bent = curvature - self._second(up, by_high) - self._second(down, by_low) if middle < len(theta) else curvature
        for each in (bent, curvature):
            try:
                step = cho_solve(cho_factor(each), gradient)
                return step, float(0.5 * gradient @ step)
            except LinAlgError:
                continue
        return gradient / np.trace(curvature), float(gradient @ gradient)

    def _by_theta(self, cut: Levels, inside: NDArray[np.bool_], end: FloatArray, unit: FloatArray) -> FloatArray:
        """Derivatives of one end; none where the level has none on that side."""
        one = np.zeros((len(unit), self.levels - 1))
        rows = np.flatnonzero(inside)
        one[rows, cut[rows]] = unit[rows]
        there = inside * unit
        return np.hstack([one, -there[:, None] * self.place, -(inside * end)[:, None] * self.scale])

    def _second(self, by_end: FloatArray, derivative: FloatArray) -> FloatArray:
        """What second derivatives of one end add to the Hessian: with a log g, minus the first times its basis."""
        middle = self.levels - 1 + self.place.shape[1]
        added = np.zeros((derivative.shape[1],) * 2)
        added[middle:] = -self.scale.T @ ((self.weight * by_end)[:, None] * derivative)
        added[:middle, middle:] = added[middle:, :middle].T
        return added
