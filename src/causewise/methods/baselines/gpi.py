"""GPI (Mooij, Stegle, Janzing, Zhang & Schölkopf 2010): a Gaussian process with the noise as a second, unseen input.

Model: effect = f(cause, e) with e standard normal, independent of the cause, and f drawn from a Gaussian process:
noise of any kind, additive or not. With y = f(x, e) the density of y given x is that of e over |∂f/∂e|, and a
direction's message is

    −log p(x) + Σ ½eᵢ² + Σ log|∂f/∂e| − log N(y; 0, K(x, e)),

least over e and the kernel's scales; p(x) is a mixture of normals, sent with its parameters. The shorter message wins.

The kernel is Gaussian with a length scale for either input. It enters through sines over a box that holds all rows
(Solin & Särkkä 2020): K = B diag(s) Bᵀ, where B holds products of a sine of the cause and one of the latent input, and
s is the kernel's spectral density. The cause's sines are computed once, the scales appear in s alone, and the
likelihood and its gradient cost rows × functions²: linear in the rows, where the papers factor an n × n matrix.
`anm-mm` has the same process.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.errors import ITERATIONS
from causewise.numerics.density import fit_mixture
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional, make_builder

START = (math.log(1.0), math.log(2.0), 0.0)
BOUNDS = ((math.log(0.1), math.log(10.0)), (math.log(0.5), math.log(20.0)), (math.log(0.1), math.log(10.0)))
"""Of the logs of length scale by the cause, by the noise, and height."""
CAUSE_SINES, LATENT_SINES = 12, 6
MARGIN = 1.25
"""Of the box over the largest value; sines vanish at its ends, and rows should not lie there."""
REACH = 4.0
"""The latent input stays within this many of its standard deviations."""
DIGITS = 9
"""Of standardised columns: the same rows in other units begin the descent from the same bits."""
NEGLIGIBLE = 1e-6
"""A third moment no larger is none."""
BLOCK = 2048


class Sines(NamedTuple):
    """Values and the first two derivatives at every row (rows × functions)."""

    values: FloatArray
    first: FloatArray
    second: FloatArray


class Scales(NamedTuple):
    """Logs of the kernel's two length scales and of its standard deviation."""

    cause: float
    latent: float
    height: float


def frequencies(half_width: float, count: int) -> FloatArray:
    """ωⱼ = πj / 2L."""
    return np.asarray(np.arange(1, count + 1) * (np.pi / (2.0 * half_width)), dtype=np.float64)


def sines(column: FloatArray, half_width: float, count: int) -> Sines:
    """The functions sin(ω(x + L)) / √L of unit length on [−L, L]."""
    omega = frequencies(half_width, count)
    phase = np.outer(column + half_width, omega)
    height = half_width**-0.5
    values = height * np.sin(phase)
    return Sines(values, height * omega * np.cos(phase), -(omega**2) * values)


def log_density(omega: FloatArray, log_scale: float) -> FloatArray:
    """Log spectral density √(2π) ℓ exp(−½ ℓ²ω²) of the Gaussian kernel with length scale ℓ."""
    return np.asarray(0.5 * math.log(2.0 * math.pi) + log_scale - 0.5 * math.exp(2.0 * log_scale) * omega**2)


class LatentRows(NamedTuple):
    """Both columns as a descent takes them, and where their rows came from."""

    cause: FloatArray
    effect: FloatArray
    order: NDArray[np.intp]

    @classmethod
    def of(cls, cause: FloatArray, effect: FloatArray) -> "LatentRows":
        """Standardised, rounded, the right way up and sorted: a long descent carries the last bit of a start far."""
        x, y = (np.round(standardise(column), DIGITS) for column in (cause, effect))
        # Upright is a column whose longer tail is above; one without such stands as the other one makes it.
        up, other = (_sign(float(np.mean(column**3))) for column in (x, y))
        along = _sign(float(np.mean(x * y))) or 1.0
        up, other = up or (other or 1.0) * along, other or (up or 1.0) * along
        x, y = up * x, other * y
        order = row_order(x, y)
        return cls(x[order], y[order], order)


