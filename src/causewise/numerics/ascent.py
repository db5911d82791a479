"""The top of a smooth function of a few numbers, each within bounds, from its values and slopes.

Broyden, Fletcher, Goldfarb and Shanno's rule, with the curvature itself rather than its inverse: it can be begun from
that of a problem nearby, and numbers at a bound are left out of a step. Where the function is not concave the rule is
damped (Powell 1978). In six dimensions SciPy's L-BFGS-B takes half as many evaluations again, since it begins with a
step of length one whatever the slope.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray

LONGEST = 1.0
"""What a step may change any number by."""
BENT, FIRST = 10.0, 0.5
"""Curvature that is taken for granted, and what it is more for each unit of slope."""
LEAST = 1.0
"""Curvature that is added everywhere."""
_HALVINGS = 8
_EDGE = 1e-9

Measure = Callable[[FloatArray], tuple[float, FloatArray]]
"""Value and slope at a point; minus infinity where there is none."""


class Top(NamedTuple):
    """Where no step is worth its while any more."""

    at: FloatArray
    curvature: FloatArray
    """Minus the second derivatives, as far as the steps told of them."""


def climb(
    measure: Measure,
    start: FloatArray,
    low: FloatArray,
    high: FloatArray,
    curvature: FloatArray,
    gain: float,
    steps: int,
) -> Top:
    """A local maximum between bounds, up to about a gain in value, in so many steps at most.

    Of a number whose curvature is not known the diagonal is zero.
    """
    at = np.clip(start, low, high)
    value, slope = measure(at)
    curvature = curvature + np.diag(np.where(np.diag(curvature) > 0.0, 0.0, BENT + FIRST * np.abs(slope)))
    for _ in range(steps):
        is_free = ~(((at <= low + _EDGE) & (slope < 0.0)) | ((at >= high - _EDGE) & (slope > 0.0)))
        step = np.zeros(len(at))
        step[is_free] = np.linalg.solve((curvature + LEAST * np.eye(len(at)))[np.ix_(is_free, is_free)], slope[is_free])
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), _EDGE))
        for _ in range(_HALVINGS):
            there = np.clip(at + step, low, high)
            way = there - at
            promise = float(slope @ way)
            if promise < 2.0 * gain:
                return Top(at, curvature)
            found, turned = measure(there)
            if found > value:
                break
            # Where the parabola through both values is highest.
            step *= min(max(0.5 * promise / (promise - (found - value)), 0.1), 0.5)
        else:
            break
        curvature = _update(curvature, way, slope - turned)
        gained, at, value, slope = found - value, there, found, turned
        if gained < gain:
            break
    return Top(at, curvature)


def _update(curvature: FloatArray, way: FloatArray, change: FloatArray) -> FloatArray:
    along = curvature @ way
    expected, seen = float(way @ along), float(way @ change)
    if seen < 0.2 * expected:
        share = 0.8 * expected / (expected - seen)
        change = share * change + (1.0 - share) * along
        seen = float(way @ change)
    return np.asarray(curvature + np.outer(change, change) / seen - np.outer(along, along) / expected)
