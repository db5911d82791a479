"""Laws of causes and of noise that the held-out simulators share, and the types of what they draw."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

FloatArray = NDArray[np.float64]
Columns = tuple[FloatArray, FloatArray]
Draw = Callable[[np.random.Generator, int], Columns]
Rng = np.random.Generator


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """A log-uniform number."""
    return float(np.exp(rng.uniform(math.log(low), math.log(high))))


def toss(rng: Rng) -> float:
    """One or minus one."""
    return float(rng.choice((-1.0, 1.0)))


def one_of(rng: Rng, *draws: Draw) -> Draw:
    """Any of several families."""
    return draws[rng.integers(len(draws))]


def positive(rng: Rng, n: int, spread: float) -> FloatArray:
    """A positive law around one: log-normal, gamma, Weibull, uniform design, or two log-normal groups."""
    shift = spread * rng.uniform(1.0, 2.0) * (rng.random(n) < rng.uniform(0.2, 0.8))
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.lognormal(0.0, spread, n),
        lambda: rng.gamma(1 / spread**2, spread**2, n),
        lambda: rng.weibull(1.2 / spread, n),
        lambda: rng.uniform(math.exp(-2 * spread), 2.0, n),
        lambda: rng.lognormal(shift - spread / 2, spread / 2),
    )
    return laws[rng.integers(len(laws))]()


def on_line(rng: Rng, n: int) -> FloatArray:
    """A law on the line of about unit size: normal, uniform, beta, two groups, truncated normal or skewed."""
    groups = rng.uniform(0.6, 1.6) * np.where(rng.random(n) < rng.uniform(0.25, 0.75), 1.0, -1.0)
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.normal(size=n),
        lambda: rng.uniform(-1.7, 1.7, n),
        lambda: 5 * beta(rng, n, 0.6, 3) - 2.5,
        lambda: groups + rng.normal(0.0, rng.uniform(0.3, 0.7), n),
        lambda: stats.truncnorm.rvs(rng.uniform(-2, -0.3), rng.uniform(0.5, 2), size=n, random_state=rng),
        lambda: toss(rng) * (rng.gamma(2.0, 0.7, n) - 1.4),
    )
    return np.asarray(laws[rng.integers(len(laws))](), float)


def beta(rng: Rng, n: int, low: float, high: float) -> FloatArray:
    """A beta law with both shapes drawn from a range."""
    return rng.beta(rng.uniform(low, high), rng.uniform(low, high), n)


def shares(rng: Rng, n: int, mean: float, size: float) -> FloatArray:
    """Shares between nought and one around a mean, the closer to it the larger the size."""
    return rng.beta(size * mean, size * (1 - mean), n)


def scatter(rng: Rng, n: int, low: float, high: float) -> FloatArray:
    """Multiplicative scatter whose log has a deviation drawn from a range."""
    return rng.lognormal(0.0, log_uniform(rng, low, high), n)


def with_noise(rng: Rng, signal: FloatArray, low: float, high: float) -> FloatArray:
    """The signal with normal measurement noise, a share of the signal's deviation drawn from a range."""
    return signal + log_uniform(rng, low, high) * np.std(signal) * rng.normal(size=len(signal))


def hill(x: FloatArray, half: float | FloatArray, power: float | FloatArray) -> FloatArray:
    """Hill's curve xᵖ / (hᵖ + xᵖ)."""
    return np.asarray(special.expit(power * np.log(np.maximum(x, 1e-12) / half)))
