"""The Hilbert–Schmidt independence criterion of two columns and its test, in time and memory linear in the rows.

Statistic: tr(KHLH)/n² with kernels exp(−d²/m), m the median of the non-zero squared distances (Gretton et al. 2005).
With K = AᵀA, L = BᵀB and centred factors it is ‖A Bᵀ‖²/n².

Null law: permuting one column. The first three moments of Σ Aᵢⱼ B_π(i)π(j) over all permutations π, for symmetric
matrices whose rows sum to zero as those of centred kernels do, are exact functions of a few sums over each; a law with
these moments and the shape that the kernels' eigenvalues give has the tail, in logarithms.

A moment of order k is a sum over the ways in which 2k indices can coincide; each way contributes the sum over distinct
indices in A, times that in B, over n(n − 1)⋯. Sums over distinct indices follow from free ones by Möbius inversion, and
free sums with an index that occurs once vanish. Taking the multiple of the centring matrix I − 1/n off A and B that
leaves them without a trace shifts the sum by tr A tr B/(n − 1), its mean, so that the central moments are plain
moments of the traceless matrices: two sums are left of each for the variance (Kazi-Aoual et al. 1995, eq. 3.5), five
for the third moment. No library has these moments; drawn permutations would add noise of their own to a decision.

For a centred Gaussian kernel these sums come from its row means. Let ρᵢ be the row means of K, m their mean and
eᵢ = m − ρᵢ, so that the centred kernel is Aᵢⱼ = Kᵢⱼ + eᵢ + eⱼ − m. The square and the cube of K's entries are Gaussian
kernels again, and every sum needed follows from those over i of eᵢ², eᵢ³ and eᵢ Σⱼ Kᵢⱼ², from Σ Kᵢⱼ² and Σ Kᵢⱼ³, and
from Q = Σ eᵢ Kᵢⱼ eⱼ.

For many rows the sum tends to Σⱼₖ λⱼ μₖ Zⱼₖ²/n with the eigenvalues λ, μ of A, B and independent standard normal Z. For
a finite number it is taken as a + b Σ λⱼ μₖ Xⱼₖ with X chi-squared of h degrees of freedom and a, b, h such that mean,
variance and third moment are exact. Weights below a hundredth of the largest count for so little that the moments stand
in for them. With one weight left this is Pearson's type III law, whose tail is as good, but whose body is not: for
uniform columns it puts p = 0.95 at 0.97.

Tails are kept in logarithms: SciPy's `gamma.logsf` is minus infinity below 1e-308, where two directions are still
compared, and no library has the tail of a weighted sum of chi-squared variables to relative accuracy.

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
    weighted_nodes,
)
from causewise.numerics.native import FloatArray, IntArray, native

# ---- the law under permutation

_FAR = 37.0
"""exp(−_FAR) is lost in rounding."""
_ACCURACY = 4e-16
_UNDERFLOWS = 1e-290
"""Down to here SciPy's tail of the gamma law is a number of full accuracy."""
_SMALLEST = 1e-2
_MOST = 64
_LEAST_SKEWNESS = 1e-3
"""Down to here the law differs from a normal one by less than 1e-4; a left-skewed law is taken as normal as well."""


class Squares(NamedTuple):
    """Of a matrix whose rows sum to zero: (tr A, tr A², Σ Aᵢᵢ²)."""

    trace: float
    square: float
    diagonal: float


class Cubes(NamedTuple):
    """Of a matrix without trace whose rows sum to zero: the sums of third order over all their indices."""

    loops: float
    """Σ Aᵢᵢ³"""
    loop_and_edges: float
    """Σ Aᵢᵢ Aᵢⱼ²"""
    chain: float
    """Σ Aᵢᵢ Aᵢⱼ Aⱼⱼ"""
    edges: float
    """Σ Aᵢⱼ³"""
    triangle: float
    """Σ Aᵢⱼ Aⱼₖ Aₖᵢ = tr A³"""


