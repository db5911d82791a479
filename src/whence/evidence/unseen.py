"""A third world, of laws and mechanisms that neither half has: nothing is fitted to it, choices are judged by it.

Effects here are counts, waiting times, growth, equilibria, regimes, thresholds: noise is part of the law of the effect
rather than a term of its own. What recording does to columns is the same as in the halves.
"""

from collections.abc import Callable

import numpy as np

from whence.datasets.classic import Columns
from whence.evidence.ingredients import Random
from whence.evidence.world import recorded_pair
from whence.pair import FloatArray, standardise

LAWS: tuple[Callable[[Random, int], FloatArray], ...] = (
    lambda rng, n: rng.weibull(rng.uniform(0.8, 4), n),
    lambda rng, n: rng.logistic(size=n),
    lambda rng, n: rng.gumbel(size=n),
    lambda rng, n: rng.triangular(0, rng.uniform(0, 1), 1, n),
    lambda rng, n: np.maximum(rng.normal(rng.uniform(-0.5, 2), 1, n), 1e-3 * rng.random(n)),
    lambda rng, n: np.sin(rng.uniform(0.5, 3) * rng.random(n) + rng.uniform(0, 3)) + 0.1 * rng.logistic(size=n),
    lambda rng, n: rng.binomial(30, 0.3, n) + rng.random(n),
)


def law(rng: Random, n: int) -> FloatArray:
    """A column of a random law."""
    column = standardise(LAWS[rng.integers(len(LAWS))](rng, n) + 1e-6 * rng.standard_normal(n))
    return -column if rng.random() < 0.5 else column


def curve(rng: Random, u: FloatArray) -> FloatArray:
    """A function of one column: waves, saturation, steps, a cubic; standardised."""
    kind = rng.integers(4)
    low = u - u.min()
    if kind == 0:
        f = np.sin(rng.uniform(0.4, 2.0) * u + rng.uniform(0, 6)) + rng.normal(0, 0.5) * u
    elif kind == 1:
        power = rng.uniform(1, 3)
        f = low**power / (rng.uniform(0.3, 3) ** power + low**power)
    elif kind == 2:
        edges, heights = rng.normal(size=4), rng.normal(size=4)
        f = (heights * np.tanh(rng.uniform(1, 6) * (u[:, None] - edges))).sum(axis=1)
    else:
        f = rng.normal() * u + rng.normal(0, 0.5) * u**2 + rng.normal(0, 0.2) * u**3
    return standardise(f + 1e-6 * u)


def counts(rng: Random, u: FloatArray) -> FloatArray:
    """Poisson numbers with a log-linear rate; at times more spread than that."""
    rate = np.exp(rng.uniform(0.5, 5) + rng.uniform(0.2, 1.2) * curve(rng, u))
    spread = rng.gamma(4.0, 0.25, len(u)) if rng.random() < 0.5 else 1.0
    return rng.poisson(np.minimum(rate * spread, 1e6)).astype(float)


def waiting(rng: Random, u: FloatArray) -> FloatArray:
    """Weibull times whose scale depends on the cause."""
    return np.asarray(np.exp(rng.uniform(0.3, 1.5) * curve(rng, u)) * rng.weibull(rng.uniform(0.8, 5), len(u)))


def growth(rng: Random, u: FloatArray) -> FloatArray:
    """Many small multiplicative steps at a rate that depends on the cause, towards a ceiling."""
    v, rate = np.full(len(u), 0.1), 0.15 * np.exp(rng.uniform(0.2, 0.8) * curve(rng, u))
    shake = rng.uniform(0.02, 0.3)
    for _ in range(int(rng.integers(10, 40))):
        v = np.clip(v + rate * v * (1 - v) + shake * v * (1 - v) * law(rng, len(u)), 1e-4, 1.0)
    return v


def equilibrium(rng: Random, u: FloatArray) -> FloatArray:
    """The y that solves y = f(x) + a·tanh(b·y) + noise."""
    drive, a, b = curve(rng, u) + np.exp(rng.uniform(-2, 1)) * law(rng, len(u)), rng.uniform(-0.9, 0.9), 1.0
    y = drive.copy()
    for _ in range(60):
        y = drive + a * np.tanh(b * y)
    return y


def regimes(rng: Random, u: FloatArray) -> FloatArray:
    """One of two curves, the chance of the second depending on the cause."""
    second = rng.random(len(u)) < 1 / (1 + np.exp(-rng.uniform(0.5, 3) * u + rng.normal()))
    noise = np.exp(rng.uniform(-2, 0.5)) * law(rng, len(u))
    return np.where(second, curve(rng, u) + rng.normal(), curve(rng, u)) + noise


def ratio(rng: Random, u: FloatArray) -> FloatArray:
    """Cause over a noisy quantity."""
    top = u - u.min() + np.exp(rng.uniform(-1, 1))
    below = law(rng, len(u))
    return np.asarray(top / (below - below.min() + np.exp(rng.uniform(-1, 1.5))))


def moved_quantiles(rng: Random, u: FloatArray) -> FloatArray:
    """Spread and skewness of the effect both follow the cause."""
    e, tilt = law(rng, len(u)), rng.uniform(0, 0.9) * np.tanh(curve(rng, u))
    return curve(rng, u) + np.exp(rng.uniform(-2, 0.8)) * (e + tilt * np.abs(e))


def ceiling(rng: Random, u: FloatArray) -> FloatArray:
    """The smaller of what the cause allows and of what something else allows."""
    return np.minimum(curve(rng, u), rng.normal() + law(rng, len(u))) + 0.1 * law(rng, len(u))


FAMILIES: dict[str, Callable[[Random, FloatArray], FloatArray]] = {
    "counts": counts,
    "waiting": waiting,
    "growth": growth,
    "equilibrium": equilibrium,
    "regimes": regimes,
    "ratio": ratio,
    "moved_quantiles": moved_quantiles,
    "ceiling": ceiling,
}


def family(rng: Random) -> str:
    """The first thing that is drawn of a pair."""
    return list(FAMILIES)[int(rng.integers(len(FAMILIES)))]


def draw(rng: Random, name: str, plain: bool = False) -> Columns:
    """Cause and effect of one pair of a family."""

    def core(r: Random, n: int) -> Columns:
        cause = law(r, n)
        return cause, FAMILIES[name](r, cause)

    return recorded_pair(rng, core, law, plain)
