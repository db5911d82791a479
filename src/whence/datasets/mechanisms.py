"""The ladder of mechanisms of the robustness grid: (rng, cause, noise, level) -> effect.

Cause and noise have variance about 1. `level` is the standard deviation of the noise where the signal has 1.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from whence.datasets import networks
from whence.datasets.gaussian_process import draw_process
from whence.datasets.warp import increasing_map
from whence.pair import FloatArray, standardise

Mechanism = Callable[[np.random.Generator, FloatArray, FloatArray, float], FloatArray]

LENGTH = 1.5
"""Length scale of location and scale functions, in standard deviations of the cause."""
SPREAD = 0.8
"""Standard deviation of the logarithm of a scale function: a factor of 5 between −1 and +1 standard deviation."""


def smooth(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """A random smooth function of the cause, standardised over the sample."""
    return standardise(draw_process(rng, [cause], [LENGTH]))


def positive(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """A random smooth positive function, mean square 1."""
    scale = np.exp(SPREAD * smooth(rng, cause))
    return np.asarray(scale / np.sqrt(np.mean(scale**2)))


def additive(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float) -> FloatArray:
    """ANM: f(x) + e."""
    return smooth(rng, cause) + level * noise


def location_scale(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float) -> FloatArray:
    """LSNM: f(x) + g(x)·e."""
    return smooth(rng, cause) + level * positive(rng, cause) * noise


def multiplicative(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float) -> FloatArray:
    """f(x)·(1 + e), f > 0."""
    return positive(rng, cause) * (1 + level * noise)


def cube(value: FloatArray) -> FloatArray:
    """v³."""
    return np.asarray(value**3)


OUTER: dict[str, Callable[[FloatArray], FloatArray]] = {"exp": np.exp, "cube": cube, "tanh": np.tanh}


def post_nonlinear(
    outer: str, rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float
) -> FloatArray:
    """PNL: h(f(x) + e)."""
    return OUTER[outer](additive(rng, cause, noise, level))


def post_nonlinear_location_scale(
    rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float
) -> FloatArray:
    """h(f(x) + g(x)·e), h one of the three outer maps at random."""
    outer = OUTER[list(OUTER)[rng.integers(len(OUTER))]]
    return outer(location_scale(rng, cause, noise, level))


def quantile_surface(
    rank: int, rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float
) -> FloatArray:
    """f(x) + Σⱼ gⱼ(x)·bⱼ(e) with gⱼ > 0 and bⱼ increasing, so quantiles never cross; rank 1 is an LSNM."""
    total = smooth(rng, cause)
    for _ in range(rank):
        total = total + level / np.sqrt(rank) * positive(rng, cause) * standardise(increasing_map(rng, noise, 0.7))
    return total


def network(rng: np.random.Generator, cause: FloatArray, noise: FloatArray, level: float) -> FloatArray:
    """A random network of cause and noise; at the default level of 0.4 the noise enters with standard deviation 1."""
    return networks.network(rng, cause, 2.5 * level * noise)


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
