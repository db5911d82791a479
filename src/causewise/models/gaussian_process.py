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
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from causewise.numerics.ascent import Top, climb
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
STEPS = 25
_GAIN = 0.05
"""Nats that a step must gain to be followed by another."""
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
    top: Top
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


class ProcessTask(NamedTuple):
    """Targets given inputs, one line each; the noise of a row has the scale exp(log_scale), up to a constant."""

    inputs: FloatArray
    frequencies: FloatArray
    targets: FloatArray
    log_scale: FloatArray

    def weigh(self) -> "_Rows":
        """The rows in units of their noise."""
        weights = np.exp(self.log_scale.mean() - self.log_scale)
        constant = float(np.average(self.targets, weights=weights**2))
        return _Rows(self.inputs.T, self.frequencies, weights, (self.targets - constant) * weights, constant)


def fit_process(task: ProcessTask, start: FloatArray, curvature: FloatArray | None = None) -> ProcessFit:
    """The process of largest evidence that is reached from a start; a curvature that is known saves steps."""
    return describe_process(task, search_process(task, start, curvature))


def search_process(
    task: ProcessTask, start: FloatArray, curvature: FloatArray | None = None, steps: int = STEPS
) -> Top:
    """Logarithms of paces, of the function's variance and of the noise's, of the largest evidence."""
    d = len(task.inputs)
    low, high = np.log(np.transpose([(SLOWEST, FASTEST)] * d + [_SIZE, _NOISE]))
    # Half the digits take half the time, and the evidence at the end is measured with all of them.
    measure = _Slopes(task.weigh(), np.float32).measure
    return climb(measure, start, low, high, np.zeros((d + 2, d + 2)) if curvature is None else curvature, _GAIN, steps)


def describe_process(task: ProcessTask, top: Top) -> ProcessFit:
    """What there is at the end of a search."""
    rows, d, at = task.weigh(), len(task.inputs), top.at
    is_parent = at[:d] > math.log(SLOWEST) + 0.1
    parents, paces = np.flatnonzero(is_parent), np.where(is_parent, np.exp(at[:d]), 0.0)
    evidence, coefficients, fitted = rows.measure(paces, *np.exp(at[d:]))
    mean, noise = rows.constant + fitted / rows.weights, math.sqrt(math.exp(at[d + 1]))
    log_scale = task.log_scale - task.log_scale.mean()
    return ProcessFit(
        tuple(map(int, parents)),
        paces[parents],
        mean,
        (task.targets - mean) * rows.weights / noise,
        log_scale + math.log(noise),
        evidence - float(log_scale.sum()),
        ProcessCurve(task.frequencies[parents] * paces[parents, None], rows.constant, coefficients),
        top,
    )


def fit_mean(task: ProcessTask, at: FloatArray) -> FloatArray:
    """The mean alone, of few digits."""
    rows, d = task.weigh(), len(task.inputs)
    slopes = _Slopes(rows, np.float32)
    solution = slopes.solve(np.exp(at[:d]), *np.exp(at[d:]).tolist())
    return rows.constant + slopes.waves @ solution.coefficients / rows.weights


class _Rows(NamedTuple):
    """Rows of inputs and of weighted targets, at which the evidence is measured."""

    inputs: FloatArray
    frequencies: FloatArray
    weights: FloatArray
    targets: FloatArray
    constant: float = 0.0
    """What was taken off the targets before they were weighted."""

    def measure(self, paces: FloatArray, size: float, noise: float) -> tuple[float, FloatArray, FloatArray]:
        """The evidence, the coefficients of the waves and what they fit."""
        waves = _draw_waves((self.inputs * paces) @ self.frequencies) * self.weights[:, None]
        solution = _solve(waves, self.targets, size, noise)
        return solution.evidence, solution.coefficients, waves @ solution.coefficients


