"""CDS (Fonollosa 2019): effect given cause, but for its mean, varies less than cause given effect.

Model: effect = f(cause) + noise of one shape and size. The cause is cut into half-standard-deviation bins; within each
the effect is centred, not scaled, and binned alike; the score is minus the standard deviation of the bins' histograms
about their average. It came second in the cause-effect challenge as one of many features; CDCI is its descendant that
also scales.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import ROWS, InputError, between
from causewise.methods.baselines.cdci import EPS, MAX_DEVIATIONS, half_steps
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional

DIGITS = 9
"""Values are rounded to these before binning, so that one on an edge falls the same way in any units."""


def cause_bins(cause: FloatArray, max_dev: int) -> NDArray[np.intp]:
    """The values themselves where they are no more than the bins; else half standard deviations without the tails."""
    values, level = np.unique(cause, return_inverse=True)
    if len(values) <= 4 * max_dev + 1:
        return level
    core = cause[np.abs(cause) < max_dev]
    return half_steps((cause - np.mean(core)) / (np.std(core) + EPS), max_dev, DIGITS)


def centred_histograms(bins: NDArray[np.intp], effect: FloatArray, max_dev: int) -> NDArray[np.intp]:
    """Counts of the effect about its mean in each bin, in half standard deviations of the whole column."""
    count = np.maximum(np.bincount(bins), 1)
    mean = np.bincount(bins, weights=effect) / count
    width = 4 * max_dev + 1
    place = bins * width + half_steps(effect - mean[bins], max_dev, DIGITS)
    return np.bincount(place, minlength=width * len(count)).reshape(len(count), width)


def shifted_histograms(bins: NDArray[np.intp], level: NDArray[np.intp]) -> NDArray[np.intp]:
    """Counts of an effect of few values in each bin, moved along the values to where they overlap the whole most."""
    levels = int(np.max(level)) + 1
    rows = int(np.max(bins)) + 1
    table = np.bincount(bins * levels + level, minlength=rows * levels).reshape(rows, levels)
    whole = np.sum(table, axis=0)
    moved = np.zeros((rows, 3 * levels - 2), np.intp)
    for row, counts in zip(moved, table, strict=True):
        at = 2 * levels - 2 - int(np.argmax(np.correlate(counts, whole, "full")))
        row[at : at + levels] = counts
    return moved


def score(cause: FloatArray, effect: FloatArray, *, max_dev: int = 3, min_count: int = 12) -> float:
    """Minus the standard deviation, over bins of the cause and of the effect, of the conditional histograms."""
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    bins, (values, level) = cause_bins(u, max_dev), np.unique(v, return_inverse=True)
    few = len(values) <= 4 * max_dev + 1
    table = shifted_histograms(bins, level) if few else centred_histograms(bins, v, max_dev)
    kept = table[np.sum(table, axis=1) > min_count]
    if len(kept) < 2:
        raise InputError(
            f"Got {len(u)} rows of which fewer than two bins of a column hold more than {min_count}; expected at least "
            "two such bins to compare: give more rows, or a smaller min_count."
        )
    p = kept / np.sum(kept, axis=1, keepdims=True)
    return -float(np.sqrt(np.mean((p - np.mean(p, axis=0)) ** 2)))


def cds(*, max_dev: int = 3, min_count: int = 12) -> Directional:
    """The method; bins with no more than `min_count` rows are left out."""
    between("cds", 1, MAX_DEVIATIONS, max_dev=max_dev)
    between("cds", *ROWS, min_count=min_count)
    settings: dict[str, Any] = {"max_dev": max_dev, "min_count": min_count}
    return Directional("cds", partial(score, **settings), settings)
