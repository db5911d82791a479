"""A column given several others together: a Gaussian process with a pace of its own along each of them.

Of a smooth function of four parents a single one may tell next to nothing, and no pair much more. Its prior here has
the covariance s² exp(−½ Σ θₚ² (uₚ − uₚ')²), in which a parent of pace θₚ = 0 is left out (Neal 1996). The evidence, the
likelihood of the rows with the function integrated out, pays for what a function may bend (MacKay 1992), so its largest
value over all paces says which parents matter. A column more costs one more pace, not a power more products.

The covariance is that of waves, cosines and sines at random frequencies (Rahimi & Recht 2007), drawn once for all
columns: a model without a parent is the same model with a pace of zero there, and the two can be compared.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri

from causewise.numerics.native import FloatArray

WAVES = 64
"""Frequencies, each of which has a cosine and a sine."""
PACE = 0.5
"""Where the search for a pace begins."""
SLOWEST, FASTEST = 0.02, 8.0
"""Paces, in standard deviations of the parent; at the slowest a parent is left out."""
SEARCHED = 0.15
"""Pace at which a column begins that no model had as a parent."""
PACE_COST = 1.0
"""Nats by which a prior prefers a pace to one e times as fast."""
_STEPS = 15
_GAIN = 2e-5
"""Share of the evidence that a step must gain to be followed by another."""
_NOISE, _SIZE = (3e-3, 2.0), (1e-2, 20.0)
"""Between which the variances of noise and function are looked for, the column's own being one."""


_Floats = NDArray[np.floating[Any]]


class ProcessFit(NamedTuple):
    """Of a target given some of the parents that were offered."""

    parents: tuple[int, ...]
    """Places among those offered, ascending."""
    paces: FloatArray
    """Of these parents, in their order."""
    mean: FloatArray
    residual: FloatArray
    """In units of the noise's standard deviation."""
    log_scale: FloatArray
    log_evidence: float
    """Nats of all rows, the prior of paces left out."""
    curve: "ProcessCurve"
    start: FloatArray
    """Logarithms of the paces of all that were offered, of the function's variance and of the noise's."""


class ProcessCurve(NamedTuple):
    """The mean as a function of the parents."""

    frequencies: FloatArray
    """A line a parent."""
    constant: float
    coefficients: FloatArray

    def __call__(self, inputs: Sequence[FloatArray]) -> FloatArray:
        """At rows of the parents, one array of any shape each."""
        phases = np.stack(np.broadcast_arrays(*inputs), axis=-1) @ self.frequencies
        return np.asarray(self.constant + _draw_waves(phases) @ self.coefficients)


def draw_frequencies(columns: int) -> FloatArray:
    """For every column of a table, a line each: the first columns have the same, however many there are."""
    return np.random.default_rng(0).normal(size=(columns, WAVES))


def fit_process(
    inputs: FloatArray, frequencies: FloatArray, v: FloatArray, log_scale: FloatArray, start: FloatArray
) -> ProcessFit:
    """The process of largest evidence for targets v given inputs, one line each, that is reached from a start.

    The noise of a row has the scale exp(log_scale), up to a constant.
    """
    from scipy.optimize import minimize  # not before a process is asked for: most answers need none

    log_scale = log_scale - log_scale.mean()
    weights = np.exp(-log_scale)
    constant = float(np.average(v, weights=weights**2))
    rows = _Rows(inputs.T, frequencies, weights, (v - constant) * weights)
    # Half the digits take half the time, and the evidence at the end is measured with all of them.
    coarse = _Rows(*(each.astype(np.float32) for each in rows))
    d = len(inputs)
    low, high = math.log(SLOWEST), math.log(FASTEST)
    bounds = [(low, high)] * d + [tuple(map(math.log, each)) for each in (_SIZE, _NOISE)]
    found = minimize(
        coarse.descend,
        np.clip(start, *np.transpose(bounds)),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": _STEPS, "ftol": _GAIN},
    )
    at = np.asarray(found.x)
    parents = np.flatnonzero(at[:d] > low + 0.1)
    paces = np.where(at[:d] > low + 0.1, np.exp(at[:d]), 0.0)
    evidence, coefficients, fitted = rows.measure(paces, *np.exp(at[d:]))
    mean, noise = constant + fitted / weights, math.sqrt(math.exp(at[d + 1]))
    curve = ProcessCurve(frequencies[parents] * paces[parents, None], constant, coefficients.astype(np.float64))
    return ProcessFit(
        tuple(map(int, parents)),
        paces[parents],
        mean,
        (v - mean) * weights / noise,
        log_scale + math.log(noise),
        evidence - float(log_scale.sum()),
        curve,
        at,
    )


