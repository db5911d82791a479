"""Generated pairs that look like recorded data: the only labels from which the combined method has learnt.

A pair is a recipe drawn at random: law of the cause, law of the noise, mechanism, noise level, number of rows; then
what recording does to columns. In real data the marginals carry little of the label, so most pairs lose it here as
well: both columns are warped by random increasing maps, or both are given the order statistics of new random laws, or
the two exchange their marginals. Only then come measurement error, outliers, floors and rounding, on either side with
the same probability.
"""

from collections.abc import Callable

import numpy as np

from whence.datasets import combination, networks, simulated
from whence.datasets.classic import Columns
from whence.datasets.damage import floored, measured, outliers
from whence.datasets.gaussian_process import draw_process
from whence.datasets.laws import CAUSE_LAWS, NOISE_LAWS, any_of, gamma2, random_density
from whence.datasets.warp import increasing_map
from whence.pair import FloatArray, Pair, standardise

Random = np.random.Generator
ROWS = (60, 1600)


def draw(rng: Random, plain: bool = False) -> Columns:
    """Cause and effect of one pair of the world; a plain one keeps its marginals."""
    low, high = ROWS
    n = int(np.exp(rng.uniform(np.log(low), np.log(high))))
    while True:
        cause, effect = _core(rng, n)
        if np.isfinite(cause).all() and np.isfinite(effect).all() and np.std(cause) > 0 and np.std(effect) > 0:
            cause, effect = standardise(cause), standardise(effect)
            if not plain:
                cause, effect = remarginalised(rng, cause, effect)
            if not plain or rng.random() < 0.3:
                cause, effect = recorded(rng, cause, effect)
            if _valid(cause, effect):
                return cause, effect


def law(rng: Random, n: int) -> FloatArray:
    """A column of a random law, mean 0 and variance 1."""
    kind = rng.integers(8)
    if kind == 0:
        column = random_density(rng, n, rng.gamma(5.0, 0.1 * rng.uniform(0.5, 3)))
    elif kind == 1:
        column = any_of(CAUSE_LAWS, rng, n)
    elif kind == 2:
        column = any_of(NOISE_LAWS, rng, n)
    elif kind == 3:
        column = rng.gamma(np.exp(rng.uniform(-0.5, 3)), size=n) if rng.random() < 0.5 else gamma2(rng, n)
    elif kind == 4:
        column = rng.beta(np.exp(rng.uniform(-0.7, 2)), np.exp(rng.uniform(-0.7, 2)), n)
    elif kind == 5:
        k = int(rng.integers(2, 5))
        which = rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0)))
        column = (rng.normal(0, 2, k))[which] + np.exp(rng.normal(-0.3, 0.5, k))[which] * rng.standard_normal(n)
    elif kind == 6:
        column = np.sinh((np.arcsinh(rng.standard_normal(n)) + rng.normal(0, 0.5)) * np.exp(rng.normal(0.1, 0.25)))
    else:
        column = rng.standard_normal(n)
    column = standardise(column + 1e-6 * rng.standard_normal(n))
    return -column if rng.random() < 0.5 else column


def function(rng: Random, u: FloatArray) -> FloatArray:
    """A random function of one column, standardised; monotone more often than not."""
    kind = rng.integers(9)
    a, b = rng.normal(0, 1), np.exp(rng.uniform(-0.7, 1.5))
    if kind <= 2:
        f = draw_process(rng, [u], [np.exp(rng.uniform(-0.5, 2.0))])
    elif kind <= 4:
        f = increasing_map(rng, u, np.exp(rng.uniform(-0.5, 1.5)))
    elif kind == 5:
        inner = b * (u - a)
        f = inner / (1 + np.abs(inner)) + rng.uniform(0, 0.3) * u
    elif kind == 6:
        w = u - u.min() + np.exp(rng.uniform(-3, 1))
        f = np.log(w) if rng.random() < 0.5 else w ** rng.uniform(0.3, 2.5)
    elif kind == 7:
        f = np.maximum(u - a, 0) * b + rng.normal(0, 0.5) * u if rng.random() < 0.5 else (u - a) ** 2 + rng.normal() * u
    else:
        f = u.copy()
    return standardise(f + 1e-9 * u) if np.std(f) > 1e-9 else u


def positive(rng: Random, u: FloatArray) -> FloatArray:
    """A random positive function with mean square 1."""
    g = np.exp(rng.uniform(0.2, 1.0) * function(rng, u))
    return np.asarray(g / np.sqrt(np.mean(g**2)))


