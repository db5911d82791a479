"""HECI: the direction with the shorter code for the effect as a piecewise polynomial of the cause.

Xu, Mian, Marx and Vreeken (ICML 2022): both columns on [0, 1]; the cause is cut into equal-width bins; neighbouring
bins are merged so that the sum over the pieces of N·log₂(squared error / N) + (degree + 2)·log₂ n is least, each piece
with its own polynomial and its own noise.
"""

from functools import partial
from typing import Any

import numpy as np

from whence.baselines.scored import Directional
from whence.numerics.magnitude import tame
from whence.numerics.scaling import minmax, zscore
from whence.numerics.segmentation import DEGREES, bin_factors, bin_starts, cheapest_cut
from whence.pair import FloatArray, row_order
from whence.protocol import Method
from whence.ranges import at_least, positive

EDGE = 1e-9
"""A value this close to the end of a bin is on it; on rounded columns only rounding would tell the sides apart."""


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    bins: int = 20,
    support: int = 10,
    error_floor: float = 1e-4,
    published: bool = False,
) -> float:
    """Minus the length in bits of the effect's code given the cause."""
    if published:  # it was run on standardised columns, and their last bits place rounded values into bins
        cause, effect = zscore(cause), zscore(effect)
    order = row_order(cause, effect)
    u, v = minmax(tame(cause[order])), minmax(tame(effect[order]))
    starts = bin_starts(u, bins, support, 0.0 if published else EDGE, published)
    sizes = np.diff(np.append(starts, len(u)))
    degrees = min(DEGREES, int(np.count_nonzero(np.diff(u))))  # one less than the number of distinct values
    return -cheapest_cut(bin_factors(u, v, starts), sizes, degrees, error_floor, np.log2(len(u)))


def heci(bins: int = 20, support: int = 10, error_floor: float = 1e-4, published: bool = False) -> Method:
    """HECI; `published` places values at the ends of bins by their last bit and may cut between equal values."""
    settings: dict[str, Any] = {
        "bins": bins,
        "support": support,
        "error_floor": error_floor,
        "published": published,
    }
    at_least("heci", 1, bins=bins, support=support)
    positive("heci", error_floor=error_floor)
    return Directional("heci", partial(score, **settings), settings)
