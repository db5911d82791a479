"""A column given several others whose natural parameters add up: Normal(η/λ, 1/λ), η = Σ aₚ(uₚ), λ = r · s(Σ bₚ(uₚ)).

The log-likelihood ½ log λ − ½ λ v² + η v − η²/2λ is concave in η and λ (Immer et al. 2023). A plain sum must be
positive at every row, so that straight lines, unbounded, could not be used; s is the softplus function log(1 + exp z),
which is the sum itself where that is large and its exponential where it is far below zero. The rate r says how much of
either: as it grows, all of z moves below zero, and λ = exp(Σ bₚ(uₚ)), as in Duong and Nguyen (2023). Means are
quotients here: parents that add up in neither mean nor log-variance add up in these.

Fisher's scoring with damped steps (Levenberg 1944, Marquardt 1963) climbs it. With ε the standardised residual of a
row, its information matrix of η and λ has a Cholesky factor under which the score is (ε, (1 − ε²)/√2): so a step is a
least-squares fit of these two numbers a row, and the test of a further term as well.

Rejected: steps shortened until they gain, which stand still where the precision nears zero at some rows, thousands of
nats below; steps along which the rate moves and the precision in the middle does not; and the curvature that the rows
show in the place of the information, or half of it, which saves a sixth of the steps and may take a softplus of the sum
for its exponential.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, expit

from causewise.numerics.native import FloatArray, IntArray, native

RIDGES = (1.0, 0.1, 0.01)
"""Prior precisions of every coefficient, each optimum the start for the next: the likelihood has several."""
_STEPS = 40
_LEAST = 1e-6
"""Precision, in units of the column's own; `natural.c` has it too."""
_GAIN, _EARLY_GAIN = 3e-5, 3e-3
"""Nats a row that a step must promise to be taken, under the weakest prior and before."""
_DAMPING = 1e-3
"""Of the first step, a share of the information."""
_RATE_PRECISION = 0.05
"""Prior precision of the logarithm of the rate: beyond a few units it changes next to nothing."""
_NEAR = 0.1
"""Ridge of the regressions that give coefficients near another model."""
_FAR = 20.0
"""Log-units beneath, or units above their median, beyond which the precisions of another model are not followed."""


