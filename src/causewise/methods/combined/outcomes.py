"""From the terms to probabilities: the reliability weight λ, and three outcomes x → y, y → x and neither.

score = λ · (sum of the terms) is the log-odds of the two directions. λ is a product of two factors between 0 and 1, the
same for both directions:

rows    nₑ / (nₑ + n₀), nₑ the effective sample size: neighbours that resemble each other count less
values  m / (m + m₀), m the number of distinct values of the coarser column

Whether a direction passes its test is no factor: at equal sums of terms it says little about which way is right
(`training`), and something about whether there is a direction at all.

*Neither* is a hidden common cause, a mixture or a selection of rows: the columns are related and no arrow joins them.
Beside the score stands a prior of *neither*, which the reader states, and two things that are met more or less often
without a direction than with one: how large the score is, and how much of the relation is left in the residual of the
direction that fits better. Log-normal and exponential laws of the two, fitted with a direction and without one, make a
likelihood ratio whose logarithm is linear in both.

    odds of neither = prior / (1 − prior) · exp((1 − share) · (a + b · log left) − c · |score|)

Where values repeat in both columns, what is left is what rounding leaves; `share`, that of the regression error, takes
it away.
"""

import math
import tomllib
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from causewise.diagnostics import autocorrelation, column_autocorrelation, is_monotone
from causewise.numerics.columns import once
from causewise.pair import FloatArray


class WeightConstants(NamedTuple):
    """Half-way points of the factors of λ."""

    rows: float
    values: float


class NeitherConstants(NamedTuple):
    """Of the likelihood ratio of *neither* to a direction: its level, and its slopes in what it is seen by."""

    level: float
    left: float
    score: float
    smallest: float


_STORED = tomllib.loads((files("causewise.methods.combined") / "constants.toml").read_text(encoding="utf-8"))
WEIGHT = WeightConstants(**_STORED["weight"])
NEITHER = NeitherConstants(**_STORED["neither"])

FORWARD, BACKWARD, NO_DIRECTION = "x->y", "y->x", "neither"
SHORTEST_SERIES = 50
LARGEST_CHANCE_LOSS = 1.5
"""Rows count as independent up to this loss of effective rows: shuffled rows stay below it, so that their order does
not change a bit of the answer."""


class ReliabilityWeight(NamedTuple):
    """The two factors."""

    rows: float
    values: float

    @property
    def product(self) -> float:
        """λ."""
        return self.rows * self.values


def weigh_rows(effective_rows: float, coarser: int) -> ReliabilityWeight:
    """From the effective rows and the distinct values of the coarser column."""
    return ReliabilityWeight(effective_rows / (effective_rows + WEIGHT.rows), coarser / (coarser + WEIGHT.values))


def count_effective_rows(x: FloatArray, y: FloatArray, forward: FloatArray, backward: FloatArray) -> float:
    """n over Bartlett's factor 1 + 2 Σ ρ_cause(k) ρ_residual(k), by the better direction; rows in file order.

    Where the residual of one direction is not autocorrelated, its rows are as good as independent, however smoothly the
    cause moves along the file. A table sorted by one of its columns looks like a series and is taken as merely sorted.
    Columns enter by their ranks, so that no outlier hides a drift.
    """
    n = len(x)
    if n < SHORTEST_SERIES or is_monotone(x) or is_monotone(y):
        return float(n)
    lost = min(_variance_factor(x, forward), _variance_factor(y, backward))
    return n / lost if lost > LARGEST_CHANCE_LOSS else float(n)


def _variance_factor(cause: FloatArray, residual: FloatArray) -> float:
    product = once(column_autocorrelation, cause) * autocorrelation(residual)
    return 1.0 + 2.0 * float(np.sum(product[1:]))


def probabilities(score: float, left: float, share: float, prior: float) -> dict[str, float]:
    """Of the three outcomes; exchanging the columns exchanges the first two to the last bit."""
    if prior == 0:
        return split_probability(score, 0.0)
    misfit = NEITHER.level + NEITHER.left * math.log(min(left, 1.0) + NEITHER.smallest)
    ratio = (1.0 - share) * misfit - NEITHER.score * abs(score)
    odds = prior / (1.0 - prior) * math.exp(ratio)
    return split_probability(score, odds / (1.0 + odds))


def split_probability(score: float, neither: float) -> dict[str, float]:
    """What *neither* leaves, divided between the two directions by their log-odds."""
    against = math.exp(-abs(score))
    larger, smaller = (1.0 - neither) / (1.0 + against), (1.0 - neither) * against / (1.0 + against)
    forward, backward = (larger, smaller) if score >= 0 else (smaller, larger)
    return {FORWARD: forward, BACKWARD: backward, NO_DIRECTION: neither}


def in_units(lead: float, other: float, neither: float, units: int = 100) -> tuple[int, int, int]:
    """Probabilities in whole units that add up, per cent or cells of a bar; the lead is rounded down, as everywhere.

    What is left goes to the larger remainder, but the other direction never passes the lead.
    """
    # A probability within 1e-11 of a whole unit is that unit: 100 · 0.58 falls short of 58 in floats.
    whole = [math.floor(units * share + 1e-9) for share in (lead, other, neither)]
    spare = units - sum(whole)
    larger = units * other - whole[1] > units * neither - whole[2]
    raised = int(whole[1] < whole[0] and (spare > 1 or (spare == 1 and larger)))
    return whole[0], whole[1] + raised, whole[2] + spare - raised
