"""Permutation moments against all permutations, and their ingredients for kernels against the dense form."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from dense_kernel import LAWS, centred, centred_kernel, kernel
from hypothesis import given
from hypothesis import strategies as st

from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.numerics.hsic.chebyshev import weighted_nodes
from causewise.numerics.hsic.moments import Cubes, Squares, _kernel_sums, mean_and_variance, node_sums, third_moment


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
    points, weights = weighted_nodes(column, bandwidth)
    assert len(points) < 250
    assert np.all(np.diff(points) >= 0)
    assert weights.sum() == pytest.approx(1500, rel=1e-12)
    e = k.mean() - k.mean(axis=1)
    rows = node_sums(column, bandwidth)
    dense = (k.mean(), np.sum(e**2), np.sum(e**3), np.sum(k**2), e @ np.sum(k**2, axis=1), np.sum(k**3))
    assert rows == pytest.approx(dense, rel=1e-6)


def test_an_outlier_beyond_the_integers_is_a_node_of_its_own():
    column = np.append(np.random.default_rng(7).normal(size=100), 1e200)
    points, weights = weighted_nodes(column, 1.0)
    assert points[-1] == pytest.approx(1e200)
    assert weights[-1] == 1.0


@given(st.integers(1, 60), st.integers(0, 2**31))
def test_nodes_have_the_power_sums_of_their_rows(n, seed):
    # One box, whose interpolation is exact for polynomials below the twelfth degree.
    column = np.random.default_rng(seed).uniform(-0.2, 0.2, size=n)
    points, weights = weighted_nodes(column, 1.0)
    assert len(points) == min(n, 12)
    for power in range(12):
        assert weights @ (points / 0.2) ** power == pytest.approx(np.sum((column / 0.2) ** power), rel=1e-8, abs=1e-8)


@given(st.integers(1, 200), st.floats(0.1, 30.0), st.integers(0, 2**31))
def test_kernel_sums_equal_matrix_products(n, spread, seed):
    rng = np.random.default_rng(seed)
    points, weights = np.sort(spread * rng.normal(size=n)), rng.uniform(0.5, 20.0, size=n)
    k = np.exp(-((points[:, None] - points) ** 2))
    first, second, third = _kernel_sums(points, weights)
    np.testing.assert_allclose(first, k @ weights, rtol=1e-12)
    np.testing.assert_allclose(second, k**2 @ weights, rtol=1e-12)
    assert third == pytest.approx(weights @ k**3 @ weights, rel=1e-12)
