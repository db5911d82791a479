"""What measuring does to a pair: (rng, cause, effect) -> (cause, effect)."""

from collections.abc import Callable
from functools import partial

import numpy as np

from whence.datasets.classic import Columns
from whence.datasets.warp import increasing_map
from whence.pair import FloatArray, standardise

Damage = Callable[[np.random.Generator, FloatArray, FloatArray], Columns]
Spoil = Callable[[np.random.Generator, FloatArray], FloatArray]

WHERE = ("cause", "effect", "both")


def spoiled(spoil: Spoil, where: str, rng: np.random.Generator, cause: FloatArray, effect: FloatArray) -> Columns:
    """Apply a one-column damage to cause, effect or both."""
    return (
        spoil(rng, cause) if where in ("cause", "both") else cause,
        spoil(rng, effect) if where in ("effect", "both") else effect,
    )


def rounded(levels: int, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """To the nearest of `levels` values, equally spaced over the middle 98 % of the column; the rest is cut off there.

    Over the full range one outlier would push nearly all rows onto one value.
    """
    low, high = np.quantile(column, [0.01, 0.99])
    step = (high - low) / (levels - 1)
    return np.asarray(low + step * np.clip(np.round((column - low) / step), 0, levels - 1))


def outliers(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A share of the values (at least one) moved by 4 to 8 standard deviations, up or down."""
    hit = rng.permutation(len(column))[: max(1, round(share * len(column)))]
    jump = rng.uniform(4, 8, len(hit)) * rng.choice(np.array([-1.0, 1.0]), len(hit))
    spoilt = column.copy()
    spoilt[hit] += jump * column.std()
    return spoilt


def floored(share: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Censored: the lowest share of the values is reported as the floor."""
    return np.maximum(column, np.quantile(column, share))


def measured(error: float, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """Additive normal error, its standard deviation a share of the column's."""
    return column + error * column.std() * rng.standard_normal(len(column))


def warped(rng: np.random.Generator, column: FloatArray) -> FloatArray:
    """A random increasing map of the standardised column."""
    return increasing_map(rng, standardise(column), 1.0)


def _table() -> dict[str, Damage]:
    spoils: dict[str, tuple[Spoil, tuple[str, ...]]] = {
        **{f"round-{levels}": (partial(rounded, levels), WHERE) for levels in (100, 30, 10, 5)},
        **{f"outliers-{percent}": (partial(outliers, percent / 100), ("both",)) for percent in (1, 3, 10)},
        "floor-20": (partial(floored, 0.2), WHERE),
        "error-20": (partial(measured, 0.2), ("cause",)),
        "warp": (warped, ("both",)),
    }
    return {
        f"{name}-{where}": partial(spoiled, spoil, where)
        for name, (spoil, places) in spoils.items()
        for where in places
    }


DAMAGES: dict[str, Damage] = _table()
