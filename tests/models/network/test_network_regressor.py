"""`LocationScaleNetwork`: weights, units, several inputs; what it shares with the splines is in `test_estimator`."""

import numpy as np
import pytest
from gradients import loss_and_gradient

from causewise import LocationScaleNetwork
from causewise.models.network.heads import LOCATION_SCALE


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    return x[:, None], 3 + 2 * x + (0.1 + 0.4 * (x > 0)) * rng.normal(size=n)


def test_it_finds_mean_and_spread_in_the_targets_units():
    X, y = rows(800)
    mean, std = LocationScaleNetwork(hidden=20, steps=1500).fit(X, y).predict([[-0.7], [0.7]], return_std=True)
    assert mean == pytest.approx([1.6, 4.4], abs=0.15)
    assert std == pytest.approx([0.1, 0.5], rel=0.35)


def test_rows_of_weight_zero_are_as_if_absent_and_weights_scale_freely():
    X, y = rows(100)
    model = LocationScaleNetwork(hidden=5, steps=50)
    plain = model.fit(X, y).theta_
    weight = np.append(np.full(100, 7.0), 0.0)
    padded = model.fit(np.append(X, [[99.0]], axis=0), np.append(y, -99.0), sample_weight=weight).theta_
    assert np.allclose(plain, padded, atol=1e-6)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_inputs_and_targets_may_be_so_large_or_small_that_their_squares_are_no_numbers(unit):
    X, y = rows(80)
    plain, other = (LocationScaleNetwork(hidden=5, steps=50).fit(scale * X, scale * y) for scale in (1.0, unit))
    assert np.allclose(np.divide(other.predict(unit * X, True), unit), plain.predict(X, True))
    expected = plain.log_likelihood_score(X, y) - np.log(unit)
    assert other.log_likelihood_score(unit * X, unit * y) == pytest.approx(expected)


def test_inputs_may_interact():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=400)
    model = LocationScaleNetwork(hidden=30, steps=1500).fit(X, y)
    assert np.mean((y - model.predict(X)) ** 2) < 0.2 * np.var(y)


def test_gradient_of_several_inputs_equals_finite_differences():
    rng = np.random.default_rng(0)
    hidden, n, inputs = 4, 32, 3
    theta = 0.5 * rng.normal(size=(4 + inputs - 1) * hidden + 4)
    u, v, weight = rng.normal(size=(inputs, n)), rng.normal(size=n), np.full(n, 1 / n)

    def loss(theta):
        return loss_and_gradient(LOCATION_SCALE, theta, u, v, weight, 0.0)

    _, g = loss(theta)
    numeric = [(loss(theta + step)[0] - loss(theta - step)[0]) / 2e-6 for step in 1e-6 * np.eye(len(theta))]
    assert np.allclose(g, numeric, atol=1e-7)
