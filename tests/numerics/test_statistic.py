"""The test against dense kernels and brute-force permutation; the 2008 gamma test against its dense formulas."""

import math
from dataclasses import replace

import numpy as np
import pytest
from dense_kernel import LAWS, centred_kernel
from scipy.stats import gamma

from causewise.numerics.hsic import Squares, hsic_gamma_test, hsic_test, kernel_column, mean_and_variance
from causewise.numerics.kernel import BLOCK


def triple(kernel):
    return Squares(np.trace(kernel), np.sum(kernel**2), np.sum(np.diag(kernel) ** 2))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [50, BLOCK + 200])
def test_equals_the_dense_form(law, n):
    rng = np.random.default_rng(5)
    a = LAWS[law](rng, n)
    b = LAWS[law](rng, n) + 0.2 * a
    dense_a, dense_b = centred_kernel(a), centred_kernel(b)
    test = hsic_test(a, b)
    assert test.statistic == pytest.approx(np.sum(dense_a * dense_b) / n**2, rel=1e-6)
    mean, variance = mean_and_variance(n, triple(dense_a), triple(dense_b))
    assert test.null_mean == pytest.approx(mean / n**2, rel=1e-9)
    assert test.null_variance == pytest.approx(variance / n**4, rel=1e-6)


DRAWS = 10_000
LEVELS = (0.95, 0.9, 0.7, 0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 0.003)


def factor(dense):
    """Columns f with dense = f fᵀ, to a millionth of its norm."""
    values, vectors = np.linalg.eigh(dense)
    kept = values > 1e-7 * values[-1]
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))


def permuted_statistics(dense_a, dense_b, rng):
    """Orders of the rows of b, and Σ Aᵢⱼ B_π(i)π(j) for each."""
    n, one, two = len(dense_a), factor(dense_a).T, factor(dense_b)
    orders = rng.permuted(np.tile(np.arange(n, dtype=np.int16), (DRAWS, 1)), axis=1)
    chunks = np.array_split(orders, max(1, DRAWS * n // 50_000))
    return orders, np.concatenate([np.sum((one @ two[part]) ** 2, axis=(1, 2)) for part in chunks])


def assert_within_monte_carlo_error(law, n):
    """The columns are paired as permutations pair them whose statistic has a wanted rank among ten thousand.

    A p-value then counts as right when it is within 3.5 standard errors of the rank, with no allowance.
    """
    rng = np.random.default_rng([14, n, len(law)])
    a, b = LAWS[law](rng, n), LAWS[law](rng, n)
    orders, values = permuted_statistics(centred_kernel(a), centred_kernel(b), rng)
    from_above = np.argsort(-values)
    z = {}
    for level in LEVELS:
        p = hsic_test(a, b[orders[from_above[int(level * DRAWS) - 1]]]).p_value
        z[level] = (p - level) / math.sqrt(level * (1 - level) / DRAWS)
    assert max(map(abs, z.values())) < 3.5, z


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [60, 500])
def test_p_value_agrees_with_brute_force_permutation(law, n):
    assert_within_monte_carlo_error(law, n)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [1500, 3000])
def test_p_value_agrees_with_brute_force_permutation_of_many_rows(law, n):
    assert_within_monte_carlo_error(law, n)


@pytest.mark.parametrize("law", LAWS)
def test_p_value_of_a_weak_dependence_agrees_with_brute_force_permutation(law):
    rng = np.random.default_rng(7)
    a, noise = LAWS[law](rng, 120), LAWS[law](rng, 120)
    for strength in (0.05, 0.1, 0.15, 0.2):
        b = noise + strength * (a - a.mean()) ** 2
        dense_a, dense_b = centred_kernel(a), centred_kernel(b)
        _, values = permuted_statistics(dense_a, dense_b, rng)
        exceeded, p = np.mean(values >= np.sum(dense_a * dense_b)), hsic_test(a, b).p_value
        assert abs(p - exceeded) < 3.5 * math.sqrt(p * (1 - p) / DRAWS)


