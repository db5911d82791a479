"""The upper tail of a weighted sum of gamma variables of one shape, exact to rounding and in logarithms.

With W = Σ vₖ Xₖ, Xₖ chi-squared with h degrees of freedom (h any positive number) and K its cumulant generating
function, P(W > y) = (2πi)⁻¹ ∫ exp(K(t) − ty) dt/t over any line to the right of zero and to the left of 1/(2 max v).
The line is put through the integrand's saddle point, where nothing cancels however small the tail, and bent to the
right, where exp(−ty) falls, along the path of steepest descent (Rice 1980). Places along it grow exponentially, so that
the trapezoidal rule converges at the same rate for one degree of freedom as for a million.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_STEP = 0.15
_FARTHEST = 40.0
_NEGLIGIBLE = 1e-14


@njit(cache=True, nogil=True)
def log_survival_of_sum(y: float, weights: FloatArray, degrees: float) -> float:
    """log P(Σ weightₖ Xₖ > y), Xₖ chi-squared with `degrees` degrees of freedom; 0 where y is not positive."""
    if y <= 0.0:
        return 0.0
    at = _saddle(y, weights, degrees)
    second, third = 1.0 / (at * at), 0.0
    for v in weights:
        q = v / (1.0 - 2.0 * v * at)
        second += 2.0 * degrees * q * q
        third += 8.0 * degrees * q * q * q
    width, bend = 1.0 / math.sqrt(second), third / (6.0 * second)
    peak = _exponent(complex(at), y, weights, degrees).real
    total, u = 0.5 * width, 0.0
    while u < _FARTHEST:
        u += _STEP
        aside = width * math.sinh(u)
        t = complex(at + bend * aside * aside, aside)
        speed = complex(1.0, -2.0 * bend * aside) * (width * math.cosh(u))
        term = np.exp(_exponent(t, y, weights, degrees) - peak) * speed
        total += term.real
        if abs(term) < _NEGLIGIBLE * abs(total):
            break
    return min(peak + math.log(max(total * _STEP / math.pi, 1e-300)), 0.0)


@njit(cache=True, nogil=True)
def _exponent(t: complex, y: float, weights: FloatArray, degrees: float) -> complex:
    """K(t) − ty − log t."""
    total = 0.0j
    for v in weights:
        total += np.log(1.0 - 2.0 * v * t)
    return -0.5 * degrees * total - t * y - np.log(t)


@njit(cache=True, nogil=True)
def _saddle(y: float, weights: FloatArray, degrees: float) -> float:
    """Where K′(t) − y − 1/t, which rises from −∞ to ∞, is zero; by bisection, for any contour near it will do."""
    low, high = 0.0, 0.5 / weights.max()
    for _ in range(50):
        middle = 0.5 * (low + high)
        slope = -y - 1.0 / middle
        for v in weights:
            slope += degrees * v / (1.0 - 2.0 * v * middle)
        if slope > 0.0:
            high = middle
        else:
            low = middle
    return low