def mean_and_variance(n: int, one: Squares, two: Squares) -> tuple[float, float]:
    """Mean and variance of Σ Aᵢⱼ B_π(i)π(j); four rows at least."""
    (t, t2, s2), (u, u2, r2) = one, two
    mean = t * u / (n - 1)
    edges = 2.0 * ((n - 1) * t2 - t * t) * ((n - 1) * u2 - u * u) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    left = n * (n + 1) * s2 - (n - 1) * (t * t + 2 * t2)
    right = n * (n + 1) * r2 - (n - 1) * (u * u + 2 * u2)
    return mean, edges + left * right / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))


def third_moment(n: int, one: Cubes, two: Cubes) -> float:
    """Third central moment of Σ Aᵢⱼ B_π(i)π(j), from the traceless parts of A and B; six rows at least."""
    # These polynomials were expanded by a computer algebra system; the tests enumerate all permutations.
    upper = _couplings(n)
    total = 0.0
    for i, row in enumerate(upper):
        total += row[0] * one[i] * two[i]
        for j, weight in enumerate(row[1:], i + 1):
            total += weight * (one[i] * two[j] + one[j] * two[i])
    return total / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))


def _couplings(n: int) -> tuple[tuple[int, ...], ...]:
    """The upper triangle of the symmetric form that couples the sums of A, in the order of `Cubes`, with those of B."""
    wide, narrow = n * n - n - 4, n * n - 5 * n + 8
    shared = n * (n - 1) * (n * n - n + 4)
    return (
        (n**2 * (n + 1) * (n**2 + 15 * n - 4), -12 * n * (n - 1) ** 2 * (n + 4), -6 * shared, -4 * shared,
         16 * n * (n - 1) * (n - 2)),
        (12 * (n - 2) * (n + 4) * (n**2 - 3 * n + 6), 24 * (n**3 - 2 * n**2 - 3 * n + 12), 24 * (n - 2) * wide,
         -24 * (n - 2) * narrow),
        (6 * (n - 2) * (n**3 - 6 * n**2 + 9 * n + 12), 24 * wide, -24 * narrow),
        (4 * (n**4 - 8 * n**3 + 19 * n**2 - 4 * n - 16), -8 * (3 * n**2 - 15 * n + 16)),
        (8 * (n**3 - 9 * n**2 + 26 * n - 22),),
    )  # fmt: skip


class NodeSums(NamedTuple):
    """Over the rows of K: m, Σ eᵢ², Σ eᵢ³, Σᵢⱼ Kᵢⱼ², Σᵢⱼ eᵢ Kᵢⱼ², Σᵢⱼ Kᵢⱼ³."""

    mean: float
    e2: float
    e3: float
    k2: float
    e_k2: float
    k3: float


def node_sums(s: FloatArray, bandwidth: float) -> NodeSums:
    """The sums over the rows of a sorted column that stand-in nodes give to 1e-6.

    Not among them is tr A³, which outweighs all the others together by a factor of the order of n.
    """
    points, weights = weighted_nodes(s, bandwidth)
    means, squares = np.zeros(len(points)), np.zeros(len(points))  # K w and K∘K w, and wᵀ K∘K∘K w
    k3 = _add_kernel_sums(points / math.sqrt(bandwidth), weights, len(points), _FAR, means, squares)
    means /= len(s)
    mean = float(weights @ means) / len(s)
    e = mean - means
    weighted = weights * e
    return NodeSums(
        mean, float(weighted @ e), float(weighted @ (e * e)), float(weights @ squares), float(weighted @ squares), k3
    )


