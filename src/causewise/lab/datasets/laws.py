"""What the generators are made of: laws of one column, random functions, mechanisms from cause and noise to effect.

Every law has mean 0 and standard deviation 1, so that sizes of noise compare. A mechanism maps (rng, cause, noise,
noise_sd) to the effect; `noise_sd` is the standard deviation of the noise where the signal has 1.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from causewise.numerics.kernel import kernel_factor
from causewise.pair import FloatArray, standardise

Law = Callable[[np.random.Generator, int], FloatArray]
"""Draws n values of one column."""
Columns = tuple[FloatArray, FloatArray]
"""A cause and its effect."""
PairLaw = Callable[[np.random.Generator, int], Columns]
"""Draws n rows of a cause and its effect."""
Mechanism = Callable[[np.random.Generator, FloatArray, FloatArray, float], FloatArray]

TOLERANCE = 1e-9
"""Variance left out at any point, of 1; a standard deviation of 3e-5, below the jitter a dense factor would need."""
HIDDEN = 20
"""Hidden units of a random network."""
LENGTH = 1.5
"""Length scale of location and scale functions, in standard deviations of the cause."""
LOG_SCALE = 0.8
"""Standard deviation of the logarithm of a scale function: a factor of 5 between −1 and +1 standard deviation."""
NOISE_SD = 0.4
"""Of a pair, unless that is what is varied."""

# ---- laws


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


def draw_any(laws: dict[str, Law], rng: np.random.Generator, n: int) -> FloatArray:
    """A sample of one of the laws, chosen at random."""
    names = list(laws)
    return laws[names[rng.integers(len(names))]](rng, n)


def draw_cause(rng: np.random.Generator, n: int) -> FloatArray:
    """A cause of a random law."""
    return draw_any(CAUSE_LAWS, rng, n)


def draw_noise(rng: np.random.Generator, n: int) -> FloatArray:
    """A noise of a random law."""
    return draw_any(NOISE_LAWS, rng, n)


# ---- random functions


def draw_process(rng: np.random.Generator, columns: list[FloatArray], lengths: list[float]) -> FloatArray:
    """One function of the columns, drawn from a Gaussian process with mean 0 and k = exp(−½ Σ (Δ/length)²)."""
    points = np.column_stack([column / length for column, length in zip(columns, lengths, strict=True)])
    # With K ≈ LᵀL a draw is zᵀL, without an n × n matrix. Random Fourier features were rejected: their error falls
    # like 1/√r in the number r of features, that of the factor exponentially.
    factor = kernel_factor(points, TOLERANCE)
    return np.asarray(rng.standard_normal(len(factor)) @ factor)


def increasing_map(rng: np.random.Generator, column: FloatArray, length: float, jitter: float = 0.0) -> FloatArray:
    """The column under a random smooth increasing map, the integral of exp(F) with F a Gaussian process.

    The smallest value becomes 0, and equal values stay equal. `jitter` is the standard deviation of white noise added
    to F.
    """
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    slope = np.exp(draw_process(rng, [ordered], [length]) + jitter * rng.standard_normal(len(column)))
    # The trapezoidal rule between neighbours: the map is needed at the points of the column only.
    steps = (slope[1:] + slope[:-1]) / 2 * np.diff(ordered)
    mapped = np.empty_like(column)
    mapped[order] = np.concatenate(([0.0], np.cumsum(steps)))
    return mapped


def random_network(rng: np.random.Generator, cause: FloatArray, noise: FloatArray) -> FloatArray:
    """One hidden layer of 20 tanh units with N(0, 1) weights and biases, fed with cause and noise."""
    weights = rng.standard_normal((2, HIDDEN))
    hidden = np.tanh(np.outer(cause, weights[0]) + np.outer(noise, weights[1]) + rng.standard_normal(HIDDEN))
    return np.asarray(hidden @ rng.standard_normal(HIDDEN))


def smooth(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """A random smooth function of the cause, standardised over the sample."""
    return standardise(draw_process(rng, [cause], [LENGTH]))


def positive(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """A random smooth positive function, mean square 1."""
    scale = np.exp(LOG_SCALE * smooth(rng, cause))
    return np.asarray(scale / np.sqrt(np.mean(scale**2)))


# ---- mechanisms


def additive(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float) -> FloatArray:
    """ANM: f(x) + e."""
    return smooth(rng, cause) + noise_sd * noise


def location_scale(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float) -> FloatArray:
    """LSNM: f(x) + g(x)·e."""
    return smooth(rng, cause) + noise_sd * positive(rng, cause) * noise


def multiplicative(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float) -> FloatArray:
    """f(x)·(1 + e), f > 0."""
    return positive(rng, cause) * (1 + noise_sd * noise)


def cube(value: FloatArray) -> FloatArray:
    """v³."""
    return np.asarray(value**3)


OUTER: dict[str, Callable[[FloatArray], FloatArray]] = {"exp": np.exp, "cube": cube, "tanh": np.tanh}


def post_nonlinear(
    outer: str, rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float
) -> FloatArray:
    """PNL: h(f(x) + e)."""
    return OUTER[outer](additive(rng, cause, noise, noise_sd))


def post_nonlinear_location_scale(
    rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float
) -> FloatArray:
    """h(f(x) + g(x)·e), h one of the three outer maps at random."""
    outer = OUTER[list(OUTER)[rng.integers(len(OUTER))]]
    return outer(location_scale(rng, cause, noise, noise_sd))


def quantile_surface(
    rank: int, rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float
) -> FloatArray:
    """f(x) + Σⱼ gⱼ(x)·bⱼ(e); rank 1 is an LSNM."""
    total = smooth(rng, cause)
    for _ in range(rank):
        # gⱼ > 0 and bⱼ increasing: the sum increases in e at every x, so quantiles never cross.
        total = total + noise_sd / np.sqrt(rank) * positive(rng, cause) * standardise(increasing_map(rng, noise, 0.7))
    return total


def network(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, noise_sd: float) -> FloatArray:
    """A random network of cause and noise."""
    # At NOISE_SD the noise enters with standard deviation 1, as it does in Net-like.
    return random_network(rng, cause, 2.5 * noise_sd * noise)


LADDER: dict[str, Mechanism] = {
    "anm": additive,
    "lsnm": location_scale,
    "multiplicative": multiplicative,
    "pnl-exp": partial(post_nonlinear, "exp"),
    "pnl-cube": partial(post_nonlinear, "cube"),
    "pnl-tanh": partial(post_nonlinear, "tanh"),
    "pnl-lsnm": post_nonlinear_location_scale,
    "surface-2": partial(quantile_surface, 2),
    "surface-3": partial(quantile_surface, 3),
    "surface-4": partial(quantile_surface, 4),
    "network": network,
}
"""The mechanisms of the robustness grid."""
