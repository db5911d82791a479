"""The shorter code names the direction: SLOPE (Marx & Vreeken 2017) and HECI (Xu, Mian, Marx & Vreeken 2022).

SLOPE  effect = f(cause) + Gaussian noise with one global f; a value of the cause that comes up often may have a local
       function of its own instead, which draws its sorted effects. Columns are scaled to [0, 1] and sent at the
       resolution of their smallest step: the two-part code of cause, function and residual. By the no-hypercompression
       inequality, two codes that are equally good a priori differ by Δ bits with probability 2^(−|Δ|/2) at most: the
       p-value of an answer
HECI   the effect as a piecewise polynomial of the cause, both columns on [0, 1]: the cause is cut into equal-width
       bins; neighbouring bins are merged so that the sum over the pieces of N·log₂(squared error / N) + (degree + 2)
       · log₂ n is least, each piece with its own polynomial and its own noise
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from causewise.decision import Decision, Evidence
from causewise.errors import REALS, ROWS, SIZES, InputError
from causewise.numerics.arrays import minmax, unit_magnitude, zscore
from causewise.numerics.native import FloatArray, IntArray, native
from causewise.pair import Pair, both_directions, row_order
from causewise.protocol import Directional, PairMethod, make_builder

MIN_DISTINCT = 3
COARSEST = 0.01
"""The resolution of a column whose steps are all larger."""
REACH = 5.0
"""Local functions are drawn over ranks spread from −REACH to REACH."""
DIGITS = 1000.0
"""A coefficient is sent to the decimal that makes a whole number of at least this size of it."""
NOTHING = 1e-100
BITS = 1.0 / math.log(2.0)


class Code(NamedTuple):
    """Lengths in bits of what is sent: the cause, the functions, and the effect given both."""

    cause: float
    functions: float
    residual: float
    local: int
    """How many values of the cause have a function of their own."""

    @property
    def total(self) -> float:
        """Of all three parts."""
        return self.cause + self.functions + self.residual


def integer_bits(z: FloatArray) -> FloatArray:
    """Rissanen's universal code of a positive whole number: log₂ 2.865064 + log₂ z + log₂ log₂ z + … while positive."""
    term = np.log2(np.maximum(np.ceil(z), 1.0))
    total = np.full(np.shape(z), math.log2(2.865064))
    while np.any(term > 0.0):  # five times for any double
        total = total + np.maximum(term, 0.0)
        term = np.log2(np.maximum(term, 1.0))
    return total


def coefficient_bits(value: FloatArray) -> FloatArray:
    """A sign, the place of the decimal point and the digits up to it; a coefficient that is zero costs nothing."""
    size = np.clip(np.abs(value), NOTHING, 1.0 / NOTHING)
    places = np.maximum(np.ceil(np.log10(DIGITS / size)), 0.0)
    cost = integer_bits(size * 10.0**places) + integer_bits(places + 1.0) + 1.0
    return np.where(np.abs(value) > NOTHING, cost, 0.0)


def gaussian_bits(sse: FloatArray, n: FloatArray, resolution: float) -> FloatArray:
    """Of n residuals under a Gaussian of their own variance; below the resolution nothing is left to send."""
    with np.errstate(divide="ignore", invalid="ignore"):
        density = 0.5 * n * (np.log2(2.0 * math.pi * sse / n) + BITS) - n * math.log2(resolution)
    return np.where(sse > 0.0, np.maximum(density, 0.0), 0.0)


def shapes(u: FloatArray, nearest: float) -> Iterator[FloatArray]:
    """What a function may be a multiple of: u, u², u³, eᵘ, 1/u, 1/u²; at zero u is `nearest` instead."""
    inverse = 1.0 / np.where(u == 0.0, nearest, u)
    yield from (u, u * u, u * u * u, np.exp(u), inverse, inverse * inverse)


def resolution(column: FloatArray) -> float:
    """The smallest step between values of a sorted column on the unit interval."""
    steps = np.diff(column)
    return min(float(np.min(steps[steps > 0.0])), COARSEST)


class ShapeFit(NamedTuple):
    """One shape fitted in each group: what remains, what the two coefficients cost, and the squares of what remains."""

    sse: FloatArray
    bits: FloatArray
    squares: FloatArray


def fit_groups(shape: FloatArray, v: FloatArray, start: NDArray[np.intp]) -> ShapeFit:
    """Least squares of v on a constant and the shape, within groups that begin at `start`."""
    size = np.diff(np.append(start, len(v)))

    def by_group(column: FloatArray) -> FloatArray:
        return np.add.reduceat(column, start)

    mean_v, mean_b = by_group(v) / size, by_group(shape) / size
    dv, db = v - np.repeat(mean_v, size), shape - np.repeat(mean_b, size)
    squares = by_group(db * db)
    slope = np.where(squares > 0.0, by_group(db * dv) / np.where(squares > 0.0, squares, 1.0), 0.0)
    dv -= np.repeat(slope, size) * db
    dv *= dv
    return ShapeFit(by_group(dv), coefficient_bits(slope) + coefficient_bits(mean_v - slope * mean_b), dv)


