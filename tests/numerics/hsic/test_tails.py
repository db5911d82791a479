"""Tails of the gamma law and of sums of gamma variables against SciPy and closed forms, and the law built on them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, norm, pearson3

from causewise.numerics.hsic.tails import leading_products, log_survival, log_survival_of_sum, log_tail


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
