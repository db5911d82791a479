"""GPI: its message, and the process of cause and latent input against dense algebra."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.methods.baselines.gpi import (
    MARGIN,
    REACH,
    START,
    LatentProcess,
    LatentRows,
    Scales,
    first_guess,
    message,
    score,
    sines,
)
from causewise.pair import standardise

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


LATENT_NOISE = -3.0
SCALES = Scales(0.1, 0.7, 0.2)


def columns(n: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return standardise(x), standardise(np.tanh(2 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=n))


def latent(e: np.ndarray, process: LatentProcess):
    return sines(e, MARGIN * REACH, len(process.latent_omega))


def test_the_likelihood_is_that_of_the_dense_normal_law() -> None:
    from scipy.stats import multivariate_normal

    process = LatentProcess.of(*columns())
    seen = process.evaluate(latent(first_guess(process), process), SCALES, LATENT_NOISE)
    ((_, phi, _),) = seen.features
    covariance = phi @ phi.T + np.exp(LATENT_NOISE) * np.eye(40)
    assert seen.value == pytest.approx(multivariate_normal(np.zeros(40), covariance).logpdf(process.effect), rel=1e-9)


def test_sines_come_near_the_gaussian_kernel_inside_the_box() -> None:
    process = LatentProcess.of(np.linspace(-1, 1, 30), np.ones(30))
    e = np.linspace(-1.5, 1.5, 30)
    scales = Scales(np.log(0.6), np.log(2.5), 0.0)
    ((_, phi, _),) = process.evaluate(latent(e, process), scales, LATENT_NOISE).features
    d, g = np.subtract.outer(np.linspace(-1, 1, 30), np.linspace(-1, 1, 30)), np.subtract.outer(e, e)
    exact = np.exp(-0.5 * (d / 0.6) ** 2 - 0.5 * (g / 2.5) ** 2)
    middle = slice(8, 22)
    assert np.max(np.abs(phi @ phi.T - exact)[middle, middle]) < 0.05


def test_gradients_are_differences() -> None:
    from scipy.optimize import approx_fprime

    process = LatentProcess.of(*columns())
    guess = first_guess(process)
    place = np.concatenate([guess, SCALES, [LATENT_NOISE]])

    def value(at: np.ndarray) -> float:
        return process.evaluate(latent(at[:-4], process), Scales(*at[-4:-1]), at[-1]).value

    seen = process.evaluate(latent(guess, process), SCALES, LATENT_NOISE)
    by_latent, by_root = seen.pull(seen.weights * np.exp(-LATENT_NOISE), -seen.inverse)
    ours = np.concatenate([by_latent, process.along_scales(by_root, SCALES), [seen.by_noise]])
    np.testing.assert_allclose(ours, approx_fprime(place, value, 1e-6), atol=1e-3)


def test_blocks_of_rows_are_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    process = LatentProcess.of(*columns(100))
    guess = latent(first_guess(process), process)
    whole = process.evaluate(guess, SCALES, LATENT_NOISE)
    monkeypatch.setattr("causewise.methods.baselines.gpi.BLOCK", 33)
    parts = process.evaluate(guess, SCALES, LATENT_NOISE)
    assert len(list(parts.features)) == 4
    assert parts.value == pytest.approx(whole.value, rel=1e-10)
    for one, other in zip(
        parts.pull(parts.weights, parts.inverse), whole.pull(whole.weights, whole.inverse), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


@given(st.integers(0, 1000), st.sampled_from([-1.0, 1.0]), st.sampled_from([-2.5, 1e3]))
def test_rows_are_the_same_whichever_way_up_and_in_any_unit(seed: int, sign: float, unit: float) -> None:
    x, y = columns(30, seed)
    plain, other = LatentRows.of(x, y), LatentRows.of(sign * x, unit * y)
    np.testing.assert_allclose(other.cause, plain.cause, atol=2e-9)
    np.testing.assert_allclose(other.effect, plain.effect, atol=2e-9)