class _Rows(NamedTuple):
    """Rows of inputs and of weighted targets, at which the evidence is measured."""

    inputs: _Floats
    frequencies: _Floats
    weights: _Floats
    targets: _Floats

    def measure(self, paces: _Floats, size: float, noise: float) -> tuple[float, _Floats, _Floats]:
        """The evidence, the coefficients of the waves and what they fit."""
        waves = _draw_waves((self.inputs * paces) @ self.frequencies) * self.weights[:, None]
        state = _solve(waves, self.targets, size, noise)
        return state.evidence, state.coefficients, waves @ state.coefficients

    def descend(self, at: FloatArray) -> tuple[float, FloatArray]:
        """What the evidence and the prior lack, and its slope, by logarithms of paces, size and noise."""
        d, n = self.inputs.shape[1], len(self.targets)
        paces, (size, noise) = np.exp(at[:d]), np.exp(at[d:]).tolist()
        scaled = self.inputs * paces.astype(self.inputs.dtype)
        phases = scaled @ self.frequencies
        waves = _draw_waves(phases) * self.weights[:, None]
        evidence, coefficients, inverse = _solve(waves, self.targets, size, noise)
        residual = (self.targets - waves @ coefficients) / noise
        # d evidence / d waves = r bᵀ − waves A⁻¹; cosines turn into −sines, sines into cosines.
        slope = np.outer(residual, coefficients) - waves @ inverse
        of_phases = slope[:, WAVES:] * waves[:, :WAVES] - slope[:, :WAVES] * waves[:, WAVES:]
        of_paces = np.sum((scaled.T @ of_phases) * self.frequencies, axis=1)
        freedom = noise / size * float(np.trace(inverse))
        of_size = 0.5 * (float(coefficients @ coefficients) / size - (2 * WAVES - freedom))
        of_noise = 0.5 * (noise * float(residual @ residual) - (n - 2 * WAVES + freedom))
        slope = np.concatenate([of_paces - PACE_COST, [of_size, of_noise]])
        return PACE_COST * float(np.sum(at[:d])) - evidence, -slope


class _Solution(NamedTuple):
    evidence: float
    coefficients: _Floats
    inverse: _Floats
    """Of WᵀW + noise/size, W being the waves."""


def _solve(waves: _Floats, targets: _Floats, size: float, noise: float) -> _Solution:
    """Ridge regression on the waves, as the posterior mean of a process of this size."""
    n, m = waves.shape
    inner = waves.T @ waves
    inner.flat[:: m + 1] += noise / size
    factor, info = dpotrf(inner.astype(np.float64), lower=1)
    if info:  # few digits, and next to no noise
        return _Solution(-math.inf, np.zeros(m, dtype=waves.dtype), np.zeros((m, m), dtype=waves.dtype))
    lower, _ = dpotri(factor, lower=1)
    inverse = (np.tril(lower) + np.tril(lower, -1).T).astype(waves.dtype)
    across = waves.T @ targets
    coefficients = inverse @ across
    log_determinant = 2.0 * float(np.sum(np.log(np.diag(factor)))) + m * math.log(size) + (n - m) * math.log(noise)
    unexplained = float(targets @ targets - across @ coefficients) / noise
    evidence = -0.5 * (unexplained + log_determinant + n * math.log(2.0 * math.pi))
    return _Solution(evidence, coefficients, inverse)


def _draw_waves(phases: _Floats) -> _Floats:
    """Cosines, then sines: lines of length one."""
    return np.concatenate([np.cos(phases), np.sin(phases)], axis=-1) / math.sqrt(WAVES)
