"""Spline fits of an effect given a cause, the number of knots chosen by BIC, so that few rows get a simple curve."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from whence.numerics import gaussian
from whence.numerics.design import Design, additive_design, predict_rows
from whence.numerics.least_squares import least_squares
from whence.numerics.newton import fit_natural
from whence.numerics.splines import spline_rows, uniform_knots
from whence.pair import FloatArray

KNOTS = (3, 5, 8, 13, 20)
DEGREE = 3
DELTA = 1e-4
MAX_ITER = 60
PATIENCE = 2
"""The search stops after this many candidates in a row that are no better."""


Ladder = Callable[[int], Design]
"""Number of knots -> design of one cause."""


class Curve(NamedTuple):
    """A fitted curve at every row: location, scale, and how many coefficients it took."""

    location: FloatArray
    scale: FloatArray
    residual: FloatArray
    size: int
    cost: float
    """Minus the mean Gaussian log density, plus the parameters' ½ log n each, a row."""


def ladder(u: FloatArray) -> Ladder:
    """The designs of a sorted cause, each made when first asked for and kept for the next fit."""

    @cache
    def design(n_knots: int) -> Design:
        knots = uniform_knots(float(u[0]), float(u[-1]), n_knots, DEGREE)
        return additive_design([spline_rows(u, knots, DEGREE)])

    return design


def location_scale(designs: Ladder, v: FloatArray) -> Curve:
    """Normal(μ(u), σ²(u)); rows in the order of the cause."""
    return _best(designs, v, _location_scale)


def location_only(designs: Ladder, v: FloatArray) -> Curve:
    """Normal(μ(u), σ²); rows in the order of the cause."""
    return _best(designs, v, _location_only)


def _best(designs: Ladder, v: FloatArray, fit: Callable[[Design, FloatArray], Curve]) -> Curve:
    best, worse = fit(designs(KNOTS[0]), v), 0
    for n_knots in KNOTS[1:]:
        if worse == PATIENCE or 2 * (n_knots + DEGREE - 1) > len(v) // 4:
            break
        curve = fit(designs(n_knots), v)
        worse = 0 if curve.cost < best.cost else worse + 1
        best = min(best, curve, key=lambda candidate: candidate.cost)
    return best


def _location_scale(design: Design, v: FloatArray) -> Curve:
    solution = fit_natural(design, v, np.ones(len(v)), DELTA, MAX_ITER)
    e, p = predict_rows(design.values, design.bounds, design.index, solution.coefficients)
    mean, scale = gaussian.location(e, p), np.sqrt(gaussian.variance(p))
    fitted = -float(np.mean(gaussian.log_density(e, p, np.log(2.0 * p), v)))
    return Curve(mean, scale, (v - mean) / scale, 2 * design.size, fitted + _price(2 * design.size, len(v)))


def _location_only(design: Design, v: FloatArray) -> Curve:
    rows = (design.values, design.bounds, design.index)
    beta = least_squares(*rows, design.size, design.half_width, v, np.ones(len(v)))
    mean, _ = predict_rows(*rows, beta)
    sd = max(float(np.sqrt(np.mean((v - mean) ** 2))), 1e-9)
    fitted = gaussian.HALF_LOG_2PI + 0.5 + float(np.log(sd))
    return Curve(mean, np.full(len(v), sd), (v - mean) / sd, design.size + 1, fitted + _price(design.size + 1, len(v)))


def _price(parameters: int, n: int) -> float:
    return float(0.5 * parameters * np.log(n) / n)
