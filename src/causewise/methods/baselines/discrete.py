"""Additive noise on levels (Peters, Janzing & Schölkopf 2010): effect = f(cause) + noise, on evenly spaced scales.

Model: f is any function of the cause's levels, the noise is a whole number of steps and independent of the cause. f(c)
starts at the commonest effect of each level and moves, level by level, to where the residual depends least on the
cause by Pearson's χ²; the order of the cause's levels does not matter. A direction fits while the test of independence
does not reject. An answer is given where one direction fits and the other does not; where both or neither do, none is,
as in the paper.

The test is of the table of causes × residuals with both margins fixed: a gamma law with the exact mean and variance of
χ² under random pairing (Haldane 1940, Dawson 1954), since most cells of such a table are nearly empty and the
asymptotic law fails there.
"""

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.errors import InputError
from causewise.pair import FloatArray, Pair, both_directions
from causewise.protocol import PairMethod, make_builder

MOST_LEVELS = 100
_EVEN = 1e-6
_TRIED = 3
"""Effects that f may take at a level: so many of the commonest, as published, and the steps beside the present one."""
_SWEEPS = 20
Counts = NDArray[np.float64]


def decide(pair: Pair, *, level: float = LEVEL, cyclic: bool = False) -> Decision:
    """An answer where additive noise on levels fits one direction, from p = `level` on, and not the other.

    `cyclic` scales (hours, weekdays) close to a ring.
    """
    forward, backward = both_directions(pair, partial(measure_direction, cyclic=cyclic))
    fits = [side.log_p_value >= math.log(level) for side in (forward, backward)]
    why = ""
    if fits[0] == fits[1]:
        tests = "fits both ways" if fits[0] else "is rejected both ways"
        why = (
            f"Undecided: additive noise on levels {tests} (p = {forward.p_value:.2g} and {backward.p_value:.2g}), "
            "so it names no direction."
        )
    return Decision("discrete", pair, forward.score - backward.score, forward, backward, reason=why)


def _check_level(level: float) -> None:
    if not 0.0 < level < 0.5:
        raise InputError(f"Got level={level!r} for discrete; expected a p-value above 0 and below 0.5.")


discrete = make_builder(PairMethod, "discrete", decide, level=_check_level)


def measure_direction(cause: FloatArray, effect: FloatArray, cyclic: bool = False) -> Evidence:
    """The score is the logarithm of the p-value."""
    (causes, by_cause), steps = np.unique(cause, return_inverse=True), _count_steps(effect)
    _check_few(len(causes))
    height = int(steps.max()) + 1
    _check_few(height)
    table = np.zeros((len(causes), height))
    np.add.at(table, (by_cause, steps), 1.0)
    statistic, log_p = independence(table, cyclic)
    return Evidence(score=log_p, p_value=math.exp(log_p), log_p_value=log_p, costs={"chi-square": statistic})


def independence(table: Counts, cyclic: bool) -> tuple[float, float]:
    """χ² of causes × residuals at the best f, and the logarithm of its p-value."""
    table = _order_levels(table)
    height = table.shape[1]
    wide = table if cyclic else np.concatenate((np.zeros_like(table), table, np.zeros_like(table)), axis=1)
    shift = table.argmax(axis=1)
    residuals = np.array([np.roll(row, -s) for row, s in zip(wide, shift, strict=True)])
    best = _chi_square(residuals)
    for _ in range(_SWEEPS):
        before = best
        for k, row in enumerate(table):
            commonest = np.argsort(-row, kind="stable")[:_TRIED]
            for at in sorted({*commonest.tolist(), int(shift[k]) - 1, int(shift[k]) + 1} - {int(shift[k])}):
                if not (cyclic or 0 <= at < height):
                    continue
                kept = residuals[k].copy()
                residuals[k] = np.roll(wide[k], -at)
                statistic = _chi_square(residuals)
                if statistic < best:
                    best, shift[k] = statistic, at
                else:
                    residuals[k] = kept
        if best == before:
            break
    return best, _log_p(residuals, best)


def _order_levels(table: Counts) -> Counts:
    """The table with its causes in an order, and its effects from an end, that no numbering of the levels changes."""
    ways = [each[np.lexsort(each.T[::-1])] for each in (table, table[:, ::-1])]
    return max(ways, key=lambda each: each.ravel().tolist())


def _chi_square(table: Counts) -> float:
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(rows.sum() * (np.nansum(table**2 / (rows * columns)) - 1.0))


def _log_p(table: Counts, statistic: float) -> float:
    from scipy.stats import gamma

    mean, variance = chi_square_moments(table.sum(axis=1), table.sum(axis=0))
    if not (mean > 0 and variance > 0):
        return 0.0
    return float(gamma.logsf(statistic, mean * mean / variance, scale=variance / mean))


def chi_square_moments(rows: FloatArray, columns: FloatArray) -> tuple[float, float]:
    """Mean and variance of χ² when the rows of a table are paired at random, margins as they are (Dawson 1954)."""
    n = float(rows.sum())
    (r, nu_r, sigma_r), (c, nu_c, sigma_c) = (_margin(margin[margin > 0], n) for margin in (rows, columns))
    mean = n / (n - 1) * (r - 1) * (c - 1)
    variance = 2 * n / (n - 3) * (nu_r - sigma_r) * (nu_c - sigma_c) + n * n / (n - 1) * sigma_r * sigma_c
    return mean, variance


def _margin(margin: FloatArray, n: float) -> tuple[int, float, float]:
    r = len(margin)
    return r, (r - 1) * (n - r) / (n - 1), (n * float(np.sum(1 / margin)) - r * r) / (n - 2)


def _count_steps(column: FloatArray) -> NDArray[np.intp]:
    """Each value as its number of steps above the least; refused where the levels are not evenly spaced."""
    values = np.unique(column)
    _check_few(len(values))
    step = float(np.diff(values).min())
    number = (column - values[0]) / step
    if np.max(np.abs(number - np.rint(number))) > _EVEN * max(1.0, float(number.max())):
        raise InputError(
            "discrete got levels that are not evenly spaced; expected whole steps, as in counts and numbered levels: "
            "number the levels in their order."
        )
    return np.rint(number).astype(np.intp)


def _check_few(levels: int) -> None:
    if levels > MOST_LEVELS:
        raise InputError(
            f"discrete got a column of {levels} levels; expected at most {MOST_LEVELS}: round the column, or choose a "
            "method for continuous columns."
        )