def test_rejects_at_its_level_under_independence():
    rng = np.random.default_rng(8)
    laws = list(LAWS.values())
    rejected = [hsic_test(laws[i % 5](rng, 150), laws[(i // 5) % 5](rng, 150)).p_value < 0.05 for i in range(2000)]
    assert 0.04 < np.mean(rejected) < 0.06


def test_tiny_p_values_are_numbers():
    rng = np.random.default_rng(9)
    a = rng.normal(size=5000)
    test = hsic_test(a, a + 0.05 * rng.normal(size=5000))
    assert test.log_p_value < -1000
    assert np.isfinite(test.log_p_value)


def test_units_and_roles_do_not_matter():
    rng = np.random.default_rng(10)
    a = rng.normal(size=300)
    b = np.sin(a) + rng.normal(size=300)
    plain = hsic_test(a, b).statistic
    assert hsic_test(b, a).statistic == pytest.approx(plain, rel=1e-10)
    assert hsic_test(1e6 * a - 3e6, 1e-6 * b).statistic == pytest.approx(plain, rel=1e-8)
    assert hsic_test(kernel_column(a), b).statistic == plain


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(11)
    for n in (400, BLOCK + 100):
        a = rng.standard_t(3, size=n)
        b = rng.lognormal(size=n) + 0.05 * a
        order = rng.permutation(n)
        assert hsic_test(a[order], b[order]).p_value == pytest.approx(hsic_test(a, b).p_value, rel=1e-8)


@pytest.mark.parametrize("law", LAWS)
def test_short_and_long_columns_meet(law):
    rng = np.random.default_rng(12)
    a, b = (kernel_column(LAWS[law](rng, BLOCK)) for _ in range(2))
    streamed = [replace(c, pivots=c.pivots._replace(factor=None)) for c in (a, b)]
    assert hsic_test(*streamed).p_value == pytest.approx(hsic_test(a, b).p_value, rel=1e-7)


def test_a_statistic_that_no_permutation_changes_is_no_evidence():
    # With so narrow a kernel every row is alike only to itself.
    a = np.random.default_rng(13).normal(size=50)
    assert hsic_test(kernel_column(a, 1e-12), kernel_column(a[::-1].copy(), 1e-12)).p_value == 1.0


def test_a_column_without_spread_is_refused():
    with pytest.raises(FloatingPointError, match="spread"):
        hsic_test(np.ones(20), np.arange(20.0))


@pytest.mark.parametrize("n", [300, BLOCK + 100])
def test_rows_in_another_order_are_the_same_column(n):
    rng = np.random.default_rng(3)
    a, b, order = rng.normal(size=n), rng.normal(size=n), rng.permutation(n)
    moved, plain = hsic_test(kernel_column(a[order]), kernel_column(b).reorder(order)), hsic_test(a, b)
    assert (moved.statistic, moved.log_p_value) == pytest.approx((plain.statistic, plain.log_p_value), rel=1e-9)


def dense_test(a: np.ndarray, b: np.ndarray, width_a: float, width_b: float) -> tuple[float, float, float]:
    n = len(a)
    k, m = (np.exp(-((v[:, None] - v) ** 2) / w) for v, w in ((a, width_a), (b, width_b)))
    kc, mc = k - k.mean(axis=1, keepdims=True), m - m.mean(axis=1, keepdims=True)
    hsic = float(np.sum(kc * mc.T)) / n**2
    mu_k, mu_m = ((v.sum() - n) / (n * (n - 1)) for v in (k, m))
    mean = (1 + mu_k * mu_m - mu_k - mu_m) / n
    squares = np.sum(kc * kc.T) / (n - 1) ** 2 * np.sum(mc * mc.T) / (n - 1) ** 2
    variance = 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * squares
    law = gamma(mean**2 / variance, scale=n * variance / mean)
    return hsic, float(law.sf(n * hsic)), float(law.logsf(n * hsic))


@pytest.mark.parametrize(("n", "strength"), [(12, 0.0), (100, 0.0), (300, 0.5), (300, 3.0)])
def test_the_gamma_test_equals_its_dense_form(n: int, strength: float) -> None:
    rng = np.random.default_rng(n)
    a = rng.standard_normal(n)
    b = strength * a**2 + rng.standard_normal(n)
    ours = hsic_gamma_test(kernel_column(a, 1.3), kernel_column(b, 0.7))
    hsic, p, log_p = dense_test(a, b, 1.3, 0.7)
    assert ours.statistic == pytest.approx(hsic, rel=1e-7)
    assert ours.p_value == pytest.approx(p, rel=1e-6)
    assert ours.log_p_value == pytest.approx(log_p, rel=1e-6, abs=1e-9)


def test_the_logarithm_of_the_gamma_test_outlives_its_p_value() -> None:
    a = np.random.default_rng(0).standard_normal(3000)
    test = hsic_gamma_test(kernel_column(a), kernel_column(a**3))
    assert test.p_value == 0.0
    assert -math.inf < test.log_p_value < -700
