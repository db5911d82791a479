"""The robustness grid: named cells `grid/<axis>/<cell>`, each a generator.

One axis varies at a time. Unless the axis says otherwise a pair is a location-scale mechanism with noise level 0.4
whose cause law and noise law are drawn at random, because marginals alone must not give the answer away. Cells of one
axis share their random streams: pair i of two cells starts from the same numbers.
"""

from functools import partial

import numpy as np

from whence.datasets.breaks import BREAKS, LEVEL, recipe, variance_trap
from whence.datasets.classic import Columns, Draw
from whence.datasets.damage import DAMAGES, Damage
from whence.datasets.laws import CAUSE_LAWS, NOISE_LAWS
from whence.datasets.mechanisms import LADDER, location_scale
from whence.datasets.recipes import Generator

SIGNAL_TO_NOISE = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Variance of the location over that of the noise."""
ROWS = (50, 100, 250, 500, 1000, 2500, 5000)

_BASE = partial(recipe, None, None, location_scale, LEVEL)


def cells() -> tuple[Generator, ...]:
    """Every cell of the grid."""
    return (*_laws(), *_noise(), *_rows(), *_mechanisms(), *_damages(), *_breaks(), *_variance())


def _cell(axis: str, name: str, draw: Draw, title: str, fixed_rows: int | None = None) -> Generator:
    return Generator(f"grid/{axis}/{name}", title, draw, stream=f"grid/{axis}", fixed_rows=fixed_rows)


def _laws() -> list[Generator]:
    return [
        _cell("laws", f"{c}-{e}", partial(recipe, cause, noise, location_scale, LEVEL), f"{c} cause, {e} noise")
        for c, cause in CAUSE_LAWS.items()
        for e, noise in NOISE_LAWS.items()
    ]


def _noise() -> list[Generator]:
    return [
        _cell(
            "noise",
            f"snr-{ratio:g}",
            partial(recipe, None, None, location_scale, float(ratio**-0.5)),
            f"signal-to-noise ratio {ratio:g}",
        )
        for ratio in SIGNAL_TO_NOISE
    ]


def _rows() -> list[Generator]:
    return [_cell("rows", f"{n}", _BASE, f"{n} rows", fixed_rows=n) for n in ROWS]


def _mechanisms() -> list[Generator]:
    return [
        _cell("mechanism", name, partial(recipe, None, None, mechanism, LEVEL), f"mechanism {name}")
        for name, mechanism in LADDER.items()
    ]


def _damages() -> list[Generator]:
    return [_cell("damage", name, partial(_damaged, damage), f"damage {name}") for name, damage in DAMAGES.items()]


def _damaged(damage: Damage, rng: np.random.Generator, n: int) -> Columns:
    cause, effect = _BASE(rng, n)
    return damage(rng, cause, effect)


def _breaks() -> list[Generator]:
    return [_cell("breaks", name, draw, f"assumption broken by {name}") for name, draw in BREAKS.items()]


def _variance() -> list[Generator]:
    return [
        _cell("variance", name, partial(variance_trap, name == "misleading"), f"conditional variance {name}")
        for name in ("misleading", "helpful")
    ]