def _sign(moment: float) -> float:
    return math.copysign(1.0, moment) if abs(moment) > NEGLIGIBLE else 0.0


class LatentProcess(NamedTuple):
    """Sines of the cause at the rows, the effect, and the frequencies of both inputs."""

    cause: FloatArray
    effect: FloatArray
    cause_omega: FloatArray
    latent_omega: FloatArray

    @classmethod
    def of(cls, cause: FloatArray, effect: FloatArray) -> "LatentProcess":
        """For standardised columns."""
        width, latent_width = MARGIN * float(np.max(np.abs(cause))), MARGIN * REACH
        return cls(
            sines(cause, width, CAUSE_SINES).values,
            effect,
            frequencies(width, CAUSE_SINES),
            frequencies(latent_width, LATENT_SINES),
        )

    def evaluate(self, latent: Sines, scales: Scales, noise: float) -> "LatentLikelihood":
        """Log N(effect; 0, ΦΦᵀ + σ²I) with σ² = exp(noise), by Woodbury."""
        spectrum = np.add.outer(
            log_density(self.cause_omega, scales.cause), log_density(self.latent_omega, scales.latent)
        ).ravel()
        features = Features(self.cause, latent, np.asarray(np.exp(0.5 * spectrum + scales.height)))
        n, size, variance = len(self.effect), len(spectrum), math.exp(noise)
        gram, along = variance * np.eye(size), np.zeros(size)
        for rows, phi, _ in features:
            gram += phi.T @ phi
            along += phi.T @ self.effect[rows]
        inverse = np.asarray(np.linalg.inv(gram), dtype=np.float64)
        u = inverse @ along
        residual = self.effect - features.curve(u, latent.values)
        misfit = float(self.effect @ residual) / variance
        log_det = float(np.linalg.slogdet(gram)[1])
        value = -0.5 * (n * math.log(2.0 * math.pi) + (n - size) * noise + log_det + misfit)
        by_noise = -0.5 * ((n - size) + variance * float(np.trace(inverse)) - misfit + float(u @ u))
        return LatentLikelihood(value, by_noise, features, u, residual, inverse)

    def along_scales(self, by_root: FloatArray, scales: Scales) -> FloatArray:
        """The gradient by the three logs from that by the logs of the features' weights."""
        table = by_root.reshape(len(self.cause_omega), len(self.latent_omega))
        cause = 0.5 * (1.0 - np.exp(2.0 * scales.cause) * self.cause_omega**2)
        latent = 0.5 * (1.0 - np.exp(2.0 * scales.latent) * self.latent_omega**2)
        return np.array([np.sum(table * cause[:, None]), np.sum(table * latent), np.sum(table)])


class Features:
    """Φ and its derivative by the latent input, a block of rows at a time; a single block is kept."""

    def __init__(self, cause: FloatArray, latent: Sines, root: FloatArray) -> None:
        self.cause, self.latent, self.root = cause, latent, root
        self.kept = [self._block(slice(0, len(cause)))] if len(cause) <= BLOCK else None

    def __iter__(self) -> Iterator["Block"]:
        if self.kept is not None:
            return iter(self.kept)
        return (self._block(slice(start, start + BLOCK)) for start in range(0, len(self.cause), BLOCK))

    def _block(self, rows: slice) -> "Block":
        cause, (values, first, _) = self.cause[rows, :, None], self.latent
        size = len(self.root)
        phi, slopes = ((cause * table[rows, None, :]).reshape(-1, size) for table in (values, first))
        return rows, phi * self.root, slopes * self.root

    def curve(self, weights: FloatArray, table: FloatArray) -> FloatArray:
        """Σ weights × features at every row, with a table of the latent sines or of a derivative of theirs."""
        along = self.cause @ (self.root * weights).reshape(self.cause.shape[1], -1)
        return np.asarray(np.einsum("ij,ij->i", along, table))


Block = tuple[slice, FloatArray, FloatArray]


