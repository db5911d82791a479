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

from causewise.pair import FloatArray

Levels = NDArray[np.intp]
END = 100.0
"""Where the first level begins and the last one ends: beyond, each of the four laws has no mass in double precision."""
RIDGE, SCALE_RIDGE = 1e-3, 0.1
"""On the coefficients of f and of log g: a spline's sum to a constant, which is not theirs, levels that do not overlap
would take them to infinity, and a g that falls to nothing between rows would take log g there."""
MAX_ITER = 60
HALVINGS = 30
CLOSE = 1e-14
"""Of the log-likelihood a row that a Newton step promises: with that step the fit ends."""


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


class LevelLaw(NamedTuple):
    """A fitted law of levels given a cause."""

    log_mass: FloatArray
    """Of every row's level."""
    coefficients: FloatArray
    """Thresholds, f, log g."""


@np.errstate(all="ignore")  # a step too far has no finite value, and is halved
def fit_ordered(
    level: Levels,
    weight: FloatArray,
    place: FloatArray,
    scale: FloatArray,
    law: NoiseLaw = NORMAL,
    start: FloatArray | None = None,
) -> LevelLaw:
    """Levels 0, 1, …, all of them there, given the bases of f and of log g at every row (of no columns for none).

    `start` has the first coefficients, as of a fit without log g; the others start at 0.
    """
    task = _Task(level, weight, place, scale, law)
    if start is None:
        start = law.quantile(np.cumsum(np.bincount(level, weight))[:-1] / weight.sum())
    theta = np.concatenate([start, np.zeros(task.bend + scale.shape[1] - len(start))])
    value = task.value(theta)
    for _ in range(MAX_ITER):
        step, promise = task.step(theta)
        if promise <= CLOSE * weight.sum():
            theta = theta + step
            break
        for _ in range(HALVINGS):
            tried = task.value(theta + step)
            if tried > value:
                theta, value = theta + step, tried
                break
            step = step / 2
        else:
            break
    return LevelLaw(task.log_mass(theta), theta)


class _Task(NamedTuple):
    """The penalised log-likelihood and its Newton step; theta holds the thresholds, then f, then log g."""

    level: Levels
    weight: FloatArray
    place: FloatArray
    scale: FloatArray
    law: NoiseLaw

    @property
    def cuts(self) -> int:
        """How many thresholds there are, and where f begins."""
        return int(self.level.max())

    @property
    def bend(self) -> int:
        """Where log g begins."""
        return self.cuts + self.place.shape[1]

    @property
    def ridge(self) -> FloatArray:
        """On each coefficient."""
        return np.repeat([0.0, RIDGE, SCALE_RIDGE], [self.cuts, self.place.shape[1], self.scale.shape[1]])

    def ends(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Low and high end of every row's level on the scale of the noise, and 1/g."""
        f, log_g = self.place @ theta[self.cuts : self.bend], self.scale @ theta[self.bend :]
        unit, cuts = np.exp(-log_g), np.concatenate([[0.0], theta[: self.cuts], [0.0]])
        low = np.where(self.level > 0, (cuts[self.level] - f) * unit, -END)
        high = np.where(self.level < self.cuts, (cuts[self.level + 1] - f) * unit, END)
        return low, high, unit

    def log_mass(self, theta: FloatArray) -> FloatArray:
        """Of every row's level."""
        low, high, _ = self.ends(theta)
        return self.law.mass(low, high)

    def value(self, theta: FloatArray) -> float:
        """Minus infinity where thresholds are out of order."""
        if np.any(np.diff(theta[: self.cuts]) <= 0):
            return -np.inf
        value = float(self.weight @ self.log_mass(theta) - 0.5 * theta @ (self.ridge * theta))
        return value if np.isfinite(value) else -np.inf

    def step(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Newton's step, and what it promises."""
        low, high, unit = self.ends(theta)
        mass = self.law.mass(low, high)
        # First and second derivatives of the log mass by its two ends.
        up, down = np.exp(self.law.log_density(high) - mass), -np.exp(self.law.log_density(low) - mass)
        up_up, down_down = self.law.slope(high) * up - up * up, self.law.slope(low) * down - down * down
        by_high = self._by_theta(self.level, self.level < self.cuts, high, unit)
        by_low = self._by_theta(self.level - 1, self.level > 0, low, unit)
        gradient = by_high.T @ (self.weight * up) + by_low.T @ (self.weight * down)
        gradient -= self.ridge * theta
        across = self._product(by_high, up * down, by_low)
        curvature = across + across.T - self._product(by_high, up_up, by_high)
        curvature -= self._product(by_low, down_down, by_low) - np.diag(self.ridge)
        whole = curvature - self._second(up, by_high) - self._second(down, by_low) if self.scale.size else curvature
        for each in (whole, curvature):
            try:
                step = cho_solve(cho_factor(each), gradient)
                return step, float(0.5 * gradient @ step)
            except LinAlgError:
                continue
        return gradient / np.trace(curvature), float(gradient @ gradient)

    def _by_theta(self, cut: Levels, inside: NDArray[np.bool_], end: FloatArray, unit: FloatArray) -> FloatArray:
        """Derivatives of one end by theta; none where the level is open on that side."""
        by_cuts, rows = np.zeros((len(unit), self.cuts)), np.flatnonzero(inside)
        by_cuts[rows, cut[rows]] = unit[rows]
        return np.hstack([by_cuts, -(inside * unit)[:, None] * self.place, -(inside * end)[:, None] * self.scale])

    def _product(self, one: FloatArray, by_row: FloatArray, other: FloatArray) -> FloatArray:
        return one.T @ ((self.weight * by_row)[:, None] * other)

    def _second(self, by_end: FloatArray, derivative: FloatArray) -> FloatArray:
        """What second derivatives of one end add to the Hessian: with a log g, minus the first times its basis."""
        added = np.zeros((derivative.shape[1],) * 2)
        added[self.bend :] = -self._product(self.scale, by_end, derivative)
        added[: self.bend, self.bend :] = added[self.bend :, : self.bend].T
        return added
