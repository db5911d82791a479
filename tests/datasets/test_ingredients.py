"""What generators are made of: processes against a dense oracle, laws' moments, monotone maps, damages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.datasets import robustness
from whence.datasets.classic import combined_noise, scale_mixture, sigmoid
from whence.datasets.laws import CAUSE_LAWS, NOISE_LAWS, gamma2
from whence.datasets.lookalikes import NET_LAWS
from whence.datasets.mechanisms import LADDER, TOLERANCE, draw_process, increasing_map, kernel_factor

ALL_LAWS = CAUSE_LAWS | NOISE_LAWS | NET_LAWS | {"gamma2": gamma2}


@given(st.integers(1, 80), st.integers(1, 3), st.floats(0.02, 20), st.integers(0, 99))
def test_the_factor_reproduces_the_dense_kernel(n: int, dimensions: int, length: float, seed: int) -> None:
    points = np.random.default_rng(seed).standard_t(3, size=(n, dimensions)) / length
    factor = kernel_factor(points, TOLERANCE)
    dense = np.exp(-0.5 * ((points[:, None] - points[None]) ** 2).sum(axis=2))
    assert np.allclose(factor.T @ factor, dense, atol=2 * TOLERANCE)


def test_the_factor_is_thin_and_copes_with_ties() -> None:
    x = np.repeat(np.random.default_rng(0).normal(size=500), 4)[:, None]
    factor = kernel_factor(x, TOLERANCE)
    assert len(factor) < 40
    assert np.array_equal(factor[:, 0], factor[:, 3])


def test_draws_have_the_covariance_of_the_kernel() -> None:
    rng = np.random.default_rng(4)
    x = np.array([0.0, 0.5, 2.0])
    draws = np.array([draw_process(rng, [x], [1.0]) for _ in range(20_000)])
    assert np.allclose(np.cov(draws.T), np.exp(-0.5 * (x[:, None] - x) ** 2), atol=0.03)


@pytest.mark.parametrize("name", ALL_LAWS)
def test_laws_have_mean_0_and_variance_1(name: str) -> None:
    sample = ALL_LAWS[name](np.random.default_rng(8), 400_000)
    assert sample.mean() == pytest.approx(0, abs=0.01)
    assert sample.var() == pytest.approx(1, abs=0.12 if name == "t3" else 0.02)


def test_the_classic_cause_is_the_scale_mixture_it_should_be() -> None:
    sample = scale_mixture(np.random.default_rng(2), 400_000)
    assert sample.var() == pytest.approx(1.5, rel=0.01)  # E v
    assert np.mean(sample**4) / sample.var() ** 2 == pytest.approx(3 * (7 / 3) / 1.5**2, rel=0.02)  # 3 E v² / (E v)²


@given(st.integers(0, 500))
def test_sigmoids_are_monotone_and_bounded(seed: int) -> None:
    x = np.linspace(-50, 50, 400)
    steps = np.diff(y := sigmoid(np.random.default_rng(seed), x))
    assert (steps > 0).all() or (steps < 0).all()
    assert 0.9 < np.abs(y).max() < 1 + 8 * 0.25 + 2


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=60), st.floats(0.3, 3), st.integers(0, 99))
def test_increasing_maps_increase_and_keep_ties(column: list[float], length: float, seed: int) -> None:
    values = np.array(column)
    mapped = increasing_map(np.random.default_rng(seed), values, length)
    order = np.argsort(values, kind="stable")
    assert (np.diff(mapped[order]) >= 0).all() and mapped.min() == 0
    ties = np.diff(values[order]) == 0
    assert (np.diff(mapped[order])[ties] == 0).all()


def test_multi_is_normalised_and_never_linear_gaussian() -> None:
    for seed in range(200):
        cause, effect = combined_noise(np.random.default_rng(seed), 400)
        for column in (cause, effect):
            assert column.mean() == pytest.approx(0, abs=1e-9) and column.std(ddof=1) < 1


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_quantile_surfaces_increase_in_the_noise(rank: int) -> None:
    cause, noise = np.full(200, 0.3), np.linspace(-2, 2, 200)
    cause[0] = 0.30001  # a constant cause cannot be standardised
    effect = LADDER[f"surface-{rank}"](np.random.default_rng(1), cause, noise, 0.4)
    assert (np.diff(effect[1:]) > 0).all()


def column(n: int = 500) -> np.ndarray:
    return np.random.default_rng(0).standard_t(3, n)


@pytest.mark.parametrize("levels", [100, 30, 10, 5])
def test_rounding_leaves_that_many_levels(levels: int) -> None:
    rounded = robustness.rounded(levels, np.random.default_rng(0), column())
    assert len(np.unique(rounded)) <= levels
    assert len(np.unique(rounded)) >= 0.6 * levels
    assert np.corrcoef(rounded, column())[0, 1] > 0.75


def test_outliers_floor_error_and_warp_do_what_they_say() -> None:
    rng, clean = np.random.default_rng(0), column()
    assert np.count_nonzero(robustness.outliers(0.1, rng, clean) != clean) == 50
    assert np.count_nonzero(robustness.outliers(0.001, rng, clean) != clean) == 1
    floored = robustness.floored(0.2, rng, clean)
    assert np.mean(floored == floored.min()) == pytest.approx(0.2, abs=0.01)
    assert np.std(robustness.measured(0.2, rng, clean) - clean) == pytest.approx(0.2 * clean.std(), rel=0.1)
    assert np.array_equal(np.argsort(robustness.warped(rng, clean)), np.argsort(clean))


@pytest.mark.parametrize("name", robustness.DAMAGES)
def test_damage_stays_where_it_is_said_to_be(name: str) -> None:
    cause, effect = column(), column()[::-1] ** 2
    spoilt = robustness.DAMAGES[name](np.random.default_rng(0), cause.copy(), effect.copy())
    where = name.rsplit("-", 1)[1]
    assert np.array_equal(spoilt[0], cause) == (where == "effect")
    assert np.array_equal(spoilt[1], effect) == (where == "cause")


def test_the_laws_axis_is_the_full_product() -> None:
    laws = [cell for cell in robustness.cells() if cell.name.startswith("grid/laws/")]
    assert len(laws) == len(CAUSE_LAWS) * len(NOISE_LAWS) == 35
