"""A column given several others whose natural parameters add up: Normal(η/λ, 1/λ), η = Σ aₚ(uₚ), λ = s(Σ bₚ(uₚ)).

The log-likelihood ½ log λ − ½ λ v² + η v − η²/2λ is concave in η and λ (Immer et al. 2023). A plain sum must be
positive at every row, so that straight lines, unbounded, could not be used; s is the softplus function log(1 + exp z),
which is the sum itself where that is large. Fisher's scoring with shortened steps climbs it; the information is that
of the concave problem times the slope of s. Means are quotients here: parents that add up in neither mean nor
log-variance add up in these.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit

from causewise.numerics.native import FloatArray

RIDGE = 1.0
_STEPS = 40
_LEAST = 1e-6
"""Precision, in units of the column's own."""
_GAIN = 1e-4
"""Nats a row that a step must promise to be taken."""


class NaturalFit(NamedTuple):
    """Coefficients of both sums over the same features, the first of which is the constant."""

    location: FloatArray
    precision: FloatArray
    mean: FloatArray
    log_scale: FloatArray
    residual: FloatArray
    middle: float
    unit: float
    """Of the targets, in which the coefficients are meant."""


def fit_natural_sums(features: FloatArray, v: FloatArray, start: NaturalFit | None = None) -> NaturalFit:
    """The fit of targets v given features with a constant in front, from a start if there is one.

    Parameters belong to v in units of the quartiles' distance, so that the prior means the same for long columns.
    """
    n, size = features.shape
    low, middle, high = np.quantile(v, (0.25, 0.5, 0.75))
    unit = max((high - low) / 1.35, 1e-9)
    v = (v - middle) / unit
    prior = np.full(2 * size, RIDGE)
    prior[[0, size]] = 1e-6
    w = np.zeros(2 * size)
    rate = 1.0 / float(np.var(v))
    w[size] = rate + math.log(-math.expm1(-rate))
    w[0] = float(np.mean(v)) * rate
    if start is not None:
        w = np.concatenate([start.location, start.precision])
    value = _objective(w, features, v, prior)
    for _ in range(_STEPS):
        eta, z = features @ w[:size], features @ w[size:]
        rates, slopes = _soften(z), expit(z)
        mean = eta / rates
        of_rate = 0.5 * (1.0 / rates - v**2 + mean**2) * slopes
        slope = np.concatenate([features.T @ (v - mean), features.T @ of_rate]) - prior * w
        curvature = np.empty((2 * size, 2 * size))
        curvature[:size, :size] = features.T @ (features / rates[:, None])
        curvature[:size, size:] = features.T @ (features * (-mean / rates * slopes)[:, None])
        curvature[size:, :size] = curvature[:size, size:].T
        curvature[size:, size:] = features.T @ (features * ((0.5 / rates**2 + mean**2 / rates) * slopes**2)[:, None])
        curvature.flat[:: 2 * size + 1] = curvature.flat[:: 2 * size + 1] * (1.0 + 1e-10) + prior
        _, step, info = dposv(curvature, slope, lower=1)
        promise, length = float(slope @ step), 1.0
        if info or promise < _GAIN * n:
            break
        while length > 1e-6:
            there = _objective(w + length * step, features, v, prior)
            if there >= value + 1e-4 * length * promise:
                break
            length /= 2
        else:
            break
        w, value = w + length * step, there
    eta, rates = features @ w[:size], _soften(features @ w[size:])
    mean, log_scale = divide_sums(eta, features @ w[size:], middle, unit)
    residual = (v - eta / rates) * np.sqrt(rates)
    return NaturalFit(w[:size], w[size:], mean, log_scale, residual, float(middle), float(unit))


def divide_sums(
    location: FloatArray, precision: FloatArray, middle: float, unit: float
) -> tuple[FloatArray, FloatArray]:
    """Mean and log-scale, where the sums are these."""
    rates = _soften(precision)
    return middle + unit * location / rates, math.log(unit) - 0.5 * np.log(rates)


def _objective(w: FloatArray, features: FloatArray, v: FloatArray, prior: FloatArray) -> float:
    size = features.shape[1]
    eta, root = features @ w[:size], np.sqrt(_soften(features @ w[size:]))
    return float(np.sum(np.log(root) - 0.5 * (v * root - eta / root) ** 2) - 0.5 * prior @ w**2)


def _soften(z: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, z) + _LEAST
