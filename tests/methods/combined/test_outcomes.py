"""λ: which rows and values lower it, and how many rows a series is worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.stats import rankdata

from causewise.diagnostics import autocorrelation
from causewise.methods.combined.method import gather_evidence
from causewise.methods.combined.outcomes import WEIGHT, count_effective_rows, weigh_rows
from causewise.pair import FloatArray, Pair

rows = st.floats(1, 1e6)
values = st.integers(2, 10**5)


def series(rng: np.random.Generator, n: int, memory: float) -> FloatArray:
    shocks = rng.normal(size=n) * np.sqrt(1 - memory**2)
    shocks[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -memory], shocks))


# The factors.


@given(rows, values)
def test_lambda_is_a_product_of_two_factors_between_zero_and_one(n: float, m: int) -> None:
    weight = weigh_rows(n, m)
    assert all(0 < factor < 1 for factor in weight)
    assert weight.product == pytest.approx(np.prod(weight), rel=1e-12)


@given(rows, values, st.floats(1.01, 100))
def test_more_rows_and_more_values_weigh_more(n: float, m: int, times: float) -> None:
    weight, more_rows, more_values = weigh_rows(n, m), weigh_rows(times * n, m), weigh_rows(n, m + 1)
    assert more_rows.rows > weight.rows and more_values.values > weight.values
    assert more_rows.product > weight.product and more_values.product > weight.product
    assert (more_rows.values, more_values.rows) == (weight.values, weight.rows)


def test_the_constants_are_where_a_factor_is_one_half() -> None:
    assert weigh_rows(WEIGHT.rows, 50).rows == 0.5
    assert weigh_rows(100, round(WEIGHT.values)).values == pytest.approx(0.5, abs=0.1)


# Effective rows.


def test_independent_rows_count_in_full_in_any_order_to_the_bit() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(40, 400))
        x, e, f = rng.normal(size=(3, n))
        y = np.tanh(x) + 0.3 * e
        assert count_effective_rows(x, y, e, f) == float(n)


@pytest.mark.parametrize("seed", range(20))
def test_independent_rows_count_in_full_with_the_residuals_of_a_decision(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, size=150)
    y = np.round(np.sqrt(x) + 0.2 * x * rng.normal(size=150), 1)
    assert gather_evidence(Pair.of(x, y)).effective_rows == 150.0


@pytest.mark.parametrize("way", [1, -1])
def test_a_sorted_table_counts_in_full(way: int) -> None:
    rng = np.random.default_rng(0)
    x = np.sort(np.round(rng.normal(size=300), 1))[::way]
    drift = np.cumsum(rng.normal(size=300))
    assert count_effective_rows(x, drift, drift, drift) == 300.0
    assert count_effective_rows(drift, x, drift, drift) == 300.0


def test_short_tables_count_in_full() -> None:
    drift = np.cumsum(np.random.default_rng(0).normal(size=19))
    assert count_effective_rows(drift, drift, drift, drift) == 19.0


@pytest.mark.parametrize(("cause", "residual"), [(0.5, 0.9), (0.7, 0.7), (0.9, 0.9), (0.95, 0.8)])
def test_a_series_is_worth_what_bartlett_says(cause: float, residual: float) -> None:
    n, found = 4000, []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, r = series(rng, n, cause), series(rng, n, residual)
        found.append(count_effective_rows(x, x, r, r))
    both = cause * residual
    assert np.median(found) == pytest.approx(n * (1 - both) / (1 + both), rel=0.2)


def test_the_better_direction_counts() -> None:
    rng = np.random.default_rng(1)
    x, y, r, s = (series(rng, 2000, memory) for memory in (0.95, 0.95, 0.95, 0.6))
    one, other = count_effective_rows(x, x, r, r), count_effective_rows(y, y, s, s)
    assert one < other < 2000
    assert count_effective_rows(x, y, r, s) == count_effective_rows(y, x, s, r) == other


def test_a_drifting_cause_with_independent_noise_counts_in_full() -> None:
    lowered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = series(rng, 500, 0.9)
        y = np.tanh(x) + 0.3 * rng.normal(size=500)
        lowered += gather_evidence(Pair.of(x, y)).effective_rows < 500
    assert lowered <= 2


def test_an_outlier_hides_no_drift() -> None:
    rng = np.random.default_rng(2)
    x, r = series(rng, 1000, 0.95), series(rng, 1000, 0.95)
    plain = count_effective_rows(x, x, r, r)
    x[500] = r[500] = 1e9
    assert count_effective_rows(x, x, r, r) == pytest.approx(plain, rel=0.2)
    assert plain < 500


@given(st.integers(0, 10**6), st.integers(20, 200))
def test_the_autocorrelation_is_that_of_mean_ranks(seed: int, n: int) -> None:
    column = np.round(np.cumsum(np.random.default_rng(seed).normal(size=n)), 0)
    ranks = rankdata(column) - (n + 1) / 2
    expected = [np.sum(ranks[k:] * ranks[: n - k]) / np.sum(ranks**2) for k in range(n // 4 + 1)]
    np.testing.assert_allclose(autocorrelation(column), expected, atol=1e-9)