def code(cause: FloatArray, effect: FloatArray, min_count: int = 5) -> Code:
    """The shortest code of cause, then effect given cause; `min_count` rows of one value may have a function."""
    order = row_order(cause, effect)
    u, v = minmax(cause[order]), minmax(effect[order])
    ordered = np.sort(v)
    values, start, tally = np.unique(u, return_index=True, return_counts=True)
    if len(values) < MIN_DISTINCT:
        raise InputError(
            f"SLOPE got a column with {len(values)} distinct values; expected at least {MIN_DISTINCT}, since a "
            "function of two values says nothing: choose another column."
        )
    n, fine, step = float(len(u)), resolution(ordered), resolution(u)
    everywhere = (fit_groups(shape, v, np.zeros(1, np.intp)) for shape in shapes(u, step))
    best = min(everywhere, key=lambda fit: float(gaussian_bits(fit.sse[0], np.array(n), fine) + fit.bits[0]))
    residual = float(gaussian_bits(best.sse[0], np.array(n), fine))
    alone = Code(-n * math.log2(step), float(best.bits[0]) + 1.0, residual, 0)
    often = tally >= min_count
    if not np.any(often):
        return alone
    left = np.add.reduceat(best.squares, start)
    local = _local_bits(v, tally, often, fine)
    mixed = (
        _mix_local(bits, left[often], tally[often], best.sse[0], len(u), alone, len(values), fine) for bits in local
    )
    return min((alone, *mixed), key=lambda each: each.total)


def _local_bits(v: FloatArray, tally: NDArray[np.intp], often: NDArray[np.bool_], fine: float) -> Iterator[FloatArray]:
    """Bits of the sorted effects of every value that comes up often, by shape: residual and coefficients together."""
    size, effects = tally[often], v[np.repeat(often, tally)]
    start = np.append(0, np.cumsum(size)[:-1])
    rank = np.arange(len(effects)) - np.repeat(start, size)
    t = REACH * (2.0 * rank / np.repeat(np.maximum(size - 1, 1), size) - 1.0)
    for shape in shapes(t, fine):
        fit = fit_groups(shape, effects, start)
        yield gaussian_bits(fit.sse, size.astype(np.float64), fine) + fit.bits


def _mix_local(
    bits: FloatArray,
    left: FloatArray,
    size: NDArray[np.intp],
    sse: float,
    n: int,
    alone: Code,
    values: int,
    fine: float,
) -> Code:
    """The best code with local functions of one shape: values go over in the order of what they save."""
    # What stays global keeps its function but has a variance of its own, so that every k is an exact code length.
    variance = max(float(sse) / n, fine * fine)
    each = 0.5 * math.log2(2.0 * math.pi * variance) - math.log2(fine)
    order = np.argsort(bits - size * each - 0.5 * BITS * left / variance, kind="stable")
    k = np.arange(1.0, len(order) + 1.0)
    rows_left = np.maximum(n - np.cumsum(size[order]), 0)
    sse_left = np.where(rows_left > 0, np.maximum(sse - np.cumsum(left[order]), 0.0), 0.0)
    residual = gaussian_bits(sse_left, np.maximum(rows_left, 1).astype(np.float64), fine) + np.cumsum(bits[order])
    which = integer_bits(k) + (gammaln(values + 1.0) - gammaln(k + 1.0) - gammaln(values - k + 1.0)) * BITS
    at = int(np.argmin(residual + which))
    # The coefficients of local functions stand with the residuals they belong to.
    return Code(alone.cause, alone.functions + float(which[at]), float(residual[at]), int(k[at]))


def decide(pair: Pair, *, level: float = 0.001, min_count: int = 5) -> Decision:
    """Codes in both directions; the answer is withheld where its p-value is not below `level`, never with `level=1`."""
    forward, backward = both_directions(pair, partial(code, min_count=min_count))
    whole = forward.cause + backward.cause
    one, other = (_evidence(each, whole) for each in (forward, backward))
    gain = abs(forward.total - backward.total)
    way = f"{pair.x_name} → {pair.y_name}" if one.score > other.score else f"{pair.y_name} → {pair.x_name}"
    log_p = -0.5 * gain * math.log(2.0)
    # A p-value too small for a double is given by its power of ten.
    p = f"{math.exp(log_p):.2g}" if log_p > -600 else f"1e{log_p / math.log(10.0):.0f}"
    shorter = f"the code of {way} is {gain:.1f} bits shorter (p = {p})"
    significant = log_p < math.log(level)
    withheld = f"Undecided: {shorter}, not below the level {level:g} asked for."
    return Decision(
        "slope",
        pair,
        one.score - other.score,
        one,
        other,
        carried_by=f"{shorter[0].upper()}{shorter[1:]}." if significant else "",
        reason="" if significant or gain == 0 else withheld,
    )


