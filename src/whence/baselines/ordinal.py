"""Ordinal thresholds over the location-scale model: the shorter description, where a column has few ordered levels.

An effect of few levels is a latent f(cause) + g(cause)·noise cut at thresholds (`thresholds`); a continuous effect of a
cause of levels is location + scale·noise at each level, with one law of the noise. The cause is coded by its own law:
levels by their shares, a continuous column by a mixture of normals, as is the noise. What a form may leave out (f, g, a
level's own scale) it leaves out where that makes the code shorter, ½ log n nats being the price of a parameter, so that
a simple relation is cheap whichever way it is read.

The directions are compared as Vuong (1989) compares two models that need not be nested: the difference of their code
lengths over its standard error, row by row.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from whence.baselines.thresholds import NORMAL, OTHER_LAWS, Levels, NoiseLaw, fit_ordered
from whence.combined.rows import MAX_ROWS, judged_rows
from whence.criteria import LEVEL
from whence.decision import Decision, Evidence
from whence.numerics.mixture import fit_mixture, log_density
from whence.numerics.splines import extend_knots, spline_rows
from whence.pair import FloatArray, InputError, Pair, standardise
from whence.protocol import attempted
from whence.ranges import ROWS, between

MAX_LEVELS = 12
KNOTS = (2, 3, 5, 8)
"""Of a cubic spline, at quantiles of the cause; a straight line and nothing at all come before."""
DEGREE = 3
PATIENCE = 2
"""A search ends after so many sizes in a row that are no better."""
ROWS_PER_COEFFICIENT = 4
NOTHING = 1e-4
"""Nats by which two codes of a row may differ through rounding."""


class Column(NamedTuple):
    """One column as it is coded: few levels, or a continuous one without ties."""

    values: FloatArray
    """Standardised; of levels the level's value."""
    level: Levels | None
    """The place of each row's level among the levels; None for a continuous column."""


class Code(NamedTuple):
    """What a code of one column takes: the log density of every row, and its parameters."""

    log_density: FloatArray
    parameters: float

    def __add__(self, other: "Code") -> "Code":  # type: ignore[override]  # codes of two columns, one after the other
        return Code(self.log_density + other.log_density, self.parameters + other.parameters)

    def nats(self) -> float:
        """Of all rows and parameters together."""
        return 0.5 * self.parameters * math.log(len(self.log_density)) - math.fsum(self.log_density)


def cause_code(cause: Column) -> Code:
    """Levels by their shares, a continuous column by a mixture of normals."""
    if cause.level is None:
        law = fit_mixture(cause.values)
        return Code(log_density(law, cause.values), 3 * len(law.weight) - 1)
    rows = np.bincount(cause.level)
    return Code(np.log(rows / rows.sum())[cause.level], len(rows) - 1)


def effect_code(cause: Column, effect: Column) -> Code:
    """The effect given its cause."""
    if effect.level is not None:
        return _levels_given(cause, effect.level)
    assert cause.level is not None
    return min(_noise_codes(cause, effect.values), key=Code.nats)


def _noise_codes(cause: Column, effect: FloatArray) -> Iterator[Code]:
    """Location + scale·noise at each level: locations equal, on a line or free; scales equal or free."""
    level, u = cause.level, cause.values
    assert level is not None
    rows = np.bincount(level)
    free = np.bincount(level, effect) / rows
    line = np.mean(effect) + np.mean(u * effect) * u
    for location, size in ((np.zeros_like(u), 1), (line, 2), (free[level], len(rows)))[:: 1 if len(rows) > 2 else 2]:
        rest = effect - location
        variance = float(np.mean(rest * rest))
        # One row more, of the common variance, so that a level of a single row has a scale.
        own = np.sqrt((np.bincount(level, rest * rest) + variance) / (rows + 1))
        for scale, scales in ((np.full_like(u, math.sqrt(variance)), 1), (own[level], len(rows))):
            noise = fit_mixture(rest / scale)
            # Location and scale of the noise are those of the levels.
            size_of_law = 3 * len(noise.weight) - 3
            yield Code(log_density(noise, rest / scale) - np.log(scale), size + scales + size_of_law)


