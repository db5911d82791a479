"""The process with an unseen input: likelihood and gradients against dense formulas and differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.methods.baselines.latent import MARGIN, REACH, LatentProcess, LatentRows, Scales, first_guess, sines
from causewise.pair import standardise

NOISE = -3.0
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
    seen = process.look(latent(first_guess(process), process), SCALES, NOISE)
    ((_, phi, _),) = seen.features
    covariance = phi @ phi.T + np.exp(NOISE) * np.eye(40)
    assert seen.value == pytest.approx(multivariate_normal(np.zeros(40), covariance).logpdf(process.effect), rel=1e-9)


def test_sines_come_near_the_gaussian_kernel_inside_the_box() -> None:
    process = LatentProcess.of(np.linspace(-1, 1, 30), np.ones(30))
    e = np.linspace(-1.5, 1.5, 30)
    scales = Scales(np.log(0.6), np.log(2.5), 0.0)
    ((_, phi, _),) = process.look(latent(e, process), scales, NOISE).features
    d, g = np.subtract.outer(np.linspace(-1, 1, 30), np.linspace(-1, 1, 30)), np.subtract.outer(e, e)
    exact = np.exp(-0.5 * (d / 0.6) ** 2 - 0.5 * (g / 2.5) ** 2)
    middle = slice(8, 22)
    assert np.max(np.abs(phi @ phi.T - exact)[middle, middle]) < 0.05


def test_gradients_are_differences() -> None:
    from scipy.optimize import approx_fprime

    process = LatentProcess.of(*columns())
    guess = first_guess(process)
    place = np.concatenate([guess, SCALES, [NOISE]])

    def value(at: np.ndarray) -> float:
        return process.look(latent(at[:-4], process), Scales(*at[-4:-1]), at[-1]).value

    seen = process.look(latent(guess, process), SCALES, NOISE)
    by_latent, by_root = seen.pull(seen.weights * np.exp(-NOISE), -seen.inverse)
    ours = np.concatenate([by_latent, process.along_scales(by_root, SCALES), [seen.by_noise]])
    np.testing.assert_allclose(ours, approx_fprime(place, value, 1e-6), atol=1e-3)


def test_blocks_of_rows_are_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    process = LatentProcess.of(*columns(100))
    guess = latent(first_guess(process), process)
    whole = process.look(guess, SCALES, NOISE)
    monkeypatch.setattr("causewise.methods.baselines.latent.BLOCK", 33)
    parts = process.look(guess, SCALES, NOISE)
    assert len(list(parts.features)) == 4
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
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
