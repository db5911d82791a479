"""Accuracy, AUDRC, AUROC and the decision-rate curve, from scores in file orientation.

A pair is right when score · truth > 0 strictly. Ties, NaN and failures are wrong: a score that is no finite number
counts as an error and ranks last in confidence, so that a failure can never look like a careful answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causewise.pair import FloatArray


@dataclass(frozen=True, eq=False)
class Scored:
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
    ) -> "Scored":
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

        Equal confidence is told apart by |score|, and equal |score| keeps file order, which reproduces the published
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


def accuracy(scored: Scored) -> float:
    """Weighted share of right answers."""
    return float(np.sum(scored.weight * scored.correct) / np.sum(scored.weight))


def decision_rate_curve(scored: Scored) -> FloatArray:
    """A_k: weighted accuracy on the k most certain pairs, k = 1 … m."""
    order = scored.order
    return running_accuracy(scored.correct[order], scored.weight[order])


def audrc(scored: Scored) -> float:
    """Area under the decision-rate curve: the plain mean of A_1 … A_m; the weights enter A_k only."""
    return float(np.mean(decision_rate_curve(scored)))


def auroc(scored: Scored) -> float:
    """Weighted probability that a pair with truth +1 outranks one with truth −1; NaN where one label is missing."""
    wins, positive, negative = rank_wins(scored)
    with np.errstate(invalid="ignore"):
        return float((positive @ wins @ negative) / (positive.sum() * negative.sum()))


def running_accuracy(correct: NDArray[np.bool_], weight: FloatArray) -> FloatArray:
    """Running weighted mean along the last axis, most certain pair first."""
    reached = np.cumsum(weight, axis=-1)
    # Before the first pair of positive weight there is no accuracy to speak of; it counts as 0, never as a success.
    return np.divide(np.cumsum(weight * correct, axis=-1), reached, out=np.zeros_like(reached), where=reached > 0)


def rank_wins(scored: Scored) -> tuple[FloatArray, FloatArray, FloatArray]:
    """1, ½ or 0 for every (truth +1, truth −1) couple, with the weights of both sides.

    A missing score is put at the wrong end of the ranking, whatever its label.
    """
    worst = np.where(scored.truth > 0, -np.inf, np.inf)
    value = np.where(np.isnan(scored.score), worst, scored.score)
    up, down = scored.truth > 0, scored.truth < 0
    a, b = value[up][:, None], value[down][None, :]
    wins = np.where(a > b, 1.0, np.where((a == b) & np.isfinite(a), 0.5, 0.0))
    return wins, scored.weight[up], scored.weight[down]


METRICS: dict[str, Callable[[Scored], float]] = {"accuracy": accuracy, "audrc": audrc, "auroc": auroc}
