"""λ, how much these rows can say: a product of three factors between 0 and 1, the same for both directions.

rows    nₑ / (nₑ + n₀), nₑ the effective number of rows: neighbours that resemble each other count less
values  m / (m + m₀), m the number of distinct values of the coarser column
fit     1 while one direction stands; where both are refused it falls towards a floor with the evidence against the
        better one. That evidence counts in part where less than a hundredth of the relation is left in the residual:
        with enough rows every curve is refused, and so little is what a wrong spline explains. A hidden common cause, a
        mixture or dependent rows refuse both directions, and so can a relation that is no location-scale model; these
        tests cannot tell which, so the factor is a precaution
"""

import math
from typing import NamedTuple

import numpy as np

from whence.combined.constants import WEIGHT
from whence.criteria import LEVEL
from whence.diagnostics import autocorrelation, column_autocorrelation, is_monotone
from whence.numerics.columns import once
from whence.pair import FloatArray

NOTHING_LEFT = 0.01
SHORTEST_SERIES = 50
NOTICED = 1.5
"""Rows count as independent up to this loss of effective rows: shuffled rows stay below it, so that their order does
not change a bit of the answer."""


class Weight(NamedTuple):
    """The three factors."""

    rows: float
    values: float
    fit: float

    @property
    def product(self) -> float:
        """λ."""
        return self.rows * self.values * self.fit


def weight_of(effective_rows: float, coarser: int, better_log_p: float, left: float) -> Weight:
    """From the effective rows, the distinct values of the coarser column, and the better direction's test and rest."""
    against = max(0.0, math.log10(LEVEL) - better_log_p / math.log(10))
    refusal = against * min(1.0, left / NOTHING_LEFT)
    return Weight(
        rows=effective_rows / (effective_rows + WEIGHT.rows),
        values=coarser / (coarser + WEIGHT.values),
        fit=WEIGHT.floor + (1.0 - WEIGHT.floor) / (1.0 + refusal / WEIGHT.refusal),
    )


def effective_rows(x: FloatArray, y: FloatArray, forward: FloatArray, backward: FloatArray) -> float:
    """n over Bartlett's factor 1 + 2 Σ ρ_cause(k) ρ_residual(k), by the better direction; rows in file order.

    Where the residual of one direction is not autocorrelated, its rows are as good as independent, however smoothly the
    cause moves along the file. A table sorted by one of its columns looks like a series and is taken as merely sorted.
    Columns enter by their ranks, so that no outlier hides a drift.
    """
    n = len(x)
    if n < SHORTEST_SERIES or is_monotone(x) or is_monotone(y):
        return float(n)
    lost = min(_variance_factor(x, forward), _variance_factor(y, backward))
    return n / lost if lost > NOTICED else float(n)


def _variance_factor(cause: FloatArray, residual: FloatArray) -> float:
    product = once(column_autocorrelation, cause) * autocorrelation(residual)
    return 1.0 + 2.0 * float(np.sum(product[1:]))
