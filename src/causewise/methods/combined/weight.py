"""λ, the reliability weight: a product of two factors between 0 and 1, the same for both directions.

rows    nₑ / (nₑ + n₀), nₑ the effective number of rows: neighbours that resemble each other count less
values  m / (m + m₀), m the number of distinct values of the coarser column

Whether a direction passes its test is no factor: at equal sums of terms it says little about which way is right
(`training`), and something about whether there is a direction at all (`outcomes`).
"""

from typing import NamedTuple

import numpy as np

from causewise.diagnostics import autocorrelation, column_autocorrelation, is_monotone
from causewise.methods.combined.constants import WEIGHT
from causewise.numerics.columns import once
from causewise.pair import FloatArray

SHORTEST_SERIES = 50
NOTICED = 1.5
"""Rows count as independent up to this loss of effective rows: shuffled rows stay below it, so that their order does
not change a bit of the answer."""


class Weight(NamedTuple):
    """The two factors."""

    rows: float
    values: float

    @property
    def product(self) -> float:
        """λ."""
        return self.rows * self.values


def weight_of(effective_rows: float, coarser: int) -> Weight:
    """From the effective rows and the distinct values of the coarser column."""
    return Weight(effective_rows / (effective_rows + WEIGHT.rows), coarser / (coarser + WEIGHT.values))


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
