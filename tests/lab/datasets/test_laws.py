"""Moments of the laws; random functions against a dense oracle; mechanisms that must not let quantiles cross."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.lab.datasets.laws import (
    CAUSE_LAWS,
    LADDER,
    NOISE_LAWS,
    TOLERANCE,
    draw_process,
    increasing_map,
    kernel_factor,
)
from causewise.lab.datasets.simulators import NET_LAWS

ALL_LAWS = CAUSE_LAWS | NOISE_LAWS | NET_LAWS


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


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=60), st.floats(0.3, 3), st.integers(0, 99))
def test_increasing_maps_increase_and_keep_ties(column: list[float], length: float, seed: int) -> None:
    values = np.array(column)
    mapped = increasing_map(np.random.default_rng(seed), values, length)
    order = np.argsort(values, kind="stable")
    assert (np.diff(mapped[order]) >= 0).all() and mapped.min() == 0
    ties = np.diff(values[order]) == 0
    assert (np.diff(mapped[order])[ties] == 0).all()


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_quantile_surfaces_increase_in_the_noise(rank: int) -> None:
    cause, noise = np.full(200, 0.3), np.linspace(-2, 2, 200)
    cause[0] = 0.30001  # a constant cause cannot be standardised
    effect = LADDER[f"surface-{rank}"](np.random.default_rng(1), cause, noise, 0.4)
    assert (np.diff(effect[1:]) > 0).all()


@pytest.mark.parametrize("name", ALL_LAWS)
def test_laws_have_mean_0_and_variance_1(name: str) -> None:
    sample = ALL_LAWS[name](np.random.default_rng(8), 400_000)
    assert sample.mean() == pytest.approx(0, abs=0.01)
    assert sample.var() == pytest.approx(1, abs=0.12 if name == "t3" else 0.02)
