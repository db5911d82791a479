"""A second simulator of pairs that shares no law, function or mechanism with the first (`simulator_a`).

The curves are fitted to the first; how large the log-odds may be is set here, on families they know nothing of.
What was learnt from one simulator holds less in the next, and a confidence has to know by how much.

In these mechanisms (counts, waiting times, growth, equilibria, regimes, ratios, moving quantiles, ceilings) noise is
part of the law of the effect rather than a term of its own.
"""

from collections.abc import Callable

import numpy as np

from causewise.pair import FloatArray, standardise
from training.simulator_a import Columns, Labelled, Random, recorded, usable

ROWS = (60, 2500)


def pair(index: int, seed: int) -> Labelled:
    """Pair `index`; the mechanisms take turns."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
    n = int(np.exp(rng.uniform(*np.log(ROWS))))
    family = list(MECHANISMS)[index % len(MECHANISMS)]
    while True:
        cause, effect = _draw(rng, family, n)
        if usable(cause, effect):
            break
    return Labelled(cause, effect, 1, family) if rng.random() < 0.5 else Labelled(effect, cause, -1, family)


def _draw(rng: Random, family: str, n: int) -> Columns:
    cause = law(rng, n)
    with np.errstate(all="ignore"):
        effect = MECHANISMS[family](rng, cause, law(rng, n))
    return recorded(rng, cause), recorded(rng, effect)


def law(rng: Random, n: int) -> FloatArray:
    """A column of a random law, mean 0 and variance 1."""
    return standardise(LAWS[int(rng.integers(len(LAWS)))](rng, n))


def function(rng: Random, u: FloatArray) -> FloatArray:
    """A random function of one column, standardised."""
    f = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))](rng, u)
    return standardise(f) if np.isfinite(f).all() and np.ptp(f) > 1e-9 else u


def _wave(rng: Random, n: int) -> FloatArray:
    return np.sin(rng.uniform(0.5, 3) * rng.random(n) + rng.uniform(0, 3)) + 0.1 * rng.logistic(size=n)


LAWS: tuple[Callable[[Random, int], FloatArray], ...] = (
    lambda rng, n: rng.weibull(rng.uniform(0.8, 4), n),
    lambda rng, n: rng.logistic(size=n),
    lambda rng, n: rng.gumbel(size=n),
    lambda rng, n: rng.triangular(0, rng.uniform(0, 1), 1, n),
    lambda rng, n: np.maximum(rng.normal(rng.uniform(-0.5, 2), 1, n), 1e-3 * rng.random(n)),
    _wave,
    lambda rng, n: rng.binomial(30, 0.3, n) + rng.random(n),
    lambda rng, n: rng.gamma(np.exp(rng.uniform(0, 2.5)), size=n),
)


def _saturation(rng: Random, u: FloatArray) -> FloatArray:
    power, low = rng.uniform(1, 3), u - u.min()
    return np.asarray(low**power / (rng.uniform(0.3, 3) ** power + low**power))


def _steps(rng: Random, u: FloatArray) -> FloatArray:
    edges, heights = rng.normal(size=4), rng.normal(size=4)
    return np.asarray(np.clip(rng.uniform(1, 6) * (u[:, None] - edges), -1, 1) @ heights)


def _above_zero(rng: Random, u: FloatArray) -> FloatArray:
    return np.asarray(u - u.min() + np.exp(rng.uniform(-2, 1)))


def _hinge(rng: Random, u: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(u - rng.normal(), 0) * np.exp(rng.uniform(-0.7, 1.5)) + rng.normal(0, 0.5) * u)


FUNCTIONS: tuple[Callable[[Random, FloatArray], FloatArray], ...] = (
    lambda rng, u: np.sin(rng.uniform(0.4, 2.0) * u + rng.uniform(0, 6)) + rng.normal(0, 0.5) * u,
    _saturation,
    _steps,
    _hinge,
    lambda rng, u: np.log(_above_zero(rng, u)),
    lambda rng, u: _above_zero(rng, u) ** rng.uniform(0.3, 2.5),
)


def _counts(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """Poisson numbers with a log-linear rate; at times more spread than that."""
    rate = np.exp(rng.uniform(0.5, 5) + rng.uniform(0.2, 1.2) * function(rng, u))
    spread = rng.gamma(4.0, 0.25, len(u)) if rng.random() < 0.5 else 1.0
    return rng.poisson(np.minimum(rate * spread, 1e6)).astype(float)


def _waiting(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """Weibull times whose scale depends on the cause."""
    return np.asarray(np.exp(rng.uniform(0.3, 1.5) * function(rng, u)) * rng.weibull(rng.uniform(0.8, 5), len(u)))


def _growth(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """Many small multiplicative steps at a rate that depends on the cause, towards a ceiling."""
    v, rate = np.full(len(u), 0.1), 0.15 * np.exp(rng.uniform(0.2, 0.8) * function(rng, u))
    shake = rng.uniform(0.01, 0.2)
    for _ in range(int(rng.integers(10, 40))):
        v = np.clip(v + rate * v * (1 - v) + shake * v * (1 - v) * rng.logistic(size=len(u)), 1e-4, 1.0)
    return v


def _equilibrium(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """The y that solves y = f(x) + a·tanh(y) + noise."""
    drive, a = function(rng, u) + np.exp(rng.uniform(-2, 1)) * e, rng.uniform(-0.9, 0.9)
    y = drive
    for _ in range(60):
        y = drive + a * np.tanh(y)
    return y


def _regimes(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """One of two curves, the chance of the second depending on the cause."""
    second = rng.random(len(u)) < 1 / (1 + np.exp(-rng.uniform(0.5, 3) * u + rng.normal()))
    other = function(rng, u) + rng.normal()
    return np.where(second, other, function(rng, u)) + np.exp(rng.uniform(-2, 0.5)) * e


def _ratio(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """Cause over a noisy quantity."""
    return np.asarray((u - u.min() + np.exp(rng.uniform(-1, 1))) / (e - e.min() + np.exp(rng.uniform(-1, 1.5))))


def _moved_quantiles(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """Spread and skewness of the effect both follow the cause."""
    tilt = rng.uniform(0, 0.9) * np.tanh(function(rng, u))
    return function(rng, u) + np.exp(rng.uniform(-2, 0.8)) * (e + tilt * np.abs(e))


def _ceiling(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """The smaller of what the cause allows and of what something else allows."""
    return np.minimum(function(rng, u), rng.normal() + e) + 0.1 * law(rng, len(u))


MECHANISMS: dict[str, Callable[[Random, FloatArray, FloatArray], FloatArray]] = {
    "counts": _counts,
    "waiting": _waiting,
    "growth": _growth,
    "equilibrium": _equilibrium,
    "regimes": _regimes,
    "ratio": _ratio,
    "moved quantiles": _moved_quantiles,
    "ceiling": _ceiling,
}
