"""Columns of few levels: additive noise on levels (Peters, Janzing & Schölkopf 2010), and the direction that needs less
randomness (entropic causality, Kocaoglu et al. 2017).

Additive noise: effect = f(cause) + noise on evenly spaced scales; f is any function of the cause's levels, the noise is
a whole number of steps and independent of the cause. f(c) starts at the commonest effect of each level and moves, level
by level, to where the residual depends least on the cause by Pearson's χ²; the order of the cause's levels does not
matter. A direction fits while the test of independence does not reject. An answer is given where one direction fits and
the other does not; where both or neither do, none is, as in the paper. The test is of the table of causes × residuals
with both margins fixed: a gamma law with the exact mean and variance of χ² under random pairing (Haldane 1940, Dawson
1954), since most cells of such a table are nearly empty and the asymptotic law fails there.

Entropic: effect = f(cause, E) with E independent of the cause and of small entropy, f any function. The E of least
entropy is the coupling of least entropy of the laws of effect given each level of the cause, which is hard to find; the
greedy coupling has at most some bits more. The direction with the smaller H(cause) + H(E) is chosen. Only the laws
count, not the values: levels may be names.
"""

import heapq
import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.errors import InputError, between
from causewise.numerics.arrays import minmax
from causewise.pair import FloatArray, Pair, both_directions
from causewise.protocol import Directional, PairMethod, make_builder

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


# ---- entropic


LEVELS = (2, 100)
"""A coupling of k laws over m levels takes some k·m steps, each over the k laws."""
DIGITS = 9
"""Places are rounded to these before binning, so that one on an edge falls the same way in any units."""


def entropy(masses: FloatArray) -> float:
    """In bits, of masses that sum to one; no mass adds nothing, and their order does not matter to the last bit."""
    held = masses[masses > 0.0]
    return -math.fsum(held * np.log2(held))


def greedy_coupling(laws: Sequence[Sequence[int]]) -> list[int]:
    """The masses of a coupling of laws, each given by whole numbers of the same sum; the masses have that sum too.

    Each step takes the largest mass that every law can give from its largest entry, the smallest of these maxima, so
    that at least one entry is used up: there are fewer steps than entries.
    """
    heaps = [[-count for count in law if count] for law in laws]
    for heap in heaps:
        heapq.heapify(heap)
    masses = []
    while heaps[0]:
        mass = -max(heap[0] for heap in heaps)
        masses.append(mass)
        for heap in heaps:
            left = heap[0] + mass
            if left:
                heapq.heapreplace(heap, left)
            else:
                heapq.heappop(heap)
    return masses


def noise_entropy(table: NDArray[np.intp]) -> float:
    """Bits of the greedy coupling of the laws in the rows of a table of counts."""
    # Over a common denominator the laws are whole numbers: nothing is rounded, so that no order of levels can matter.
    totals = [int(total) for total in np.sum(table, axis=1)]
    common = math.lcm(*totals)
    laws = [[int(count) * (common // total) for count in row] for row, total in zip(table, totals, strict=True)]
    return entropy(np.array([mass / common for mass in greedy_coupling(laws)]))


def levels_of(column: FloatArray, max_levels: int, bins: int | None) -> NDArray[np.intp]:
    """Each row's level; a column of more is cut into bins of equal width where their number is given, else refused."""
    values, level = np.unique(column, return_inverse=True)
    if len(values) <= (bins or max_levels):
        return level
    if bins is not None:
        place = np.floor(np.round(minmax(column) * bins, DIGITS))
        return np.unique(np.minimum(place, bins - 1), return_inverse=True)[1]
    raise InputError(
        f"Entropic inference got a column with {len(values)} distinct values; expected at most {max_levels}, since it "
        "compares the laws of levels: choose a column of few levels, or quantise with bins=8."
    )


def score_entropic(cause: FloatArray, effect: FloatArray, *, max_levels: int = 30, bins: int | None = None) -> float:
    """Minus the bits of randomness that the direction needs: H(cause) + H(E) of the greedy coupling.

    A column of more than `max_levels` values is refused unless `bins` of equal width are asked for.
    """
    u, v = (levels_of(column, max_levels, bins) for column in (cause, effect))
    width = int(np.max(v)) + 1
    table = np.bincount(u * width + v, minlength=(int(np.max(u)) + 1) * width).reshape(-1, width)
    return -(entropy(np.sum(table, axis=1) / len(u)) + noise_entropy(table))


def _check_bins(bins: int | None) -> None:
    if bins is not None:
        between("entropic", *LEVELS, bins=bins)


entropic = make_builder(Directional, "entropic", score_entropic, max_levels=LEVELS, bins=_check_bins)
