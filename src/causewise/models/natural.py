"""A column given several others whose natural parameters add up: Normal(η/λ, 1/λ), η = Σ aₚ(uₚ), λ = Σ bₚ(uₚ) > 0.

The log-likelihood ½ log λ − ½ λ v² + η v − η²/2λ is concave in both sums (Immer et al. 2023), and falls to −∞ where λ
nears zero at a row, so that Newton's method with shortened steps reaches the optimum and needs no bounds. Means are
quotients here: parents that add up in neither mean nor log-variance add up in these.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from causewise.numerics.native import FloatArray

RIDGE = 1.0
_STEPS = 40
_GAIN = 1e-4
"""Nats a row that a step must promise to be taken."""


class NaturalFit(NamedTuple):
    """Coefficients of both sums over the same features, the first of which is the constant."""

    location: FloatArray
    precision: FloatArray
    mean: FloatArray
    log_scale: FloatArray
    residual: FloatArray


def fit_natural_sums(features: FloatArray, v: FloatArray, start: NaturalFit | None = None) -> NaturalFit:
    """The optimum for targets v given features with a constant in front, from a feasible start if there is one.

    Parameters belong to v in units of the quartiles' distance, so that the prior means the same for long columns.
    """
    n, size = features.shape
    low, middle, high = np.quantile(v, (0.25, 0.5, 0.75))
    unit = max((high - low) / 1.35, 1e-9)
    v = (v - middle) / unit
    prior = np.full(2 * size, RIDGE)
    prior[[0, size]] = 1e-6
    w = np.zeros(2 * size)
    w[size] = 1.0 / float(np.var(v))
    w[0] = float(np.mean(v)) * w[size]
    if start is not None:
        w = np.concatenate([start.location, start.precision])
    value = _objective(w, features, v, prior)
    for _ in range(_STEPS):
        eta, rate = features @ w[:size], features @ w[size:]
        mean = eta / rate
        of_rate = 0.5 * (1.0 / rate - v**2 + mean**2)
        slope = np.concatenate([features.T @ (v - mean), features.T @ of_rate]) - prior * w
        curvature = np.empty((2 * size, 2 * size))
        curvature[:size, :size] = features.T @ (features / rate[:, None])
        curvature[:size, size:] = features.T @ (features * (-mean / rate)[:, None])
        curvature[size:, :size] = curvature[:size, size:].T
        curvature[size:, size:] = features.T @ (features * (0.5 / rate**2 + mean**2 / rate)[:, None])
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
    eta, rate = features @ w[:size], features @ w[size:]
    mean, log_scale = middle + unit * eta / rate, math.log(unit) - 0.5 * np.log(rate)
    return NaturalFit(w[:size], w[size:], mean, log_scale, (v - eta / rate) * np.sqrt(rate))


def _objective(w: FloatArray, features: FloatArray, v: FloatArray, prior: FloatArray) -> float:
    size = features.shape[1]
    eta, rate = features @ w[:size], features @ w[size:]
    if rate.min() <= 0:
        return -np.inf
    root = np.sqrt(rate)
    return float(np.sum(np.log(root) - 0.5 * (v * root - eta / root) ** 2) - 0.5 * prior @ w**2)
