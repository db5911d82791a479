"""Pairs that break the assumptions: hidden common cause, hidden steps, selection, mixture, misleading variance.

The label stays right in all of them (the cause does act on the effect); what should fall is a method's confidence.
"""

from functools import partial

import numpy as np

from whence.datasets.classic import Columns, Draw
from whence.datasets.laws import CAUSE_LAWS, NOISE_LAWS, Law, any_of
from whence.datasets.mechanisms import Mechanism, additive, location_scale, positive, smooth
from whence.pair import FloatArray, standardise

LEVEL = 0.4


def confounded(strength: float, rng: np.random.Generator, n: int) -> Columns:
    """x = u + s·a(z), y = f(x) + g(x)·e + s·b(z): the hidden z has s times the standard deviation of the rest."""
    hidden = rng.standard_normal(n)
    own = any_of(CAUSE_LAWS, rng, n)
    cause = standardise(own + strength * smooth(rng, hidden))
    effect = location_scale(rng, cause, any_of(NOISE_LAWS, rng, n), LEVEL) + strength * smooth(rng, hidden)
    return cause, effect


def mediated(steps: int, rng: np.random.Generator, n: int) -> Columns:
    """x → m₁ → … → y, every link additive with its own noise; the steps between are not observed."""
    cause = current = any_of(CAUSE_LAWS, rng, n)
    for _ in range(steps + 1):
        current = standardise(additive(rng, current, any_of(NOISE_LAWS, rng, n), LEVEL))
    return cause, current


def selected(rng: np.random.Generator, n: int) -> Columns:
    """Only the half of the rows with the larger x + y (both standardised) is seen."""
    cause = any_of(CAUSE_LAWS, rng, 2 * n)
    effect = location_scale(rng, cause, any_of(NOISE_LAWS, rng, 2 * n), LEVEL)
    total = standardise(cause) + standardise(effect)
    seen = np.sort(np.argsort(total, kind="stable")[n:])
    return cause[seen], effect[seen]


def mixed(share: float, rng: np.random.Generator, n: int) -> Columns:
    """Two location-scale mechanisms, the second for a share of the rows."""
    cause = any_of(CAUSE_LAWS, rng, n)
    noise = any_of(NOISE_LAWS, rng, n)
    first, second = (location_scale(rng, cause, noise, LEVEL) for _ in range(2))
    return cause, np.where(rng.uniform(size=n) < share, second, first)


def variance_trap(misleading: bool, rng: np.random.Generator, n: int) -> Columns:
    """Standardised, Var(X|Y) < Var(Y|X) when misleading and > when not (Sun & Schulte): drawn until it is so.

    The mechanism is steep sigmoid plus line, so that it is near one-to-one and either order occurs in about half of
    the draws; after 1000 vain draws the last is returned, which has a probability of about 2⁻¹⁰⁰⁰.
    """
    for _ in range(1000):
        cause, effect = _near_monotone(rng, n)
        excess = conditional_variance(cause, effect) - conditional_variance(effect, cause)
        if (excess > 0) == misleading:
            break
    return cause, effect


def conditional_variance(cause: FloatArray, effect: FloatArray, bins: int = 20) -> float:
    """E Var(effect | cause) of the standardised columns, over bins of equal count in the cause."""
    ordered = standardise(effect)[np.argsort(cause, kind="stable")]
    return float(np.mean([part.var() * len(part) for part in np.array_split(ordered, bins)]) * bins / len(ordered))


def _near_monotone(rng: np.random.Generator, n: int) -> Columns:
    cause = any_of(CAUSE_LAWS, rng, n)
    noise = any_of(NOISE_LAWS, rng, n)
    location = standardise(cause + rng.uniform(0, 2) * np.tanh(rng.uniform(1, 4) * (cause - rng.uniform(-1, 1))))
    return cause, location + rng.uniform(0.2, 0.8) * positive(rng, cause) * noise


def recipe(
    cause: Law | None, noise: Law | None, mechanism: Mechanism, level: float, rng: np.random.Generator, n: int
) -> Columns:
    """A pair that breaks nothing; a law that is None is drawn from the grid's list, anew for every pair."""
    x = cause(rng, n) if cause else any_of(CAUSE_LAWS, rng, n)
    e = noise(rng, n) if noise else any_of(NOISE_LAWS, rng, n)
    return x, mechanism(rng, x, e, level)


BREAKS: dict[str, Draw] = {
    **{f"confounder-{strength:g}": partial(confounded, strength) for strength in (0.25, 0.5, 1.0, 2.0)},
    **{f"mediator-{steps}": partial(mediated, steps) for steps in (1, 2, 3)},
    "selection": selected,
    "mixture": partial(mixed, 0.3),
}
