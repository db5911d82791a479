"""Look-alikes of published sets whose exact law is not known: SIM, SIMc, SIMln, SIMG and Net.

SIM and its variants (Mooij et al. 2016, appendix) have random densities and random smooth functions; the structure is
the paper's, some length scales are fitted. Net (Goudet et al. 2018) has random networks; its code is lost.
tests/lab/datasets/test_lookalikes.py compares drawn pairs with the published ones.
"""

from dataclasses import dataclass

import numpy as np

from causewise.lab.datasets.laws import (
    Columns,
    Law,
    any_of,
    exponential,
    gamma2,
    gaussian,
    laplace,
    log_normal,
    uniform,
)
from causewise.lab.datasets.mechanisms import draw_process, increasing_map, random_network
from causewise.pair import FloatArray, standardise

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


def simulated(settings: SimulationSettings, rng: np.random.Generator, n: int) -> Columns:
    """Cause and effect with measurement noise on both."""
    noises = [_noise(settings, rng, n) for _ in range(2 + settings.confounded)]
    hidden = noises[2:]
    cause = _function(rng, [noises[0], *hidden], [settings.cause_noise, *[settings.effect_noise] * len(hidden)])
    laws = [settings.cause, settings.effect_noise, *[settings.effect_noise] * len(hidden)]
    effect = _function(rng, [cause, noises[1], *hidden], laws)
    return _measured(settings, rng, cause), _measured(settings, rng, effect)


def random_density(rng: np.random.Generator, n: int, length: float) -> FloatArray:
    """Sample of a random smooth density (Mooij et al. 2016): normals under a random increasing map."""
    return increasing_map(rng, rng.standard_normal(n), length, JITTER)


def _noise(settings: SimulationSettings, rng: np.random.Generator, n: int) -> FloatArray:
    return _scaled(random_density(rng, n, rng.gamma(*settings.density)))


def _function(rng: np.random.Generator, columns: list[FloatArray], laws: list[Gamma]) -> FloatArray:
    lengths = [rng.gamma(*law) for law in laws]
    return _scaled(draw_process(rng, columns, lengths) + JITTER * rng.standard_normal(len(columns[0])))


def _scaled(column: FloatArray) -> FloatArray:
    # n − 1 in the variance, as the low-noise files show: theirs is 1 − 1/n + measurement noise.
    return standardise(column) * np.sqrt(1 - 1 / len(column))


def _measured(settings: SimulationSettings, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    return column + rng.gamma(*settings.measurement) * rng.standard_normal(len(column))


def network_effect(rng: np.random.Generator, n: int) -> Columns:
    """Net-like: standardised cause, normal noise, one hidden layer."""
    cause = standardise(any_of(NET_LAWS, rng, n))
    return cause, standardise(random_network(rng, cause, rng.standard_normal(n)))
