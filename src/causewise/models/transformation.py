"""The function that only rises of a column under which its parents and normal noise add up (Hothorn et al. 2018).

Where a column is seen through a sensor, T(column) = Σ f(parents) + noise. With T a spline whose slope is a sum of
shares of bumps, the log-likelihood of normal noise of size one, Σ log T′ − ½ Σ (T − Σ f)², is concave in T and f
together, the coefficients of f are a regression, and without them few numbers are left. How many bumps there are is
chosen by the code: a sum of two peaks, or a sensor that saturates, needs many.
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray
from causewise.numerics.splines import spline_rows, uniform_knots

_KNOTS = (4, 8, 12, 24)
"""From end to end."""
_DEGREE = 2
"""Of the slope."""
_RIDGE = 0.01
"""Prior precision of every coefficient of the regression but the constant."""
_BARRIER = 0.1
"""Of the logarithm of every share: a slope whose shares are positive is so between the rows, too."""
_STEPS, _HALVINGS = 40, 30
_GAIN = 1e-3
"""Nats that a step must promise to be taken."""


class Transformation(NamedTuple):
    """A column's values as its parents see them."""

    values: FloatArray
    log_slopes: FloatArray
    """By the column, at the rows."""
    coefficients: int
    log_likelihood: float
    """Of all rows, less ½ log 2π for each."""


def find_transformation(column: FloatArray, features: FloatArray, cost: float = 1.0) -> Transformation:
    """The likeliest, where features, one line each, and even noise add up to it.

    A coefficient more must gain more than it costs.
    """
    lines = np.concatenate([np.ones((1, len(column))), features])
    inner = lines @ lines.T + np.diag(np.append(0.0, np.full(len(features), _RIDGE)))

    def find(knots: int) -> Transformation:
        rises, slopes = _draw_rises(column, knots)
        left = rises - np.linalg.solve(inner, lines @ rises.T).T @ lines
        shares, likelihood = _climb(slopes, left @ rises.T)
        return Transformation(shares @ rises, np.log(shares @ slopes), len(rises), likelihood)

    best = find(_KNOTS[0])
    for knots in _KNOTS[1:]:
        finer = find(knots)
        if finer.log_likelihood - best.log_likelihood <= cost * (finer.coefficients - best.coefficients):
            break
        best = finer
    return best


def _draw_rises(column: FloatArray, knots: int) -> tuple[FloatArray, FloatArray]:
    """Splines that rise from 0 to 1 over a few knots, and their slopes, which are bumps; a line each."""
    low, high = float(column.min()), float(column.max())
    width = (high - low) / (knots - 1)
    slopes = _evaluate(column, uniform_knots(low, high, knots, _DEGREE), _DEGREE) / width
    # A bump's integral is the sum of all splines of the next degree that begin with it or later.
    above = _evaluate(column, uniform_knots(low, high, knots, _DEGREE + 1), _DEGREE + 1)
    return np.cumsum(above[:0:-1], axis=0)[::-1], slopes


def _evaluate(column: FloatArray, knots: FloatArray, degree: int) -> FloatArray:
    rows = spline_rows(column, knots, degree)
    out = np.zeros((rows.size, len(column)))
    out[rows.first + np.arange(degree + 1)[:, None], np.arange(len(column))] = rows.values.T
    return out


def _climb(slopes: FloatArray, form: FloatArray) -> tuple[FloatArray, float]:
    """The top of Σ log(shares · slopes) − ½ shares · form · shares, and how high it is, by Newton's steps."""
    n = slopes.shape[1]

    def measure(shares: FloatArray) -> float:
        if shares.min() <= 0.0:
            return -np.inf
        likelihood = np.sum(np.log(shares @ slopes)) - 0.5 * shares @ form @ shares
        return float(likelihood + _BARRIER * np.sum(np.log(shares)))

    shares = np.ones(len(slopes))
    shares *= np.sqrt(n / (shares @ form @ shares))
    value = measure(shares)
    for _ in range(_STEPS):
        relative = slopes / (shares @ slopes)
        slope = relative.sum(axis=1) - form @ shares + _BARRIER / shares
        step = np.linalg.solve(relative @ relative.T + form + np.diag(_BARRIER / shares**2), slope)
        promise = float(slope @ step)
        if promise < _GAIN:
            break
        # As far as no share vanishes.
        step *= min(1.0, 0.9 / float(np.max(-step / shares, initial=0.9)))
        for _ in range(_HALVINGS):
            found = measure(shares + step)
            if found > value:
                break
            step *= 0.5
        else:
            break
        shares, value = shares + step, found
    return shares, value - _BARRIER * float(np.sum(np.log(shares)))
