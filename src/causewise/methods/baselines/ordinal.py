"""Ordinal thresholds over the location-scale model: the shorter description, where a column has few ordered levels.

Both directions are coded, in nats. An effect of levels is a latent f(cause) + g(cause)·noise cut at thresholds
(`thresholds`); a continuous effect of a cause of levels is location + scale·noise at each level, with one law of the
noise. The cause is coded by its own law: levels by their shares, a continuous column by a mixture of normals, as is the
noise. What a form may leave out (f, g, a level's own scale) it leaves out where that makes the code shorter, ½ log n
nats being the price of a parameter, so that a simple relation is cheap whichever way it is read.

The codes are compared as Vuong (1989) compares two models that need not be nested: first whether the two laws differ at
all, then the difference of their lengths over its standard error, row by row.

A continuous cause of which only levels were recorded is in neither model, and reads as if its effect were the cause. So
an answer that makes levels the effect of a continuous column is withheld, unless the caller rules that out.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, ndtri

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.errors import ROWS, InputError
from causewise.methods.baselines.pnl import dense
from causewise.methods.baselines.thresholds import NORMAL, OTHER_LAWS, Levels, NoiseLaw, fit_ordered
from causewise.numerics.density import fit_mixture, log_density
from causewise.numerics.row_sampling import MAX_ROWS, prepare_rows
from causewise.numerics.splines import extend_knots, spline_rows
from causewise.pair import FloatArray, Pair, row_order, standardise
from causewise.protocol import PairMethod, make_builder

MAX_LEVELS = 12
NEGLIGIBLE = 1e-4
"""Nats by which two codes of a row differ through the ridge on their coefficients."""
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


def code_direction(cause: CodedColumn, effect: CodedColumn) -> RowCode:
    """The cause by its own law, and the effect given it; summed in an order that no file's order changes."""
    order = row_order(cause.values, effect.values)
    u, v = (
        CodedColumn(each.values[order], None if each.level is None else each.level[order]) for each in (cause, effect)
    )
    one, other = _code_cause(u), _code_effect(u, v)
    in_table = np.empty(len(order))
    in_table[order] = one.log_density + other.log_density
    return RowCode(in_table, one.parameters + other.parameters)


def _code_cause(cause: CodedColumn) -> RowCode:
    """Levels by their shares, a continuous column by a mixture of normals."""
    if cause.level is None:
        law = fit_mixture(cause.values)
        return RowCode(log_density(law, cause.values), 3 * len(law.weight) - 1)
    rows = np.bincount(cause.level)
    return RowCode(np.log(rows / rows.sum())[cause.level], len(rows) - 1)


def _code_effect(cause: CodedColumn, effect: CodedColumn) -> RowCode:
    if effect.level is not None:
        return _code_levels(cause, effect.level)
    if cause.level is None:
        raise ValueError("neither column has levels")
    return min(_code_by_location_scale(cause.values, cause.level, effect.values), key=RowCode.nats)


def _code_by_location_scale(u: FloatArray, level: Levels, v: FloatArray) -> Iterator[RowCode]:
    """Location + scale·noise at each level: locations equal, on a line or free; scales equal or free."""
    rows = np.bincount(level)
    free = (np.bincount(level, v) / rows)[level]
    for location, size in ((np.zeros_like(v), 1), (np.mean(u * v) * u, 2), (free, len(rows))):
        rest = v - location
        variance = float(np.mean(rest * rest))
        # One row more, of the common variance, so that a level of a single row has a scale.
        own = np.sqrt((np.bincount(level, rest * rest) + variance) / (rows + 1))
        for scale, scales in ((np.full_like(v, math.sqrt(variance)), 1), (own[level], len(rows))):
            yield _code_noise(rest / scale, scale, size + scales)
            if location is free:
                noise, unit = refine_noise(v, level, rest / scale, scale, scales > 1)
                yield _code_noise(noise, unit, size + scales)


