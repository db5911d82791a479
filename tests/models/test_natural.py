"""Natural parameters that add up: the optimum, which parents it needs, and the links that the rate reaches."""

import numpy as np
import pytest
from scipy.optimize import minimize

from causewise.models.natural import (
    RIDGES,
    _differentiate,
    _linearise,
    _measure,
    _prior,
    _Rows,
    find_p_values,
    fit_natural_sums,
    fit_natural_sums_near,
    select_natural_sums,
    widen,
)

COST = 2.0


def draw(rng, link, n=800):
    """Two parents of a column and two that are none."""
    u = rng.normal(size=(n, 4))
    rates = link(0.5 + u[:, 0] - 0.8 * u[:, 1])
    return u, (1.0 + 2.0 * u[:, 0] + u[:, 1]) / rates + rng.normal(size=n) / np.sqrt(rates)


def with_constant(u):
    return np.column_stack([np.ones(len(u)), u])


@pytest.mark.parametrize("link", [np.exp, lambda z: np.logaddexp(0.0, z)], ids=["exponential", "softplus"])
def test_no_other_optimiser_climbs_higher(link):
    u, v = draw(np.random.default_rng(0), link, 300)
    features = with_constant(u[:, :2])
    fit = fit_natural_sums(features, v)
    target, prior = fit.scale.in_units(v), _prior(3, RIDGES[-1])

    def objective(w):
        return _measure(features @ w[:3], features @ w[3:-1], w[-1], target) - 0.5 * prior @ w**2

    here = objective(fit.vector)
    best = minimize(lambda w: -objective(w), fit.vector, method="BFGS")
    assert here == pytest.approx(-best.fun, abs=0.2)
    assert fit.log_likelihood == pytest.approx(here - 300 * np.log(fit.scale.unit))


def test_the_information_is_that_of_least_squares():
    """Both forms of it: the one that steps take, and the two lines a row that the tests of parents take."""
    u, v = draw(np.random.default_rng(6), np.exp, 200)
    features = with_constant(u[:, :2])
    w = 0.3 * np.random.default_rng(7).normal(size=7)
    slopes, scores = _linearise(_Rows.at(w, features), features, v)
    slope, information = _differentiate(features @ w[:3], features @ w[3:-1], w[-1], features.T.copy(), v)
    np.testing.assert_allclose(information, slopes.T @ slopes, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(slope, slopes.T @ scores, rtol=1e-9, atol=1e-9)


def test_the_rate_tells_an_exponential_from_a_softplus():
    rng = np.random.default_rng(1)
    rates = {}
    for name, link in (("exponential", np.exp), ("softplus", lambda z: np.logaddexp(0.0, z))):
        u, v = draw(rng, link, 2000)
        fit = fit_natural_sums(with_constant(u[:, :2]), v)
        # In units of the targets a softplus has the rate of their square.
        rates[name] = fit.scale.log_rate - 2 * np.log(fit.scale.unit)
    assert abs(rates["softplus"]) < 0.5
    assert rates["exponential"] > rates["softplus"] + 1


def test_wide_ranges_of_the_precision_are_reached():
    """As HOST draws them: both sums from −4 to 4, so that the precision spans e⁸ and coefficients are in the tens."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=(1000, 2))
    sums = u @ np.array([[0.5, 0.3], [-0.3, 0.5]])
    sums *= 4 / np.abs(sums).max(axis=0)
    rates = 2 * np.exp(sums[:, 1])
    mean, scale = sums[:, 0] / rates, 1 / np.sqrt(rates)
    v = mean + scale * rng.normal(size=1000)
    true = float(np.mean(-np.log(scale) - 0.5 * ((v - mean) / scale) ** 2))
    flat = fit_natural_sums(with_constant(u), v)
    near = fit_natural_sums_near(with_constant(u), v, mean, np.log(scale))
    found = [float(np.mean(-fit.log_scale - 0.5 * fit.residual**2)) for fit in (flat, near)]
    assert near.log_likelihood >= flat.log_likelihood
    assert found[1] > true - 0.05


def test_units_change_nothing():
    u, v = draw(np.random.default_rng(2), np.exp)
    here, there = (fit_natural_sums(with_constant(u[:, :2]), 1e3 * v if far else v) for far in (False, True))
    np.testing.assert_allclose(there.residual, here.residual, atol=1e-8)
    np.testing.assert_allclose(there.mean, 1e3 * here.mean, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("start", [[], [2, 3], [0, 1, 2, 3]])
def test_the_parents_are_found_wherever_the_search_begins(start):
    u, v = draw(np.random.default_rng(3), np.exp)
    _, chosen = select_natural_sums([u[:, [k]] for k in range(4)], v, start, COST)
    assert sorted(chosen) == [0, 1]


def test_what_is_required_stays():
    u, v = draw(np.random.default_rng(3), np.exp)
    _, chosen = select_natural_sums([u[:, [k]] for k in range(4)], v, [3], COST, required={3})
    assert sorted(chosen) == [0, 1, 3]


def test_p_values_of_columns_that_do_nothing_are_uniform():
    tests = []
    for seed in range(40):
        u, v = draw(np.random.default_rng([4, seed]), np.exp, 400)
        blocks = [u[:, [k]] for k in range(4)]
        tests.append(find_p_values(fit_natural_sums(with_constant(u), v), blocks, v))
    p_values = np.array(tests)
    assert p_values[:, :2].max() < 0.01
    assert 0.3 < p_values[:, 2:].mean() < 0.7
    assert np.mean(p_values[:, 2:] < 0.05) < 0.15


def test_more_functions_begin_where_fewer_ended():
    u, v = draw(np.random.default_rng(5), np.exp)
    fit = fit_natural_sums(with_constant(u[:, :2]), v)
    wide = widen(fit, [1, 1], [3, 1])
    np.testing.assert_array_equal(wide[[0, 1, 4]], fit.location)
    np.testing.assert_array_equal(wide[[5, 6, 9]], fit.precision)
    assert wide[-1] == fit.scale.log_rate
    np.testing.assert_array_equal(wide[[2, 3, 7, 8]], 0.0)
