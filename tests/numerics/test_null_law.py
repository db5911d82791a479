"""Moments against all permutations and dense kernels; tails against SciPy and closed forms."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from dense_kernel import LAWS, centred, centred_kernel, kernel
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, norm, pearson3

from causewise.numerics.hsic import (
    Cubes,
    Squares,
    _add_kernel_sums,
    hsic_test,
    kernel_column,
    leading_products,
    log_survival,
    log_survival_of_sum,
    log_tail,
    mean_and_variance,
    node_sums,
    third_moment,
)
from causewise.numerics.kernel import weighted_nodes


def squares(a):
    return Squares(np.trace(a), np.sum(a**2), np.sum(np.diag(a) ** 2))


def cubes(a):
    """By the definitions, after the trace is taken off."""
    n = len(a)
    a = a - np.trace(a) / (n - 1) * (np.eye(n) - 1 / n)
    d = np.diag(a)
    return Cubes(np.sum(d**3), d @ np.sum(a**2, axis=1), d @ a @ d, np.sum(a**3), np.sum(a * (a @ a)))


@pytest.mark.parametrize("n", [6, 7])
def test_moments_equal_those_of_all_permutations(n):
    rng = np.random.default_rng(n)
    a, b = (centred(m + m.T) for m in rng.normal(size=(2, n, n)))
    values = np.array([np.sum(a * b[np.ix_(order, order)]) for order in itertools.permutations(range(n))])
    mean, variance = mean_and_variance(n, squares(a), squares(b))
    assert mean == pytest.approx(np.mean(values), rel=1e-12)
    assert variance == pytest.approx(np.var(values), rel=1e-10)
    assert third_moment(n, cubes(a), cubes(b)) == pytest.approx(np.mean((values - mean) ** 3), rel=1e-10)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [10, 700])
def test_skewness_of_the_statistic_equals_the_dense_form(law, n):
    rng = np.random.default_rng(5)
    a, b = LAWS[law](rng, n), LAWS[law](rng, n)
    one, two = centred_kernel(a), centred_kernel(b)
    _, variance = mean_and_variance(n, squares(one), squares(two))
    expected = third_moment(n, cubes(one), cubes(two)) / variance**1.5
    assert hsic_test(a, b).null_skewness == pytest.approx(expected, rel=1e-7)
    # Longer columns have no factor at hand.
    one, two = (replace(c, pivots=c.pivots._replace(factor=None)) for c in map(kernel_column, (a, b)))
    assert hsic_test(one, two).null_skewness == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("law", LAWS)
def test_nodes_stand_for_their_rows(law):
    column = LAWS[law](np.random.default_rng(6), 1500)
    k = kernel(column)
    squared = (column[:, None] - column[None, :]) ** 2
    bandwidth = np.median(squared[squared > 0])
    points, weights = weighted_nodes(np.sort(column), bandwidth)
    assert len(points) < 250
    assert np.all(np.diff(points) >= 0)
    assert weights.sum() == pytest.approx(1500, rel=1e-12)
    e = k.mean() - k.mean(axis=1)
    rows = node_sums(np.sort(column), bandwidth)
    dense = (k.mean(), np.sum(e**2), np.sum(e**3), np.sum(k**2), e @ np.sum(k**2, axis=1), np.sum(k**3))
    assert rows == pytest.approx(dense, rel=1e-6)


def test_an_outlier_beyond_the_integers_is_a_node_of_its_own():
    column = np.append(np.random.default_rng(7).normal(size=100), 1e200)
    points, weights = weighted_nodes(np.sort(column), 1.0)
    assert points[-1] == pytest.approx(1e200)
    assert weights[-1] == 1.0


@given(st.integers(1, 60), st.integers(0, 2**31))
def test_nodes_have_the_power_sums_of_their_rows(n, seed):
    # One box, whose interpolation is exact for polynomials below the twelfth degree.
    column = np.random.default_rng(seed).uniform(-0.2, 0.2, size=n)
    points, weights = weighted_nodes(np.sort(column), 1.0)
    assert len(points) == min(n, 12)
    for power in range(12):
        assert weights @ (points / 0.2) ** power == pytest.approx(np.sum((column / 0.2) ** power), rel=1e-8, abs=1e-8)


@given(st.integers(1, 200), st.floats(0.1, 30.0), st.integers(0, 2**31))
def test_kernel_sums_equal_matrix_products(n, spread, seed):
    rng = np.random.default_rng(seed)
    points, weights = np.sort(spread * rng.normal(size=n)), rng.uniform(0.5, 20.0, size=n)
    k = np.exp(-((points[:, None] - points) ** 2))
    first, second = np.zeros((2, n))
    third = _add_kernel_sums(points, weights, n, 37.0, first, second)
    np.testing.assert_allclose(first, k @ weights, rtol=1e-12)
    np.testing.assert_allclose(second, k**2 @ weights, rtol=1e-12)
    assert third == pytest.approx(weights @ k**3 @ weights, rel=1e-12)


# Tails.


@given(st.floats(0.3, 1e5), st.integers(1, 5), st.floats(1e-6, 1e6), st.floats(0.02, 0.999))
def test_equal_weights_are_one_gamma_variable(degrees, terms, weight, p):
    law = gamma(0.5 * degrees * terms, scale=2 * weight)
    y = law.isf(p)
    ours = log_survival_of_sum(y, np.full(terms, weight), degrees)
    assert ours == pytest.approx(law.logsf(y), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("terms", [7, 8, 9, 63, 64, 65, 200])
def test_weights_may_be_many(terms):
    law = gamma(0.5 * terms, scale=2)
    for p in (0.999, 0.5, 1e-3, 1e-200):
        y = law.isf(p)
        assert log_survival_of_sum(y, np.ones(terms), 1.0) == pytest.approx(law.logsf(y), rel=1e-9, abs=1e-9)
    assert log_survival_of_sum(1.0, np.empty(0), 1.0) == -math.inf


@given(st.floats(0.5, 50), st.floats(1.0, 300))
def test_the_tail_is_a_number_where_a_float_is_not(shape, times):
    y = 2 * shape * times
    expected = gamma.logsf(y, shape, scale=2)
    if expected > -700:
        assert log_survival_of_sum(y, np.ones(1), 2 * shape) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert -math.inf < log_survival_of_sum(1e4 * y, np.ones(1), 2 * shape) < -3000


def test_two_degrees_of_freedom_each_have_a_closed_form():
    # A sum of independent exponential variables of distinct means.
    weights = np.array([0.02, 0.11, 0.3, 0.75, 1.0])
    for y in (1e-3, 0.5, 3.0, 10.0, 60.0):
        tail = [math.exp(-y / (2 * w)) * math.prod(w / (w - v) for v in weights if v != w) for w in weights]
        assert math.exp(log_survival_of_sum(y, weights, 2.0)) == pytest.approx(sum(tail), rel=1e-9)


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=40), st.floats(0.3, 100))
def test_falls_from_one(weights, degrees):
    v = np.array(weights)
    mean = degrees * v.sum()
    tail = [log_survival_of_sum(mean * at, v, degrees) for at in (-1.0, 0.0, 0.2, 1.0, 2.0, 50.0)]
    assert tail[:2] == [0.0, 0.0]
    assert all(one >= two - 1e-9 for one, two in itertools.pairwise(tail))


def test_with_one_weight_it_is_pearson_three():
    for skewness in (0.01, 0.3, 1.5, 2.8):
        for z in (-0.5, 0.0, 1.0, 8.0):
            expected = pearson3.logsf(z, skewness)
            assert log_tail(3 + 2 * z, 3.0, 4.0, skewness, np.ones(1)) == pytest.approx(expected, rel=1e-8, abs=1e-10)


def test_without_skewness_it_is_normal():
    products = leading_products(np.array([0.1, 0.5, 1.0]), np.array([0.2, 3.0]))
    for skewness in (1e-9, 0.0, -0.7):
        for z in (-3.0, 0.0, 2.0):
            assert math.exp(log_tail(1 + z, 1.0, 1.0, skewness, products)) == pytest.approx(norm.sf(z), abs=1e-3)


def test_below_the_support_is_certain():
    assert log_tail(-100.0, 1.0, 1.0, 1.5, np.ones(3)) == 0.0
    assert log_tail(1.0, 1.0, 1.0, 1.5, leading_products(np.zeros(2), np.ones(2))) == 0.0


def test_leading_products_are_the_largest():
    rng = np.random.default_rng(1)
    one, two = np.sort(rng.exponential(size=90)), np.sort(rng.exponential(size=70))
    every = np.sort(np.outer(one, two), axis=None)
    assert leading_products(one, two) == pytest.approx(every[-64:] / every[-1])


@given(st.floats(0.05, 500), st.floats(1e-3, 20), st.floats(1e-6, 1e6))
def test_agrees_with_scipy_where_scipy_can_tell(shape, relative, scale):
    x = shape * relative * scale
    expected = gamma.logsf(x, shape, scale=scale)
    if np.isfinite(expected) and expected > -600:
        assert log_survival(x, shape, scale) == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_far_tail_is_a_number():
    # For shape 1 the law is exponential and the tail is exactly −x.
    assert log_survival(5000.0, 1.0, 1.0) == pytest.approx(-5000.0)
    assert math.isfinite(log_survival(1e6, 2.5, 0.1))


def test_nothing_lies_below_zero():
    assert log_survival(0.0, 2.0, 1.0) == 0.0
    assert log_survival(-1.0, 2.0, 1.0) == 0.0
