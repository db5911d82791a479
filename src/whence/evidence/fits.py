"""Spline fits of an effect given a cause, the number of knots chosen by BIC, so that few rows get a simple curve."""

from collections.abc import Callable
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


class Curve(NamedTuple):
    """A fitted curve at every row: location, scale, and how many coefficients it took."""

    location: FloatArray
    scale: FloatArray
    residual: FloatArray
    size: int
    cost: float
    """Minus the mean Gaussian log density, plus the parameters' ½ log n each, a row."""


def location_scale(u: FloatArray, v: FloatArray) -> Curve:
    """Normal(μ(u), σ²(u)); rows sorted by u."""
    return _best(u, v, _location_scale)


def location_only(u: FloatArray, v: FloatArray) -> Curve:
    """Normal(μ(u), σ²); rows sorted by u."""
    return _best(u, v, _location_only)


def _best(u: FloatArray, v: FloatArray, fit: Callable[[FloatArray, FloatArray, int], Curve]) -> Curve:
    best, worse = fit(u, v, KNOTS[0]), 0
    for n_knots in KNOTS[1:]:
        if worse == PATIENCE or 2 * (n_knots + DEGREE - 1) > len(u) // 4:
            break
        curve = fit(u, v, n_knots)
        worse = 0 if curve.cost < best.cost else worse + 1
        best = min(best, curve, key=lambda candidate: candidate.cost)
    return best


def _location_scale(u: FloatArray, v: FloatArray, n_knots: int) -> Curve:
    design = _design(u, n_knots)
    solution = fit_natural(design, v, np.ones(len(v)), DELTA, MAX_ITER)
    e, p = predict_rows(design.values, design.bounds, design.index, solution.coefficients)
    mean, scale = gaussian.location(e, p), np.sqrt(gaussian.variance(p))
    fitted = -float(np.mean(gaussian.log_density(e, p, np.log(2.0 * p), v)))
    return Curve(mean, scale, (v - mean) / scale, 2 * design.size, fitted + _price(2 * design.size, len(v)))


def _location_only(u: FloatArray, v: FloatArray, n_knots: int) -> Curve:
    design = _design(u, n_knots)
    rows = (design.values, design.bounds, design.index)
    beta = least_squares(*rows, design.size, design.half_width, v, np.ones(len(v)))
    mean, _ = predict_rows(*rows, beta)
    sd = max(float(np.sqrt(np.mean((v - mean) ** 2))), 1e-9)
    fitted = gaussian.HALF_LOG_2PI + 0.5 + float(np.log(sd))
    return Curve(mean, np.full(len(v), sd), (v - mean) / sd, design.size + 1, fitted + _price(design.size + 1, len(v)))


def _design(u: FloatArray, n_knots: int) -> Design:
    return additive_design([spline_rows(u, uniform_knots(float(u[0]), float(u[-1]), n_knots, DEGREE), DEGREE)])


def _price(parameters: int, n: int) -> float:
    return float(0.5 * parameters * np.log(n) / n)
