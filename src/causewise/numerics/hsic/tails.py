"""Upper tails in logarithms, exact where the tail itself underflows: the gamma law, sums of gamma variables, and HSIC.

SciPy's `gamma.logsf` is minus infinity below 1e-308, where two directions still have to be compared, and no library has
the tail of a weighted sum of chi-squared variables to relative accuracy.

The law of Σ Aᵢⱼ B_π(i)π(j) over permutations π: for many rows the sum tends to Σⱼₖ λⱼ μₖ Zⱼₖ²/n with the eigenvalues λ,
μ of A, B and independent standard normal Z. For a finite number it is taken as a + b Σ λⱼ μₖ Xⱼₖ with X chi-squared of
h degrees of freedom and a, b, h such that mean, variance and third moment are exact. Weights below a hundredth of the
largest count for so little that the moments stand in for them. With one weight left this is Pearson's type III law,
whose tail is as good, but whose body is not: for uniform columns it puts p = 0.95 at 0.97.
"""

import math

import numpy as np

from causewise.numerics.native import FloatArray, native

_ACCURACY = 4e-16
_UNDERFLOWS = 1e-290
"""Down to here SciPy's tail of the gamma law is a number of full accuracy."""
_SMALLEST = 1e-2
_MOST = 64
_LEAST_SKEWNESS = 1e-3
"""Down to here the law differs from a normal one by less than 1e-4; a left-skewed law is taken as normal as well."""


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


_log_survival_of_sum = native("double log_survival_of_sum(double y, double *weights, int64_t n, double degrees)")
