"""GPI: its message against differences, and noise that is not additive."""

import numpy as np
import pytest

from causewise.methods.baselines.gpi import START, message, score
from causewise.methods.baselines.latent import LatentProcess, LatentRows, first_guess

NOISE = 2 * np.log(0.1)


def process(n: int = 30, seed: int = 0) -> LatentProcess:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    rows = LatentRows.of(x, np.tanh(2 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=n))
    return LatentProcess.of(rows.cause, rows.effect)


def test_the_gradient_of_the_message_is_that_of_differences() -> None:
    from scipy.optimize import approx_fprime

    made = process()
    place = np.concatenate([first_guess(made), START])
    _, ours = message(place, made, NOISE)
    np.testing.assert_allclose(ours, approx_fprime(place, lambda at: message(at, made, NOISE)[0], 1e-6), atol=5e-3)


def test_a_longer_descent_never_makes_the_message_longer() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    y = x**3 + rng.normal(size=80)
    lengths = [-score(x, y, max_iter=steps).score for steps in (1, 5, 25)]
    assert lengths == sorted(lengths, reverse=True)


def test_one_noise_unit_of_a_line_costs_what_its_entropy_says() -> None:
    """Half the noise around a line shortens the message by log 2, but for the change of the effect's own scale."""
    rng = np.random.default_rng(2)
    x, e = rng.normal(size=(2, 200))
    large, small = (score(x, x + size * e, max_iter=50).score for size in (0.8, 0.4))
    gained = np.log(2) + 0.5 * np.log((1 + 0.4**2) / (1 + 0.8**2))
    assert small - large == pytest.approx(gained, abs=0.1)


def test_additive_noise_on_a_curve_is_recognised() -> None:
    right = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=100)
        y = np.tanh(2 * x) + 0.3 * rng.normal(size=100)
        right.append(score(x, y, max_iter=40).score > score(y, x, max_iter=40).score)
    assert sum(right) >= 3
