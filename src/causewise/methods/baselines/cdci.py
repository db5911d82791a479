"""CDCI (Duong & Nguyen 2022): the shape of effect given cause varies less than that of cause given effect.

Model: effect given cause has one shape up to location and scale. The cause is cut into half-standard-deviation bins;
within each, the effect is standardised and binned alike; the score is minus the mean divergence of the bins' histograms
from their average.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.errors import ROWS, InputError, between
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional

EPS = 1e-8
MAX_DEVIATIONS = 100
Histograms = FloatArray


def _kullback(p: Histograms, mean: FloatArray) -> FloatArray:
    return np.sum(p * np.log((p + EPS) / (mean + EPS)), axis=1)


def _kolmogorov(p: Histograms, mean: FloatArray) -> FloatArray:
    return np.max(np.abs(np.cumsum(p, axis=1) - np.cumsum(mean)), axis=1)


def _hellinger(p: Histograms, mean: FloatArray) -> FloatArray:
    return np.sqrt(np.sum((np.sqrt(p) - np.sqrt(mean)) ** 2, axis=1))


def _chi_square(p: Histograms, mean: FloatArray) -> FloatArray:
    return np.sum((p - mean) ** 2 / (mean + EPS), axis=1)


def _total_variation(p: Histograms, mean: FloatArray) -> FloatArray:
    return 0.5 * np.sum(np.abs(p - mean), axis=1)


DIVERGENCES: dict[str, Callable[[Histograms, FloatArray], FloatArray]] = {
    "ckl": _kullback,
    "ckm": _kolmogorov,
    "chd": _hellinger,
    "ccs": _chi_square,
    "ctv": _total_variation,
}


def conditional_histograms(
    cause: FloatArray, effect: FloatArray, max_dev: int = 3, min_count: int = 12, digits: int | None = 9
) -> Histograms:
    """One normalised histogram of the standardised effect for every bin of the cause with more than `min_count` rows.

    Values are rounded to `digits` before binning, so that one on an edge falls the same way in any units.
    """
    x = (cause - np.mean(cause)) / (np.std(cause) + EPS)
    core = x[np.abs(x) < max_dev]
    bins = half_steps((x - np.mean(core)) / (np.std(core) + EPS), max_dev, digits)
    count = np.bincount(bins, minlength=4 * max_dev + 1)
    total = np.bincount(bins, weights=effect, minlength=len(count))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
        spread = effect - mean[bins]
        sd = np.sqrt(np.bincount(bins, weights=spread * spread, minlength=len(count)) / count)
    z = spread / (sd[bins] + EPS)
    width = 4 * max_dev + 1
    table = np.bincount(bins * width + half_steps(z, max_dev, digits), minlength=width * width).reshape(width, width)
    kept = count > min_count
    return table[kept] / count[kept, None]


def half_steps(z: FloatArray, max_dev: int, digits: int | None) -> NDArray[np.intp]:
    """Bins half a unit wide, from 0, the outer ones open beyond `max_dev` units."""
    doubled = 2.0 * z if digits is None else np.round(2.0 * z, digits)
    return (np.clip(np.round(doubled), -2 * max_dev, 2 * max_dev) + 2 * max_dev).astype(np.intp)


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    divergence: str = "ckl",
    max_dev: int = 3,
    min_count: int = 12,
    published: bool = False,
) -> float:
    """Minus the mean divergence of the conditional histograms from their average."""
    order = row_order(cause, effect)
    cause, effect = cause[order], effect[order]
    if published:
        p = conditional_histograms(cause, effect, max_dev, min_count, digits=None)
        return -float(np.mean(DIVERGENCES[divergence](p, np.mean(p, axis=0)))) if len(p) else 0.0
    p = conditional_histograms(standardise(cause), standardise(effect), max_dev, min_count)
    if len(p) < 2:
        raise InputError(
            f"Got {len(cause)} rows of which fewer than two bins of a column hold more than {min_count}; expected at "
            "least two such bins to compare: give more rows, or a smaller min_count."
        )
    return -float(np.mean(DIVERGENCES[divergence](p, np.mean(p, axis=0))))


def cdci(*, divergence: str = "ckl", max_dev: int = 3, min_count: int = 12, published: bool = False) -> Directional:
    """The method; `published=True` counts no usable bin as no divergence and skips the rounding before binning."""
    between("cdci", 1, MAX_DEVIATIONS, max_dev=max_dev)
    between("cdci", *ROWS, min_count=min_count)
    if divergence not in DIVERGENCES:
        raise InputError(f"Got divergence={divergence!r} for cdci; expected one of {', '.join(DIVERGENCES)}.")
    settings: dict[str, Any] = {
        "divergence": divergence,
        "max_dev": max_dev,
        "min_count": min_count,
        "published": published,
    }
    return Directional("cdci", partial(score, **settings), settings)
