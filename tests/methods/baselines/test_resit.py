"""RESIT: what its peers get wrong, and its p-values."""

import math

import numpy as np
import pytest

import causewise
from causewise.criteria import Reading
from causewise.decision import Direction
from causewise.methods.baselines.resit import published_score, published_test, score
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
    assert decision.reading is Reading.NEITHER_FITS


def test_the_published_score_is_the_larger_p_value_with_a_sign() -> None:
    x, y = cubic(1)
    result = published_score(x, y)
    assert result.score == pytest.approx(max(result.forward.p_value, result.backward.p_value))
    assert published_score(y, x).score == -result.score


def test_a_tiny_p_value_is_not_taken_for_a_tie() -> None:
    """The published score is a p-value, far below rounding beside the logarithms it is made of."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal(500)
    y = x + (0.1 + x**2) * rng.standard_normal(500)
    decision = causewise.infer(x, y, method="resit:published=true")
    assert 0 < abs(decision.score) < 1e-14
    assert decision.score == pytest.approx(published_score(x, y).score, rel=1e-9, abs=0)


def test_the_published_score_is_zero_for_independent_columns() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal(200), rng.standard_normal(200)
    assert published_test(x, y).p_value > 0.05
    assert published_score(x, y).score == 0.0
    assert published_score(x, y, level=1.0).score != 0.0


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
