"""A Gaussian process of several parents: its slope, its evidence, its paces, and the curve that is kept of it."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal

from causewise.models.gaussian_process import (
    PACE,
    WAVES,
    ProcessTask,
    _draw_waves,
    _Rows,
    _Slopes,
    describe_process,
    draw_frequencies,
    fit_mean,
    fit_process,
    search_process,
)

N = 300


def draw(rng, n=N, columns=4):
    """A function of the first three columns of which no single one, and no pair, tells anything."""
    u = rng.normal(size=(columns, n))
    return u, np.sign(u[0] * u[1] * u[2]) * np.abs(u[0] * u[1] * u[2]) ** 0.5 + 0.2 * rng.normal(size=n)


def begin(columns):
    return np.concatenate([np.full(columns, np.log(PACE)), np.log([1.0, 0.5])])


def fit(u, v, log_scale=None):
    scale = np.zeros(len(v)) if log_scale is None else log_scale
    return fit_process(ProcessTask(u, draw_frequencies(len(u)), v, scale), begin(len(u)))


def test_the_slope_is_that_of_the_evidence():
    rng = np.random.default_rng(0)
    u, v = draw(rng)
    slopes = _Slopes(_Rows(u.T, draw_frequencies(4), rng.uniform(0.5, 2.0, N), v), np.float64)
    for _ in range(3):
        at = begin(4) + 0.5 * rng.normal(size=6)
        off = check_grad(lambda a: slopes.measure(a)[0], lambda a: slopes.measure(a)[1], at, epsilon=1e-6)
        assert off < 1e-3 * np.linalg.norm(slopes.measure(at)[1])


def test_the_evidence_is_the_density_of_the_rows():
    rng = np.random.default_rng(1)
    u, v = draw(rng, 60)
    rows, paces = _Rows(u.T, draw_frequencies(4), np.ones(60), v), np.array([1.0, 0.5, 0.2, 0.0])
    evidence, _, fitted = rows.measure(paces, 0.7, 0.3)
    waves = _draw_waves((u.T * paces) @ draw_frequencies(4))
    covariance = 0.7 * waves @ waves.T
    whole = covariance + 0.3 * np.eye(60)
    assert evidence == pytest.approx(multivariate_normal(np.zeros(60), whole).logpdf(v))
    np.testing.assert_allclose(fitted, covariance @ np.linalg.solve(whole, v), atol=1e-8)
    assert waves.shape == (60, 2 * WAVES)


def test_parents_show_together_that_show_by_nothing_else():
    found = [fit(*draw(np.random.default_rng([2, seed]), 1000)).parents for seed in range(5)]
    assert all(parents[:3] == (0, 1, 2) for parents in found)
    assert sum(3 in parents for parents in found) <= 1


def test_hardly_anything_is_found_in_noise():
    for seed in range(3):
        rng = np.random.default_rng([3, seed])
        v = rng.normal(size=500)
        out = fit(rng.normal(size=(4, 500)), v)
        normal = -0.5 * 500 * (np.log(2 * np.pi * np.var(v)) + 1)
        assert out.log_evidence < normal + 2.0 * len(out.parents) + 4.0  # a code that pays for parents prefers none


def test_the_curve_is_the_mean_and_rows_may_weigh_differently():
    rng = np.random.default_rng(4)
    u, v = draw(rng)
    scale = np.exp(0.5 * u[3])
    out = fit(u, v + scale * rng.normal(size=N), np.log(scale))
    np.testing.assert_allclose(out.curve([u[k] for k in out.parents]), out.mean, atol=1e-6)
    assert np.mean(out.residual**2) == pytest.approx(1.0, abs=0.4)
    np.testing.assert_allclose(np.diff(out.log_scale), np.diff(0.5 * u[3]), atol=1e-10)


def test_a_pace_of_zero_leaves_a_parent_out():
    u, v = draw(np.random.default_rng(5))
    every, paces = draw_frequencies(4), np.array([1.0, 0.5, 2.0, 0.0])
    with_it = _Rows(u.T, every, np.ones(N), v).measure(paces, 1.0, 0.1)[0]
    without = _Rows(u[:3].T, every[:3], np.ones(N), v).measure(paces[:3], 1.0, 0.1)[0]
    assert with_it == pytest.approx(without)


def test_a_search_goes_on_where_another_ended():
    u, v = draw(np.random.default_rng(6), 600)
    task = ProcessTask(u, draw_frequencies(4), v, np.zeros(600))
    top = search_process(task, begin(4))
    again = search_process(task, top.at, top.curvature)
    np.testing.assert_allclose(again.at, top.at, atol=0.2)
    fit = describe_process(task, top)
    assert describe_process(task, again).log_evidence >= fit.log_evidence - 0.1
    assert np.corrcoef(fit_mean(task, top.at), fit.mean)[0, 1] > 0.99
