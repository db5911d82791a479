"""Families of cause-effect pairs to which nothing is fitted: they evaluate the default method and nothing else.

Simulators of other papers, differential equations, thresholds, and models of biology, economics and engineering, each
with the parameters of its mechanism drawn anew for every pair and with columns in native units. No family may be
changed because of how a method does on it.
"""

import math
from collections.abc import Mapping
from zlib import crc32

import numpy as np

from training.held_out_laws import Columns, Draw, FloatArray, Rng, log_uniform
from training.held_out_nature import (
    allometry,
    dose_response,
    epidemic,
    functional_response,
    gene_cascade,
    gene_hill,
    neuron,
    stock_recruitment,
)
from training.held_out_papers import (
    carefl_lsnm,
    forest,
    noisy_network,
    quantile_surface,
    random_coefficients,
    regime,
    sensor,
    skewed_scale,
    velocity_flow,
)
from training.held_out_works import household, market, physics, queue, runoff, turbine

ROUNDED = 0.2
"""Share of the pairs that are read off an instrument of finite resolution."""
COMMONEST = 0.8
"""No single value may fill more than this share of a column."""
LARGEST = 1e100
ATTEMPTS = 200


def sound(column: FloatArray) -> bool:
    """Whether a column is finite and varies."""
    if not np.all(np.abs(column) < LARGEST):
        return False
    counts = np.unique(column, return_counts=True)[1]
    return bool(len(counts) > 1 and counts.max() <= COMMONEST * len(column))


def settled(draw: Draw) -> Draw:
    """The same family, drawn again until both columns are sound."""

    def again(rng: Rng, n: int) -> Columns:
        for _ in range(ATTEMPTS):
            with np.errstate(all="ignore"):
                cause, effect = draw(rng, n)
            if sound(cause) and sound(effect):
                return cause, effect
        raise RuntimeError(
            f"{ATTEMPTS} draws gave no two columns that vary; check the ranges of the family's parameters"
        )

    return again


def measured(draw: Draw) -> Draw:
    """The same family, with a fifth of the pairs read off an instrument: one column or both."""

    def read(rng: Rng, n: int) -> Columns:
        cause, effect = draw(rng, n)
        if rng.random() >= ROUNDED:
            return cause, effect
        which = rng.integers(3)
        return (cause if which == 1 else rounded(rng, cause)), (effect if which == 2 else rounded(rng, effect))

    return settled(read)


def rounded(rng: Rng, column: FloatArray) -> FloatArray:
    """The column in steps of 1, 2 or 5 times a power of ten, from about five to the interquartile range upwards."""
    width = float(np.subtract(*np.quantile(column, (0.75, 0.25)))) or float(np.std(column))
    if not 0 < width < LARGEST:
        return column
    exponent, part = divmod(math.log10(width / log_uniform(rng, 5, 60)), 1)
    step = 10**exponent * max(digit for digit in (1, 2, 5) if digit <= 10**part + 1e-9)
    return np.asarray(np.round(column / step) * step)


def draw_pairs(
    table: Mapping[str, Draw], family: str, count: int, seed: int, rows: tuple[int, int] = (200, 1500)
) -> list[tuple[FloatArray, FloatArray, int]]:
    """Pairs of a family in random column order with truth ±1; pair i depends on (seed, family, i) and `rows` only."""
    return [_numbered(table[family], _stream(seed, family, i), rows) for i in range(count)]


def pairs(
    family: str, count: int, seed: int, rows: tuple[int, int] = (200, 1500)
) -> list[tuple[FloatArray, FloatArray, int]]:
    """Pairs of one of `FAMILIES`: first column, second column, and +1 where the first causes the second."""
    return draw_pairs(FAMILIES, family, count, seed, rows)


def _stream(seed: int, family: str, i: int) -> Rng:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(crc32(family.encode()), i)))


def _numbered(draw: Draw, rng: Rng, rows: tuple[int, int]) -> tuple[FloatArray, FloatArray, int]:
    n, flip = round(log_uniform(rng, *rows)), rng.random() < 0.5
    cause, effect = draw(rng, n)
    return (effect, cause, -1) if flip else (cause, effect, 1)


_DRAWS: dict[str, Draw] = {
    "gene_hill": gene_hill,
    "gene_cascade": gene_cascade,
    "neuron": neuron,
    "epidemic": epidemic,
    "dose_response": dose_response,
    "allometry": allometry,
    "stock_recruitment": stock_recruitment,
    "functional_response": functional_response,
    "household": household,
    "market": market,
    "physics": physics,
    "turbine": turbine,
    "runoff": runoff,
    "queue": queue,
    "velocity_flow": velocity_flow,
    "quantile_surface": quantile_surface,
    "carefl_lsnm": carefl_lsnm,
    "skewed_scale": skewed_scale,
    "sensor": sensor,
    "regime": regime,
    "random_coefficients": random_coefficients,
    "forest": forest,
    "noisy_network": noisy_network,
}

FAMILIES: dict[str, Draw] = {name: measured(draw) for name, draw in _DRAWS.items()}
