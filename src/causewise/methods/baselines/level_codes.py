"""Code lengths of a cause and its effect where a column has few ordered levels, in nats.

An effect of levels is a latent f(cause) + g(cause)·noise cut at thresholds (`thresholds`); a continuous effect of a
cause of levels is location + scale·noise at each level, with one law of the noise. The cause is coded by its own law:
levels by their shares, a continuous column by a mixture of normals, as is the noise. What a form may leave out (f, g, a
level's own scale) it leaves out where that makes the code shorter, ½ log n nats being the price of a parameter, so that
a simple relation is cheap whichever way it is read.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from causewise.methods.baselines.thresholds import NORMAL, OTHER_LAWS, Levels, NoiseLaw, fit_ordered
from causewise.numerics.density import fit_mixture, log_density
from causewise.numerics.splines import extend_knots, spline_rows
from causewise.pair import FloatArray, row_order

KNOTS = (2, 3, 5, 8)
"""Of a cubic spline, at quantiles of the cause; a straight line and nothing at all come before."""
DEGREE = 3
PATIENCE = 2
"""A search ends after so many sizes in a row that are no better."""
ROWS_PER_COEFFICIENT = 4
ROUNDS, STEPS = 3, 10
"""Of fitting the law of the noise, and of EM steps for locations and scales under it."""


class CodedColumn(NamedTuple):
    """One column as it is coded: few levels, or a continuous one without ties."""

    values: FloatArray
    """Standardised; of levels the level's value."""
    level: Levels | None
    """The place of each row's level among the levels; None for a continuous column."""


class RowCode(NamedTuple):
    """The log density of every row under a law, and how many parameters the law has."""

    log_density: FloatArray
    parameters: int

    def nats(self) -> float:
        """Of all rows and parameters together."""
        return 0.5 * self.parameters * math.log(len(self.log_density)) - math.fsum(self.log_density)


def direction_code(cause: CodedColumn, effect: CodedColumn) -> RowCode:
    """The cause by its own law, and the effect given it; summed in an order that no file's order changes."""
    order = row_order(cause.values, effect.values)
    u, v = (
        CodedColumn(each.values[order], None if each.level is None else each.level[order]) for each in (cause, effect)
    )
    one, other = _cause_code(u), _effect_code(u, v)
    in_table = np.empty(len(order))
    in_table[order] = one.log_density + other.log_density
    return RowCode(in_table, one.parameters + other.parameters)


def _cause_code(cause: CodedColumn) -> RowCode:
    """Levels by their shares, a continuous column by a mixture of normals."""
    if cause.level is None:
        law = fit_mixture(cause.values)
        return RowCode(log_density(law, cause.values), 3 * len(law.weight) - 1)
    rows = np.bincount(cause.level)
    return RowCode(np.log(rows / rows.sum())[cause.level], len(rows) - 1)


def _effect_code(cause: CodedColumn, effect: CodedColumn) -> RowCode:
    if effect.level is not None:
        return _levels_given(cause, effect.level)
    if cause.level is None:
        raise ValueError("neither column has levels")
    return min(_noise_codes(cause.values, cause.level, effect.values), key=RowCode.nats)


def _noise_codes(u: FloatArray, level: Levels, v: FloatArray) -> Iterator[RowCode]:
    """Location + scale·noise at each level: locations equal, on a line or free; scales equal or free."""
    rows = np.bincount(level)
    free = (np.bincount(level, v) / rows)[level]
    for location, size in ((np.zeros_like(v), 1), (np.mean(u * v) * u, 2), (free, len(rows))):
        rest = v - location
        variance = float(np.mean(rest * rest))
        # One row more, of the common variance, so that a level of a single row has a scale.
        own = np.sqrt((np.bincount(level, rest * rest) + variance) / (rows + 1))
        for scale, scales in ((np.full_like(v, math.sqrt(variance)), 1), (own[level], len(rows))):
            yield _noise_code(rest / scale, scale, size + scales)
            if location is free:
                noise, unit = settled(v, level, rest / scale, scale, scales > 1)
                yield _noise_code(noise, unit, size + scales)


def _noise_code(noise: FloatArray, scale: FloatArray, parameters: int) -> RowCode:
    law = fit_mixture(noise)
    # Location and scale of the noise are those of the levels, and are not counted twice.
    return RowCode(log_density(law, noise) - np.log(scale), parameters + 3 * len(law.weight) - 3)


def settled(
    v: FloatArray, level: Levels, noise: FloatArray, scale: FloatArray, own: bool
) -> tuple[FloatArray, FloatArray]:
    """Noise and scale once locations and scales are the likeliest under the noise's own law, which is fitted in turn.

    Means and deviations are poor guides to where the copies of a skewed or heavy-tailed law lie. An EM step with
    a = 1/scale and b = location/scale minimises Σ q (a v − b − m)²/2 − n log a, m the means of the law's parts and q
    their responsibilities over their variances: a quadratic equation for a.
    """
    rows, groups = np.bincount(level).astype(np.float64), int(level.max()) + 1

    def by_level(values: FloatArray) -> FloatArray:
        return np.bincount(level, values, groups).astype(np.float64)

    one_more = by_level(scale**2) / rows  # a row of the first scale, so that a level of a single row has one
    for _ in range(ROUNDS):
        law = fit_mixture(noise)
        for _ in range(STEPS):
            near = np.log(law.weight / law.sd) - 0.5 * ((noise[:, None] - law.mean) / law.sd) ** 2
            part = np.exp(near - near.max(axis=1, keepdims=True))
            q = part / part.sum(axis=1, keepdims=True) / law.sd**2
            all_q, all_m = q.sum(axis=1), q @ law.mean
            total = by_level(all_q)
            mean_v, mean_m = by_level(all_q * v) / total, by_level(all_m) / total
            off = v - mean_v[level]
            squares, products = by_level(all_q * off * off), by_level(off * (all_m - all_q * mean_m[level]))
            squares, counts = squares + one_more, rows + 1
            if not own:
                squares, products, counts = (np.full(groups, each.sum()) for each in (squares, products, counts))
            a = (products + np.sqrt(products**2 + 4 * counts * squares)) / (2 * squares)
            scale = 1 / a[level]
            noise = a[level] * off + mean_m[level]
    return noise, scale


def _levels_given(cause: CodedColumn, level: Levels) -> RowCode:
    """Thresholds over f(cause) + g(cause)·noise; equal rows are fitted once."""
    values, at = np.unique(cause.values, return_inverse=True)
    count = int(level.max()) + 1
    cell, where, rows = np.unique(at * count + level, return_inverse=True, return_counts=True)
    u, k, weight = values[cell // count], cell % count, rows.astype(np.float64)
    bases = [NONE, *_bases(u, weight, cause.level is not None)]

    def code(place: Basis, scale: Basis, law: NoiseLaw = NORMAL, start: FloatArray | None = None) -> RowCode:
        fit = fit_ordered(k, weight, place.at(u), scale.at(u), law, start)
        return RowCode(fit.log_mass[where], count - 1 + place.size + scale.size)

    place, found = _searched(bases, lambda each: code(each, NONE))
    start, scale = fit_ordered(k, weight, place.at(u), NONE.at(u)).coefficients, NONE
    if count > 2:  # with two levels f/g alone is seen
        scale, found = _searched(bases, lambda each: code(place, each, start=start))
    return min([found, *(code(place, scale, law, start) for law in OTHER_LAWS)], key=RowCode.nats)


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


def _searched(bases: Sequence[Basis], code: Callable[[Basis], RowCode]) -> tuple[Basis, RowCode]:
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
