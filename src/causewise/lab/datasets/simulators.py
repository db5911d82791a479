"""Simulators of published sets: known laws drawn anew, and look-alikes where the exact law is not known.

Known: AN, ANs, LS, LSs, MNU (Tagasovska et al. 2020) and Multi (Goudet et al. 2018). Look-alikes: SIM and its variants
(Mooij et al. 2016, appendix) have random densities and random smooth functions; the structure is the paper's, some
length scales are fitted. Net (Goudet et al. 2018) has random networks; its code is lost.
tests/lab/datasets/test_simulators.py compares drawn pairs with the published ones. Every law draws (cause, effect).
"""

from dataclasses import dataclass

import numpy as np

from causewise.lab.datasets.mechanisms import (
    Columns,
    Law,
    draw_any,
    draw_process,
    exponential,
    gamma2,
    gaussian,
    increasing_map,
    laplace,
    log_normal,
    random_network,
    uniform,
)
from causewise.pair import FloatArray, standardise

# ---- Tagasovska et al.


def additive_process(rng: np.random.Generator, n: int) -> Columns:
    """AN: y = f(x) + e, f a Gaussian process with unit variance and length scale."""
    cause = scale_mixture(rng, n)
    return cause, draw_process(rng, [cause], [1.0]) + 0.2 * scale_mixture(rng, n)


def additive_sigmoid(rng: np.random.Generator, n: int) -> Columns:
    """ANs: y = f(x) + e, f a sigmoid."""
    # In the published ANs files both variances are drawn once per pair, so cause and noise are Gaussian (the variances
    # of the causes range over 1.0 to 2.0, their mean excess kurtosis is −0.01); in the other four sets once per row.
    cause = gaussian_of_random_size(rng, n)
    return cause, sigmoid(rng, cause) + 0.2 * gaussian_of_random_size(rng, n)


def location_scale_process(rng: np.random.Generator, n: int) -> Columns:
    """LS: y = f(x) + (f(x) − min f)·e, f a Gaussian process."""
    cause = scale_mixture(rng, n)
    return cause, _location_scale(rng, draw_process(rng, [cause], [1.0]))


def location_scale_sigmoid(rng: np.random.Generator, n: int) -> Columns:
    """LSs: y = f(x) + (f(x) − min f)·e, f a sigmoid."""
    cause = scale_mixture(rng, n)
    return cause, _location_scale(rng, sigmoid(rng, cause))


def multiplicative_uniform(rng: np.random.Generator, n: int) -> Columns:
    """MNU: y = f(x)·u, u uniform on (0, 1), f a sigmoid."""
    cause = scale_mixture(rng, n)
    return cause, sigmoid(rng, cause) * rng.uniform(size=n)


def scale_mixture(rng: np.random.Generator, n: int) -> FloatArray:
    """√v·ε with v ~ U(1, 2) drawn anew for every row."""
    return np.sqrt(rng.uniform(1, 2, n)) * rng.standard_normal(n)


def gaussian_of_random_size(rng: np.random.Generator, n: int) -> FloatArray:
    """√v·ε with one v ~ U(1, 2) for all rows."""
    return np.asarray(np.sqrt(rng.uniform(1, 2)) * rng.standard_normal(n))


def sigmoid(rng: np.random.Generator, cause: FloatArray) -> FloatArray:
    """c·b(x+a)/(1 + |b(x+a)|); a ~ U(−2, 2), |b| ~ U(½, 2) with either sign, c ~ 1 + Exp(rate 4)."""
    shift = rng.uniform(-2, 2)
    slope = rng.uniform(0.5, 2) * rng.choice([-1.0, 1.0])
    height = 1 + rng.exponential(1 / 4)
    inner = slope * (cause + shift)
    return np.asarray(height * inner / (1 + np.abs(inner)))


def _location_scale(rng: np.random.Generator, location: FloatArray) -> FloatArray:
    # f − min f is the scale: never negative, and 0 at the lowest point of the sample.
    return location + (location - location.min()) * 0.2 * scale_mixture(rng, len(location))


# ---- Goudet et al.


def combined_noise(rng: np.random.Generator, n: int) -> Columns:
    """Multi: noise added or multiplied, before or after f; both columns come out normalised."""
    # A linear function with Gaussian cause and added Gaussian noise is not identifiable: draw again.
    while True:
        cause_law, noise_law, mechanism = rng.integers(2, size=3)
        multiplied, inside = rng.integers(2, size=2)
        linear_gaussian = cause_law == noise_law == mechanism == 0 and not multiplied
        if not linear_gaussian:
            break
    cause, noise = _variable(rng, n, cause_law == 0), _variable(rng, n, noise_law == 0)
    power = 1 + int(mechanism)
    slope, offset = rng.standard_normal(2)

    def function(argument: FloatArray) -> FloatArray:
        return np.asarray(slope * argument**power + offset)

    combine = np.multiply if multiplied else np.add
    effect = function(combine(cause, noise)) if inside else combine(function(cause), noise)
    return _normalise(cause), _normalise(effect)


