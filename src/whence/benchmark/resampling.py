"""How sure are we of a metric, and of a difference between two methods: bootstrap over pairs, exact sign test."""

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whence.benchmark.metrics import METRICS, Scored, rank_wins, running_accuracy
from whence.pair import FloatArray, InputError

DRAWS = 2000
LEVEL = 0.95

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Comparison:
    """Method A against method B on the pairs both were run on."""

    difference: float
    """Metric of A − metric of B, as a fraction."""
    low: float
    high: float
    only_a: int
    """Pairs only A has right."""
    only_b: int
    p_value: float
    """Exact two-sided McNemar (sign) test on the pairs where just one of the two is right."""
    pairs: int


def resample(size: int, name: str, seed: int = 0, draws: int = DRAWS) -> Indices:
    """Indices of `draws` resamples of a set; the same for every method on it, so that differences are paired."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))
    return rng.integers(0, size, size=(draws, size))


def bootstrap(scored: Scored, metric: str, indices: Indices) -> FloatArray:
    """The metric on every resample."""
    return _BOOTSTRAPS[metric](scored, indices)


def interval(draws: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval; resamples on which the metric does not exist are left out."""
    known = draws[np.isfinite(draws)]
    if len(known) == 0:
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def compare(a: Scored, b: Scored, metric: str, name: str, seed: int = 0) -> Comparison:
    """Paired comparison on one set; both must hold the same pairs in the same order."""
    if len(a.score) != len(b.score) or not np.array_equal(a.truth, b.truth):
        raise InputError(
            "Got two methods on different pairs; expected the same pairs: compare on the pairs they share."
        )
    indices = resample(len(a.score), name, seed)
    low, high = interval(bootstrap(a, metric, indices) - bootstrap(b, metric, indices))
    only_a = int(np.count_nonzero(a.correct & ~b.correct))
    only_b = int(np.count_nonzero(b.correct & ~a.correct))
    difference = METRICS[metric](a) - METRICS[metric](b)
    return Comparison(difference, low, high, only_a, only_b, sign_test(only_a, only_b), len(a.score))


def sign_test(wins: int, losses: int) -> float:
    """Exact two-sided p-value of `wins` against `losses` under a fair coin."""
    total = wins + losses
    tail = sum(math.comb(total, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / 2**total)


def _accuracy(scored: Scored, indices: Indices) -> FloatArray:
    weight = scored.weight[indices]
    return np.sum(weight * scored.correct[indices], axis=1) / np.sum(weight, axis=1)


def _audrc(scored: Scored, indices: Indices) -> FloatArray:
    # A resample is put in order of confidence by sorting its positions in the one ranking of the full set.
    order = scored.order
    place = np.argsort(order)
    ranked = order[np.sort(place[indices], axis=1)]
    return np.mean(running_accuracy(scored.correct[ranked], scored.weight[ranked]), axis=1)


def _auroc(scored: Scored, indices: Indices) -> FloatArray:
    wins, positive, negative = rank_wins(scored)
    times = np.stack([np.bincount(row, minlength=len(scored.score)) for row in indices]).astype(np.float64)
    up, down = times[:, scored.truth > 0] * positive, times[:, scored.truth < 0] * negative
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.einsum("bi,bi->b", up @ wins, down) / (up.sum(axis=1) * down.sum(axis=1))


_BOOTSTRAPS: dict[str, Callable[[Scored, Indices], FloatArray]] = {
    "accuracy": _accuracy,
    "audrc": _audrc,
    "auroc": _auroc,
}
