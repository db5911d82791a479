"""The top of a function of a few numbers within bounds."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from causewise.numerics.ascent import climb

LOW, HIGH = np.full(3, -2.0), np.full(3, 2.0)


def ascend(measure, start, curvature=None, low=LOW, high=HIGH):
    return climb(measure, start, low, high, np.zeros((3, 3)) if curvature is None else curvature, 1e-9, 200)


def test_it_is_the_top_that_scipy_finds():
    def measure(at):
        return -0.1 * rosen(at), -0.1 * rosen_der(at)

    for start in np.random.default_rng(0).uniform(-1.0, 1.0, (5, 3)):
        top = ascend(measure, start, high=np.full(3, 0.8))
        other = minimize(rosen, start, jac=rosen_der, bounds=[(-2.0, 0.8)] * 3)
        assert rosen(top.at) == pytest.approx(other.fun, abs=1e-4)


def test_numbers_stay_within_bounds_and_may_end_there():
    top = ascend(lambda at: (float(np.sum(at)) - at[0], np.array([0.0, 1.0, 1.0])), np.zeros(3))
    np.testing.assert_array_equal(top.at, [0.0, 2.0, 2.0])


def test_a_curvature_that_is_known_saves_steps():
    bent = np.array([[30.0, 5.0, 0.0], [5.0, 2.0, 0.5], [0.0, 0.5, 8.0]])
    asked = []

    def measure(at):
        asked.append(at)
        return -0.5 * float(at @ bent @ at), -bent @ at

    top = ascend(measure, np.ones(3))
    first = len(asked)
    again = ascend(measure, np.ones(3), top.curvature)
    np.testing.assert_allclose(again.at, 0.0, atol=1e-3)
    assert len(asked) - first < first


def test_where_there_is_no_value_it_does_not_go():
    def measure(at):
        return (-np.inf, np.zeros(3)) if at[0] > 0.5 else (float(at[0]), np.array([1.0, 0.0, 0.0]))

    assert 0.4 < ascend(measure, np.zeros(3)).at[0] <= 0.5
