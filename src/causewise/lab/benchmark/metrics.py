"""Accuracy, AUDRC, AUROC and the decision-rate curve, from scores in file orientation; and how sure we are of them.

A pair is right when score · truth > 0 strictly. Ties, NaN and failures are wrong: a score that is no finite number
counts as an error and ranks last in confidence, so that a failure can never look like a careful answer. Intervals: by
bootstrap over pairs, Wilson's of a share, one of a median; two methods are compared by an exact sign test.
"""

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causewise.errors import InputError
from causewise.pair import FloatArray

DRAWS = 2000
COVERAGE = 0.95

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairScores:
    """What one method said on the pairs of one set, in the order of the set."""

    score: FloatArray
    """Positive = first column causes the second; NaN = no answer."""
    truth: NDArray[np.int64]
    """+1 = first column causes the second, −1 = the second causes the first."""
    weight: FloatArray
    confidence: FloatArray | None = None
    """What the method says of its own certainty; NaN = nothing."""

    @classmethod
    def of(
        cls, score: ArrayLike, truth: ArrayLike, weight: ArrayLike | None = None, confidence: ArrayLike | None = None
    ) -> "PairScores":
        """Arrays of equal length; infinite scores become NaN, since no method may answer with infinity."""
        values = np.array(score, dtype=np.float64)
        values[~np.isfinite(values)] = np.nan
        labels = np.asarray(truth, dtype=np.int64)
        weights = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
        return cls(values, labels, weights, None if confidence is None else np.asarray(confidence, dtype=np.float64))

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Strictly on the right side; NaN compares false."""
        return self.score * self.truth > 0

    @property
    def order(self) -> NDArray[np.intp]:
        """Most certain first: by confidence where the method has one, otherwise by |score|.

        Equal confidence is ordered by |score|, and equal |score| keeps file order, which reproduces the published
        numbers.
        """
        size = np.abs(self.score)
        size = np.where(np.isnan(size), -1.0, size)
        sure = np.full(len(size), -np.inf) if self.confidence is None else self.confidence
        known = np.isfinite(sure) & (size >= 0)
        # One leaning without a confidence, and the two scales cannot be ranked together: |score| is all there is.
        if not known[size > 0].all():
            return np.argsort(-size, kind="stable")
        return np.lexsort((-size, -np.where(known, sure, -np.inf)))


def accuracy(scores: PairScores) -> float:
    """Weighted share of right answers."""
    return float(np.sum(scores.weight * scores.correct) / np.sum(scores.weight))


def decision_rate_curve(scores: PairScores) -> FloatArray:
    """A_k: weighted accuracy on the k most certain pairs, k = 1 … m."""
    order = scores.order
    return running_accuracy(scores.correct[order], scores.weight[order])


def audrc(scores: PairScores) -> float:
    """Area under the decision-rate curve: the plain mean of A_1 … A_m; the weights enter A_k only."""
    return float(np.mean(decision_rate_curve(scores)))


def auroc(scores: PairScores) -> float:
    """Weighted probability that a pair with truth +1 outranks one with truth −1; NaN where one label is missing."""
    wins, positive, negative = rank_wins(scores)
    with np.errstate(invalid="ignore"):
        return float((positive @ wins @ negative) / (positive.sum() * negative.sum()))


def running_accuracy(correct: NDArray[np.bool_], weight: FloatArray) -> FloatArray:
    """Running weighted mean along the last axis, most certain pair first."""
    reached = np.cumsum(weight, axis=-1)
    # Before the first pair of positive weight there is no accuracy to speak of; it counts as 0, never as a success.
    return np.divide(np.cumsum(weight * correct, axis=-1), reached, out=np.zeros_like(reached), where=reached > 0)


def rank_wins(scores: PairScores) -> tuple[FloatArray, FloatArray, FloatArray]:
    """1, ½ or 0 for every (truth +1, truth −1) couple, with the weights of both sides.

    A missing score is put at the wrong end of the ranking, whatever its label.
    """
    worst = np.where(scores.truth > 0, -np.inf, np.inf)
    value = np.where(np.isnan(scores.score), worst, scores.score)
    up, down = scores.truth > 0, scores.truth < 0
    a, b = value[up][:, None], value[down][None, :]
    wins = np.where(a > b, 1.0, np.where((a == b) & np.isfinite(a), 0.5, 0.0))
    return wins, scores.weight[up], scores.weight[down]


METRICS: dict[str, Callable[[PairScores], float]] = {"accuracy": accuracy, "audrc": audrc, "auroc": auroc}

# ---- intervals


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


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's interval of a share of `count` cases."""
    # Not a bootstrap: that would call three right out of three a certainty.
    z = NormalDist().inv_cdf((1 + COVERAGE) / 2)
    middle = share + z**2 / (2 * count)
    reach = z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    low, high = (end / (1 + z**2 / count) for end in (middle - reach, middle + reach))
    # At 0 and 1 the share is an end of its interval, but for rounding.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Median with a distribution-free interval from the binomial distribution of the order statistics."""
    from scipy.stats import binom

    ordered = np.sort(np.asarray(values, float))
    n = len(ordered)
    reach = int(binom.ppf((1 - COVERAGE) / 2, n, 0.5))
    low, high = max(reach - 1, 0), min(n - reach, n - 1)
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


def resample(size: int, name: str, seed: int = 0, draws: int = DRAWS) -> Indices:
    """Indices of `draws` resamples of a set."""
    # Drawn from the set's name: the same for every method on it, so that differences between methods are paired.
    rng = np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))
    return rng.integers(0, size, size=(draws, size))


def bootstrap(scores: PairScores, metric: str, indices: Indices) -> FloatArray:
    """The metric on every resample."""
    return _BOOTSTRAPS[metric](scores, indices)


def interval(draws: FloatArray) -> tuple[float, float]:
    """Percentile interval; resamples on which the metric does not exist are left out."""
    finite = draws[np.isfinite(draws)]
    if len(finite) == 0:
        return math.nan, math.nan
    low, high = np.quantile(finite, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)


def compare(a: PairScores, b: PairScores, metric: str, name: str, seed: int = 0) -> Comparison:
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


def _accuracy(scores: PairScores, indices: Indices) -> FloatArray:
    weight = scores.weight[indices]
    return np.sum(weight * scores.correct[indices], axis=1) / np.sum(weight, axis=1)


def _audrc(scores: PairScores, indices: Indices) -> FloatArray:
    # A resample is put in order of confidence by sorting its positions in the one ranking of the full set.
    order = scores.order
    place = np.argsort(order)
    ranked = order[np.sort(place[indices], axis=1)]
    return np.mean(running_accuracy(scores.correct[ranked], scores.weight[ranked]), axis=1)


def _auroc(scores: PairScores, indices: Indices) -> FloatArray:
    # The couples are compared once; a resample only changes how often each side of them counts.
    wins, positive, negative = rank_wins(scores)
    times = np.stack([np.bincount(row, minlength=len(scores.score)) for row in indices]).astype(np.float64)
    up, down = times[:, scores.truth > 0] * positive, times[:, scores.truth < 0] * negative
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.einsum("bi,bi->b", up @ wins, down) / (up.sum(axis=1) * down.sum(axis=1))


_BOOTSTRAPS: dict[str, Callable[[PairScores, Indices], FloatArray]] = {
    "accuracy": _accuracy,
    "audrc": _audrc,
    "auroc": _auroc,
}
