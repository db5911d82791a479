"""Negative log density of one observation and its derivatives in the network's outputs, for every head.

Only arithmetic is used, with exponentials and the logarithm handed in by the caller, so that the same lines serve
compiled loops over scalars, NumPy arrays, JAX and the GPU kernel.
"""

from numba.extending import register_jitable

from whence.numerics.gaussian import HALF_LOG_2PI, location, log_density

SHIFT = 8


@register_jitable
def location_scale_rows(e, log_2p, exp_log_2p, v):  # type: ignore[no-untyped-def]  # scalars and arrays alike
    """Normal law with natural parameters e and −p; derivatives in e and log 2p."""
    p = 0.5 * exp_log_2p
    mean = location(e, p)
    return -log_density(e, p, log_2p, v), mean - v, p * (v * v - mean * mean) - 0.5


@register_jitable
def additive_rows(mean, v):  # type: ignore[no-untyped-def]  # as above
    """Normal law of unit scale; derivative in its mean."""
    return HALF_LOG_2PI + 0.5 * (v - mean) * (v - mean), mean - v


@register_jitable
def log_gamma_step(alpha, log):  # type: ignore[no-untyped-def]  # as above
    """D(α) = log Γ(α + ½) − log Γ(α) and its derivative, α > 0, to 1e-14.

    D(α) = D(α + 8) − Σ_{i<8} log((α + i + ½) / (α + i)), and at α + 8 the asymptotic series
    ½ log x − 1/8x + 1/192x³ − 1/640x⁵ + 17/14336x⁷ − 31/18432x⁹ + 691/180224x¹¹.
    """
    ratio = (alpha + 0.5) / alpha
    slope = 1.0 / alpha - 1.0 / (alpha + 0.5)
    for i in range(1, SHIFT):
        ratio = ratio * (alpha + i + 0.5) / (alpha + i)
        slope = slope + 1.0 / (alpha + i) - 1.0 / (alpha + i + 0.5)
    y = 1.0 / (alpha + SHIFT)
    z = y * y
    tail = y * (-1 / 8 + z * (1 / 192 + z * (-1 / 640 + z * (17 / 14336 + z * (-31 / 18432 + z * (691 / 180224))))))
    tail_slope = z * (1 / 8 + z * (-1 / 64 + z * (1 / 128 + z * (-17 / 2048 + z * (31 / 2048 + z * (-691 / 16384))))))
    return tail - 0.5 * log(y) - log(ratio), tail_slope + 0.5 * y + slope


@register_jitable
def student_rows(m, excess, beta, log_beta, v, penalty, log):  # type: ignore[no-untyped-def]  # as above
    """Student's t with ν = 2α degrees of freedom and squared scale β / α; `excess` is α − 1 and log β is `log_beta`.

    The density of v around m is log Γ(α + ½) − log Γ(α) − ½ log 2πβ − (α + ½) log(1 + (v − m)² / 2β); derivatives in
    m, log(α − 1) and log β. The penalty on (ν / (ν − 2))² = (α / (α − 1))² keeps the variance finite; its published
    factor is 1 / n.
    """
    alpha = 1.0 + excess
    step, step_slope = log_gamma_step(alpha, log)
    r = v - m
    q = r * r / (2.0 * beta)
    log_q = log(1.0 + q)
    inflation = alpha / excess
    loss = HALF_LOG_2PI + 0.5 * log_beta + (alpha + 0.5) * log_q - step + penalty * inflation * inflation
    pull = (alpha + 0.5) / (1.0 + q)
    to_m = -pull * r / beta
    to_excess = excess * (log_q - step_slope) - 2.0 * penalty * inflation / excess
    to_beta = 0.5 - pull * q
    return loss, to_m, to_excess, to_beta
