"""The logarithm of the gamma law's upper tail, exact where the tail itself underflows."""

import math

from numba import njit

_ACCURACY = 1e-16


@njit(cache=True, nogil=True)
def log_survival(x: float, shape: float, scale: float) -> float:
    """log P(G > x) for G ~ Gamma(shape, scale); finite far beyond 1e-308.

    Below the mean the series of the lower tail is used, above it Lentz's evaluation of the continued fraction of
    Γ(a, z) (Abramowitz & Stegun 6.5.29, 6.5.31), kept in logarithms.
    """
    z = x / scale
    if z <= 0.0:
        return 0.0
    log_front = -z + shape * math.log(z) - math.lgamma(shape)
    if z < shape + 1.0:
        return math.log1p(-min(math.exp(log_front) * _lower_series(z, shape), 1.0 - 1e-16))
    return log_front + math.log(_upper_fraction(z, shape))


@njit(cache=True, nogil=True)
def _lower_series(z: float, a: float) -> float:
    term = 1.0 / a
    total = term
    k = a
    while term > total * _ACCURACY:
        k += 1.0
        term *= z / k
        total += term
    return total


@njit(cache=True, nogil=True)
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
        if abs(d * c - 1.0) < _ACCURACY * 4:
            break
    return h
