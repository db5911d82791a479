"""What a network's outputs mean: its heads, where training starts, and what the trained network predicts.

One hidden layer of H tanh units and K outputs, each output multiplied by its own scalar. A network is one flat vector

    θ = [w (H), b (H), W (K × H), c (K), s (K)],   outₖ(u) = sₖ · (cₖ + Σⱼ Wₖⱼ tanh(wⱼ u + bⱼ)).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from causewise.numerics import gaussian
from causewise.pair import FloatArray


@dataclass(frozen=True)
class Head:
    """How the outputs of a network become a law of the effect."""

    name: str
    code: int
    """Names the head inside compiled loops."""
    outputs: int
    free_scales: bool
    """Whether the scalars s are trained; where they are not they are 1."""


LOCATION_SCALE = Head("location-scale", 0, 2, free_scales=True)
"""Normal with natural parameters e = out₁ and log 2p = out₂ (Immer et al. 2023)."""
ADDITIVE = Head("additive", 1, 1, free_scales=False)
"""Normal with location out₁ and unit scale: least squares."""
STUDENT = Head("student", 2, 3, free_scales=True)
"""Student's t with location out₁, α = 1 + exp out₂, β = exp out₃: 2α degrees of freedom, squared scale β / α."""
PUBLISHED_SEED = 711
SHIFT = 8
"""How far `log_gamma_step` moves its argument up before it uses the asymptotic series."""


def size(head: Head, hidden: int) -> int:
    """How many numbers a network has."""
    return (2 + head.outputs) * hidden + 2 * head.outputs