def _variable(rng: np.random.Generator, n: int, is_gaussian: bool) -> FloatArray:
    scale, shift = rng.standard_normal(2)
    raw = rng.standard_normal(n) if is_gaussian else _normalise(rng.uniform(size=n))
    return np.asarray(scale * raw + shift)


def _normalise(column: FloatArray) -> FloatArray:
    # The 1e-3 is the original's; it keeps near-constant columns small.
    return np.asarray((column - column.mean()) / (column.std(ddof=1) + 1e-3))


# ---- look-alikes

JITTER = 1e-4
"""Standard deviation of the white noise on every random function of SIM."""
# Of Net we know that the cause's law is chosen at random, and that the effect is the output of a randomly initialised
# network of cause and noise. The list of laws is ours, and so are width and weights of the network.
NET_LAWS: dict[str, Law] = {
    "gaussian": gaussian,
    "exponential": exponential,
    "gamma": gamma2,
    "lognormal": log_normal,
    "laplace": laplace,
    "uniform": uniform,
}

Gamma = tuple[float, float]
"""Shape and scale."""


@dataclass(frozen=True)
class SimulationSettings:
    """Laws of the length scales of SIM and its variants; one draw of each per pair."""

    # The paper leaves the length scales of the effect's mechanism open to us. They were chosen, with the factor ½ in
    # the kernel, so that kurtosis, residual variance, non-linear share and heteroscedasticity of drawn pairs agree with
    # those of the published ones.
    density: Gamma = (5.0, 0.1)
    cause_noise: Gamma = (2.0, 1.5)
    effect_noise: Gamma = (2.0, 20.0)
    cause: Gamma = (2.0, 3.0)
    measurement: Gamma = (2.0, 0.1)
    """Law of the standard deviation of the measurement noise, one draw per column."""
    confounded: bool = False


SIM = SimulationSettings()
SIMC = SimulationSettings(confounded=True)
SIMLN = SimulationSettings(effect_noise=(2.0, 300.0), measurement=(2.0, 0.01))
# Γ(10⁶, 10⁻³) is all but the constant 1000: at that length scale the maps are lines, and cause and noise Gaussian.
SIMG = SimulationSettings(density=(1e6, 1e-3), cause_noise=(1e6, 1e-3))


def draw_simulated(settings: SimulationSettings, rng: np.random.Generator, n: int) -> Columns:
    """Cause and effect with measurement noise on both."""
    noises = [_noise(settings, rng, n) for _ in range(2 + settings.confounded)]
    hidden = noises[2:]
    cause = _function(rng, [noises[0], *hidden], [settings.cause_noise, *[settings.effect_noise] * len(hidden)])
    laws = [settings.cause, settings.effect_noise, *[settings.effect_noise] * len(hidden)]
    effect = _function(rng, [cause, noises[1], *hidden], laws)
    return _add_measurement_noise(settings, rng, cause), _add_measurement_noise(settings, rng, effect)


def _noise(settings: SimulationSettings, rng: np.random.Generator, n: int) -> FloatArray:
    """Sample of a random smooth density: normals under a random increasing map."""
    length = rng.gamma(*settings.density)
    return _rescale(increasing_map(rng, rng.standard_normal(n), length, JITTER))


def _function(rng: np.random.Generator, columns: list[FloatArray], laws: list[Gamma]) -> FloatArray:
    lengths = [rng.gamma(*law) for law in laws]
    return _rescale(draw_process(rng, columns, lengths) + JITTER * rng.standard_normal(len(columns[0])))


def _rescale(column: FloatArray) -> FloatArray:
    # n − 1 in the variance, as the low-noise files show: theirs is 1 − 1/n + measurement noise.
    return standardise(column) * np.sqrt(1 - 1 / len(column))


def _add_measurement_noise(settings: SimulationSettings, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    return column + rng.gamma(*settings.measurement) * rng.standard_normal(len(column))


def network_effect(rng: np.random.Generator, n: int) -> Columns:
    """Net-like: standardised cause, normal noise, one hidden layer."""
    cause = standardise(draw_any(NET_LAWS, rng, n))
    return cause, standardise(random_network(rng, cause, rng.standard_normal(n)))
