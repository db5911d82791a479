"""FOM: the moment of noise of known size, and low-noise pairs."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.fom import score


def low_noise(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, 400)
    return x, x**3 + 0.03 * rng.standard_normal(400)


@pytest.mark.parametrize("moment", ["model", "empirical"])
def test_the_moment_is_that_of_the_noise_on_the_unit_interval(moment: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 20_000)
    size = 0.2 + 0.1 * x
    y = 50 * (np.sin(3 * x) + size * rng.standard_normal(20_000))
    assert -score(x, y, moment=moment).score == pytest.approx(3 * np.mean((50 * size / np.ptp(y)) ** 4), rel=0.1)


@pytest.mark.parametrize("moment", ["model", "empirical"])
@pytest.mark.parametrize("seed", range(5))
def test_low_noise_is_decided_rightly(moment: str, seed: int) -> None:
    assert causewise.infer(*low_noise(seed), method=f"fom:moment={moment}").direction is Direction.FORWARD
