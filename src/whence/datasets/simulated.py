"""Look-alikes of SIM, SIMc, SIMln and SIMG (Mooij et al. 2016, appendix): random densities and random smooth functions.

The structure is the paper's; the length scales of the effect's mechanism are not known to us for certain. They were
chosen, with the factor ½ in the kernel, so that kurtosis, residual variance, non-linear share and heteroscedasticity of
drawn pairs agree with those of the published ones; tests/datasets/test_lookalikes.py makes the comparison.
"""

from dataclasses import dataclass

import numpy as np

from whence.datasets.classic import Columns
from whence.datasets.gaussian_process import draw_process
from whence.datasets.laws import random_density
from whence.pair import FloatArray, standardise

JITTER = 1e-4

Gamma = tuple[float, float]
"""Shape and scale."""


@dataclass(frozen=True)
class Settings:
    """Laws of the length scales; one draw of each per pair."""

    density: Gamma = (5.0, 0.1)
    cause_noise: Gamma = (2.0, 1.5)
    effect_noise: Gamma = (2.0, 20.0)
    cause: Gamma = (2.0, 3.0)
    measurement: Gamma = (2.0, 0.1)
    """Law of the standard deviation of the measurement noise, one draw per column."""
    confounded: bool = False


SIM = Settings()
SIMC = Settings(confounded=True)
SIMLN = Settings(effect_noise=(2.0, 300.0), measurement=(2.0, 0.01))
SIMG = Settings(density=(1e6, 1e-3), cause_noise=(1e6, 1e-3))


def draw(settings: Settings, rng: np.random.Generator, n: int) -> Columns:
    """Cause and effect with measurement noise on both."""
    noises = [_noise(settings, rng, n) for _ in range(2 + settings.confounded)]
    hidden = noises[2:]
    cause = _function(rng, [noises[0], *hidden], [settings.cause_noise, *[settings.effect_noise] * len(hidden)])
    laws = [settings.cause, settings.effect_noise, *[settings.effect_noise] * len(hidden)]
    effect = _function(rng, [cause, noises[1], *hidden], laws)
    return _measured(settings, rng, cause), _measured(settings, rng, effect)


def _noise(settings: Settings, rng: np.random.Generator, n: int) -> FloatArray:
    return _scaled(random_density(rng, n, rng.gamma(*settings.density), JITTER))


def _function(rng: np.random.Generator, columns: list[FloatArray], laws: list[Gamma]) -> FloatArray:
    lengths = [rng.gamma(*law) for law in laws]
    return _scaled(draw_process(rng, columns, lengths) + JITTER * rng.standard_normal(len(columns[0])))


def _scaled(column: FloatArray) -> FloatArray:
    """Standardised with n − 1 in the variance, as the low-noise files show: theirs is 1 − 1/n + measurement noise."""
    return standardise(column) * np.sqrt(1 - 1 / len(column))


def _measured(settings: Settings, rng: np.random.Generator, column: FloatArray) -> FloatArray:
    return column + rng.gamma(*settings.measurement) * rng.standard_normal(len(column))
