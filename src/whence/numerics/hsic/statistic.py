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

from whence.numerics.hsic.bandwidth import ROUNDING, median_sq_distance
from whence.numerics.hsic.chebyshev import feature_moments, in_boxes
from whence.numerics.hsic.moments import Cubes, Squares, mean_and_variance, node_sums, third_moment, traceless_cubes
from whence.numerics.hsic.tails import leading_products, log_survival, log_tail
from whence.numerics.kernel import KernelPivots, choose_pivots
from whence.numerics.native import FloatArray

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
    ordered: FloatArray
    """The values in ascending order."""
    pivots: KernelPivots


def kernel_column(column: FloatArray, bandwidth: float | None = None) -> KernelColumn:
    """Prepare a column; the bandwidth is the median of its non-zero squared distances unless given."""
    ordered = np.sort(column)  # once for all uses: sorting is a good part of the test of a long column
    m = median_sq_distance(ordered, rounding=ROUNDING, is_sorted=True) if bandwidth is None else bandwidth
    if not (m > 0 and math.isfinite(m)):
        raise FloatingPointError("a column without spread has no kernel bandwidth")
    return KernelColumn(column, ordered, choose_pivots(column, m, ordered=ordered))


def hsic_test(
    a: FloatArray | KernelColumn,
    b: FloatArray | KernelColumn,
    bandwidth_a: float | None = None,
    bandwidth_b: float | None = None,
) -> HsicTest:
    """Statistic and p-value for two columns of equal length."""
    left = a if isinstance(a, KernelColumn) else kernel_column(a, bandwidth_a)
    right = b if isinstance(b, KernelColumn) else kernel_column(b, bandwidth_b)
    n = len(left.values)
    statistic, features_a, features_b = _features(left, right)
    one, two = features_a.squares(n), features_b.squares(n)
    mean, variance = mean_and_variance(n, one, two)
    if not variance > _CONSTANT * mean * mean:
        return HsicTest(statistic / n**2, 1.0, 0.0, mean / n**2, variance / n**4, 0.0, np.empty(0))
    cubes_a, spectrum_a = _third_order(left, features_a, one)
    cubes_b, spectrum_b = _third_order(right, features_b, two)
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
    n = len(a.values)
    cross, features_a, features_b = _features(a, b)
    (t_k, t2_k, _), (t_l, t2_l, _) = features_a.squares(n), features_b.squares(n)
    mean = t_k * t_l / ((n - 1) ** 2 * n)
    weight = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = weight * t2_k * t2_l / (n - 1) ** 4
    log_p = log_survival(cross / n, mean * mean / variance, n * variance / mean)
    return GammaTest(cross / n**2, math.exp(log_p), log_p)


class Features(NamedTuple):
    """Of a column's features f over the rows: their mean m, Σ f fᵀ and Σ (f − m)(f − m)ᵀ."""

    mean: FloatArray
    gram: FloatArray
    centred: FloatArray

    @classmethod
    def of(cls, n: int, gram: FloatArray, total: FloatArray) -> "Features":
        """From sums over n rows."""
        mean = total / n
        return cls(mean, gram, gram - n * np.multiply.outer(mean, mean))

    def squares(self, n: int) -> Squares:
        """The sums of second order of the centred kernel."""
        # The kernel's own diagonal is 1, so the centred one is 1 − 2 fᵢ·m + m·m, whose squares sum through F Fᵀ.
        length, flat = float(self.mean @ self.mean), self.centred.ravel()
        alpha = 1.0 + length
        diagonal = n * alpha * alpha - 4.0 * alpha * n * length + 4.0 * float(self.mean @ self.gram @ self.mean)
        return Squares(n * (1.0 - length), float(flat @ flat), diagonal)


def _features(left: KernelColumn, right: KernelColumn) -> tuple[float, Features, Features]:
    """‖A Bᵀ‖² of the centred factors, and the moments of each."""
    n = len(left.values)
    if left.pivots.factor is not None and right.pivots.factor is not None:
        a, b = left.pivots.factor, right.pivots.factor
        gram_a, gram_b, cross, sum_a, sum_b = a @ a.T, b @ b.T, a @ b.T, a.sum(axis=1), b.sum(axis=1)
    else:
        boxes = in_boxes(left.values, left.pivots), in_boxes(right.values, right.pivots)
        gram_a, gram_b, cross, sum_a, sum_b = feature_moments(*boxes)
    one, two = Features.of(n, gram_a, sum_a), Features.of(n, gram_b, sum_b)
    flat = (cross - n * np.multiply.outer(one.mean, two.mean)).ravel()
    return float(flat @ flat), one, two


def _third_order(column: KernelColumn, features: Features, squares: Squares) -> tuple[Cubes, FloatArray]:
    """The third-order sums of a centred kernel without its trace, and its spectrum in ascending order."""
    n, mean = len(column.values), features.mean
    # Q = Σ eᵢ Kᵢⱼ eⱼ = ‖F e‖² with eᵢ = ‖m‖² − fᵢ·m.
    along = features.gram @ mean - (n * float(mean @ mean)) * mean
    spectrum = np.asarray(np.linalg.eigvalsh(features.centred), np.float64)
    rows = node_sums(column.ordered, column.pivots.bandwidth, is_sorted=True)
    return traceless_cubes(n, rows, squares, float(along @ along), float(np.sum(spectrum**3))), spectrum
