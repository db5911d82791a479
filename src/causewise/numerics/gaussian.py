"""The Gaussian in natural parameters: the only place of the map between (e, p) and (location, scale).

With η₁ = e and η₂ = −p, p > 0 (Immer et al. 2023, §4), one observation v has

    log density = e·v − p·v² − e²/4p + ½ log 2p − ½ log 2π,   location = e / 2p,   variance = 1 / 2p.

Only arithmetic operators and a logarithm handed in by the caller are used, so that the same lines serve NumPy arrays
and JAX tracers; compiled loops have their own.
"""

import math

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def location(e, p):  # type: ignore[no-untyped-def]  # scalars, NumPy and JAX arrays alike
    """Mean e / 2p."""
    return e / (2.0 * p)


def variance(p):  # type: ignore[no-untyped-def]  # as above
    """Variance 1 / 2p."""
    return 1.0 / (2.0 * p)


def log_density(e, p, log_2p, v):  # type: ignore[no-untyped-def]  # as above
    """Log density of v; `log_2p` is log(2p), which a network has already and a spline must compute."""
    return e * v - p * v * v - e * e / (4.0 * p) + 0.5 * log_2p - HALF_LOG_2PI


def loss_gradient(mean, var, v):  # type: ignore[no-untyped-def]  # as above
    """Derivatives of −log density in (e, p), written with the location and the variance that (e, p) stand for."""
    # v² − mean² as a product: the squares of a far v would cancel.
    return mean - v, (v - mean) * (v + mean) - var