slope = make_builder(PairMethod, "slope", decide, level=1.0, min_count=ROWS)


def _evidence(code: Code, whole: float) -> Evidence:
    """Shares of what the two columns cost without any function, so that pairs of any length compare."""
    parts = {"cause": code.cause, "functions": code.functions, "residual": code.residual}
    return Evidence(-code.total / whole, costs={kind: bits / whole for kind, bits in parts.items()})


# ---- heci


DEGREES = 3
"""Of the polynomials, at most; `heci.c` counts on it."""
EDGE = 1e-9
"""A value this close to the end of a bin is on it; on rounded columns only rounding would tell the sides apart."""
_MERGES_AT_ONCE = 500_000
"""So many in one call, a tenth of a second; between calls Python may stop the search."""


def score_heci(
    cause: FloatArray,
    effect: FloatArray,
    *,
    bins: int = 20,
    support: int = 10,
    error_floor: float = 1e-4,
    published: bool = False,
) -> float:
    """Minus the length in bits of the effect's code given the cause.

    `published` places values at the ends of bins by their last bit and may cut between equal values.
    """
    if published:  # it was run on standardised columns, and their last bits place rounded values into bins
        cause, effect = zscore(cause), zscore(effect)
    order = row_order(cause, effect)
    u, v = minmax(unit_magnitude(cause[order])), minmax(unit_magnitude(effect[order]))
    starts = bin_starts(u, bins, support, 0.0 if published else EDGE, published)
    sizes = np.diff(np.append(starts, len(u)))
    degrees = min(DEGREES, int(np.count_nonzero(np.diff(u))))  # one less than the number of distinct values
    return -cheapest_cut(*bin_factors(u, v, starts), sizes, degrees, error_floor, np.log2(len(u)))


heci = make_builder(Directional, "heci", score_heci, bins=SIZES, support=ROWS, error_floor=REALS[1])


def bin_starts(u: FloatArray, bins: int, support: int, edge: float, cut_ties: bool) -> IntArray:
    """Where the bins of a sorted column begin: equal width, each holding at least `support` distinct values.

    A value no more than `edge` beyond a bin's end still belongs to it. One row passes one end only, even where a gap
    spans several, so that some rows after a gap make up for it; `cut_ties` lets a bin begin between equal values then.
    """
    starts = np.empty(min(bins, len(u)), np.int64)
    return starts[: _bin_starts(u, len(u), bins, support, edge, cut_ties, starts)]


def bin_factors(u: FloatArray, v: FloatArray, starts: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of each bin's least-squares cubic: the triangular factor in band storage, its right-hand side, the squared error.

    The factor of a run of bins follows from rotating their factors together.
    """
    bins, width = len(starts), DEGREES + 1
    triangles, rights, errors = np.zeros((bins, width, width)), np.zeros((bins, width)), np.zeros(bins)
    _bin_factors(u, v, len(u), starts, bins, triangles, rights, errors)
    return triangles, rights, errors


def cheapest_cut(
    triangles: FloatArray,
    rights: FloatArray,
    errors: FloatArray,
    sizes: IntArray,
    degrees: int,
    slack: float,
    penalty: float,
) -> float:
    """Smallest total cost over all ways to cut the bins into runs: O(bins²) merges.

    A run costs size·log₂((squared error + slack)/size) + (d + 2)·penalty with the best degree d = 1 … degrees.
    """
    bins = len(sizes)
    best = np.full(bins + 1, np.inf)
    best[0] = 0.0
    at_once = max(1, _MERGES_AT_ONCE // bins)
    for first in range(0, bins, at_once):
        end = min(first + at_once, bins)
        _cheapest_cut(triangles, rights, errors, sizes, bins, degrees, slack, penalty, first, end, best)
    return float(best[bins])


_bin_starts = native(
    "int64_t bin_starts(double *u, int64_t n, int64_t bins, int64_t support, double edge, bool cut_ties, "
    "int64_t *starts)"
)
_bin_factors = native(
    "void bin_factors(double *u, double *v, int64_t n, int64_t *starts, int64_t bins, double *triangles, "
    "double *rights, double *errors)"
)
_cheapest_cut = native(
    "void cheapest_cut(double *triangles, double *rights, double *errors, int64_t *sizes, int64_t bins, "
    "int64_t degrees, double slack, double penalty, int64_t first, int64_t end, double *best)"
)
