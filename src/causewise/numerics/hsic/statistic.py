"""The test: the biased statistic, and its tail under permutation of one column.

Statistic: tr(KHLH)/n² with kernels exp(−d²/m), m the median of the non-zero squared distances (Gretton et al. 2005).
With K = AᵀA, L = BᵀB and centred factors it is ‖A Bᵀ‖²/n².

Null law: permuting one column. The first three moments of Σ Kᵢⱼ L_π(i)π(j) over all permutations π are exact functions
of a few sums over each centred kernel (`moments`); a law with these moments and the shape that the kernels' eigenvalues
give (`tails`) has the tail, in logarithms.
"""

import math
from typing import NamedTuple

import numpy as np

from causewise.numerics.hsic.column import KernelColumn, kernel_column, overlap
from causewise.numerics.hsic.moments import mean_and_variance, third_moment
from causewise.numerics.hsic.tails import leading_products, log_survival, log_tail
from causewise.numerics.native import FloatArray

_CONSTANT = 1e-20
"""A variance below this fraction of the squared mean is rounding: every permutation gives the same statistic."""


class HsicTest(NamedTuple):
    """Statistic, the upper tail, and the law under permutation: its three moments and its shape."""

    statistic: float
    p_value: float
    log_p_value: float
    null_mean: float
    null_variance: float
    null_skewness: float
    null_shape: FloatArray
    """Leading products of the kernels' eigenvalues, relative to the largest."""


def hsic_test(
    a: FloatArray | KernelColumn,
    b: FloatArray | KernelColumn,
    bandwidth_a: float | None = None,
    bandwidth_b: float | None = None,
) -> HsicTest:
    """Statistic and p-value for two columns of equal length."""
    left = a if isinstance(a, KernelColumn) else kernel_column(a, bandwidth_a)
    right = b if isinstance(b, KernelColumn) else kernel_column(b, bandwidth_b)
    n, statistic = len(left.values), overlap(left, right)
    mean, variance = mean_and_variance(n, left.squares, right.squares)
    if not variance > _CONSTANT * mean * mean:
        return HsicTest(statistic / n**2, 1.0, 0.0, mean / n**2, variance / n**4, 0.0, np.empty(0))
    # Below six rows the third moment is no function of these sums; a gamma law's skewness stands in.
    skewness = third_moment(n, left.cubes, right.cubes) / variance**1.5 if n > 5 else 2.0 * math.sqrt(variance) / mean
    shape = leading_products(left.spectrum, right.spectrum)
    log_p = log_tail(statistic, mean, variance, skewness, shape)
    return HsicTest(statistic / n**2, math.exp(log_p), log_p, mean / n**2, variance / n**4, skewness, shape)


def p_value_at(statistic: float, test: HsicTest) -> float:
    """The p-value that another statistic would have under the null law of a test."""
    law = (test.null_mean, test.null_variance, test.null_skewness, test.null_shape)
    return math.exp(log_tail(statistic, *law))


class GammaTest(NamedTuple):
    """The biased statistic and its upper tail."""

    statistic: float
    p_value: float
    log_p_value: float


def hsic_gamma_test(a: KernelColumn, b: KernelColumn) -> GammaTest:
    """The test as first published (Gretton et al. 2008): a gamma law of two asymptotic moments.

    `hsic_test` is closer to the permutations; published scores were made with this one.
    """
    # With t = tr(HKH) = n − ΣK/n, the mean off-diagonal entry of K is (ΣK − n)/(n(n − 1)) = 1 − t/(n − 1).
    n, cross = len(a.values), overlap(a, b)
    (t_k, t2_k, _), (t_l, t2_l, _) = a.squares, b.squares
    mean = t_k * t_l / ((n - 1) ** 2 * n)
    weight = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = weight * t2_k * t2_l / (n - 1) ** 4
    log_p = log_survival(cross / n, mean * mean / variance, n * variance / mean)
    return GammaTest(cross / n**2, math.exp(log_p), log_p)
