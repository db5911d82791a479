"""How sure are we: bootstrap over pairs, Wilson's interval of a share, an interval of a median, the exact sign test."""

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from causewise.errors import InputError
from causewise.lab.benchmark.metrics import METRICS, Scored, rank_wins, running_accuracy
from causewise.pair import FloatArray

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


def wilson(share: float, count: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share of `count` cases."""
    # Not a bootstrap: that would call three right out of three a certainty.
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = share + z**2 / (2 * count)
    reach = z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    low, high = (end / (1 + z**2 / count) for end in (middle - reach, middle + reach))
    # At 0 and 1 the share is an end of its interval, but for rounding.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def median_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float, float]:
    """Median with a distribution-free interval from the binomial distribution of the order statistics."""
    from scipy.stats import binom

    ordered = np.sort(np.asarray(values, float))
    n = len(ordered)
    reach = int(binom.ppf((1 - level) / 2, n, 0.5))
    low, high = max(reach - 1, 0), min(n - reach, n - 1)
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


def resample(size: int, name: str, seed: int = 0, draws: int = DRAWS) -> Indices:
    """Indices of `draws` resamples of a set."""
    # Drawn from the set's name: the same for every method on it, so that differences between methods are paired.
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
    # The couples are compared once; a resample only changes how often each side of them counts.
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
