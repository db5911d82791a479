"""CDS (Fonollosa 2019) and CDCI (Duong & Nguyen 2022): effect given cause varies less than cause given effect.

The cause is cut into half-standard-deviation bins, and the effect within each is binned alike. The score is minus what
the bins' histograms differ by from their average.

CDS    effect = f(cause) + noise of one shape and size: the effect is centred within each bin, and the histograms differ
       by their standard deviation. It came second in the cause-effect challenge as one of many features
CDCI   effect given cause has one shape up to location and scale: the effect is standardised within each bin, and the
       histograms differ by a mean divergence
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from causewise.errors import ROWS, InputError
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional, make_builder

EPS = 1e-8
MAX_DEVIATIONS = (1, 100)
DIGITS = 9
"""Values are rounded to these before binning, so that one on an edge falls the same way in any units."""
Histograms = FloatArray

DIVERGENCES: dict[str, Callable[[Histograms, FloatArray], FloatArray]] = {
    "ckl": lambda p, mean: np.sum(p * np.log((p + EPS) / (mean + EPS)), axis=1),
    "ckm": lambda p, mean: np.max(np.abs(np.cumsum(p, axis=1) - np.cumsum(mean)), axis=1),
    "chd": lambda p, mean: np.sqrt(np.sum((np.sqrt(p) - np.sqrt(mean)) ** 2, axis=1)),
    "ccs": lambda p, mean: np.sum((p - mean) ** 2 / (mean + EPS), axis=1),
    "ctv": lambda p, mean: 0.5 * np.sum(np.abs(p - mean), axis=1),
}
"""Of Kullback and Leibler, of Kolmogorov, of Hellinger, χ², and total variation."""


def score_cds(cause: FloatArray, effect: FloatArray, *, max_dev: int = 3, min_count: int = 12) -> float:
    """Minus the standard deviation, over bins of the cause and of the effect, of the conditional histograms."""
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    bins, (values, level) = bin_cause(u, max_dev), np.unique(v, return_inverse=True)
    few = len(values) <= 4 * max_dev + 1
    table = shifted_histograms(bins, level) if few else centred_histograms(bins, v, max_dev)
    kept = table[np.sum(table, axis=1) > min_count]
    _check_bins(len(kept), len(u), min_count)
    p = kept / np.sum(kept, axis=1, keepdims=True)
    return -float(np.sqrt(np.mean((p - np.mean(p, axis=0)) ** 2)))


def score_cdci(
    cause: FloatArray,
    effect: FloatArray,
    *,
    divergence: str = "ckl",
    max_dev: int = 3,
    min_count: int = 12,
    published: bool = False,
) -> float:
    """Minus the mean divergence of the conditional histograms from their average.

    `published` counts no usable bin as no divergence and skips the rounding before binning.
    """
    order = row_order(cause, effect)
    cause, effect = cause[order], effect[order]
    if published:
        p = standardised_histograms(cause, effect, max_dev, min_count, digits=None)
        return -float(np.mean(DIVERGENCES[divergence](p, np.mean(p, axis=0)))) if len(p) else 0.0
    p = standardised_histograms(standardise(cause), standardise(effect), max_dev, min_count)
    _check_bins(len(p), len(cause), min_count)
    return -float(np.mean(DIVERGENCES[divergence](p, np.mean(p, axis=0))))


cds = make_builder(Directional, "cds", score_cds, max_dev=MAX_DEVIATIONS, min_count=ROWS)
cdci = make_builder(
    Directional, "cdci", score_cdci, divergence=tuple(DIVERGENCES), max_dev=MAX_DEVIATIONS, min_count=ROWS
)


def _check_bins(bins: int, rows: int, min_count: int) -> None:
    if bins < 2:
        raise InputError(
            f"Got {rows} rows of which fewer than two bins of a column hold more than {min_count}; expected at least "
            "two such bins to compare: give more rows, or a smaller min_count."
        )


def bin_cause(cause: FloatArray, max_dev: int) -> NDArray[np.intp]:
    """The values themselves where they are no more than the bins; else half standard deviations without the tails."""
    values, level = np.unique(cause, return_inverse=True)
    if len(values) <= 4 * max_dev + 1:
        return level
    core = cause[np.abs(cause) < max_dev]
    return half_steps((cause - np.mean(core)) / (np.std(core) + EPS), max_dev)


def centred_histograms(bins: NDArray[np.intp], effect: FloatArray, max_dev: int) -> NDArray[np.intp]:
    """Counts of the effect about its mean in each bin, in half standard deviations of the whole column."""
    count = np.maximum(np.bincount(bins), 1)
    mean = np.bincount(bins, weights=effect) / count
    width = 4 * max_dev + 1
    place = bins * width + half_steps(effect - mean[bins], max_dev)
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


def standardised_histograms(
    cause: FloatArray, effect: FloatArray, max_dev: int = 3, min_count: int = 12, digits: int | None = DIGITS
) -> Histograms:
    """A normalised histogram of the standardised effect for each bin of the cause with more than `min_count` rows."""
    x = (cause - np.mean(cause)) / (np.std(cause) + EPS)
    core = x[np.abs(x) < max_dev]
    bins = half_steps((x - np.mean(core)) / (np.std(core) + EPS), max_dev, digits)
    count = np.bincount(bins, minlength=4 * max_dev + 1)
    total = np.bincount(bins, weights=effect, minlength=len(count))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
        centred = effect - mean[bins]
        sd = np.sqrt(np.bincount(bins, weights=centred * centred, minlength=len(count)) / count)
    z = centred / (sd[bins] + EPS)
    width = 4 * max_dev + 1
    table = np.bincount(bins * width + half_steps(z, max_dev, digits), minlength=width * width).reshape(width, width)
    kept = count > min_count
    return table[kept] / count[kept, None]


def half_steps(z: FloatArray, max_dev: int, digits: int | None = DIGITS) -> NDArray[np.intp]:
    """Bins half a unit wide, from 0, the outer ones open beyond `max_dev` units."""
    doubled = 2.0 * z if digits is None else np.round(2.0 * z, digits)
    return (np.clip(np.round(doubled), -2 * max_dev, 2 * max_dev) + 2 * max_dev).astype(np.intp)
