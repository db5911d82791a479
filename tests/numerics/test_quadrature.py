import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whence.numerics.quadrature import panels
from whence.numerics.spacings import log_density_at_rows


@given(degree=st.integers(0, 31), count=st.integers(1, 5))
def test_polynomials_are_integrated_exactly(degree, count):
    nodes, weights = panels(0.0, 1.0, count)
    assert math.isclose(float(weights @ nodes**degree), 1 / (degree + 1), rel_tol=1e-12)


def test_a_density_integrates_to_one():
    nodes, weights = panels(-9.0, 9.0, 20)
    assert math.isclose(float(weights @ np.exp(-(nodes**2) / 2)), math.sqrt(2 * math.pi), rel_tol=1e-13)


def test_spacings_find_the_density_and_follow_the_rows():
    x = np.random.default_rng(0).normal(size=4000)
    logs = log_density_at_rows(x)
    assert abs(np.mean(logs) + 0.5 * math.log(2 * math.pi * math.e)) < 0.05
    order = np.random.default_rng(1).permutation(4000)
    np.testing.assert_array_equal(log_density_at_rows(x[order]), logs[order])
    np.testing.assert_allclose(log_density_at_rows(3 * x), logs - math.log(3))


def test_ties_without_any_distance_have_no_density():
    assert log_density_at_rows(np.repeat([0.0, 1.0], 50)) is None
