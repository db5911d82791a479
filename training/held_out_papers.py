"""Held-out simulators from simulators of other papers, and statistical models far from a function plus noise."""

import math
from collections.abc import Callable

import numpy as np
from scipy import special, stats

from training.held_out_laws import Columns, FloatArray, Rng, log_uniform, on_line, one_of, positive, toss


def velocity_flow(rng: Rng, n: int) -> Columns:
    """The effect moves along a random velocity field as the cause grows: dy/dx = v(y, x) (Xi et al. 2025)."""
    x, y = on_line(rng, n), log_uniform(rng, 0.3, 1) * on_line(rng, n)
    a, b, c, d = rng.normal(size=(4, 1, int(rng.integers(2, 6))))
    size, start = log_uniform(rng, 0.6, 2), rng.uniform(x.min(), x.max())
    steps = 30

    def velocity(y: FloatArray, t: FloatArray) -> FloatArray:
        return size * np.sum(a * np.tanh(b * y[:, None] + c * t[:, None] + d), axis=1)

    h = (x - start) / steps
    for k in range(steps):
        half = y + h / 2 * velocity(y, start + k * h)
        y = y + h * velocity(half, start + (k + 0.5) * h)
    return x, y


def quantile_surface(rng: Rng, n: int) -> Columns:
    """A conditional quantile function of rank two to four, monotone bases with positive weights (Chen et al. 2025)."""
    x, u = on_line(rng, n), rng.uniform(1e-4, 1 - 1e-4, n)
    bases = np.stack((special.logit(u) / 2, special.ndtri(u), -np.log1p(-u), np.log(u), 4 * u, 2 * (2 * u - 1) ** 3))
    chosen = bases[rng.permutation(len(bases))[: rng.integers(2, 5)]]
    speed, phase, depth = (
        rng.uniform(0.5, 2, (len(chosen), 1)),
        rng.uniform(0, 6.3, (len(chosen), 1)),
        rng.uniform(0.5, 2),
    )
    weights = np.exp(depth * np.sin(speed * x + phase))
    centre = rng.uniform(0, 3) * np.tanh(rng.normal() * x + rng.normal())
    return x, centre + np.sum(weights * chosen, axis=0)


def carefl_lsnm(rng: Rng, n: int) -> Columns:
    """The location-scale forms and the ill-fitting noises with which CAREFL-H is tested (Sun and Schulte 2023)."""
    x, z = on_line(rng, n), _bounded_noise(rng, n)
    a, b, c, d = rng.uniform(0.5, 2.0, 4) * rng.choice((-1.0, 1.0), 4)
    forms = (
        (b * np.tanh(a * x), np.exp(c / 2 * np.cos(d * x))),
        (b * np.sin(a * x), abs(d) * (np.tanh(c * x) + 1.2)),
        (b * special.expit(2 * a * x), abs(d) * special.expit(2 * c * x)),
    )
    place, scale = forms[rng.integers(3)]
    return x, place + scale * z


def _bounded_noise(rng: Rng, n: int) -> FloatArray:
    """Uniform, Beta(½, ½), exponential, Laplace or continuous Bernoulli noise."""
    odds = math.log(0.9 / 0.1)
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.uniform(-1, 1, n),
        lambda: 2 * rng.beta(0.5, 0.5, n) - 1,
        lambda: rng.exponential(1.0, n),
        lambda: rng.laplace(0.0, 0.7, n),
        lambda: 2 * np.log1p(rng.random(n) * math.expm1(odds)) / odds,
    )
    return laws[rng.integers(len(laws))]()


def skewed_scale(rng: Rng, n: int) -> Columns:
    """Location and scale with skew-normal or asymmetric generalised normal noise (Klippert and Marx 2025)."""
    x, z, k = on_line(rng, n), rng.normal(size=n), toss(rng) * rng.uniform(0.3, 0.9)
    slant = k / abs(k) * rng.uniform(3, 10)
    skewed = stats.skewnorm.rvs(slant, size=n, random_state=rng) if rng.random() < 0.5 else -np.expm1(-k * z) / k
    a, b, c, d, e = rng.normal(size=5)
    place = a * x + b * np.sin(log_uniform(rng, 0.7, 2.5) * x + 3 * c) + 0.3 * d * x**2
    return x, place + log_uniform(rng, 0.2, 1) * np.logaddexp(0, e * x + rng.normal()) * skewed


