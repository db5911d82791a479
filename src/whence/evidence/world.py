"""Generated pairs that look like recorded data: the only labels from which the combined method has learnt.

A pair is a recipe drawn at random from one third of the world (`thirds`): a family, law of the cause, law of the noise,
noise level, number of rows; then what recording does to columns. In real data the marginals carry little of the label,
so most pairs lose it here as well: both columns are warped by random increasing maps, or both are given the order
statistics of new random laws, or the two exchange their marginals. Only then come measurement error, outliers, floors
and rounding, on either side with the same probability.
"""

import numpy as np

from whence.datasets import classic, combination, networks, simulated
from whence.datasets.classic import Columns, Draw
from whence.datasets.damage import floored, measured, outliers
from whence.evidence.ingredients import Random, function, law, pick, warped
from whence.evidence.mechanisms import mechanism
from whence.evidence.thirds import Third, families
from whence.pair import FloatArray, Pair, standardise

ROWS = (60, 1600)
COARSEST, FINEST = 4, 400
"""Cells into which rounding cuts the middle 98 % of a column."""

RECIPES: dict[str, Draw] = {
    "SIM": lambda rng, n: simulated.draw(simulated.SIM, rng, n),
    "SIMc": lambda rng, n: simulated.draw(simulated.SIMC, rng, n),
    "SIMln": lambda rng, n: simulated.draw(simulated.SIMLN, rng, n),
    "SIMG": lambda rng, n: simulated.draw(simulated.SIMG, rng, n),
    "AN": classic.additive_process,
    "ANs": classic.additive_sigmoid,
    "LS": classic.location_scale_process,
    "LSs": classic.location_scale_sigmoid,
    "MNU": classic.multiplicative_uniform,
    "Multi": combination.draw,
    "Net": networks.draw,
}
"""Published simulators, with their constants."""


def family(rng: Random, third: Third) -> str:
    """The first thing that is drawn of a pair."""
    return pick(rng, families(third))


def draw(rng: Random, third: Third, name: str, plain: bool = False) -> Columns:
    """Cause and effect of one pair of a family, drawn anew until both columns vary; a plain one keeps its marginals."""
    low, high = ROWS
    n = int(np.exp(rng.uniform(np.log(low), np.log(high))))
    while True:
        cause, effect = _core(rng, third, name, n)
        if np.isfinite(cause).all() and np.isfinite(effect).all() and np.std(cause) > 0 and np.std(effect) > 0:
            cause, effect = standardise(cause), standardise(effect)
            if not plain:
                cause, effect = remarginalised(rng, third, cause, effect)
            if not plain or rng.random() < 0.3:
                cause, effect = recorded(rng, cause, effect)
            if _valid(cause, effect):
                return cause, effect


def remarginalised(rng: Random, third: Third, cause: FloatArray, effect: FloatArray) -> Columns:
    """Take the label out of the marginals, more or less thoroughly."""
    kind = rng.random()
    if kind < 0.2:
        return cause, effect
    if kind < 0.45:
        return warped(rng, cause), warped(rng, effect)
    if kind < 0.8:
        return ordered_like(cause, law(rng, third, len(cause))), ordered_like(effect, law(rng, third, len(effect)))
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


def labelled(rng: Random, columns: Columns) -> tuple[Pair, int]:
    """A pair in random order of columns, and +1 if the first causes the second."""
    cause, effect = columns
    return (Pair.of(cause, effect), 1) if rng.random() < 0.5 else (Pair.of(effect, cause), -1)


def _core(rng: Random, third: Third, name: str, n: int) -> Columns:
    if name in RECIPES:
        return RECIPES[name](rng, n)
    cause = law(rng, third, n)
    if name == "common_cause":
        hidden, share = law(rng, third, n), rng.uniform(0.2, 1.0)
        cause = standardise(cause + share * function(rng, third, hidden))
        return cause, _effect(rng, third, cause) + share * function(rng, third, hidden)
    if name == "hidden_step":
        return cause, _effect(rng, third, _effect(rng, third, cause))
    return cause, mechanism(rng, third, name, cause, law(rng, third, n))


def _effect(rng: Random, third: Third, cause: FloatArray) -> FloatArray:
    return standardise(mechanism(rng, third, pick(rng, third.mechanisms), cause, law(rng, third, len(cause))))


def _coarse(rng: Random, column: FloatArray) -> FloatArray:
    kind = rng.random()
    if kind < 0.1:
        column = floored(rng.uniform(0.02, 0.4), rng, column)
    elif kind < 0.15:
        column = -floored(rng.uniform(0.02, 0.4), rng, -column)
    if rng.random() < 0.85:
        cells = np.exp(rng.uniform(np.log(COARSEST), np.log(FINEST)))
        step = (np.quantile(column, 0.99) - np.quantile(column, 0.01)) / cells
        if step > 0:
            column = np.round(column / step + rng.uniform(0, 1)) * step
    return column


def _valid(cause: FloatArray, effect: FloatArray) -> bool:
    return min(len(np.unique(cause)), len(np.unique(effect))) >= 4 and not np.array_equal(cause, effect)
