"""Laws of causes and noises, each with mean 0 and standard deviation 1, so that noise levels compare."""

from collections.abc import Callable

import numpy as np

from causewise.pair import FloatArray

Law = Callable[[np.random.Generator, int], FloatArray]
"""Draws n values of one column."""
Columns = tuple[FloatArray, FloatArray]
"""A cause and its effect."""
PairLaw = Callable[[np.random.Generator, int], Columns]
"""Draws n rows of a cause and its effect."""


def gaussian(rng: np.random.Generator, n: int) -> FloatArray:
    """N(0, 1)."""
    return rng.standard_normal(n)


def uniform(rng: np.random.Generator, n: int) -> FloatArray:
    """U(−√3, √3)."""
    return rng.uniform(-np.sqrt(3), np.sqrt(3), n)


def bimodal(rng: np.random.Generator, n: int) -> FloatArray:
    """Equal mixture of N(−2, 1) and N(2, 1), scaled to variance 1."""
    sign = rng.choice(np.array([-1.0, 1.0]), n)
    return (2.0 * sign + rng.standard_normal(n)) / np.sqrt(5)


def log_normal(rng: np.random.Generator, n: int) -> FloatArray:
    """exp(N(0, ½²)), skewness 1.75."""
    variance = 0.25
    mean = np.exp(variance / 2)
    return (rng.lognormal(0, np.sqrt(variance), n) - mean) / (mean * np.sqrt(np.expm1(variance)))


def student3(rng: np.random.Generator, n: int) -> FloatArray:
    """Student's t with 3 degrees of freedom (variance 3)."""
    return rng.standard_t(3, n) / np.sqrt(3)


def laplace(rng: np.random.Generator, n: int) -> FloatArray:
    """Laplace (variance 2)."""
    return rng.laplace(size=n) / np.sqrt(2)


def exponential(rng: np.random.Generator, n: int) -> FloatArray:
    """Exp(1) − 1."""
    return rng.exponential(size=n) - 1


def skew_normal20(rng: np.random.Generator, n: int) -> FloatArray:
    """Skew-normal with shape 20: δ|u| + √(1−δ²) v with δ = 20/√401."""
    delta = 20 / np.sqrt(401)
    raw = delta * np.abs(rng.standard_normal(n)) + np.sqrt(1 - delta**2) * rng.standard_normal(n)
    return (raw - delta * np.sqrt(2 / np.pi)) / np.sqrt(1 - 2 * delta**2 / np.pi)


def beta_half(rng: np.random.Generator, n: int) -> FloatArray:
    """Beta(½, ½), the arcsine law: more weight at both ends than in the middle (variance 1/8)."""
    return (rng.beta(0.5, 0.5, n) - 0.5) * np.sqrt(8)


def gamma2(rng: np.random.Generator, n: int) -> FloatArray:
    """Γ(2, 1)."""
    return (rng.gamma(2, size=n) - 2) / np.sqrt(2)


CAUSE_LAWS: dict[str, Law] = {
    "gaussian": gaussian,
    "uniform": uniform,
    "bimodal": bimodal,
    "lognormal": log_normal,
    "t3": student3,
}
NOISE_LAWS: dict[str, Law] = {
    "gaussian": gaussian,
    "uniform": uniform,
    "laplace": laplace,
    "t3": student3,
    "exponential": exponential,
    "skewnormal20": skew_normal20,
    "beta": beta_half,
}


def any_of(laws: dict[str, Law], rng: np.random.Generator, n: int) -> FloatArray:
    """A sample of one of the laws, chosen at random."""
    names = list(laws)
    return laws[names[rng.integers(len(names))]](rng, n)
