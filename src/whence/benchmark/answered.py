"""Methods that may withhold an answer: how many pairs they do answer, and how often they are right on these."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from whence.benchmark.intervals import LEVEL
from whence.benchmark.row import Row
from whence.pair import FloatArray


@dataclass(frozen=True)
class Answered:
    """In percent."""

    share: float
    """Of the pairs, by weight; a pair that was withheld, tied or failed is not answered."""
    accuracy: float
    """Among the answered; NaN where there are none."""
    low: float
    high: float


def answered(*sets: Sequence[Row]) -> Answered:
    """What one method answered on one set, or on several that count the same each.

    Several seeds are averaged within a pair, which stays one observation.
    """
    weight, right = np.concatenate([_pairs(rows) for rows in sets]).T
    given = float(np.sum(weight))
    if given == 0:
        return Answered(0.0, math.nan, math.nan, math.nan)
    accuracy = float(np.sum(right)) / given
    # Kish's effective number of answers: what they are worth under unequal weights.
    low, high = wilson(accuracy, given**2 / float(np.sum(weight**2)))
    return Answered(100 * given / len(sets), 100 * accuracy, 100 * low, 100 * high)


def wilson(share: float, count: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share; unlike a bootstrap, it says that three right out of three are no certainty."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = share + z**2 / (2 * count)
    reach = z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    low, high = (end / (1 + z**2 / count) for end in (middle - reach, middle + reach))
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # at 0 and 1 but for rounding the share is an end


def _pairs(rows: Sequence[Row]) -> FloatArray:
    """For every pair its weight times the share of its runs that were answered, and that were answered right."""
    runs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        runs[row.pair_id].append(row)
    weight = np.array([group[0].weight for group in runs.values()])
    given = np.array([sum(row.answered for row in group) / len(group) for group in runs.values()])
    right = np.array([sum(row.answered and row.correct for row in group) / len(group) for group in runs.values()])
    return np.stack([weight * given, weight * right], axis=1) / np.sum(weight)
