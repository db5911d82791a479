"""The function that only rises of a column under which its parents and normal noise add up (Hothorn et al. 2018).

Where a column is seen through a sensor, T(column) = Σ f(parents) + noise. With T a spline whose slope is a sum of
positive and negative shares of bumps, the log-likelihood of normal noise of size one, Σ log T′ − ½ Σ (T − Σ f)², is
concave in T and f together, the coefficients of f are a regression, and without them five numbers are left.
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray
from causewise.numerics.splines import spline_rows, uniform_knots

_KNOTS = 4
"""From end to end; more of them gain less than they cost."""
_DEGREE = 2
"""Of the slope."""
RISES = _KNOTS + _DEGREE - 1
"""Coefficients of the function."""
_RIDGE = 0.01
"""Prior precision of every coefficient of the regression but the constant."""
_STEPS, _HALVINGS = 40, 30
_GAIN = 1e-3
"""Nats that a step must promise to be taken."""


class Transformation(NamedTuple):
    """A column's values as its parents see them."""

    values: FloatArray
    log_slopes: FloatArray
    """By the column, at the rows."""


def find_transformation(column: FloatArray, features: FloatArray, log_scale: FloatArray) -> Transformation:
    """The likeliest, where features, one line each, add up to it and the noise has such a log-scale at every row."""
    rises, slopes = _draw_rises(column)
    weight = np.exp(-2.0 * (log_scale - np.mean(log_scale)))
    lines = np.concatenate([np.ones((1, len(column))), features])
    weighted = lines * weight
    inner = weighted @ lines.T + np.diag(np.append(0.0, np.full(len(features), _RIDGE)))
    left = rises - np.linalg.solve(inner, weighted @ rises.T).T @ lines
    shares = _climb(slopes, (left * weight) @ rises.T)
    return Transformation(shares @ rises, np.log(shares @ slopes))


def _draw_rises(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Splines that rise from 0 to 1 over a few knots, and their slopes, which are bumps; a line each."""
    low, high = float(column.min()), float(column.max())
    width = (high - low) / (_KNOTS - 1)
    slopes = _evaluate(column, uniform_knots(low, high, _KNOTS, _DEGREE), _DEGREE) / width
    # A bump's integral is the sum of all splines of the next degree that begin with it or later.
    above = _evaluate(column, uniform_knots(low, high, _KNOTS, _DEGREE + 1), _DEGREE + 1)
    return np.cumsum(above[:0:-1], axis=0)[::-1], slopes


def _evaluate(column: FloatArray, knots: FloatArray, degree: int) -> FloatArray:
    rows = spline_rows(column, knots, degree)
    out = np.zeros((rows.size, len(column)))
    out[rows.first + np.arange(degree + 1)[:, None], np.arange(len(column))] = rows.values.T
    return out


def _climb(slopes: FloatArray, form: FloatArray) -> FloatArray:
    """The top of Σ log(shares · slopes) − ½ shares · form · shares, by Newton's steps."""
    n = slopes.shape[1]

    def measure(shares: FloatArray) -> float:
        steep = shares @ slopes
        return float(np.sum(np.log(steep)) - 0.5 * shares @ form @ shares) if steep.min() > 0.0 else -np.inf

    shares = np.ones(len(slopes))
    shares *= np.sqrt(n / (shares @ form @ shares))
    value = measure(shares)
    for _ in range(_STEPS):
        relative = slopes / (shares @ slopes)
        slope = relative.sum(axis=1) - form @ shares
        step = np.linalg.solve(relative @ relative.T + form, slope)
        promise = float(slope @ step)
        if promise < _GAIN:
            break
        for _ in range(_HALVINGS):
            found = measure(shares + step)
            if found > value:
                break
            step *= 0.5
        else:
            break
        shares, value = shares + step, found
    return shares
