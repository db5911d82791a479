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
from numba import njit

from whence.native import FloatArray
from whence.numerics.hsic.bandwidth import ROUNDING, median_sq_distance
from whence.numerics.hsic.chebyshev import feature_moments, in_boxes
from whence.numerics.hsic.moments import Cubes, Squares, mean_and_variance, node_sums, third_moment, traceless_cubes
from whence.numerics.hsic.tails import leading_products, log_survival, log_tail
from whence.numerics.kernel import KernelPivots, choose_pivots

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


class KernelColumn(NamedTuple):
    """A column with its bandwidth and pivots: what can be prepared once and tested against many others."""

    values: FloatArray
    pivots: KernelPivots


def kernel_column(column: FloatArray, bandwidth: float | None = None) -> KernelColumn:
    """Prepare a column; the bandwidth is the median of its non-zero squared distances unless given."""
    ordered = np.sort(column)  # once for both: sorting is a sixth of the test of a long column
    m = median_sq_distance(ordered, rounding=ROUNDING, is_sorted=True) if bandwidth is None else bandwidth
    if not (m > 0 and math.isfinite(m)):
        raise FloatingPointError("a column without spread has no kernel bandwidth")
    return KernelColumn(column, choose_pivots(column, m, ordered=ordered))


def hsic_test(
    a: FloatArray | KernelColumn,
    b: FloatArray | KernelColumn,
    bandwidth_a: float | None = None,
    bandwidth_b: float | None = None,
) -> HsicTest:
    """Statistic and p-value for two columns of equal length."""
    left = a if isinstance(a, KernelColumn) else kernel_column(a, bandwidth_a)
    right = b if isinstance(b, KernelColumn) else kernel_column(b, bandwidth_b)
    n, products = len(left.values), _products(left, right)
    statistic, one, two = _centred(n, products)
    mean, variance = mean_and_variance(n, one, two)
    if not variance > _CONSTANT * mean * mean:
        return HsicTest(statistic / n**2, 1.0, 0.0, mean / n**2, variance / n**4, 0.0, np.empty(0))
    cubes_a, spectrum_a = _third_order(left, products.gram_a, products.sum_a, one)
    cubes_b, spectrum_b = _third_order(right, products.gram_b, products.sum_b, two)
    # Below six rows the third moment is no function of these sums; a gamma law's skewness stands in.
    skewness = third_moment(n, cubes_a, cubes_b) / variance**1.5 if n > 5 else 2.0 * math.sqrt(variance) / mean
    shape = leading_products(spectrum_a, spectrum_b)
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
    cross, (t_k, t2_k, _), (t_l, t2_l, _) = _centred_moments(a, b)
    n = len(a.values)
    mean = t_k * t_l / ((n - 1) ** 2 * n)
    weight = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = weight * t2_k * t2_l / (n - 1) ** 4
    log_p = log_survival(cross / n, mean * mean / variance, n * variance / mean)
    return GammaTest(cross / n**2, math.exp(log_p), log_p)


class Products(NamedTuple):
    """Products of two columns' features over the rows, and their sums."""

    gram_a: FloatArray
    gram_b: FloatArray
    cross: FloatArray
    sum_a: FloatArray
    sum_b: FloatArray


def _centred_moments(left: KernelColumn, right: KernelColumn) -> tuple[float, Squares, Squares]:
    """‖A Bᵀ‖² of the centred factors, and the second-order sums of each centred kernel."""
    return _centred(len(left.values), _products(left, right))


def _products(left: KernelColumn, right: KernelColumn) -> Products:
    if left.pivots.factor is not None and right.pivots.factor is not None:
        a, b = left.pivots.factor, right.pivots.factor
        return Products(a @ a.T, b @ b.T, a @ b.T, a.sum(axis=1), b.sum(axis=1))
    return Products(*feature_moments(in_boxes(left.values, left.pivots), in_boxes(right.values, right.pivots)))


def _centred(n: int, products: Products) -> tuple[float, Squares, Squares]:
    gram_a, gram_b, cross, sum_a, sum_b = products
    mean_a, mean_b = sum_a / n, sum_b / n
    statistic = float(np.sum((cross - n * np.outer(mean_a, mean_b)) ** 2))
    return statistic, Squares(*_squares(n, gram_a, mean_a)), Squares(*_squares(n, gram_b, mean_b))


def _third_order(
    column: KernelColumn, gram: FloatArray, total: FloatArray, squares: Squares
) -> tuple[Cubes, FloatArray]:
    """The third-order sums of a centred kernel without its trace, and its spectrum in ascending order."""
    n = len(column.values)
    mean = total / n
    # Q = Σ eᵢ Kᵢⱼ eⱼ = ‖F e‖² with eᵢ = ‖m‖² − fᵢ·m.
    along = gram @ mean - (mean @ mean) * total
    spectrum = np.asarray(np.linalg.eigvalsh(gram - n * np.outer(mean, mean)), np.float64)
    rows = node_sums(column.values, column.pivots.bandwidth)
    return traceless_cubes(n, rows, squares, float(along @ along), float(np.sum(spectrum**3))), spectrum


@njit(cache=True, nogil=True)
def _squares(n: int, gram: FloatArray, mean: FloatArray) -> tuple[float, float, float]:
    """The sums of `Squares` for the centred kernel, given F Fᵀ and the mean of F."""
    # The kernel's own diagonal is 1, so the centred one is 1 − 2 fᵢ·m + m·m, whose squares sum through F Fᵀ.
    square, along, length = 0.0, 0.0, 0.0
    for i in range(len(mean)):
        length += mean[i] * mean[i]
        for j in range(i + 1):
            twice = 1.0 if i == j else 2.0
            square += twice * (gram[i, j] - n * mean[i] * mean[j]) ** 2
            along += twice * gram[i, j] * mean[i] * mean[j]
    alpha = 1.0 + length
    diagonal = n * alpha * alpha - 4.0 * alpha * n * length + 4.0 * along
    return n * (1.0 - length), square, diagonal