def sensor(rng: Rng, n: int) -> Columns:
    """A post-nonlinear sensor over additive noise: log, exponential, power, saturation (Zhang and Hyvärinen 2009)."""
    x = on_line(rng, n)
    a, b = rng.normal(size=2)
    inner = (a * x**3 / 3 + b * x, toss(rng) * x, np.abs(x + a) ** 1.5, np.cos(2 * a * x) + b * x)[rng.integers(4)]
    z = (inner - inner.mean()) / np.std(inner)
    z = z + log_uniform(rng, 0.15, 0.8) * rng.choice(
        (rng.normal(size=n), rng.uniform(-1.7, 1.7, n), rng.laplace(0, 0.7, n))
    )
    power, gain = log_uniform(rng, 0.35, 3), rng.uniform(0.5, 1.5)
    seen = (np.exp(gain * z), np.log(z - z.min() + gain), np.sign(z) * np.abs(z) ** power, np.arctan(gain * z))
    return x, log_uniform(rng, 0.1, 100) * seen[rng.integers(4)]


def regime(rng: Rng, n: int) -> Columns:
    """A mechanism that changes at thresholds, or a hurdle."""
    return one_of(rng, _switching, _hurdle)(rng, n)


def _switching(rng: Rng, n: int) -> Columns:
    """Level, slope and noise switch where the cause passes a threshold (Tong 1983; Hansen 2000)."""
    x = on_line(rng, n)
    cuts = np.sort(np.quantile(x, rng.uniform(0.15, 0.85, int(rng.integers(1, 4)))))
    part = np.searchsorted(cuts, x)
    level, slope = rng.normal(size=(2, len(cuts) + 1))
    scale = np.exp(rng.normal(-0.8, 0.7, len(cuts) + 1))
    return x, level[part] + slope[part] * x + scale[part] * rng.standard_t(log_uniform(rng, 3, 30), n)


def _hurdle(rng: Rng, n: int) -> Columns:
    """A hurdle, then a positive amount (Cragg 1971): nothing at all below it."""
    x = positive(rng, n, rng.uniform(0.4, 0.8))
    steep, place = rng.uniform(1, 6), np.quantile(x, rng.uniform(0.1, 0.5))
    passed = rng.random(n) < special.expit(steep * (x - place) / np.std(x))
    amount = np.exp(rng.uniform(0.3, 1.2) * np.log(np.maximum(x, 1e-6))) * rng.gamma(
        k := log_uniform(rng, 1.5, 20), 1 / k, n
    )
    return log_uniform(rng, 1, 100) * x, log_uniform(rng, 1, 1000) * passed * amount


def random_coefficients(rng: Rng, n: int) -> Columns:
    """Every row has its own intercept and slope, correlated and in classes (Swamy 1970; Heckman and Vytlacil 1998)."""
    x = on_line(rng, n) if rng.random() < 0.4 else log_uniform(rng, 0.5, 20) * positive(rng, n, rng.uniform(0.3, 0.9))
    group = rng.integers(int(rng.integers(1, 4)), size=n)
    slope, rho, unit = rng.normal(1, 0.6, 3)[group], rng.uniform(-0.9, 0.9), float(np.std(x))
    e, f = rng.normal(size=(2, n))
    own = slope + log_uniform(rng, 0.1, 0.8) * e
    base = rng.normal(0, 0.7, 3)[group] + log_uniform(rng, 0.2, 0.8) * (rho * e + math.sqrt(1 - rho**2) * f)
    return x, unit * base + own * x


def forest(rng: Rng, n: int) -> Columns:
    """Steps of a few random trees (Breiman 2001) under heavy-tailed noise whose size steps as well."""
    x, step = on_line(rng, n), np.zeros(n)
    for _ in range(rng.integers(1, 6)):
        leaf = np.searchsorted(np.sort(rng.choice(x, int(rng.integers(1, 8)))), x)
        step += rng.normal(size=leaf.max() + 1)[leaf]
    size = np.exp(rng.normal(0, 0.5, leaf.max() + 1))[leaf]
    return x, step + log_uniform(rng, 0.1, 0.5) * np.std(step) * size * rng.standard_t(log_uniform(rng, 2, 5), n)


def noisy_network(rng: Rng, n: int) -> Columns:
    """Two rectified layers that take noise as inputs beside the cause (as Goudet et al. 2018, with other units)."""
    x, wide = on_line(rng, n), int(rng.integers(6, 30))
    noise = log_uniform(rng, 0.2, 0.8) * rng.normal(size=(n, int(rng.integers(1, 4))))
    layer = np.column_stack((x, noise))
    for _ in range(2):
        width = layer.shape[1]
        layer = np.maximum(layer @ rng.normal(0, math.sqrt(2 / width), (width, wide)) + rng.normal(0, 0.5, wide), 0)
    return x, layer @ rng.normal(size=wide)