def _levels_given(cause: Column, level: Levels) -> Code:
    """Thresholds over f(cause) + g(cause)·noise; equal rows are fitted once."""
    values, at = np.unique(cause.values, return_inverse=True)
    count = int(level.max()) + 1
    cell, where, rows = np.unique(at * count + level, return_inverse=True, return_counts=True)
    u, k, weight = values[cell // count], cell % count, rows.astype(np.float64)
    bases = [NONE, *_bases(u, weight, cause.level is not None)]

    def code(place: Basis, scale: Basis, law: NoiseLaw = NORMAL) -> Code:
        fit = fit_ordered(k, weight, place.at(u), scale.at(u), law)
        return Code(fit.log_mass[where], count - 1 + place.size + scale.size)

    place, found = _searched(bases, lambda each: code(each, NONE))
    scale = NONE
    if count > 2:  # with two levels f/g alone is seen
        scale, found = _searched(bases, lambda each: code(place, each))
    return min([found, *(code(place, scale, law) for law in OTHER_LAWS)], key=Code.nats)


class Basis(NamedTuple):
    """Functions of the cause, centred over the rows; those of a spline or of levels sum to nothing, so one is idle."""

    columns: FloatArray | None
    size: int
    """How many of them count."""

    def at(self, u: FloatArray) -> FloatArray:
        """One line a row."""
        return np.zeros((len(u), 0)) if self.columns is None else self.columns


NONE = Basis(None, 0)


def _bases(u: FloatArray, weight: FloatArray, levels: bool) -> Iterator[Basis]:
    """A straight line; then a value for each level, or cubic splines of ever more knots."""
    yield Basis(_centred(u[:, None], weight), 1)
    values = np.unique(u)
    if levels:
        if len(values) > 2:
            yield Basis(_centred((u[:, None] == values).astype(np.float64), weight), len(values) - 1)
        return
    for n_knots in KNOTS:
        if (n_knots + DEGREE - 1) * ROWS_PER_COEFFICIENT > len(u):
            return
        rows = spline_rows(u, extend_knots(np.quantile(values, np.linspace(0, 1, n_knots)), DEGREE), DEGREE)
        columns = np.zeros((len(u), rows.size))
        np.put_along_axis(columns, rows.first[:, None] + np.arange(DEGREE + 1), rows.values, axis=1)
        yield Basis(_centred(columns, weight), rows.size - 1)


def _centred(columns: FloatArray, weight: FloatArray) -> FloatArray:
    return columns - weight @ columns / weight.sum()


def _searched(bases: Sequence[Basis], code: Callable[[Basis], Code]) -> tuple[Basis, Code]:
    """The basis with the shortest code, the bases in the order of their size."""
    best, shortest, worse = bases[0], code(bases[0]), 0
    for basis in bases[1:]:
        found = code(basis)
        if found.nats() < shortest.nats():
            best, shortest, worse = basis, found, 0
        else:
            worse += 1
        if worse == PATIENCE:
            break
    return best, shortest


def columns_of(pair: Pair, max_levels: int, max_rows: int) -> tuple[Column, Column]:
    """Both columns as they are coded; refused where neither has few levels."""
    rows = judged_rows(pair.x, pair.y, max_rows)
    recorded = pair.x[rows.kept], pair.y[rows.kept]
    if min(rows.distinct) > max_levels:
        raise InputError(
            f"ordinal got columns of {rows.distinct[0]} and {rows.distinct[1]} values; expected at most {max_levels} "
            "in one of them, or in both: choose a method for continuous columns, or raise max_levels."
        )
    x, y = (
        Column(standardise(given), np.unique(given, return_inverse=True)[1])
        if distinct <= max_levels
        else Column(standardise(spread), None)
        for given, spread, distinct in zip(recorded, rows[:2], rows.distinct, strict=True)
    )
    return x, y


@dataclass(frozen=True)
class Ordinal:
    """Code lengths both ways, and an answer where they differ by more than chance."""

    name: str = "ordinal"
    level: float = LEVEL
    max_levels: int = MAX_LEVELS
    max_rows: int = MAX_ROWS
    settings: Mapping[str, Any] = field(default_factory=dict)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [attempted(pair, self.name, partial(self._judged, pair), settings=self.settings) for pair in pairs]

    def _judged(self, pair: Pair) -> Decision:
        x, y = columns_of(pair, self.max_levels, self.max_rows)
        forward, backward = cause_code(x) + effect_code(x, y), cause_code(y) + effect_code(y, x)
        score = contrast(forward, backward)
        asked = float(ndtri(1 - self.level / 2))
        shorter = " → ".join((pair.x_name, pair.y_name) if score > 0 else (pair.y_name, pair.x_name))
        nats = abs(forward.nats() - backward.nats())
        told = f"the code of {shorter} is {nats:.1f} nats shorter, {abs(score):.2g} standard errors"
        why = "Undecided: the codes of both directions are equally long."
        if score:
            why = f"Undecided: {told}, of which {asked:.2g} are asked for." if abs(score) < asked else ""
        return Decision(
            self.name,
            pair,
            score,
            _evidence(forward, 0.5 * score),
            _evidence(backward, -0.5 * score),
            settings=self.settings,
            rows_judged=len(x.values),
            reason="" if why else f"{told[0].upper()}{told[1:]}.",
            abstention=why,
        )


def contrast(forward: Code, backward: Code) -> float:
    """What forward saves over its standard error; exact sums, so that no order of rows shows in a bit."""
    gain, n = forward.log_density - backward.log_density, len(forward.log_density)
    price = 0.5 * (backward.parameters - forward.parameters) * math.log(n)
    if not price and np.max(np.abs(gain)) < NOTHING:
        return 0.0
    mean = math.fsum(gain) / n
    error = math.sqrt(math.fsum((gain - mean) ** 2))
    return (price + n * mean) / max(error, NOTHING * n)


def _evidence(code: Code, score: float) -> Evidence:
    n = len(code.log_density)
    return Evidence(score, log_likelihood=math.fsum(code.log_density) / n, costs={"description": code.nats() / n})


def ordinal(level: float = LEVEL, max_levels: int = MAX_LEVELS, max_rows: int = MAX_ROWS) -> Ordinal:
    """The method; an answer is given where the codes differ at the level, two-sided, by Vuong's test."""
    if not 0.0 < level <= 1.0:
        raise InputError(f"Got level={level!r} for ordinal; expected a p-value above 0 and at most 1.")
    between("ordinal", 2, 30, max_levels=max_levels)
    between("ordinal", 50, ROWS[1], max_rows=max_rows)
    return Ordinal(
        level=level,
        max_levels=max_levels,
        max_rows=max_rows,
        settings={"level": level, "max_levels": max_levels, "max_rows": max_rows},
    )
