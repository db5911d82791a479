"""Mechanisms of the generated world, by name: an effect of cause u and noise e.

In the last third (counts, waiting times, growth, equilibria, regimes, ratios, moving quantiles, ceilings) noise is part
of the law of the effect rather than a term of its own.
"""

from collections.abc import Callable

import numpy as np

from whence.datasets import networks
from whence.datasets.gaussian_process import draw_process
from whence.evidence.ingredients import Random, function, law, positive, warped
from whence.evidence.thirds import Third
from whence.pair import FloatArray, standardise


def mechanism(rng: Random, third: Third, name: str, u: FloatArray, e: FloatArray) -> FloatArray:
    """An effect of cause and noise."""
    return MECHANISMS[name](rng, third, u, e)


def _level(rng: Random) -> float:
    return float(np.exp(rng.uniform(np.log(0.05), np.log(4.0))))


def _additive(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    return function(rng, third, u) + _level(rng) * e


def _scaled(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    return function(rng, third, u) + _level(rng) * positive(rng, third, u) * e


def _multiplied(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    f = function(rng, third, u)
    return (f - f.min() + rng.uniform(0, 0.5)) * (1 + _level(rng) * e)


def _outer(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    v = standardise(_scaled(rng, third, u, e))
    scaled = np.clip(rng.uniform(0.3, 1.5) * v, -8, 8)
    return (np.exp(scaled), np.tanh(scaled), v**3 + rng.uniform(0, 1) * v, warped(rng, v))[rng.integers(4)]


def _network(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    return networks.network(rng, u, np.exp(rng.uniform(-1.5, 0.7)) * e)


def _inside(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    return draw_process(rng, [u, e], [np.exp(rng.uniform(-0.3, 2.2)), np.exp(rng.uniform(0.3, 4.0))])


def _counts(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """Poisson numbers with a log-linear rate; at times more spread than that."""
    rate = np.exp(rng.uniform(0.5, 5) + rng.uniform(0.2, 1.2) * function(rng, third, u))
    spread = rng.gamma(4.0, 0.25, len(u)) if rng.random() < 0.5 else 1.0
    return rng.poisson(np.minimum(rate * spread, 1e6)).astype(float)


def _waiting(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """Weibull times whose scale depends on the cause."""
    times = rng.weibull(rng.uniform(0.8, 5), len(u))
    return np.asarray(np.exp(rng.uniform(0.3, 1.5) * function(rng, third, u)) * times)


def _growth(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """Many small multiplicative steps at a rate that depends on the cause, towards a ceiling."""
    v, rate = np.full(len(u), 0.1), 0.15 * np.exp(rng.uniform(0.2, 0.8) * function(rng, third, u))
    shake = rng.uniform(0.01, 0.2)
    for _ in range(int(rng.integers(10, 40))):
        v = np.clip(v + rate * v * (1 - v) + shake * v * (1 - v) * rng.logistic(size=len(u)), 1e-4, 1.0)
    return v


def _equilibrium(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """The y that solves y = f(x) + a·tanh(y) + noise."""
    drive, a = function(rng, third, u) + np.exp(rng.uniform(-2, 1)) * e, rng.uniform(-0.9, 0.9)
    y = drive
    for _ in range(60):
        y = drive + a * np.tanh(y)
    return y


def _regimes(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """One of two curves, the chance of the second depending on the cause."""
    second = rng.random(len(u)) < 1 / (1 + np.exp(-rng.uniform(0.5, 3) * u + rng.normal()))
    other = function(rng, third, u) + rng.normal()
    return np.where(second, other, function(rng, third, u)) + np.exp(rng.uniform(-2, 0.5)) * e


def _ratio(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """Cause over a noisy quantity."""
    top = u - u.min() + np.exp(rng.uniform(-1, 1))
    return np.asarray(top / (e - e.min() + np.exp(rng.uniform(-1, 1.5))))


def _moved_quantiles(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """Spread and skewness of the effect both follow the cause."""
    tilt = rng.uniform(0, 0.9) * np.tanh(function(rng, third, u))
    return function(rng, third, u) + np.exp(rng.uniform(-2, 0.8)) * (e + tilt * np.abs(e))


def _ceiling(rng: Random, third: Third, u: FloatArray, e: FloatArray) -> FloatArray:
    """The smaller of what the cause allows and of what something else allows."""
    return np.minimum(function(rng, third, u), rng.normal() + e) + 0.1 * law(rng, third, len(u))


MECHANISMS: dict[str, Callable[[Random, Third, FloatArray, FloatArray], FloatArray]] = {
    "additive": _additive,
    "scaled": _scaled,
    "multiplied": _multiplied,
    "outer": _outer,
    "network": _network,
    "inside": _inside,
    "counts": _counts,
    "waiting": _waiting,
    "growth": _growth,
    "equilibrium": _equilibrium,
    "regimes": _regimes,
    "ratio": _ratio,
    "moved_quantiles": _moved_quantiles,
    "ceiling": _ceiling,
}
