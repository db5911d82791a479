"""RECI against np.polyfit, and low-noise pairs."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.reci import score
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
    assert -score(x, y, degree=degree) == pytest.approx(error, rel=1e-6)


def test_the_monomial_regresses_on_one_power() -> None:
    x, y = low_noise(0)
    u, v = minmax(x) ** 3, minmax(y)
    assert -score(x, y, terms="monomial") == pytest.approx(np.mean((v - np.polyval(np.polyfit(u, v, 1), u)) ** 2))


def test_with_all_powers_reflection_changes_nothing_with_one_it_does() -> None:
    x, y = low_noise(0)
    assert score(-x, y) == pytest.approx(score(x, y), rel=1e-9)
    assert score(-x, y, terms="monomial") != pytest.approx(score(x, y, terms="monomial"), rel=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_low_noise_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*low_noise(seed), method="reci").direction is Direction.FORWARD
