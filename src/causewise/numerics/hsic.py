"""The Hilbert–Schmidt independence criterion of two columns and its test, in time and memory linear in the rows.

Statistic: tr(KHLH)/n² with kernels exp(−d²/m), m the median of the non-zero squared distances (Gretton et al. 2005).
With K = AᵀA, L = BᵀB and centred factors it is ‖A Bᵀ‖²/n².

Null law: permuting one column. The first three moments of Σ Kᵢⱼ L_π(i)π(j) over all permutations π are exact functions
of a few sums over each centred kernel (`null_law`); a law with these moments and the shape that the kernels'
eigenvalues give has the tail, in logarithms.

What the test needs of one column alone is computed when it is first asked for, and once: a column that is tested
against many others, as the columns of a table are, costs its share of a test a single time.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from causewise.numerics.kernel import (
    ROUNDING,
    Boxes,
    KernelPivots,
    assign_boxes,
    choose_pivots,
    cross_moments,
    median_sq_distance,
    own_moments,
)
from causewise.numerics.native import FloatArray, IntArray
from causewise.numerics.null_law import (
    Cubes,
    Squares,
    leading_products,
    log_survival,
    log_tail,
    mean_and_variance,
    node_sums,
    third_moment,
    traceless_cubes,
)

_CONSTANT = 1e-20
"""A variance below this fraction of the squared mean is rounding: every permutation gives the same statistic."""


@dataclass(frozen=True, eq=False)
class KernelColumn:
    """A column with its kernel; f are the kernel's features at a row, m their mean over the rows."""

    values: FloatArray
    ordered: FloatArray
    """The values in ascending order."""
    pivots: KernelPivots

    @cached_property
    def boxes(self) -> Boxes:
        """The rows of a long column, sorted into boxes."""
        return assign_boxes(self.values, self.pivots)

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        factor = self.pivots.factor
        return own_moments(self.boxes) if factor is None else (factor @ factor.T, factor.sum(axis=1))

    @cached_property
    def mean(self) -> FloatArray:
        """The mean m of the features."""
        return self._moments[1] / len(self.values)

    @cached_property
    def centred(self) -> FloatArray:
        """Σ (f − m)(f − m)ᵀ over the rows."""
        return self._moments[0] - len(self.values) * np.multiply.outer(self.mean, self.mean)

    @cached_property
    def squares(self) -> Squares:
        """The sums of second order of the centred kernel."""
        # The kernel's own diagonal is 1, so the centred one is 1 − 2 fᵢ·m + m·m, whose squares sum through F Fᵀ.
        n, gram, mean = len(self.values), self._moments[0], self.mean
        length, flat = float(mean @ mean), self.centred.ravel()
        alpha = 1.0 + length
        diagonal = n * alpha * alpha - 4.0 * alpha * n * length + 4.0 * float(mean @ gram @ mean)
        return Squares(n * (1.0 - length), float(flat @ flat), diagonal)

    @cached_property
    def spectrum(self) -> FloatArray:
        """Eigenvalues of the centred kernel in ascending order."""
        return np.asarray(np.linalg.eigvalsh(self.centred), np.float64)

    @cached_property
    def cubes(self) -> Cubes:
        """The sums of third order of the centred kernel without its trace."""
        # Q = Σ eᵢ Kᵢⱼ eⱼ = ‖F e‖² with eᵢ = ‖m‖² − fᵢ·m.
        n, gram, mean = len(self.values), self._moments[0], self.mean
        along = gram @ mean - (n * float(mean @ mean)) * mean
        rows = node_sums(self.ordered, self.pivots.bandwidth)
        return traceless_cubes(n, rows, self.squares, float(along @ along), float(np.sum(self.spectrum**3)))

    def reorder(self, order: IntArray) -> "KernelColumn":
        """The same column with its rows in another order; what does not depend on it is taken along."""
        factor = self.pivots.factor
        pivots = self.pivots if factor is None else self.pivots._replace(factor=factor[:, order])
        column = replace(self, values=self.values[order], pivots=pivots)
        invariant = ("_moments", "mean", "centred", "squares", "spectrum", "cubes")
        column.__dict__.update({name: getattr(self, name) for name in invariant})
        return column


def kernel_column(column: FloatArray, bandwidth: float | None = None) -> KernelColumn:
    """Prepare a column; the bandwidth is the median of its non-zero squared distances unless given."""
    # Once for all uses: sorting is a good part of the test of a long column, and a cause mostly comes sorted.
    ordered = column if np.all(column[1:] >= column[:-1]) else np.sort(column)
    m = median_sq_distance(ordered, rounding=ROUNDING, is_sorted=True) if bandwidth is None else bandwidth
    if not (m > 0 and math.isfinite(m)):
        raise FloatingPointError("a column without spread has no kernel bandwidth")
    return KernelColumn(column, ordered, choose_pivots(column, m, ordered=ordered))


def overlap(a: KernelColumn, b: KernelColumn) -> float:
    """‖A Bᵀ‖² of the centred features of two columns: n² times the statistic."""
    one, two = a.pivots.factor, b.pivots.factor
    cross = cross_moments(a.boxes, b.boxes) if one is None or two is None else one @ two.T
    flat = (cross - len(a.values) * np.multiply.outer(a.mean, b.mean)).ravel()
    return float(flat @ flat)


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


def hsic_test(a: FloatArray | KernelColumn, b: FloatArray | KernelColumn) -> HsicTest:
    """Statistic and p-value for two columns of equal length."""
    left, right = (each if isinstance(each, KernelColumn) else kernel_column(each) for each in (a, b))
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
