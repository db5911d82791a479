"""Effect given cause varies less than cause given effect: CDS (Fonollosa 2019), CDCI (Duong & Nguyen 2022), and KCDC
(Mitrovic, Sejdinovic & Teh 2018).

For CDS and CDCI the cause is cut into half-standard-deviation bins, and the effect within each is binned alike. The
score is minus what the bins' histograms differ by from their average.

CDS    effect = f(cause) + noise of one shape and size: the effect is centred within each bin, and the histograms differ
       by their standard deviation. It came second in the cause-effect challenge as one of many features
CDCI   effect given cause has one shape up to location and scale: the effect is standardised within each bin, and the
       histograms differ by a mean divergence
KCDC   the law of effect given cause changes in place more than in kind: given each value it is a point μ(x) of a
       reproducing kernel Hilbert space, whose length tells how concentrated it is; the score is minus the logarithm of
       the variance of these lengths over the rows
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from causewise.errors import REALS, ROWS, InputError
from causewise.numerics.kernel import BLOCK, KernelPivots, choose_pivots, features, median_sq_distance
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


# ---- kcdc


EXACT = 1e-20
"""A variance of lengths below this is rounding."""
WIDEST = 1000.0


def embedding_lengths(cause: FloatArray, effect: FloatArray, width: float = 1.0, ridge: float = 1e-3) -> FloatArray:
    """The length of the conditional embedding at every row, by Gaussian kernels on both columns."""
    # With K = FᵀF and L = GᵀG, F and G of some tens of rows, the n × n formula k(xᵢ)ᵀ (K + nλ)⁻¹ L (K + nλ)⁻¹ k(xᵢ) is
    # |G Fᵀ (F Fᵀ + nλ)⁻¹ fᵢ|², fᵢ the column of F: linear in n, and equal to the tolerance of the pivots.
    causes, effects = (_pivots(column, width) for column in (cause, effect))
    gram, cross = len(cause) * ridge * np.eye(len(causes.points)), np.zeros((len(causes.points), len(effects.points)))
    # F is made twice, a block at a time: whole, it would leave the caches and take hundreds of bytes a row.
    for block in _blocks(len(cause)):
        f, g = _features(cause, causes, block), _features(effect, effects, block)
        gram += f @ f.T
        cross += f @ g.T
    operator = cho_solve(cho_factor(gram), cross)
    lengths = np.empty(len(cause))
    for block in _blocks(len(cause)):
        lengths[block] = np.sqrt(np.sum((operator.T @ _features(cause, causes, block)) ** 2, axis=0))
    return lengths


def _pivots(column: FloatArray, width: float) -> KernelPivots:
    """Of the kernel exp(−d²/2σ²), σ the median distance of two rows times `width`."""
    return choose_pivots(column, 2.0 * width * width * median_sq_distance(column))


def _features(column: FloatArray, pivots: KernelPivots, block: slice) -> FloatArray:
    """Of a short column they are at hand from the choice of its pivots."""
    return features(column[block], pivots) if pivots.factor is None else pivots.factor[:, block]


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, rows, BLOCK))


def score_kcdc(cause: FloatArray, effect: FloatArray, *, width: float = 1.0, ridge: float = 1e-3) -> float:
    """Minus the logarithm of the variance of the lengths.

    `width` is that of the kernels in median distances, `ridge` smooths the embedding over the cause.
    """
    order = row_order(cause, effect)
    lengths = embedding_lengths(standardise(cause[order]), standardise(effect[order]), width, ridge)
    return -float(np.log(max(float(np.var(lengths)), EXACT)))


kcdc = make_builder(Directional, "kcdc", score_kcdc, width=WIDEST, ridge=REALS[1])