class LatentLikelihood(NamedTuple):
    """Log likelihood of the effect, its derivative by log σ², and the fitted curve Φu with what it leaves over."""

    value: float
    by_noise: float
    features: Features
    weights: FloatArray
    residual: FloatArray
    inverse: FloatArray
    """(ΦᵀΦ + σ²I)⁻¹."""

    def pull(self, along: FloatArray, across: FloatArray) -> tuple[FloatArray, FloatArray]:
        """From the gradient residual · alongᵀ + Φ · across by Φ, those by the latent input and by Φ's log weights.

        The log likelihood has along = u/σ² and across = −(ΦᵀΦ + σ²I)⁻¹.
        """
        by_latent, by_root = np.empty(len(self.residual)), np.zeros(len(self.weights))
        for rows, phi, slopes in self.features:
            by_phi = np.outer(self.residual[rows], along) + phi @ across
            by_latent[rows] = np.einsum("ij,ij->i", by_phi, slopes)
            by_root += np.einsum("ij,ij->j", by_phi, phi)
        return by_latent, by_root


def first_guess(process: LatentProcess) -> FloatArray:
    """Where the latent input starts: the residual of a curve through the rows, over the size it has nearby."""
    left = process.effect - _smooth(process.cause, process.effect)
    size = np.exp(_smooth(process.cause, np.log(np.abs(left) + 1e-3)))
    guess = left / size
    guess = guess / max(float(np.sqrt(np.mean(guess * guess))), 1e-9)
    return np.asarray(np.clip(guess, -0.9 * REACH, 0.9 * REACH))


def _smooth(basis: FloatArray, target: FloatArray) -> FloatArray:
    middle = float(np.mean(target))
    gram = basis.T @ basis + np.eye(basis.shape[1])
    return np.asarray(middle + basis @ np.linalg.solve(gram, basis.T @ (target - middle)))


def score(cause: FloatArray, effect: FloatArray, *, jitter: float = 0.1, max_iter: int = 100) -> Evidence:
    """Minus the message length in nats a row.

    `jitter` is the standard deviation of what f need not explain, in those of the effect.
    """
    from scipy.optimize import minimize

    x, y, _ = LatentRows.of(cause, effect)
    process, noise = LatentProcess.of(x, y), 2.0 * math.log(jitter)
    n = len(x)
    start = np.concatenate([first_guess(process), START])
    bounds = [(-REACH, REACH)] * n + list(BOUNDS)
    options = {"maxiter": max_iter, "ftol": 1e-9, "gtol": 1e-6}
    optimum = minimize(message, start, (process, noise), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    length = float(optimum.fun) / n + fit_mixture(x).cost
    return Evidence(-length, converged=bool(optimum.success), n_iter=int(optimum.nit))


def message(place: FloatArray, process: LatentProcess, noise: float) -> tuple[float, FloatArray]:
    """Σ ½e² + Σ ½ log(f′² + σ²) − log N(y; 0, K + σ²I) and its gradient by e and the three logs.

    σ, the jitter of the process, also keeps a row where f is level in e from an infinite density.
    """
    e, scales = place[:-3], Scales(*place[-3:])
    latent = sines(e, MARGIN * REACH, len(process.latent_omega))
    seen = process.evaluate(latent, scales, noise)
    u, features = seen.weights, seen.features
    slope = features.curve(u, latent.first)
    inside = slope * slope + math.exp(noise)
    value = 0.5 * float(e @ e) + 0.5 * float(np.sum(np.log(inside))) - seen.value
    # u = A⁻¹Φᵀy moves with Φ as well: for p = A⁻¹Φ′ᵀg the gradient of g·Φ′u by Φ is (y − Φu) pᵀ − Φ p uᵀ.
    g = slope / inside
    pulled = np.sum([slopes.T @ g[rows] for rows, _, slopes in features], axis=0)
    p = seen.inverse @ pulled
    by_e, by_root = seen.pull(p - u * math.exp(-noise), seen.inverse - np.outer(p, u))
    by_e += e + g * features.curve(u, latent.second)
    return value, np.concatenate([by_e, process.along_scales(by_root + pulled * u, scales)])


gpi = make_builder(Directional, "gpi", score, jitter=1.0, max_iter=ITERATIONS)