def _code_noise(noise: FloatArray, scale: FloatArray, parameters: int) -> RowCode:
    law = fit_mixture(noise)
    # Location and scale of the noise are those of the levels, and are not counted twice.
    return RowCode(log_density(law, noise) - np.log(scale), parameters + 3 * len(law.weight) - 3)


def refine_noise(
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


def _code_levels(cause: CodedColumn, level: Levels) -> RowCode:
    """Thresholds over f(cause) + g(cause)·noise; equal rows are fitted once."""
    values, at = np.unique(cause.values, return_inverse=True)
    count = int(level.max()) + 1
    cell, where, rows = np.unique(at * count + level, return_inverse=True, return_counts=True)
    u, k, weight = values[cell // count], cell % count, rows.astype(np.float64)
    none = CauseBasis(np.zeros((len(u), 0)), 0)
    bases = [none, *_bases(u, weight, cause.level is not None)]

    def code(place: CauseBasis, scale: CauseBasis, law: NoiseLaw = NORMAL, start: FloatArray | None = None) -> RowCode:
        fit = fit_ordered(k, weight, place.columns, scale.columns, law, start)
        return RowCode(fit.log_mass[where], count - 1 + place.size + scale.size)

    place, shortest = _search_basis(bases, lambda each: code(each, none))
    start, scale = fit_ordered(k, weight, place.columns, none.columns).coefficients, none
    if count > 2:  # with two levels f/g alone is seen
        scale, shortest = _search_basis(bases, lambda each: code(place, each, start=start))
    return min([shortest, *(code(place, scale, law, start) for law in OTHER_LAWS)], key=RowCode.nats)


class CauseBasis(NamedTuple):
    """Functions of the cause, centred over the rows; those of a spline or of levels sum to nothing, so one is idle."""

    columns: FloatArray
    size: int
    """How many of them count."""


def _bases(u: FloatArray, weight: FloatArray, levels: bool) -> Iterator[CauseBasis]:
    """A straight line; then a value for each level, or cubic splines of ever more knots."""
    yield CauseBasis(_centre(u[:, None], weight), 1)
    values = np.unique(u)
    if levels:
        if len(values) > 2:
            yield CauseBasis(_centre((u[:, None] == values).astype(np.float64), weight), len(values) - 1)
        return
    for n_knots in KNOTS:
        if (n_knots + DEGREE - 1) * ROWS_PER_COEFFICIENT > len(u):
            return
        rows = spline_rows(u, extend_knots(np.quantile(values, np.linspace(0, 1, n_knots)), DEGREE), DEGREE)
        yield CauseBasis(_centre(dense(rows), weight), rows.size - 1)


def _centre(columns: FloatArray, weight: FloatArray) -> FloatArray:
    return columns - weight @ columns / weight.sum()


def _search_basis(bases: Sequence[CauseBasis], code: Callable[[CauseBasis], RowCode]) -> tuple[CauseBasis, RowCode]:
    """The basis with the shortest code, the bases in the order of their size."""
    best, shortest, worse = bases[0], code(bases[0]), 0
    for basis in bases[1:]:
        tried = code(basis)
        if tried.nats() < shortest.nats():
            best, shortest, worse = basis, tried, 0
        else:
            worse += 1
        if worse == PATIENCE:
            break
    return best, shortest


class TwoCodes(NamedTuple):
    """Two codes of the same rows."""

    saved: float
    """Nats by which forward is shorter."""
    variance: float
    """Of these nats, from row to row."""
    parameters: int
    """Of both laws."""

    @property
    def score(self) -> float:
        """Standard errors that forward saves; fitting alone makes a variance of one for each parameter."""
        return self.saved / math.sqrt(max(self.variance, self.parameters))

    def are_distinct(self, level: float) -> bool:
        """Whether the two laws differ at all: where they are one, the variance is χ² with at most these degrees."""
        return self.variance > float(chdtri(self.parameters, level))


def compare_codes(forward: RowCode, backward: RowCode) -> TwoCodes:
    """Row by row; exact sums, so that no order of rows shows in a bit."""
    gain = forward.log_density - backward.log_density
    gain[np.abs(gain) < NEGLIGIBLE] = 0.0
    n, total = len(gain), math.fsum(gain)
    price = 0.5 * (backward.parameters - forward.parameters) * math.log(n)
    variance = math.fsum((gain - total / n) ** 2)
    return TwoCodes(price + total, variance, forward.parameters + backward.parameters)


def _evidence(code: RowCode, score: float) -> Evidence:
    n = len(code.log_density)
    return Evidence(score, log_likelihood=math.fsum(code.log_density) / n, costs={"description": code.nats() / n})


def decide(
    pair: Pair, *, acting: bool = False, level: float = LEVEL, max_levels: int = MAX_LEVELS, max_rows: int = MAX_ROWS
) -> Decision:
    """Code lengths both ways, and an answer where both of Vuong's tests reject at the significance level.

    `acting` says that levels, if they are the cause, act themselves, as groups of a trial do, and are not what a
    continuous cause was cut into.
    """
    x, y = code_columns(pair, max_levels, max_rows)
    forward, backward = code_direction(x, y), code_direction(y, x)
    codes = compare_codes(forward, backward)
    shorter = " → ".join((pair.x_name, pair.y_name) if codes.score > 0 else (pair.y_name, pair.x_name))
    gain = f"the code of {shorter} is {abs(codes.saved):.1f} nats shorter, {abs(codes.score):.2g} standard errors"
    why, needed = "", float(ndtri(1 - level / 2))
    if not codes.are_distinct(level):
        why = "Undecided: both directions can give these rows the same law, so that they do not tell them apart."
    elif abs(codes.score) < needed:
        why = f"Undecided: {gain}, of which {needed:.2g} are asked for."
    elif not acting and (x if codes.score > 0 else y).level is None:
        why = (
            f"Undecided: {gain}, but so it is where levels are cut from a continuous cause: set acting=true if they "
            "are not."
        )
    return Decision(
        "ordinal",
        pair,
        codes.score,
        _evidence(forward, 0.5 * codes.score),
        _evidence(backward, -0.5 * codes.score),
        rows_judged=len(x.values),
        carried_by="" if why else f"{gain[0].upper()}{gain[1:]}.",
        reason=why,
    )


def code_columns(pair: Pair, max_levels: int, max_rows: int) -> tuple[CodedColumn, CodedColumn]:
    """Both columns as they are coded; refused where neither has few levels."""
    rows = prepare_rows(pair.x, pair.y, max_rows)
    recorded = pair.x[rows.kept], pair.y[rows.kept]
    if min(rows.distinct) > max_levels:
        raise InputError(
            f"ordinal got columns of {rows.distinct[0]} and {rows.distinct[1]} values; expected at most {max_levels} "
            "in one of them, or in both: choose a method for continuous columns, or raise max_levels."
        )
    x, y = (
        CodedColumn(_standardise_sorted(values), np.unique(values, return_inverse=True)[1])
        if distinct <= max_levels
        else CodedColumn(_standardise_sorted(without_ties), None)
        for values, without_ties, distinct in zip(recorded, rows[:2], rows.distinct, strict=True)
    )
    return x, y


def _standardise_sorted(column: FloatArray) -> FloatArray:
    """Summed from the smallest value up, so that neither the order of the rows nor the other column shows in a bit."""
    order, out = np.argsort(column, kind="stable"), np.empty_like(column)
    out[order] = standardise(column[order])
    return out


def _check_level(level: float) -> None:
    if not 0.0 < level <= 1.0:
        raise InputError(f"Got level={level!r} for ordinal; expected a p-value above 0 and at most 1.")


ordinal = make_builder(PairMethod, "ordinal", decide, level=_check_level, max_levels=(2, 30), max_rows=(50, ROWS[1]))