class NaturalUnits(NamedTuple):
    """In which the two sums are meant."""

    middle: float
    unit: float
    """Of the targets."""
    log_rate: float

    def in_units(self, v: FloatArray) -> FloatArray:
        """Targets as the sums mean them."""
        return (v - self.middle) / self.unit

    def divide(self, location: FloatArray, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and log-scale of the targets, where the sums are these."""
        rates = _soften(precision, self.log_rate)
        return self.middle + self.unit * location / rates, math.log(self.unit) - 0.5 * np.log(rates)


class NaturalFit(NamedTuple):
    """Coefficients of both sums over the same features, the first of which is the constant."""

    location: FloatArray
    precision: FloatArray
    mean: FloatArray
    log_scale: FloatArray
    residual: FloatArray
    scale: NaturalUnits
    log_likelihood: float
    """Of all rows, less the prior."""

    @property
    def coefficients(self) -> int:
        """Beside the two constants: the rate is one."""
        return 2 * len(self.location) - 1

    @property
    def vector(self) -> FloatArray:
        """All of them in a line, the logarithm of the rate last."""
        return np.concatenate([self.location, self.precision, [self.scale.log_rate]])


class Targets(NamedTuple):
    """A column about its median in units of the quartiles' distance: so the prior means the same for long columns."""

    values: FloatArray
    middle: float
    unit: float

    @classmethod
    def of(cls, v: FloatArray) -> "Targets":
        """The column, and its units."""
        low, middle, high = np.quantile(v, (0.25, 0.5, 0.75))
        unit = max(float(high - low) / 1.35, 1e-9)
        return cls((v - middle) / unit, float(middle), unit)


class Optimum(NamedTuple):
    """Coefficients of both sums, the logarithm of the rate last, and what they reach."""

    vector: FloatArray
    log_likelihood: float
    """Of all rows, less the prior."""

    def describe(self, lines: FloatArray, targets: Targets) -> NaturalFit:
        """What it says of the rows whose features are the lines."""
        location, precision = np.split(self.vector[:-1], 2)
        scale = NaturalUnits(targets.middle, targets.unit, float(self.vector[-1]))
        eta, z = location @ lines, precision @ lines
        rates = _soften(z, scale.log_rate)
        residual = (targets.values - eta / rates) * np.sqrt(rates)
        return NaturalFit(location, precision, *scale.divide(eta, z), residual, scale, self.log_likelihood)


def start_flat(lines: FloatArray, targets: Targets) -> FloatArray:
    """Coefficients of the constants alone."""
    w = np.zeros(2 * len(lines) + 1)
    rate = 1.0 / float(np.var(targets.values))
    w[0], w[len(lines)] = float(np.mean(targets.values)) * rate, _harden(rate)
    return w


def start_near(lines: FloatArray, targets: Targets, mean: FloatArray, log_scale: FloatArray) -> FloatArray:
    """Coefficients near the mean and scale of another model."""
    log_rates = 2.0 * (math.log(targets.unit) - log_scale)
    log_rate = float(np.median(log_rates))
    steps = np.clip(log_rates - log_rate, -_FAR, _FAR)
    features, prior = lines.T, np.sqrt(_NEAR) * np.eye(len(lines))
    # The first sum is the mean times the rate: its rows weigh as the noise of the mean does.
    weighted = features * np.exp(-0.5 * steps)[:, None]
    values = np.clip((mean - targets.middle) / targets.unit, -1 / _LEAST, 1 / _LEAST)
    product = values * np.exp(0.5 * steps + log_rate)
    location = np.linalg.lstsq(np.vstack([weighted, prior]), np.append(product, np.zeros(len(prior))))[0]
    sums = _harden(np.exp(np.minimum(steps, math.log(_FAR))))
    precision = np.linalg.lstsq(np.vstack([features, prior]), np.append(sums, np.zeros(len(prior))))[0]
    return np.concatenate([location, precision, [log_rate]])


def climb(lines: FloatArray, targets: Targets, start: FloatArray, ridges: Sequence[float] = RIDGES) -> Optimum:
    """The optimum that is reached from some coefficients, the prior weaker from one optimum to the next."""
    (size, n), w = lines.shape, start.copy()
    scratch, state = np.empty(3 * len(w) * (len(w) + 1)), np.array([0.0, _DAMPING])
    likelihood = measure(lines, targets, w)
    for ridge in ridges:
        prior = weigh_prior(size, ridge)
        state[0] = likelihood - 0.5 * float(prior @ w**2)
        gain = n * (_GAIN if ridge == ridges[-1] else _EARLY_GAIN)
        for _ in range(_STEPS):
            if not _step(lines, targets.values, n, size, prior, gain, w, state, scratch):
                break
        likelihood = float(state[0]) + 0.5 * float(prior @ w**2)
    return Optimum(w, float(state[0]) - n * math.log(targets.unit))


def measure(lines: FloatArray, targets: Targets, w: FloatArray) -> float:
    """The log-likelihood in the targets' units, up to a constant."""
    size, n = lines.shape
    return float(_measure(lines, targets.values, n, size, w))


def differentiate(lines: FloatArray, targets: Targets, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slopes of the log-likelihood by all coefficients, and Fisher's information."""
    size, n = lines.shape
    slope, information = np.empty(len(w)), np.empty((len(w), len(w)))
    _differentiate(lines, targets.values, n, size, w, slope, information)
    return slope, information + np.tril(information, -1).T


def find_p_values(fit: NaturalFit, blocks: Sequence[FloatArray], v: FloatArray) -> list[tuple[float, float]]:
    """Of each parent, whose functions are a block: the p-values that the first and the second sum do not need it.

    Wald's test, its variance estimated from the rows (White 1980). Score tests, taken where a parent is left out, see
    little once its effect is strong: what it leaves is then nothing like noise.
    """
    lines = stack_lines([block.T for block in blocks])
    size, n = lines.shape
    slopes, scores = _linearise(fit.vector, lines, fit.scale.in_units(v))
    inverse = np.linalg.inv(slopes.T @ slopes + np.diag(weigh_prior(size, RIDGES[-1])))
    influence = slopes * scores[:, None]
    influence = (influence[:n] + influence[n:]) @ inverse
    covariance = influence.T @ influence * (1.0 + 2 * size / n)
    tests, at = [], 1
    for block in blocks:
        first = at + np.arange(block.shape[1])
        at += len(first)
        statistics = [_wald(fit.vector, covariance, places) for places in (first, size + first)]
        tests.append((float(chdtrc(len(first), statistics[0])), float(chdtrc(len(first), statistics[1]))))
    return tests


def _wald(w: FloatArray, covariance: FloatArray, places: IntArray) -> float:
    inside = covariance[np.ix_(places, places)]
    return float(w[places] @ np.linalg.lstsq(inside, w[places])[0])


def _linearise(w: FloatArray, lines: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slopes by all coefficients under the Cholesky factor of the information, and scores: two lines a row."""
    size, n = lines.shape
    eta, z = w[:size] @ lines, w[size:-1] @ lines
    rates = _soften(z, w[-1])
    mean, root = eta / rates, np.sqrt(rates)
    of_rate = np.column_stack([lines.T * (math.exp(w[-1]) * expit(z))[:, None], rates])
    slopes = np.zeros((2 * n, len(w)))
    slopes[:n, :size] = lines.T / root[:, None]
    slopes[:n, size:] = of_rate * (-mean / root)[:, None]
    slopes[n:, size:] = of_rate / (math.sqrt(2.0) * rates)[:, None]
    residual = (v - mean) * root
    return slopes, np.concatenate([residual, (1.0 - residual**2) / math.sqrt(2.0)])


def stack_lines(functions: Sequence[FloatArray]) -> FloatArray:
    """The functions of some parents, a line each, behind the constant."""
    return np.ascontiguousarray(np.concatenate([np.ones((1, functions[0].shape[1])), *functions]))


def weigh_prior(size: int, ridge: float) -> FloatArray:
    """Prior precisions of all coefficients."""
    out = np.full(2 * size + 1, ridge)
    out[[0, size]], out[-1] = 1e-6, _RATE_PRECISION
    return out


def _soften(z: FloatArray, log_rate: float) -> FloatArray:
    return np.exp(log_rate) * (np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))) + _LEAST


def _harden(sums: FloatArray | float) -> FloatArray:
    """What the softplus function makes these of."""
    return np.asarray(sums + np.log(-np.expm1(-np.asarray(sums))))


_measure = native("double natural_measure(double *lines, double *v, int64_t n, int64_t size, double *w)")
_differentiate = native(
    "void natural_derivatives(double *lines, double *v, int64_t n, int64_t size, double *w, double *slope, "
    "double *information)"
)
_step = native(
    "bool natural_step(double *lines, double *v, int64_t n, int64_t size, double *prior, double gain, double *w, "
    "double *state, double *scratch)"
)
