"""The likeliest transformation of a column: it undoes a sensor, and none of another kind is likelier."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import ndtri
from scipy.stats import rankdata

from causewise.models.transformation import find_transformation
from causewise.pair import standardise

SENSORS = {
    "saturating": lambda u: u / (1 + np.abs(u)),
    "cube": lambda u: u**3 + 0.2 * u,
    "exponential": np.exp,
    "a line": lambda u: 3 * u - 1,
}


def draw(seed=0, n=800):
    """Parents of two peaks, whose sum no normal scores could be."""
    rng = np.random.default_rng(seed)
    features = standardise(rng.normal(size=n) + rng.choice([-2.5, 2.5], n))[None], rng.normal(size=(1, n))
    lines = np.concatenate(features)
    return lines, lines[0] + 0.5 * lines[1] + 0.3 * rng.normal(size=n)


def normal_scores(column):
    return ndtri((rankdata(column) - 0.5) / len(column))


@pytest.mark.parametrize("sensor", SENSORS)
def test_a_sensor_is_undone(sensor):
    lines, inner = draw()
    scores = normal_scores(SENSORS[sensor](inner))
    seen = find_transformation(scores, lines)
    assert np.corrcoef(seen.values, inner)[0, 1] ** 2 > 0.985 > np.corrcoef(scores, inner)[0, 1] ** 2


@given(seed=st.integers(0, 99), n=st.integers(60, 200), size=st.floats(0.05, 3))
@settings(max_examples=25, deadline=None)
def test_it_rises_and_its_slopes_are_those_of_its_values(seed, n, size):
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(2, n))
    column = np.sort(lines.sum(axis=0) + size * rng.normal(size=n))
    seen = find_transformation(column, lines)
    assert np.all(np.isfinite(seen.log_slopes))
    assert np.all(np.diff(seen.values) > 0)
    slopes = np.exp(seen.log_slopes)
    between = 0.5 * (slopes[1:] + slopes[:-1])
    low, high = np.minimum(slopes[1:], slopes[:-1]), np.maximum(slopes[1:], slopes[:-1])
    steps = np.diff(seen.values) / np.diff(column)
    # The slope is a parabola between knots.
    assert np.median(np.abs(steps / between - 1)) < 0.05
    assert np.mean((steps >= 0.7 * low) & (steps <= 1.5 * high)) > 0.95


def test_turning_the_column_round_turns_it_round():
    lines, inner = draw(1)
    scores = normal_scores(np.tanh(inner))
    one, other = find_transformation(scores, lines), find_transformation(-scores, -lines)
    np.testing.assert_allclose(standardise(one.values), -standardise(other.values), atol=1e-6)
    np.testing.assert_allclose(one.log_slopes, other.log_slopes, atol=1e-6)


def test_no_other_transformation_is_likelier():
    lines, inner = draw(2, 300)
    scores = normal_scores(np.tanh(inner))
    seen = find_transformation(scores, lines)
    rows = np.concatenate([np.ones((1, 300)), lines])

    def lose(at):
        """Minus the log-likelihood of a cubic polynomial of the scores, where it rises."""
        slope = at[0] + 2 * at[1] * scores + 3 * at[2] * scores**2
        if slope.min() <= 0:
            return 1e9
        left = at[0] * scores + at[1] * scores**2 + at[2] * scores**3 - at[3:] @ rows
        return 0.5 * left @ left - np.log(slope).sum()

    other = minimize(lose, [1.0, 0, 0, 0, 0, 0], method="Nelder-Mead", options={"maxiter": 20000, "maxfev": 20000})
    left = seen.values - np.linalg.lstsq(rows.T, seen.values)[0] @ rows
    lost = 0.5 * left @ left - seen.log_slopes.sum()
    assert lost < other.fun + 1e-3
    assert seen.log_likelihood == pytest.approx(-lost, abs=0.1)  # the prior


@given(seed=st.integers(0, 99), cost=st.floats(0.5, 5))
@settings(max_examples=20, deadline=None)
def test_more_coefficients_are_worth_their_cost(seed, cost):
    lines, inner = draw(seed, 400)
    column = normal_scores(inner / (1 + np.abs(inner)))
    some, none = find_transformation(column, lines, cost), find_transformation(column, lines, 1e9)
    gained = some.log_likelihood - none.log_likelihood
    assert gained >= cost * (some.coefficients - none.coefficients) >= 0


def test_two_peaks_behind_a_sensor_that_saturates_need_many():
    lines, inner = draw()
    noise = np.random.default_rng(1).normal(size=len(inner))
    flat = find_transformation(normal_scores(lines[1] + noise), lines[1:])
    bent = find_transformation(normal_scores(SENSORS["saturating"](inner)), lines)
    assert flat.coefficients < bent.coefficients
