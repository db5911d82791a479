"""The law of Σ Aᵢⱼ B_π(i)π(j) over permutations π: the limit's shape with the three exact moments.

For many rows the sum tends to Σⱼₖ λⱼ μₖ Zⱼₖ²/n with the eigenvalues λ, μ of A, B and independent standard normal Z.
For a finite number it is taken as a + b Σ λⱼ μₖ Xⱼₖ with X chi-squared of h degrees of freedom and a, b, h such that
mean, variance and third moment are exact. Weights below a hundredth of the largest count for so little that the moments
stand in for them. With one weight left this is Pearson's type III law, whose tail is as good, but whose body is not:
for uniform columns it puts p = 0.95 at 0.97.
"""

import math

import numpy as np
from numpy.typing import NDArray

from whence.numerics.gamma_sum import log_survival_of_sum

FloatArray = NDArray[np.float64]

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