class _Slopes:
    """The evidence and its slope at the same rows again and again: what it takes room for is taken once."""

    def __init__(self, rows: _Rows, digits: type[np.floating[Any]]) -> None:
        self.inputs, self.frequencies, weights, self.targets = (each.astype(digits) for each in rows[:4])
        self._weights = weights[:, None] / digits(math.sqrt(WAVES))
        n, digits = len(weights), self.inputs.dtype
        self._phases, self._turned = np.empty((2, n, WAVES), digits)
        self.waves, self._across = np.empty((2, n, 2 * WAVES), digits)

    def solve(self, paces: FloatArray, size: float, noise: float) -> "_Solution":
        """The regression on the waves of these paces, which are kept."""
        np.matmul(self.inputs, self._scale(paces), out=self._phases)
        np.cos(self._phases, out=self.waves[:, :WAVES])
        np.sin(self._phases, out=self.waves[:, WAVES:])
        self.waves *= self._weights
        return _solve(self.waves, self.targets, size, noise)

    def _scale(self, paces: FloatArray) -> _Floats:
        return self.frequencies * paces[:, None].astype(self.frequencies.dtype)

    def measure(self, at: FloatArray) -> tuple[float, FloatArray]:
        """Evidence and prior, and their slope, by logarithms of paces, size and noise."""
        d, n = self.inputs.shape[1], len(self.targets)
        paces, (size, noise) = np.exp(at[:d]), np.exp(at[d:]).tolist()
        solution = self.solve(paces, size, noise)
        if math.isinf(solution.evidence):
            return -math.inf, np.zeros(d + 2)
        waves, turned, inverse = self.waves, self._turned, solution.invert()
        b = solution.coefficients.astype(waves.dtype)
        residual = (self.targets - waves @ b) / waves.dtype.type(noise)
        # d evidence / d waves = r bᵀ − waves A⁻¹; cosines turn into −sines, sines into cosines.
        across = np.matmul(waves, inverse.astype(waves.dtype), out=self._across)
        np.multiply(across[:, :WAVES], waves[:, WAVES:], out=turned)
        turned -= np.multiply(across[:, WAVES:], waves[:, :WAVES], out=self._phases)
        by_noise = (self.inputs * residual[:, None]).T @ waves
        of_phases = self.inputs.T @ turned + by_noise[:, :WAVES] * b[WAVES:] - by_noise[:, WAVES:] * b[:WAVES]
        of_paces = np.sum(of_phases * self._scale(paces), axis=1)
        freedom = noise / size * float(np.trace(inverse))
        of_size = 0.5 * (float(b @ b) / size - (2 * WAVES - freedom))
        of_noise = 0.5 * (noise * float(residual @ residual) - (n - 2 * WAVES + freedom))
        slope = np.concatenate([of_paces - PACE_COST, [of_size, of_noise]])
        return solution.evidence - PACE_COST * float(np.sum(at[:d])), slope


class _Solution(NamedTuple):
    evidence: float
    coefficients: FloatArray
    factor: FloatArray
    """Of WᵀW + noise/size, W being the waves, below the diagonal."""

    def invert(self) -> FloatArray:
        """The inverse of that."""
        lower, _ = dpotri(self.factor, lower=1)
        inverse = lower + lower.T
        inverse.flat[:: len(inverse) + 1] *= 0.5
        return np.asarray(inverse)


def _solve(waves: _Floats, targets: _Floats, size: float, noise: float) -> _Solution:
    """Ridge regression on the waves, as the posterior mean of a process of this size."""
    n, m = waves.shape
    inner = (waves.T @ waves).astype(np.float64)
    inner.flat[:: m + 1] += noise / size
    factor, info = dpotrf(inner, lower=1)
    if info:  # few digits, and next to no noise
        return _Solution(-math.inf, np.zeros(m), inner)
    across = waves.T @ targets
    coefficients, _ = dpotrs(factor, across, lower=1)
    log_determinant = 2.0 * float(np.sum(np.log(np.diag(factor)))) + m * math.log(size) + (n - m) * math.log(noise)
    unexplained = float(targets @ targets - across @ coefficients) / noise
    evidence = -0.5 * (unexplained + log_determinant + n * math.log(2.0 * math.pi))
    return _Solution(evidence, coefficients, factor)


def _draw_waves(phases: FloatArray) -> FloatArray:
    """Cosines, then sines: lines of length one."""
    return np.concatenate([np.cos(phases), np.sin(phases)], axis=-1) / math.sqrt(WAVES)
