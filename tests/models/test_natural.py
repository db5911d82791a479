"""Natural parameters that add up: the optimum, the loops that reach it, and the links that the rate reaches."""

import numpy as np
import pytest
from scipy.optimize import minimize

from causewise.models.natural import (
    RIDGES,
    Targets,
    _linearise,
    _soften,
    climb,
    differentiate,
    find_p_values,
    measure,
    stack_lines,
    start_flat,
    start_near,
    weigh_prior,
)


def fit(u, v, mean=None, log_scale=None):
    """Reached from the constants, or from another model."""
    lines, targets = stack_lines([u.T]), Targets.of(v)
    start = start_flat(lines, targets) if mean is None else start_near(lines, targets, mean, log_scale)
    return climb(lines, targets, start).describe(lines, targets)


def draw(rng, link, n=800):
    """Two parents of a column and two that are none."""
    u = rng.normal(size=(n, 4))
    rates = link(0.5 + u[:, 0] - 0.8 * u[:, 1])
    return u, (1.0 + 2.0 * u[:, 0] + u[:, 1]) / rates + rng.normal(size=n) / np.sqrt(rates)


@pytest.mark.parametrize("link", [np.exp, lambda z: np.logaddexp(0.0, z)], ids=["exponential", "softplus"])
def test_no_other_optimiser_climbs_higher(link):
    u, v = draw(np.random.default_rng(0), link, 300)
    lines, targets, prior = stack_lines([u[:, :2].T]), Targets.of(v), weigh_prior(3, RIDGES[-1])
    found = climb(lines, targets, start_flat(lines, targets))

    def objective(w):
        return measure(lines, targets, w) - 0.5 * prior @ w**2

    here = objective(found.vector)
    best = minimize(lambda w: -objective(w), found.vector, method="BFGS")
    assert here == pytest.approx(-best.fun, abs=0.2)
    assert found.log_likelihood == pytest.approx(here - 300 * np.log(targets.unit))


@pytest.mark.parametrize("rows", [3, 200, 512, 1027])
def test_the_loops_compute_the_likelihood_and_its_derivatives(rows):
    """Of numbers of rows that are no multiple of a block or a vector, from where the precision is tiny to huge."""
    u, v = draw(np.random.default_rng(6), np.exp, rows)
    lines, targets = stack_lines([u[:, :2].T]), Targets(v, 0.0, 1.0)
    for size in (0.3, 3.0, 30.0):
        w = size * np.random.default_rng(7).normal(size=7)
        w[-1] /= size
        rates = _soften(w[3:-1] @ lines, w[-1])
        likelihood = 0.5 * np.sum(np.log(rates) - (v * rates - w[:3] @ lines) ** 2 / rates)
        assert measure(lines, targets, w) == pytest.approx(likelihood, rel=1e-12)
        slopes, scores = _linearise(w, lines, v)
        slope, information = differentiate(lines, targets, w)
        np.testing.assert_allclose(information, slopes.T @ slopes, rtol=1e-9, atol=1e-9 * information.max())
        np.testing.assert_allclose(slope, slopes.T @ scores, rtol=1e-8, atol=1e-9 * np.abs(slope).max())


def test_what_is_no_number_is_never_reached():
    lines, targets = stack_lines([np.linspace(-1.0, 1.0, 50)[None]]), Targets(np.linspace(-2.0, 2.0, 50), 0.0, 1.0)
    assert measure(lines, targets, np.array([0.0, 0.0, 0.0, 0.0, 1000.0])) == -np.inf
    assert measure(lines, targets, np.array([1e200, 0.0, -1e6, 0.0, 0.0])) == -np.inf


def test_the_rate_tells_an_exponential_from_a_softplus():
    rng = np.random.default_rng(1)
    rates = {}
    for name, link in (("exponential", np.exp), ("softplus", lambda z: np.logaddexp(0.0, z))):
        u, v = draw(rng, link, 2000)
        scale = fit(u[:, :2], v).scale
        # In units of the targets a softplus has the rate of their square.
        rates[name] = scale.log_rate - 2 * np.log(scale.unit)
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
    for found in (fit(u, v), fit(u, v, mean, np.log(scale))):
        assert float(np.mean(-found.log_scale - 0.5 * found.residual**2)) > true - 0.05


def test_units_change_nothing():
    u, v = draw(np.random.default_rng(2), np.exp)
    here, there = (fit(u[:, :2], 1e3 * v if far else v) for far in (False, True))
    np.testing.assert_allclose(there.residual, here.residual, atol=1e-8)
    np.testing.assert_allclose(there.mean, 1e3 * here.mean, rtol=1e-6, atol=1e-6)


def test_p_values_of_columns_that_do_nothing_are_uniform():
    tests = []
    for seed in range(40):
        u, v = draw(np.random.default_rng([4, seed]), np.exp, 400)
        blocks = [u[:, [k]] for k in range(4)]
        tests.append(find_p_values(fit(u, v), blocks, v))
    p_values = np.array(tests)
    assert p_values[:, :2].max() < 0.01
    assert 0.3 < p_values[:, 2:].mean() < 0.7
    assert np.mean(p_values[:, 2:] < 0.05) < 0.15
