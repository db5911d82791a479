"""Laws and functions of the generated world, by name; which third draws which is said in `thirds`."""

from collections.abc import Callable

import numpy as np

from whence.datasets.gaussian_process import draw_process
from whence.datasets.laws import random_density
from whence.datasets.warp import increasing_map
from whence.evidence.thirds import Third
from whence.pair import FloatArray, standardise

Random = np.random.Generator


def pick(rng: Random, weights: dict[str, float]) -> str:
    """A name drawn by weight."""
    shares = np.array(list(weights.values()), dtype=float)
    return list(weights)[int(rng.choice(len(shares), p=shares / shares.sum()))]


def law(rng: Random, third: Third, n: int) -> FloatArray:
    """A column of a random law, mean 0 and variance 1."""
    column = LAWS[pick(rng, third.laws)](rng, n)
    column = standardise(column + 1e-6 * rng.standard_normal(n))
    return -column if rng.random() < 0.5 else column


def function(rng: Random, third: Third, u: FloatArray) -> FloatArray:
    """A random function of one column, standardised."""
    f = FUNCTIONS[pick(rng, third.functions)](rng, u)
    return standardise(f + 1e-9 * u) if np.std(f) > 1e-9 else u


def positive(rng: Random, third: Third, u: FloatArray) -> FloatArray:
    """A random positive function with mean square 1."""
    g = np.exp(rng.uniform(0.2, 1.0) * function(rng, third, u))
    return np.asarray(g / np.sqrt(np.mean(g**2)))


def warped(rng: Random, column: FloatArray) -> FloatArray:
    """A random increasing map of a column."""
    return standardise(increasing_map(rng, column, np.exp(rng.uniform(-0.5, 1.0))))


def _mixture(rng: Random, n: int) -> FloatArray:
    k = int(rng.integers(2, 5))
    which = rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0)))
    return (rng.normal(0, 2, k))[which] + np.exp(rng.normal(-0.3, 0.5, k))[which] * rng.standard_normal(n)


def _arcsinh(rng: Random, n: int) -> FloatArray:
    return np.sinh((np.arcsinh(rng.standard_normal(n)) + rng.normal(0, 0.5)) * np.exp(rng.normal(0.1, 0.25)))


LAWS: dict[str, Callable[[Random, int], FloatArray]] = {
    "density": lambda rng, n: random_density(rng, n, rng.gamma(5.0, 0.1) * rng.uniform(0.5, 3)),
    "gamma": lambda rng, n: rng.gamma(np.exp(rng.uniform(-0.5, 3)), size=n),
    "beta": lambda rng, n: rng.beta(np.exp(rng.uniform(-0.7, 2)), np.exp(rng.uniform(-0.7, 2)), n),
    "mixture": _mixture,
    "arcsinh": _arcsinh,
    "student": lambda rng, n: rng.standard_t(2 * np.exp(rng.uniform(0.4, 1.9)), n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "lognormal": lambda rng, n: np.exp(rng.uniform(0.2, 0.9) * rng.standard_normal(n)),
    "normal": lambda rng, n: rng.standard_normal(n),
    "weibull": lambda rng, n: rng.weibull(rng.uniform(0.8, 4), n),
    "logistic": lambda rng, n: rng.logistic(size=n),
    "gumbel": lambda rng, n: rng.gumbel(size=n),
    "triangular": lambda rng, n: rng.triangular(0, rng.uniform(0, 1), 1, n),
    "censored": lambda rng, n: np.maximum(rng.normal(rng.uniform(-0.5, 2), 1, n), 1e-3 * rng.random(n)),
    "wave": lambda rng, n: np.sin(rng.uniform(0.5, 3) * rng.random(n) + rng.uniform(0, 3)) + 0.1 * rng.logistic(size=n),
    "binomial": lambda rng, n: rng.binomial(30, 0.3, n) + rng.random(n),
}


def _sigmoid(rng: Random, u: FloatArray) -> FloatArray:
    inner = np.exp(rng.uniform(-0.7, 1.5)) * (u - rng.normal())
    return np.asarray(inner / (1 + np.abs(inner)) + rng.uniform(0, 0.3) * u)


def _above_zero(rng: Random, u: FloatArray) -> FloatArray:
    return np.asarray(u - u.min() + np.exp(rng.uniform(-3, 1)))


def _hinge(rng: Random, u: FloatArray) -> FloatArray:
    return np.maximum(u - rng.normal(), 0) * np.exp(rng.uniform(-0.7, 1.5)) + rng.normal(0, 0.5) * u


def _saturation(rng: Random, u: FloatArray) -> FloatArray:
    power, low = rng.uniform(1, 3), u - u.min()
    return np.asarray(low**power / (rng.uniform(0.3, 3) ** power + low**power))


def _steps(rng: Random, u: FloatArray) -> FloatArray:
    edges, heights = rng.normal(size=4), rng.normal(size=4)
    return np.asarray((heights * np.tanh(rng.uniform(1, 6) * (u[:, None] - edges))).sum(axis=1))


FUNCTIONS: dict[str, Callable[[Random, FloatArray], FloatArray]] = {
    "process": lambda rng, u: draw_process(rng, [u], [np.exp(rng.uniform(-0.5, 2.0))]),
    "increasing": lambda rng, u: increasing_map(rng, u, np.exp(rng.uniform(-0.5, 1.5))),
    "sigmoid": _sigmoid,
    "log": lambda rng, u: np.log(_above_zero(rng, u)),
    "power": lambda rng, u: _above_zero(rng, u) ** rng.uniform(0.3, 2.5),
    "hinge": _hinge,
    "square": lambda rng, u: (u - rng.normal()) ** 2 + rng.normal() * u,
    "line": lambda rng, u: u.copy(),
    "sine": lambda rng, u: np.sin(rng.uniform(0.4, 2.0) * u + rng.uniform(0, 6)) + rng.normal(0, 0.5) * u,
    "saturation": _saturation,
    "steps": _steps,
    "cubic": lambda rng, u: rng.normal() * u + rng.normal(0, 0.5) * u**2 + rng.normal(0, 0.2) * u**3,
}
