"""HECI: the direction with the shorter code for the effect as a piecewise polynomial of the cause.

Xu, Mian, Marx and Vreeken (ICML 2022): both columns on [0, 1]; the cause is cut into equal-width bins; neighbouring
bins are merged so that the sum over the pieces of N·log₂(squared error / N) + (degree + 2)·log₂ n is least, each piece
with its own polynomial and its own noise.
"""

import numpy as np

from causewise.errors import REALS, ROWS, SIZES
from causewise.numerics.arrays import minmax, unit_magnitude, zscore
from causewise.numerics.native import FloatArray, IntArray, native
from causewise.pair import row_order
from causewise.protocol import Directional, make_builder

DEGREES = 3
"""Of the polynomials, at most; `heci.c` counts on it."""
EDGE = 1e-9
"""A value this close to the end of a bin is on it; on rounded columns only rounding would tell the sides apart."""
_MERGES_AT_ONCE = 500_000
"""So many in one call, a tenth of a second; between calls Python may stop the search."""


def score(
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


heci = make_builder(Directional, "heci", score, bins=SIZES, support=ROWS, error_floor=REALS[1])


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
