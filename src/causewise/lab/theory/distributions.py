"""Distributions of causes and noises: log densities that accept arrays and jets alike, and a sampler."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.lab.theory.calculus import panels
from causewise.pair import FloatArray

Function = Callable[[Any], Any]
"""A formula of NumPy operations: arrays to arrays, jets to jets."""

# e^−45 ≈ 3e−20 of the peak: the mass beyond is lost in the rounding of any sum over the support.
DEPTH = 45.0
"""The support of a density ends where its logarithm is this far below its peak."""


@dataclass(frozen=True)
class Distribution:
    """A smooth density on an interval outside of which it is zero, or too small to matter."""

    log_density: Function
    low: float
    high: float

    def sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Invert the distribution function, tabulated on 16 000 nodes."""
        nodes, weights = panels(self.low, self.high, 1000)
        mass = np.cumsum(np.exp(self.log_density(nodes)) * weights)
        return np.interp(rng.uniform(0, mass[-1], n), mass, nodes)


def gaussian(mean: float = 0.0, sd: float = 1.0) -> Distribution:
    """N(mean, sd²)."""
    reach = np.sqrt(2 * DEPTH) * sd
    return Distribution(
        lambda v: -0.5 * ((v - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi)),
        mean - reach,
        mean + reach,
    )


def scale_mixture() -> Distribution:
    """√v·ε with v ~ U(1, 2), the cause and noise of the sets AN to MNU."""
    # Gauss–Legendre over the variance: six nodes stand for the whole mixture to nine digits.
    points, weights = np.polynomial.legendre.leggauss(6)
    variances, shares = 1.5 + 0.5 * points, 0.5 * weights
    widest = variances[-1]

    def log_density(v: Any) -> Any:
        # The widest component is taken out of the sum, so that the rest never underflows together with it.
        total = 0.0
        for s2, w in zip(variances, shares, strict=True):
            total = total + (w / np.sqrt(2 * np.pi * s2)) * np.exp((-0.5 / s2 + 0.5 / widest) * v**2)
        return np.log(total) - 0.5 * v**2 / widest

    reach = float(np.sqrt(2 * DEPTH * widest))
    return Distribution(log_density, -reach, reach)


def soft_uniform(low: float, high: float, blur: float = 0.05) -> Distribution:
    """Uniform plus logistic noise of size `blur`·width."""
    # A plain uniform density has jumps, and the equation needs two derivatives.
    size = blur * (high - low)

    def log_density(v: Any) -> Any:
        # The difference of two logistic functions, as a product that cancels nowhere.
        rise, fall = np.logaddexp((low - v) / size, 0.0), np.logaddexp((v - high) / size, 0.0)
        return -rise - fall + np.log(-np.expm1((low - high) / size) / (high - low))

    return Distribution(log_density, low - DEPTH * size, high + DEPTH * size)


def logistic() -> Distribution:
    """The standard logistic distribution: tails heavier than Gaussian."""
    return Distribution(lambda v: -v - 2 * np.logaddexp(-v, 0.0), -DEPTH, DEPTH)


def bimodal() -> Distribution:
    """Equal mixture of N(−1, ¼) and N(1, ¼)."""
    halves = [gaussian(centre, 0.5).log_density for centre in (-1.0, 1.0)]
    return Distribution(lambda v: np.logaddexp(halves[0](v), halves[1](v)) - np.log(2), -6.0, 6.0)


def tabulated(log_density: Function) -> Distribution:
    """Normalise an unnormalised log density whose mass lies within ±10⁴ and varies over lengths above 10⁻³."""
    # A sinh grid is fine around zero and coarse far out, so that one pass finds a support of any size.
    wide = np.sinh(np.linspace(-10, 10, 40_001))
    heights = log_density(wide)
    inside = wide[heights > heights.max() - DEPTH]
    low, high = float(inside[0]), float(inside[-1])
    nodes, weights = panels(low, high, 400)
    peak = float(log_density(nodes).max())
    mass = float(np.sum(weights * np.exp(log_density(nodes) - peak)))
    return Distribution(lambda v: log_density(v) - (peak + np.log(mass)), low, high)


NAMED: dict[str, Callable[[], Distribution]] = {
    "gaussian": gaussian,
    "scale-mixture": scale_mixture,
    "uniform": lambda: soft_uniform(-1.0, 1.0),
    "logistic": logistic,
    "bimodal": bimodal,
}


def distribution(given: str | Function | Distribution) -> Distribution:
    """By name, as an unnormalised log density, or as it is."""
    if isinstance(given, Distribution):
        return given
    if isinstance(given, str):
        if given not in NAMED:
            raise InputError(f"Got the distribution {given!r}; expected one of {', '.join(NAMED)}, or a log density.")
        return NAMED[given]()
    return tabulated(given)
