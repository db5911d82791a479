"""HSIC by a gamma law of two moments: the asymptotic ones, as first published (Gretton et al. 2008), or the exact."""

import math
from typing import NamedTuple

from whence.numerics.gamma import log_survival
from whence.numerics.hsic import KernelColumn, centred_moments
from whence.numerics.permutation_moments import mean_and_variance


class GammaTest(NamedTuple):
    """The biased statistic and its upper tail."""

    statistic: float
    p_value: float
    log_p_value: float


def hsic_gamma_test(a: KernelColumn, b: KernelColumn) -> GammaTest:
    """Statistic tr(KHLH)/n² and the tail of n times it; kernels with unit diagonal.

    With t = tr(HKH) = n − ΣK/n, the mean off-diagonal entry of K is (ΣK − n)/(n(n − 1)) = 1 − t/(n − 1).
    """
    cross, (t_k, t2_k, _), (t_l, t2_l, _) = centred_moments(a, b)
    n = len(a.values)
    mean = t_k * t_l / ((n - 1) ** 2 * n)
    weight = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = weight * t2_k * t2_l / (n - 1) ** 4
    log_p = log_survival(cross / n, mean * mean / variance, n * variance / mean)
    return GammaTest(cross / n**2, math.exp(log_p), log_p)


def hsic_exact_gamma_test(a: KernelColumn, b: KernelColumn) -> GammaTest:
    """Statistic and the tail of a gamma law with the exact permutation mean and variance.

    `hsic_test` is closer to the permutations; this is what learnt weights that were fitted to it go on reading.
    """
    n = len(a.values)
    cross, one, two = centred_moments(a, b)
    mean, variance = mean_and_variance(n, one, two)
    mean, variance = mean / n**2, variance / n**4
    log_p = log_survival(cross / n**2, mean * mean / variance, variance / mean) if variance > 0 else 0.0
    return GammaTest(cross / n**2, math.exp(log_p), log_p)
