"""ANM-MM (Hu, Chen, Partovi Nia, Chan & Geng 2018): a mixture of additive noise models, one mechanism in each part.

Model: effect = f(cause; θ) + noise, where θ takes a value of its own for every mechanism and is independent of the
cause. θ is the unseen second input of a Gaussian process. The rows' θ, the kernel's scales and the noise are those with
the least

    −log N(y; 0, K(x, θ) + σ²I) + λ n log HSIC(x, θ),

so that θ explains the effect and is as independent of the cause as the rows allow. In the causal direction it can be;
the direction with the smaller HSIC wins. Rows with alike θ follow the same mechanism (`mechanisms`).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.errors import ITERATIONS, REALS, between
from causewise.methods.baselines.gpi import (
    MARGIN,
    REACH,
    LatentProcess,
    LatentRows,
    Scales,
    Sines,
    first_guess,
    frequencies,
    log_density,
    sines,
)
from causewise.pair import FloatArray, standardise
from causewise.protocol import Directional, make_builder

START = (0.0, math.log(2.0), 0.0, math.log(0.05))
BOUNDS = (
    (math.log(0.1), math.log(10.0)),
    (math.log(0.5), math.log(20.0)),
    (math.log(0.1), math.log(10.0)),
    (math.log(1e-4), 0.0),
)
"""Of the logs of length scale by the cause, by θ, height, and noise variance."""
TEST_SINES = 12
"""Of either column in HSIC, whose Gaussian kernels have length scale 1 on columns of variance about 1."""
TEST_MARGIN = 2.5
"""Of their box over the cause, in length scales: at its ends the sines, and with them the kernel, vanish."""


class Dependence(NamedTuple):
    """Centred features of the cause, weighted by the spectrum of its kernel."""

    cause: FloatArray
    weight: FloatArray
    """Spectrum of θ's kernel."""

    @classmethod
    def on(cls, cause: FloatArray) -> "Dependence":
        """For a standardised cause."""
        width = float(np.max(np.abs(cause))) + TEST_MARGIN
        features = sines(cause, width, 2 * TEST_SINES).values
        features = features * np.exp(0.5 * log_density(frequencies(width, 2 * TEST_SINES), 0.0))
        spectrum = np.exp(log_density(frequencies(MARGIN * REACH, TEST_SINES), 0.0))
        return cls(features - np.mean(features, axis=0), spectrum)

    def of(self, theta: Sines) -> tuple[float, FloatArray]:
        """HSIC = Σ |mean of feature × feature|², biased, and its gradient by every row's θ."""
        n = len(self.cause)
        cross = self.cause.T @ theta.values / n
        value = float(np.sum(cross * cross * self.weight))
        by_values = self.cause @ (2.0 / n * cross * self.weight)
        return value, np.einsum("ij,ij->i", by_values, theta.first)


class MechanismMixture(NamedTuple):
    """Every row's θ, in the order of the rows, and what the fit came to."""

    theta: FloatArray
    hsic: float
    converged: bool
    n_iter: int


def fit(cause: FloatArray, effect: FloatArray, *, independence: float = 0.01, max_iter: int = 100) -> MechanismMixture:
    """θ, scales and noise by L-BFGS from the residual of one curve."""
    from scipy.optimize import minimize

    x, y, order = LatentRows.of(cause, effect)
    process, test = LatentProcess.of(x, y), Dependence.on(x)
    start = np.concatenate([first_guess(process), START])
    bounds = [(-REACH, REACH)] * len(x) + list(BOUNDS)
    optimum = minimize(
        objective,
        start,
        (process, test, independence),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": max_iter, "ftol": 1e-8, "gtol": 1e-6},
    )
    theta = optimum.x[: len(x)]
    return MechanismMixture(theta[np.argsort(order)], dependence(x, theta), bool(optimum.success), int(optimum.nit))


def dependence(cause: FloatArray, theta: FloatArray) -> float:
    """HSIC of a standardised cause and θ, brought to variance 1: its size has no say."""
    scaled = np.clip(standardise(theta), -REACH, REACH)
    return Dependence.on(cause).of(sines(scaled, MARGIN * REACH, TEST_SINES))[0]


def objective(
    place: FloatArray, process: LatentProcess, test: Dependence, independence: float
) -> tuple[float, FloatArray]:
    """−log N(y; 0, K + σ²I) + λ n log HSIC(x, θ), with its gradient by θ and the four logs."""
    theta, (*logs, noise) = place[:-4], place[-4:]
    n, scales = len(theta), Scales(*logs)
    latent = sines(theta, MARGIN * REACH, TEST_SINES)
    used = Sines(*(table[:, : len(process.latent_omega)] for table in latent))
    seen = process.evaluate(used, scales, float(noise))
    hsic, by_theta = test.of(latent)
    strength = independence * n
    value = -seen.value + strength * math.log(hsic)
    by_latent, by_root = seen.pull(-seen.weights * math.exp(-noise), seen.inverse)
    gradient = strength / hsic * by_theta + by_latent
    return value, np.concatenate([gradient, process.along_scales(by_root, scales), [-seen.by_noise]])


def score(cause: FloatArray, effect: FloatArray, *, independence: float = 0.01, max_iter: int = 100) -> Evidence:
    """Minus log HSIC of cause and θ; `independence` is λ, the weight of log HSIC against a row's log likelihood."""
    mixture = fit(cause, effect, independence=independence, max_iter=max_iter)
    return Evidence(-math.log(mixture.hsic), hsic=mixture.hsic, converged=mixture.converged, n_iter=mixture.n_iter)


anm_mm = make_builder(Directional, "anm-mm", score, independence=REALS[1], max_iter=ITERATIONS)


def mechanisms(cause: FloatArray, effect: FloatArray, count: int = 2, **settings: Any) -> NDArray[np.int64]:
    """Which of `count` mechanisms every row follows, numbered by their θ: k-means on the fitted θ.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise.methods.baselines.anm_mm import mechanisms
    >>> rng = np.random.default_rng(0)
    >>> x, which = rng.uniform(0, 1, 120), rng.permutation(np.repeat([0, 1], 60))
    >>> y = np.exp(-np.array([1.0, 4.0])[which] * x) + 0.02 * rng.normal(size=120)
    >>> labels = mechanisms(x, y)
    >>> bool(max(np.mean(labels == which), np.mean(labels != which)) > 0.8)
    True
    """
    between("anm-mm", 1, len(cause), count=count)
    theta = fit(cause, effect, **settings).theta
    centres = np.quantile(theta, (np.arange(count) + 0.5) / count)
    while True:
        nearest = np.argmin(np.abs(theta[:, None] - centres), axis=1)
        moved = np.array([np.mean(theta[nearest == k]) if np.any(nearest == k) else c for k, c in enumerate(centres)])
        if np.array_equal(moved, centres):
            return nearest.astype(np.int64)
        centres = moved
