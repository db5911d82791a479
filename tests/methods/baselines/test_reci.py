"""RECI against np.polyfit, FOM against noise of known size, and low-noise pairs."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.reci import score_fom, score_reci
from causewise.numerics.arrays import minmax


def low_noise(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, 400)
    return x, x**3 + x + 0.02 * rng.standard_normal(400)


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_the_error_is_that_of_polyfit(degree: int) -> None:
    x, y = low_noise(0)
    u, v = minmax(x), minmax(y)
    error = np.mean((v - np.polyval(np.polyfit(u, v, degree), u)) ** 2)
    assert -score_reci(x, y, degree=degree) == pytest.approx(error, rel=1e-6)


def test_the_monomial_regresses_on_one_power() -> None:
    x, y = low_noise(0)
    u, v = minmax(x) ** 3, minmax(y)
    assert -score_reci(x, y, terms="monomial") == pytest.approx(np.mean((v - np.polyval(np.polyfit(u, v, 1), u)) ** 2))


def test_with_all_powers_reflection_changes_nothing_with_one_it_does() -> None:
    x, y = low_noise(0)
    assert score_reci(-x, y) == pytest.approx(score_reci(x, y), rel=1e-9)
    assert score_reci(-x, y, terms="monomial") != pytest.approx(score_reci(x, y, terms="monomial"), rel=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_low_noise_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*low_noise(seed), method="reci").direction is Direction.FORWARD


def low_noise_fom(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, 400)
    return x, x**3 + 0.03 * rng.standard_normal(400)


@pytest.mark.parametrize("moment", ["model", "empirical"])
def test_the_moment_is_that_of_the_noise_on_the_unit_interval(moment: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 20_000)
    size = 0.2 + 0.1 * x
    y = 50 * (np.sin(3 * x) + size * rng.standard_normal(20_000))
    assert -score_fom(x, y, moment=moment).score == pytest.approx(3 * np.mean((50 * size / np.ptp(y)) ** 4), rel=0.1)


@pytest.mark.parametrize("moment", ["model", "empirical"])
@pytest.mark.parametrize("seed", range(5))
def test_low_noise_is_decided_rightly_by_fourth_moments(moment: str, seed: int) -> None:
    assert causewise.infer(*low_noise_fom(seed), method=f"fom:moment={moment}").direction is Direction.FORWARD
