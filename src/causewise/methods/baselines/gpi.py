"""GPI (Mooij, Stegle, Janzing, Zhang & Schölkopf 2010): a Gaussian process with the noise as a second, unseen input.

Model: effect = f(cause, e) with e standard normal, independent of the cause, and f drawn from a Gaussian process:
noise of any kind, additive or not. With y = f(x, e) the density of y given x is that of e over |∂f/∂e|, and a
direction's message is

    −log p(x) + Σ ½eᵢ² + Σ log|∂f/∂e| − log N(y; 0, K(x, e)),

least over e and the kernel's scales; p(x) is a mixture of normals, sent with its parameters. The shorter message wins.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from causewise.decision import Evidence
from causewise.errors import ITERATIONS, between, positive
from causewise.methods.baselines.latent import MARGIN, REACH, LatentProcess, LatentRows, Scales, first_guess, sines
from causewise.numerics.density import fit_mixture
from causewise.pair import FloatArray
from causewise.protocol import Directional

START = (math.log(1.0), math.log(2.0), 0.0)
BOUNDS = ((math.log(0.1), math.log(10.0)), (math.log(0.5), math.log(20.0)), (math.log(0.1), math.log(10.0)))
"""Of the logs of length scale by the cause, by the noise, and height."""


def score(cause: FloatArray, effect: FloatArray, *, jitter: float = 0.1, max_iter: int = 100) -> Evidence:
    """Minus the message length in nats a row."""
    from scipy.optimize import minimize

    x, y, _ = LatentRows.of(cause, effect)
    process, noise = LatentProcess.of(x, y), 2.0 * math.log(jitter)
    n = len(x)
    start = np.concatenate([first_guess(process), START])
    bounds = [(-REACH, REACH)] * n + list(BOUNDS)
    options = {"maxiter": max_iter, "ftol": 1e-9, "gtol": 1e-6}
    found = minimize(message, start, (process, noise), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    length = float(found.fun) / n + fit_mixture(x).cost
    return Evidence(-length, converged=bool(found.success), n_iter=int(found.nit))


def message(place: FloatArray, process: LatentProcess, noise: float) -> tuple[float, FloatArray]:
    """Σ ½e² + Σ ½ log(f′² + σ²) − log N(y; 0, K + σ²I) and its gradient by e and the three logs.

    σ, the jitter of the process, also keeps a row where f is level in e from an infinite density.
    """
    e, scales = place[:-3], Scales(*place[-3:])
    latent = sines(e, MARGIN * REACH, len(process.latent_omega))
    seen = process.look(latent, scales, noise)
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


def gpi(*, jitter: float = 0.1, max_iter: int = 100) -> Directional:
    """The method; `jitter` is the standard deviation of what f need not explain, in those of the effect."""
    positive("gpi", 1.0, jitter=jitter)
    between("gpi", *ITERATIONS, max_iter=max_iter)
    settings: dict[str, Any] = {"jitter": jitter, "max_iter": max_iter}
    return Directional("gpi", partial(score, **settings), settings)
