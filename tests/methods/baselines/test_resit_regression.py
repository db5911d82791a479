"""Both structured ways to the Gaussian process residual against the dense formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.methods.baselines.resit import _occupied_cells, _widest_window, banded_mean, low_rank_mean, residual
from causewise.numerics.kernel import choose_pivots


def dense_residual(x: np.ndarray, y: np.ndarray, bandwidth: float, noise: float) -> np.ndarray:
    k = np.exp(-((x[:, None] - x) ** 2) / bandwidth)
    return noise * np.linalg.solve(k + noise * np.eye(len(x)), y - y.mean())


@given(st.integers(10, 80), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 30.0, 1e4]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_residual_equals_the_dense_one(n: int, seed: int, spread: float, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    x, y = spread * rng.standard_normal(n), rng.standard_normal(n)
    if tied:
        x = np.round(x)
    np.testing.assert_allclose(residual(x, y, 2.0, 0.1353), dense_residual(x, y, 2.0, 0.1353), atol=1e-7)


def test_band_and_low_rank_agree() -> None:
    rng = np.random.default_rng(0)
    x, mean, count = np.sort(rng.uniform(0, 40, 300)), rng.standard_normal(300), rng.integers(1, 5, 300).astype(float)
    low_rank = low_rank_mean(x, mean, count, choose_pivots(x, 2.0), 0.2)
    np.testing.assert_allclose(banded_mean(x / np.sqrt(2.0), mean, count, 299, 0.2), low_rank, atol=1e-7)


def test_long_columns_are_handled_in_blocks() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(5000), rng.standard_normal(5000)
    repeated = residual(np.tile(x[:2500], 2), np.concatenate([y[:2500], y[:2500]]), 2.0, 0.2)
    # Each observation twice is each observation once with half the noise variance.
    np.testing.assert_allclose(repeated[:2500], residual(x[:2500], y[:2500], 2.0, 0.1), atol=1e-7)


@pytest.mark.parametrize("scale", [1e-3, 1e5])
def test_only_the_ratio_of_column_and_bandwidth_counts(scale: float) -> None:
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal(200), rng.standard_normal(200)
    np.testing.assert_allclose(residual(scale * x, y, 2 * scale**2, 0.1), residual(x, y, 2.0, 0.1), atol=1e-7)


@given(st.integers(1, 60), st.integers(0, 10_000), st.sampled_from([1.0, 10.0, 100.0]))
def test_windows_and_cells_are_those_of_plain_loops(n: int, seed: int, spread: float) -> None:
    s = np.unique(spread * np.random.default_rng(seed).standard_normal(n))
    apart = np.abs(s[:, None] - s) <= 6.5
    assert _widest_window(s, 6.5) == np.max(np.abs(np.subtract.outer(np.arange(len(s)), np.arange(len(s)))) * apart)
    cells, edge = 0, -np.inf
    for value in s:
        if value > edge:
            cells, edge = cells + 1, value + 1.0
    assert _occupied_cells(s, 1000) == cells
    assert _occupied_cells(s, 3) == min(cells, 3)
