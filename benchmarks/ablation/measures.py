"""Numbers with intervals: accuracy and AUDRC of a row on a set, means over sets, worst cells, paired differences.

Intervals are 95 % percentile intervals over 2000 resamples of the pairs, weights and all, as in `whence.benchmark`.
Every row of a table sees the same resamples of a set, and the cells of an axis of the grid, whose pairs start from the
same random numbers, are resampled together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ablation.sets import Set
from whence.benchmark.metrics import METRICS, Scored
from whence.benchmark.resampling import DRAWS, bootstrap, interval, resample
from whence.pair import FloatArray

Draws = FloatArray
WORST = 10
"""The worst cells are one in so many."""


@dataclass(frozen=True)
class Measured:
    """A number and the same number on every resample, in per cent."""

    value: float
    draws: Draws

    @property
    def bounds(self) -> tuple[float, float]:
        """95 % interval."""
        return interval(self.draws)

    def __sub__(self, other: "Measured") -> "Measured":
        return Measured(self.value - other.value, self.draws - other.draws)

    def text(self, digits: int = 0, sign: bool = False) -> str:
        """`97 [95, 99]`."""
        form = f"{'+' if sign else ''}.{digits}f"
        low, high = self.bounds
        if np.isnan(low):
            return f"{self.value:{form}}".replace("-", "−")
        return f"{self.value:{form}} [{low:{form}}, {high:{form}}]".replace("-", "−")


@cache
def _indices(size: int, stream: str) -> NDArray[np.intp]:
    return resample(size, stream)


def indices(group: Set) -> NDArray[np.intp]:
    """The resamples of a set."""
    return _indices(len(group), group.stream)


def measured(score: FloatArray, group: Set, metric: str) -> Measured:
    """One metric of one row on one set."""
    scored = Scored.of(score, group.truth, group.weight)
    return Measured(100 * METRICS[metric](scored), 100 * bootstrap(scored, metric, indices(group)))


def mean(cells: Sequence[Measured]) -> Measured:
    """The plain mean over sets."""
    return Measured(float(np.mean([c.value for c in cells])), np.mean([c.draws for c in cells], axis=0))


def worst(cells: Sequence[Measured]) -> Measured:
    """Mean over the tenth of the cells with the lowest values, chosen anew on every resample.

    Choosing by the same pairs that measure makes it too low on average, in the estimate and more so on the resamples.
    """
    count = max(1, len(cells) // WORST)
    value = float(np.mean(np.sort([c.value for c in cells])[:count]))
    return Measured(value, np.sort([c.draws for c in cells], axis=0)[:count].mean(axis=0))


@dataclass(frozen=True)
class Pooled:
    """Answers on several sets put together, to ask whether the confidence means what it says."""

    score: FloatArray
    truth: NDArray[np.int64]
    weight: FloatArray
    indices: NDArray[np.intp]
    """One resample a row: sets are resampled one by one."""

    @classmethod
    def of(cls, scores: Sequence[FloatArray], sets: Sequence[Set]) -> "Pooled":
        """Pairs of all sets one after another."""
        starts = np.cumsum([0, *(len(group) for group in sets)])[:-1]
        drawn = np.concatenate([start + indices(g) for start, g in zip(starts, sets, strict=True)], axis=1)
        truth, weight = (np.concatenate([getattr(g, name) for g in sets]) for name in ("truth", "weight"))
        return cls(np.concatenate(scores), truth, weight, drawn)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Strictly on the right side."""
        return self.score * self.truth > 0

    @property
    def confidence(self) -> FloatArray:
        """What the log-odds promise."""
        return np.asarray(1 / (1 + np.exp(-np.abs(self.score))))

    def over(self, measure: Callable[[NDArray[np.intp]], float]) -> Measured:
        """A measure of chosen pairs, on all and on every resample."""
        return Measured(measure(np.arange(len(self.score))), np.array([measure(row) for row in self.indices]))

    def coverage_error(self, coverage: float) -> Measured:
        """Share of wrong answers among the most certain `coverage` of the pairs, in per cent."""

        def share(chosen: NDArray[np.intp]) -> float:
            kept = chosen[np.argsort(-np.abs(self.score[chosen]), kind="stable")]
            kept = kept[: max(1, round(coverage * len(chosen)))]
            return float(100 * np.average(~self.right[kept], weights=self.weight[kept]))

        return self.over(share)

    def calibration_error(self, least: float = 0.0) -> Measured:
        """Expected calibration error of the pairs with at least this confidence, ten bins of equal width on [½, 1]."""
        asked = self.confidence >= least
        return self.over(lambda chosen: self._calibration(chosen[asked[chosen]], self.right))

    def overconfidence(self, least: float = 0.0) -> Measured:
        """Mean confidence − share of right answers, over the pairs with at least this confidence."""
        asked = self.confidence >= least

        def gap(chosen: NDArray[np.intp]) -> float:
            kept = chosen[asked[chosen]]
            missed = self.confidence[kept] - self.right[kept]
            return float(np.average(missed, weights=self.weight[kept])) if len(kept) else float("nan")

        return self.over(gap)

    def calibration_by_chance(self, least: float = 0.0) -> Measured:
        """The same error if the confidence were exactly right and outcomes coin tosses with its odds."""
        rng = np.random.default_rng(0)
        chosen = np.flatnonzero(self.confidence >= least)
        tossed = [self._calibration(chosen, rng.random(len(self.score)) < self.confidence) for _ in range(DRAWS)]
        return Measured(float(np.mean(tossed)), np.array(tossed))

    def _calibration(self, chosen: NDArray[np.intp], right: NDArray[np.bool_], bins: int = 10) -> float:
        if len(chosen) == 0:
            return float("nan")
        confidence, weight = self.confidence[chosen], self.weight[chosen]
        which = np.minimum(((confidence - 0.5) * 2 * bins).astype(int), bins - 1)
        gaps = np.bincount(which, weight * (right[chosen] - confidence), minlength=bins)
        return float(np.sum(np.abs(gaps)) / np.sum(weight))
