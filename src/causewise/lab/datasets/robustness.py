"""The robustness grid: named cells `grid/<axis>/<cell>`, each a generator, one axis varied at a time.

The axes: laws of cause and noise, signal-to-noise ratio, rows, mechanism, damage (what measuring does to a pair),
breaks (assumptions that do not hold), variance (whether the conditional variances mislead). The label stays right in
all of them, since the cause does act on the effect; what should fall is a method's confidence.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from causewise.lab.datasets.laws import CAUSE_LAWS, NOISE_LAWS, Columns, Law, PairLaw, any_of
from causewise.lab.datasets.mechanisms import (
    LADDER,
    LEVEL,
    Mechanism,
    additive,
    increasing_map,
    location_scale,
    positive,
    smooth,
)
from causewise.lab.datasets.sampling import Generator
from causewise.pair import FloatArray, standardise

Damage = Callable[[np.random.Generator, FloatArray, FloatArray], Columns]
ColumnDamage = Callable[[np.random.Generator, FloatArray], FloatArray]

SIGNAL_TO_NOISE = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Variance of the location over that of the noise."""
ROWS = (50, 100, 250, 500, 1000, 2500, 5000)
WHERE = ("cause", "effect", "both")


def base_pair(
    cause: Law | None, noise: Law | None, mechanism: Mechanism, level: float, rng: np.random.Generator, n: int
) -> Columns:
    """A pair without damage or broken assumption; a law that is None is drawn from the grid's list for every pair."""
    x = cause(rng, n) if cause else any_of(CAUSE_LAWS, rng, n)
    e = noise(rng, n) if noise else any_of(NOISE_LAWS, rng, n)
    return x, mechanism(rng, x, e, level)


# Random laws of cause and noise, because marginals alone must not give the answer away.
BASE: PairLaw = partial(base_pair, None, None, location_scale, LEVEL)

# ---- damage: what measuring does to a pair


def damaged(damage: Damage, rng: np.random.Generator, n: int) -> Columns:
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


def rounded(levels: int, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """To the nearest of `levels` values, equally spaced over the middle 98 % of the column; the rest is clipped."""
    # Over the full range one outlier would push nearly all rows onto one value.
    low, high = np.quantile(column, [0.01, 0.99])
    step = (high - low) / (levels - 1)
    return np.asarray(low + step * np.clip(np.round((column - low) / step), 0, levels - 1))


def outliers(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A share of the values (at least one) moved by 4 to 8 standard deviations, up or down."""
    hit = rng.permutation(len(column))[: max(1, round(share * len(column)))]
    jump = rng.uniform(4, 8, len(hit)) * rng.choice(np.array([-1.0, 1.0]), len(hit))
    moved = column.copy()
    moved[hit] += jump * column.std()
    return moved


def floored(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Censored: the lowest share of the values is reported as the floor."""
    return np.maximum(column, np.quantile(column, share))


def measured(error: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Additive normal error, its standard deviation a share of the column's."""
    return column + error * column.std() * rng.standard_normal(len(column))


def warped(rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A random increasing map of the standardised column."""
    return increasing_map(rng, standardise(column), 1.0)


def _damages() -> dict[str, Damage]:
    of_a_column: dict[str, tuple[ColumnDamage, tuple[str, ...]]] = {
        **{f"round-{levels}": (partial(rounded, levels), WHERE) for levels in (100, 30, 10, 5)},
        **{f"outliers-{percent}": (partial(outliers, percent / 100), ("both",)) for percent in (1, 3, 10)},
        "floor-20": (partial(floored, 0.2), WHERE),
        "error-20": (partial(measured, 0.2), ("cause",)),
        "warp": (warped, ("both",)),
    }
    return {
        f"{name}-{where}": partial(damage_columns, damage, where)
        for name, (damage, places) in of_a_column.items()
        for where in places
    }


DAMAGES: dict[str, Damage] = _damages()

# ---- breaks: hidden common cause, hidden steps, selection, mixture


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


BREAKS: dict[str, PairLaw] = {
    **{f"confounder-{strength:g}": partial(confounded, strength) for strength in (0.25, 0.5, 1.0, 2.0)},
    **{f"mediator-{steps}": partial(mediated, steps) for steps in (1, 2, 3)},
    "selection": selected,
    "mixture": partial(mixed, 0.3),
}

# ---- variance: pairs whose conditional variances point the wrong way, or the right one


def variance_ordered(misleading: bool, rng: np.random.Generator, n: int) -> Columns:
    """Standardised, Var(X|Y) < Var(Y|X) when misleading and > when not (Sun & Schulte): drawn until it is so."""
    # Either order occurs in about half of the draws, so the last of 1000 is a wrong one with probability 2⁻¹⁰⁰⁰.
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
    # Steep sigmoid plus line: near one-to-one, so that neither order of the conditional variances is rare.
    location = standardise(cause + rng.uniform(0, 2) * np.tanh(rng.uniform(1, 4) * (cause - rng.uniform(-1, 1))))
    return cause, location + rng.uniform(0.2, 0.8) * positive(rng, cause) * noise


# ---- the cells


def cells() -> tuple[Generator, ...]:
    """Every cell of the grid."""
    with_laws = (
        _cell("laws", f"{c}-{e}", partial(base_pair, cause, noise, location_scale, LEVEL), f"{c} cause, {e} noise")
        for c, cause in CAUSE_LAWS.items()
        for e, noise in NOISE_LAWS.items()
    )
    return (*with_laws, *_base_cells(), *_hard_cells())


def _base_cells() -> list[Generator]:
    """A base pair with another noise level, number of rows or mechanism."""

    def at(ratio: float) -> PairLaw:
        return partial(base_pair, None, None, location_scale, float(ratio**-0.5))

    return [
        *(_cell("noise", f"snr-{r:g}", at(r), f"signal-to-noise ratio {r:g}") for r in SIGNAL_TO_NOISE),
        *(_cell("rows", f"{n}", BASE, f"{n} rows", fixed_rows=n) for n in ROWS),
        *(
            _cell("mechanism", name, partial(base_pair, None, None, mechanism, LEVEL), f"mechanism {name}")
            for name, mechanism in LADDER.items()
        ),
    ]


def _hard_cells() -> list[Generator]:
    """Damage, broken assumptions, misleading variances."""
    return [
        *(_cell("damage", name, partial(damaged, damage), f"damage {name}") for name, damage in DAMAGES.items()),
        *(_cell("breaks", name, draw, f"assumption broken by {name}") for name, draw in BREAKS.items()),
        *(
            _cell("variance", name, partial(variance_ordered, name == "misleading"), f"conditional variance {name}")
            for name in ("misleading", "helpful")
        ),
    ]


def _cell(axis: str, name: str, draw: PairLaw, title: str, fixed_rows: int | None = None) -> Generator:
    # Cells of one axis share their random streams: pair i of two cells starts from the same numbers.
    return Generator(f"grid/{axis}/{name}", title, draw, stream=f"grid/{axis}", fixed_rows=fixed_rows)