def initial_parameters(head: Head, hidden: int, seed: int = 0, restart: int = 0) -> FloatArray:
    """Where training starts: uniform on ±1 / √fan-in; the scalars of all outputs but the first start at 0.

    Every fit starts from the same network, as in the published program: the paper's setting is one seed for all fits,
    and a start that knows nothing of the batch cannot depend on it.
    """
    # Seed 0 repeats the published draws: single precision numbers from a Mersenne Twister seeded with 711. The
    # trajectory from there is so sensitive (a change of 1e-14 grows to some 1e-5 in log-likelihood) that the rounding
    # of every operation below matters too.
    k, one = head.outputs, np.float32(1.0)
    stream = np.random.RandomState((PUBLISHED_SEED + seed + 1_000_003 * restart) % 2**32)
    words = stream.randint(0, 2**32, (2 + k) * hidden + k + 1, dtype=np.uint32)
    unit = (words & np.uint32(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)
    bounds = np.full(len(unit), one)
    bounds[2 * hidden : -1] = one / np.sqrt(np.float32(hidden))
    bounds[2 * hidden : (2 + k) * hidden] = _kaiming(hidden)
    bounds[[*range(hidden), -1]] = _kaiming(1)
    theta = (unit * (bounds + bounds) - bounds).astype(np.float64)
    scales = np.append(theta[-1], np.zeros(k - 1)) if head.free_scales else np.ones(k)
    return np.concatenate([theta[:-1], scales])


def _kaiming(fan_in: int) -> np.float32:
    # 1 / √fan-in, in the very operations of the published program's library, which differ in the last bit.
    return np.float32(math.sqrt(3.0) * (math.sqrt(1.0 / 3.0) / math.sqrt(fan_in)))


def outputs(head: Head, theta: FloatArray, u: FloatArray) -> FloatArray:
    """The K outputs at every u, shape (K, n), in blocks of rows so that memory stays small.

    u is one column, or several as inputs × rows; the weights of inputs beyond the first stand at the end of θ.
    """
    k, columns = head.outputs, np.atleast_2d(u)
    hidden = (len(theta) - 2 * k) // (1 + len(columns) + k)
    end = size(head, hidden)
    w = np.concatenate([theta[:hidden], theta[end:]]).reshape(-1, hidden)
    b = theta[hidden : 2 * hidden, None]
    weights = theta[2 * hidden : (2 + k) * hidden].reshape(k, hidden)
    offset, scale = theta[end - 2 * k : end - k, None], theta[end - k : end, None]
    blocks = np.array_split(columns, max(1, columns.shape[1] // 4096), axis=1)
    # A product of matrices may add up differently for other numbers of rows; a row's output must not know its company.
    parts = [np.tanh(np.einsum("dh,dn->hn", w, part) + b) for part in blocks]
    return np.concatenate([scale * (np.einsum("kh,hn->kn", weights, part) + offset) for part in parts], axis=1)


def natural_parameters(out: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """e, p and log 2p in every row, from the two outputs of the location-scale head."""
    return out[0], 0.5 * np.exp(out[1]), out[1]


def location_and_scale(head: Head, out: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the effect in every row, from the network's outputs."""
    if head == ADDITIVE:
        return out[0], np.ones_like(out[0])
    if head == LOCATION_SCALE:
        e, p, _ = natural_parameters(out)
        return gaussian.location(e, p), np.sqrt(gaussian.variance(p))
    return out[0], np.exp(0.5 * (out[2] - out[1]))  # variance β / (α − 1)


def log_density(head: Head, out: FloatArray, v: FloatArray) -> FloatArray:
    """Log density of every v given the network's outputs in its row, without penalty."""
    return -row_gradient(head, out, v, 0.0, np)[0]


def row_gradient(head: Head, out: Any, v: Any, penalty: Any, module: Any) -> tuple[Any, ...]:
    """Negative log density of every row, penalised, and its derivative in every output.

    `out` holds the K outputs, each one number a row; `module` is NumPy or jax.numpy.
    """
    if head == ADDITIVE:
        return additive_rows(out[0], v)
    if head == LOCATION_SCALE:
        return location_scale_rows(out[0], out[1], module.exp(out[1]), v)
    return student_rows(out[0], module.exp(out[1]), module.exp(out[2]), out[2], v, penalty, module.log)


# The three laws, one observation each: negative log density and its derivatives in the network's outputs. Arithmetic
# only, with exponentials and the logarithm handed in, so that the same lines serve NumPy arrays, JAX and the GPU
# kernel; `native/network.c` has them for compiled loops.


def location_scale_rows(e, log_2p, exp_log_2p, v):  # type: ignore[no-untyped-def]  # scalars and arrays alike
    """Normal law with natural parameters e and −p; derivatives in e and log 2p."""
    p = 0.5 * exp_log_2p
    mean = gaussian.location(e, p)
    return -gaussian.log_density(e, p, log_2p, v), mean - v, p * (v * v - mean * mean) - 0.5


def additive_rows(mean, v):  # type: ignore[no-untyped-def]  # as above
    """Normal law of unit scale; derivative in its mean."""
    return gaussian.HALF_LOG_2PI + 0.5 * (v - mean) * (v - mean), mean - v


def log_gamma_step(alpha, log):  # type: ignore[no-untyped-def]  # as above
    """D(α) = log Γ(α + ½) − log Γ(α) and its derivative, α > 0, to 1e-14."""
    # D(α) = D(α + 8) − Σ_{i<8} log((α + i + ½) / (α + i)), and at x = α + 8 the asymptotic series
    # ½ log x − 1/8x + 1/192x³ − 1/640x⁵ + 17/14336x⁷ − 31/18432x⁹ + 691/180224x¹¹:
    # arithmetic and a logarithm, which every engine has, where log Γ and its derivative are missing from some.
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


def student_rows(m, excess, beta, log_beta, v, penalty, log):  # type: ignore[no-untyped-def]  # as above
    """Student's t with ν = 2α degrees of freedom and squared scale β / α; `excess` is α − 1 and log β is `log_beta`.

    The density of v around m is log Γ(α + ½) − log Γ(α) − ½ log 2πβ − (α + ½) log(1 + (v − m)² / 2β); derivatives in
    m, log(α − 1) and log β.
    """
    alpha = 1.0 + excess
    step, step_slope = log_gamma_step(alpha, log)
    r = v - m
    q = r * r / (2.0 * beta)
    log_q = log(1.0 + q)
    # The penalty on (ν / (ν − 2))² = (α / (α − 1))² keeps the variance finite; its published factor is 1 / n.
    inflation = alpha / excess
    loss = gaussian.HALF_LOG_2PI + 0.5 * log_beta + (alpha + 0.5) * log_q - step + penalty * inflation * inflation
    pull = (alpha + 0.5) / (1.0 + q)
    to_m = -pull * r / beta
    to_excess = excess * (log_q - step_slope) - 2.0 * penalty * inflation / excess
    to_beta = 0.5 - pull * q
    return loss, to_m, to_excess, to_beta
