"""RESIT: its regression against dense matrices, its tests, its published form."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.criteria import ModelCheck
from causewise.decision import Direction
from causewise.methods.baselines.resit import (
    _occupied_cells,
    _widest_window,
    banded_mean,
    low_rank_mean,
    pair_score,
    published_test,
    residual,
    score,
)
from causewise.numerics.kernel import choose_pivots
from causewise.pair import Pair


def cubic(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """The textbook pair: x uniform on (−2, 2), y = x³ + standard normal noise."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x, x**3 + rng.standard_normal(n)


@pytest.mark.parametrize("method", ["resit", "anm-h"])
@pytest.mark.parametrize("seed", range(5))
def test_the_textbook_cubic_is_decided_rightly_and_with_a_real_p_value(method: str, seed: int) -> None:
    decision = causewise.infer(*cubic(seed), method=method)
    assert decision.direction is Direction.FORWARD
    for side in (decision.forward, decision.backward):
        assert 0.0 < side.p_value < 1.0
        assert side.log_p_value == pytest.approx(math.log(side.p_value))
    assert decision.forward.p_value > 0.01 > decision.backward.p_value


@pytest.mark.parametrize("method", ["resit", "anm-h"])
def test_shifting_the_cause_by_a_hundred_changes_nothing(method: str) -> None:
    x, y = cubic(0)
    before, after = causewise.infer(x, y, method=method), causewise.infer(x + 100, y, method=method)
    assert after.score == pytest.approx(before.score, rel=1e-6)
    assert after.forward.p_value == pytest.approx(before.forward.p_value, rel=1e-6)


@pytest.mark.parametrize("method", ["resit", "anm-h"])
def test_sorting_the_rows_changes_nothing(method: str) -> None:
    x, y = cubic(0)
    order = np.argsort(y)
    assert causewise.infer(x[order], y[order], method=method).score == causewise.infer(x, y, method=method).score


def test_the_score_stays_informative_where_both_p_values_underflow() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(8000)
    y = x + (0.1 + x**2) * rng.standard_normal(8000)
    decision = causewise.infer(x, y, method="resit")
    assert decision.forward.p_value == decision.backward.p_value == 0.0
    assert math.isfinite(decision.score) and decision.score != 0
    assert decision.reading is ModelCheck.NEITHER_FITS


def test_the_published_score_is_the_larger_p_value_with_a_sign() -> None:
    x, y = cubic(1)
    result = pair_score(x, y, published=True)
    assert result.score == pytest.approx(max(result.forward.p_value, result.backward.p_value))
    assert pair_score(y, x, published=True).score == -result.score


def test_a_tiny_p_value_is_not_taken_for_a_tie() -> None:
    """The published score is a p-value, far below rounding beside the logarithms it is made of."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal(500)
    y = x + (0.1 + x**2) * rng.standard_normal(500)
    decision = causewise.infer(x, y, method="resit:published=true")
    assert 0 < abs(decision.score) < 1e-14
    assert decision.score == pytest.approx(pair_score(x, y, published=True).score, rel=1e-9, abs=0)


def test_the_published_score_is_zero_for_independent_columns() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal(200), rng.standard_normal(200)
    assert published_test(x, y).p_value > 0.05
    assert pair_score(x, y, published=True).score == 0.0
    assert pair_score(x, y, level=1.0, published=True).score != 0.0


def test_location_and_residual_are_in_the_effects_own_units_and_order() -> None:
    x, y = cubic(3)
    side, scaled = score(x, y), score(x, 10 * y + 5)
    np.testing.assert_allclose(side.location + side.scale * side.residual, y, atol=1e-9)
    np.testing.assert_allclose(scaled.location, 10 * side.location + 5, atol=1e-6)


def test_raw_units_on_a_wide_scale_use_the_band() -> None:
    x, y = cubic(4, n=3000)
    raw = causewise.method("resit:standardised=false").decide_many([Pair.of(1e5 * x, 1e4 * y)])[0]
    # Length scale one on columns this wide: the regression follows single points and leaves a share of each.
    assert np.std(raw.forward.residual * raw.forward.scale) < np.std(1e4 * y)
    assert math.isfinite(raw.score)


@pytest.mark.slow
def test_it_is_right_on_most_additive_pairs() -> None:
    right = [causewise.infer(*cubic(seed), method="resit").direction is Direction.FORWARD for seed in range(200)]
    assert np.mean(right) > 0.97


def dense_residual(x: np.ndarray, y: np.ndarray, bandwidth: float, noise: float) -> np.ndarray:
    k = np.exp(-((x[:, None] - x) ** 2) / bandwidth)
    return noise * np.linalg.solve(k + noise * np.eye(len(x)), y - y.mean())


@given(st.integers(10, 80), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 30.0, 1e4]), st.booleans())
@settings(max_examples=24, deadline=None)
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