def traceless_cubes(n: int, rows: NodeSums, squares: Squares, q: float, triangle: float) -> Cubes:
    """The sums for A less c(I − 1/n), c = tr A/(n − 1), whose diagonal is 2eᵢ; from Q and tr A³ of A itself."""
    m, e2, e3, k2, e_k2, k3 = rows
    c = squares.trace / (n - 1)
    edges = k3 + 6 * e_k2 - 3 * m * k2 + 12 * n * m * e2 - 4 * n * e3 + 6 * q + 2 * n * n * m**3
    loop_and_edges = 2 * (e_k2 + 2 * q - n * e3 + 2 * n * m * e2)
    return Cubes(
        loops=8 * e3,
        loop_and_edges=loop_and_edges - 8 * c * e2,
        chain=4 * q - 4 * c * e2,
        edges=edges + 3 * c * squares.square / n + c**3 / n - 12 * c * e2 - n * c**3,
        triangle=triangle - 3 * c * squares.square + 2 * c**3 * (n - 1),
    )


def leading_products(one: FloatArray, two: FloatArray) -> FloatArray:
    """The largest products of two spectra in ascending order, relative to the largest of them; none if one is zero."""
    # The k-th largest product has at most k partners above it, so that no more of either spectrum can matter.
    left, right = one[one > 0.0][-_MOST:], two[two > 0.0][-_MOST:]
    if len(left) == 0 or len(right) == 0:
        return np.empty(0)
    products = np.sort(np.outer(left / left[-1], right / right[-1]), axis=None)[-_MOST:]
    return np.asarray(products[products >= _SMALLEST])


def log_tail(x: float, mean: float, variance: float, skewness: float, products: FloatArray) -> float:
    """log P(sum ≥ x) for a law of these moments and the shape that the products of the spectra give."""
    if len(products) == 0:
        return 0.0
    skewness = max(skewness, _LEAST_SKEWNESS)
    second, third = float(np.sum(products**2)), float(np.sum(products**3))
    # Cumulants of b Σ w X: mean b h Σ w, variance 2 b² h Σ w², third 8 b³ h Σ w³.
    scale = skewness * math.sqrt(variance) * second / (4.0 * third)
    degrees = variance / (2.0 * scale * scale * second)
    start = mean - scale * degrees * float(np.sum(products))
    return log_survival_of_sum((x - start) / scale, products, degrees)


def log_survival_of_sum(y: float, weights: FloatArray, degrees: float) -> float:
    """log P(Σ weightₖ Xₖ > y), Xₖ chi-squared with `degrees` degrees of freedom; 0 where y is not positive.

    With K the cumulant generating function of the sum, P = (2πi)⁻¹ ∫ exp(K(t) − ty) dt/t over any line to the right of
    zero and to the left of 1/(2 max weight).
    """
    if y <= 0.0:
        return 0.0
    return _log_survival_of_sum(y, weights, len(weights), degrees) if len(weights) else -math.inf


def log_survival(x: float, shape: float, scale: float) -> float:
    """log P(G > x) for G ~ Gamma(shape, scale); finite far beyond 1e-308.

    There Lentz's evaluation of the continued fraction of Γ(a, z) is used (Abramowitz & Stegun 6.5.31), kept in
    logarithms.
    """
    from scipy.special import gammainc, gammaincc

    z = x / scale
    if z <= 0.0:
        return 0.0
    if z < shape + 1.0:
        return math.log1p(-min(float(gammainc(shape, z)), 1.0 - 1e-16))
    tail = float(gammaincc(shape, z))
    if tail > _UNDERFLOWS:
        return math.log(tail)
    return -z + shape * math.log(z) - math.lgamma(shape) + math.log(_upper_fraction(z, shape))


def _upper_fraction(z: float, a: float) -> float:
    b = z + 1.0 - a
    c = 1e300
    d = 1.0 / b
    h = d
    for i in range(1, 100_000):
        numerator = -i * (i - a)
        b += 2.0
        d = 1.0 / (numerator * d + b)
        c = b + numerator / c
        h *= d * c
        if abs(d * c - 1.0) < _ACCURACY:
            break
    return h


_add_kernel_sums = native(
    "double kernel_sums(double *points, double *weights, int64_t n, double far, double *first, double *second)"
)
_log_survival_of_sum = native("double log_survival_of_sum(double y, double *weights, int64_t n, double degrees)")


# ---- the test

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
