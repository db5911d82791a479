"""Pairs that are hard: damaged by measuring, of broken assumptions, of misleading variances; the robustness grid.

The label stays right in all of them, since the cause does act on the effect; what should fall is a method's confidence.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from causewise.lab.datasets.mechanisms import (
    NOISE_SD,
    Columns,
    Law,
    Mechanism,
    PairLaw,
    additive,
    draw_cause,
    draw_noise,
    increasing_map,
    location_scale,
    positive,
    smooth,
)
from causewise.pair import FloatArray, standardise

Damage = Callable[[np.random.Generator, FloatArray, FloatArray], Columns]
ColumnDamage = Callable[[np.random.Generator, FloatArray], FloatArray]

WHERE = ("cause", "effect", "both")


def draw_base(
    cause: Law, noise: Law, mechanism: Mechanism, noise_sd: float, rng: np.random.Generator, n: int
) -> Columns:
    """A pair without damage or broken assumption."""
    x, e = cause(rng, n), noise(rng, n)
    return x, mechanism(rng, x, e, noise_sd)


# Random laws of cause and noise, because marginals alone must not give the answer away.
BASE: PairLaw = partial(draw_base, draw_cause, draw_noise, location_scale, NOISE_SD)

# ---- damage: what measuring does to a pair


def draw_damaged(damage: Damage, rng: np.random.Generator, n: int) -> Columns:
    """A base pair, then the damage."""
    cause, effect = BASE(rng, n)
    return damage(rng, cause, effect)


def damage_columns(
    damage: ColumnDamage, where: str, rng: np.random.Generator, cause: FloatArray, effect: FloatArray
) -> Columns:
    """Apply a one-column damage to cause, effect or both."""
    return (
        damage(rng, cause) if where in ("cause", "both") else cause,
        damage(rng, effect) if where in ("effect", "both") else effect,
    )


def round_column(values: int, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """To the nearest of `values` numbers, equally spaced over the middle 98 % of the column; the rest is clipped."""
    # Over the full range one outlier would push nearly all rows onto one value.
    low, high = np.quantile(column, [0.01, 0.99])
    step = (high - low) / (values - 1)
    return np.asarray(low + step * np.clip(np.round((column - low) / step), 0, values - 1))


def add_outliers(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A share of the values (at least one) moved by 4 to 8 standard deviations, up or down."""
    hit = rng.permutation(len(column))[: max(1, round(share * len(column)))]
    jump = rng.uniform(4, 8, len(hit)) * rng.choice(np.array([-1.0, 1.0]), len(hit))
    moved = column.copy()
    moved[hit] += jump * column.std()
    return moved


def censor(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Censored: the lowest share of the values is reported as the floor."""
    return np.maximum(column, np.quantile(column, share))


def add_error(error: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Additive normal error, its standard deviation a share of the column's."""
    return column + error * column.std() * rng.standard_normal(len(column))


def warp(rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A random increasing map of the standardised column."""
    return increasing_map(rng, standardise(column), 1.0)


def _damages() -> dict[str, Damage]:
    of_a_column: dict[str, tuple[ColumnDamage, tuple[str, ...]]] = {
        **{f"round-{values}": (partial(round_column, values), WHERE) for values in (100, 30, 10, 5)},
        **{f"outliers-{percent}": (partial(add_outliers, percent / 100), ("both",)) for percent in (1, 3, 10)},
        "floor-20": (partial(censor, 0.2), WHERE),
        "error-20": (partial(add_error, 0.2), ("cause",)),
        "warp": (warp, ("both",)),
    }
    return {
        f"{name}-{where}": partial(damage_columns, damage, where)
        for name, (damage, places) in of_a_column.items()
        for where in places
    }


DAMAGES: dict[str, Damage] = _damages()

# ---- breaks: hidden common cause, hidden steps, selection, mixture


def draw_confounded(strength: float, rng: np.random.Generator, n: int) -> Columns:
    """x = u + s·a(z), y = f(x) + g(x)·e + s·b(z): the hidden z has s times the standard deviation of the rest."""
    hidden = rng.standard_normal(n)
    own = draw_cause(rng, n)
    cause = standardise(own + strength * smooth(rng, hidden))
    effect = location_scale(rng, cause, draw_noise(rng, n), NOISE_SD) + strength * smooth(rng, hidden)
    return cause, effect


def draw_mediated(steps: int, rng: np.random.Generator, n: int) -> Columns:
    """x → m₁ → … → y, every link additive with its own noise; the steps between are not observed."""
    cause = current = draw_cause(rng, n)
    for _ in range(steps + 1):
        current = standardise(additive(rng, current, draw_noise(rng, n), NOISE_SD))
    return cause, current


def draw_selected(rng: np.random.Generator, n: int) -> Columns:
    """Only the half of the rows with the larger x + y (both standardised) is seen."""
    cause = draw_cause(rng, 2 * n)
    effect = location_scale(rng, cause, draw_noise(rng, 2 * n), NOISE_SD)
    total = standardise(cause) + standardise(effect)
    seen = np.sort(np.argsort(total, kind="stable")[n:])
    return cause[seen], effect[seen]


def draw_mixture(share: float, rng: np.random.Generator, n: int) -> Columns:
    """Two location-scale mechanisms, the second for a share of the rows."""
    cause = draw_cause(rng, n)
    noise = draw_noise(rng, n)
    first, second = (location_scale(rng, cause, noise, NOISE_SD) for _ in range(2))
    return cause, np.where(rng.uniform(size=n) < share, second, first)


BREAKS: dict[str, PairLaw] = {
    **{f"confounder-{strength:g}": partial(draw_confounded, strength) for strength in (0.25, 0.5, 1.0, 2.0)},
    **{f"mediator-{steps}": partial(draw_mediated, steps) for steps in (1, 2, 3)},
    "selection": draw_selected,
    "mixture": partial(draw_mixture, 0.3),
}

# ---- variance: pairs whose conditional variances point the wrong way, or the right one


def draw_variance_ordered(misleading: bool, rng: np.random.Generator, n: int) -> Columns:
    """Standardised, Var(X|Y) < Var(Y|X) when misleading and > when not (Sun & Schulte): drawn until it is so."""
    # Either order occurs in about half of the draws, so the last of 1000 is a wrong one with probability 2⁻¹⁰⁰⁰.
    for _ in range(1000):
        cause, effect = _draw_near_monotone(rng, n)
        excess = conditional_variance(cause, effect) - conditional_variance(effect, cause)
        if (excess > 0) == misleading:
            break
    return cause, effect


def conditional_variance(cause: FloatArray, effect: FloatArray, bins: int = 20) -> float:
    """E Var(effect | cause) of the standardised columns, over bins of equal count in the cause."""
    ordered = standardise(effect)[np.argsort(cause, kind="stable")]
    return float(np.mean([part.var() * len(part) for part in np.array_split(ordered, bins)]) * bins / len(ordered))


def _draw_near_monotone(rng: np.random.Generator, n: int) -> Columns:
    cause = draw_cause(rng, n)
    noise = draw_noise(rng, n)
    # Steep sigmoid plus line: near one-to-one, so that neither order of the conditional variances is rare.
    location = standardise(cause + rng.uniform(0, 2) * np.tanh(rng.uniform(1, 4) * (cause - rng.uniform(-1, 1))))
    return cause, location + rng.uniform(0.2, 0.8) * positive(rng, cause) * noise