def mechanism(rng: Random, u: FloatArray, e: FloatArray) -> FloatArray:
    """An effect of cause and noise."""
    kind = rng.integers(10)
    level = np.exp(rng.uniform(np.log(0.05), np.log(4.0)))
    if kind <= 1:
        return function(rng, u) + level * e
    if kind <= 4:
        return function(rng, u) + level * positive(rng, u) * e
    if kind == 5:
        f = function(rng, u)
        return (f - f.min() + rng.uniform(0, 0.5)) * (1 + level * e)
    if kind == 6:
        return _outer(rng, standardise(function(rng, u) + level * positive(rng, u) * e))
    if kind == 7:
        return networks.network(rng, u, np.exp(rng.uniform(-1.5, 0.7)) * e)
    lengths = [np.exp(rng.uniform(-0.3, 2.2)), np.exp(rng.uniform(0.3, 4.0))]
    return draw_process(rng, [u, e], lengths)


def remarginalised(rng: Random, cause: FloatArray, effect: FloatArray) -> Columns:
    """Take the label out of the marginals, more or less thoroughly."""
    kind = rng.random()
    if kind < 0.2:
        return cause, effect
    if kind < 0.45:
        return _warped(rng, cause), _warped(rng, effect)
    if kind < 0.8:
        return ordered_like(cause, law(rng, len(cause))), ordered_like(effect, law(rng, len(effect)))
    return ordered_like(cause, effect), ordered_like(effect, cause)


def ordered_like(column: FloatArray, values: FloatArray) -> FloatArray:
    """The values, in the order of the column."""
    out = np.empty_like(column)
    out[np.argsort(column, kind="stable")] = np.sort(values)
    return out


def recorded(rng: Random, cause: FloatArray, effect: FloatArray) -> Columns:
    """What measuring and writing down does, drawn anew for each column."""
    if rng.random() < 0.4:
        cause, effect = (measured(rng.gamma(2.0, 0.07), rng, column) for column in (cause, effect))
    if rng.random() < 0.1:
        cause, effect = (outliers(rng.uniform(0.002, 0.03), rng, column) for column in (cause, effect))
    if rng.random() < 0.65:
        cause, effect = (_coarse(rng, column) for column in (cause, effect))
    return cause, effect


def labelled(rng: Random, plain: bool = False) -> tuple[Pair, int]:
    """A pair in random order of columns, and +1 if the first causes the second."""
    cause, effect = draw(rng, plain)
    return (Pair.of(cause, effect), 1) if rng.random() < 0.5 else (Pair.of(effect, cause), -1)


def _core(rng: Random, n: int) -> Columns:
    kind = rng.random()
    if kind < 0.3:
        return _published(rng, n)
    cause = law(rng, n)
    if kind < 0.38:  # a hidden common cause beside the effect of one on the other
        hidden, share = law(rng, n), rng.uniform(0.2, 1.0)
        cause = standardise(cause + share * function(rng, hidden))
        return cause, standardise(mechanism(rng, cause, law(rng, n))) + share * function(rng, hidden)
    effect = mechanism(rng, cause, law(rng, n))
    if kind < 0.45:  # a hidden step between
        effect = mechanism(rng, standardise(effect), law(rng, n))
    return cause, effect


def _published(rng: Random, n: int) -> Columns:
    """The recipes of published simulators, with their constants."""
    from whence.datasets import classic

    makers: tuple[Callable[[Random, int], Columns], ...] = (
        lambda r, k: simulated.draw(simulated.SIM, r, k),
        lambda r, k: simulated.draw(simulated.SIMC, r, k),
        lambda r, k: simulated.draw(simulated.SIMLN, r, k),
        lambda r, k: simulated.draw(simulated.SIMG, r, k),
        classic.additive_process,
        classic.additive_sigmoid,
        classic.location_scale_process,
        classic.location_scale_sigmoid,
        classic.multiplicative_uniform,
        combination.draw,
        networks.draw,
    )
    return makers[rng.choice(len(makers), p=np.array([3, 3, 3, 3, 1, 1, 1, 1, 1, 2, 2]) / 21)](rng, n)


def _outer(rng: Random, v: FloatArray) -> FloatArray:
    kind = rng.integers(4)
    scaled = np.clip(rng.uniform(0.3, 1.5) * v, -8, 8)
    return (np.exp(scaled), np.tanh(scaled), v**3 + rng.uniform(0, 1) * v, _warped(rng, v))[kind]


def _warped(rng: Random, column: FloatArray) -> FloatArray:
    return standardise(increasing_map(rng, column, np.exp(rng.uniform(-0.5, 1.0))))


def _coarse(rng: Random, column: FloatArray) -> FloatArray:
    kind = rng.random()
    if kind < 0.1:
        column = floored(rng.uniform(0.02, 0.4), rng, column)
    elif kind < 0.15:
        column = -floored(rng.uniform(0.02, 0.4), rng, -column)
    if rng.random() < 0.85:
        step = (np.quantile(column, 0.99) - np.quantile(column, 0.01)) / np.exp(rng.uniform(np.log(6), np.log(400)))
        if step > 0:
            column = np.round(column / step + rng.uniform(0, 1)) * step
    return column


def _valid(cause: FloatArray, effect: FloatArray) -> bool:
    return min(len(np.unique(cause)), len(np.unique(effect))) >= 4 and not np.array_equal(cause, effect)
