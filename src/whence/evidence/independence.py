"""How much a residual still depends on the presumed cause."""

from typing import NamedTuple

import numpy as np

from whence.numerics.distances import median_sq_distance
from whence.numerics.hsic import KernelColumn
from whence.numerics.hsic_gamma import hsic_exact_gamma_test
from whence.numerics.kernel import choose_pivots
from whence.pair import FloatArray

TOLERANCE = 1e-6
"""Of the kernel factors: far below what separates two directions, at a quarter of the cost of full precision."""
SMALLEST_LOG_P = -60.0


class Dependence(NamedTuple):
    """log HSIC, and the log of its p-value, cut off where it only counts rows."""

    log_statistic: float
    log_p: float


def kernel(column: FloatArray) -> KernelColumn:
    """A column prepared for several tests."""
    return KernelColumn(column, choose_pivots(column, max(median_sq_distance(column), 1e-12), TOLERANCE))


def dependence(cause: KernelColumn, residual: FloatArray) -> Dependence:
    """HSIC of a prepared cause and a residual."""
    test = hsic_exact_gamma_test(cause, kernel(residual))
    return Dependence(float(np.log(max(test.statistic, 1e-12))), max(test.log_p_value, SMALLEST_LOG_P))
