"""The identifiability equation on models whose answer is known; the families: densities, backward models, samplers."""

import numpy as np
import pytest
from scipy import stats

from causewise.errors import InputError
from causewise.lab.theory.conditions import (
    FAMILIES,
    GENERIC,
    PATHS,
    draw_rational,
    evaluate,
    evaluate_exact,
    linear_gaussian,
    rational_gaussian,
)
from causewise.lab.theory.model import NAMED, Model, distribution, gaussian, location_scale, soft_uniform


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(4))
def test_models_that_fit_both_ways_satisfy_it(family, seed):
    balance = evaluate(FAMILIES[family](np.random.default_rng(seed)).forward())
    assert balance.worst <= 1e-6
    assert balance.backward_can_exist
    assert "no data can tell" in balance.verdict


@pytest.mark.parametrize("name", GENERIC)
def test_models_of_the_benchmarks_violate_it(name):
    balance = evaluate(GENERIC[name](np.random.default_rng(0)), points=7)
    assert balance.typical > 0.02
    assert not balance.backward_can_exist
    assert "identifiable" in balance.verdict


@pytest.mark.parametrize("name", GENERIC)
def test_with_the_exact_conditional_it_is_an_identity(name):
    assert evaluate_exact(GENERIC[name](np.random.default_rng(1)), points=7).worst < 1e-10


def test_callables_and_names_are_enough():
    assert evaluate(location_scale(lambda x: 2 * x, lambda x: 1.0), points=7).backward_can_exist
    bent = location_scale(lambda x: np.tanh(x), lambda x: 0.5, noise="logistic", cause=lambda x: -(x**4))
    assert not evaluate(bent, points=7).backward_can_exist
    with pytest.raises(InputError, match="log density"):
        location_scale(np.tanh, np.cosh, noise="cauchy")


def test_linear_with_a_noise_that_is_not_gaussian_is_identifiable():
    model = Model(lambda x: 0.8 * x, lambda x: 0.6 + 0 * x, soft_uniform(-1.0, 1.0, 0.2), gaussian())
    assert evaluate(model, points=7).typical > 1e-3


@pytest.mark.parametrize("path", PATHS)
def test_paths_lead_out_of_the_exception(path):
    residuals = [evaluate(PATHS[path](t), points=7).typical for t in (0.0, 0.1, 1.0)]
    assert residuals[0] < 1e-9
    assert residuals[0] < residuals[1] < residuals[2]


def test_marginal_and_moments_of_the_reverse_agree_with_closed_form():
    model = Model(lambda x: 0.5 * x, lambda x: 1.0 + 0 * x, gaussian(), gaussian(0.0, 2.0))
    y = np.linspace(-3, 3, 7)
    density, mean, spread = model.reverse_moments(y)
    variance = 0.25 * 4 + 1
    np.testing.assert_allclose(density, np.exp(-0.5 * y**2 / variance) / np.sqrt(2 * np.pi * variance), rtol=1e-10)
    np.testing.assert_allclose(mean, 0.5 * 4 / variance * y, atol=1e-10)
    np.testing.assert_allclose(spread, np.sqrt(4 - (0.5 * 4) ** 2 / variance), rtol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_forward_and_backward_model_are_one_law(family, seed):
    law = FAMILIES[family](np.random.default_rng(seed))
    x, y = np.meshgrid(np.linspace(-1.5, 1.5, 9), np.linspace(-1.5, 1.5, 9))
    there, back = law.forward().log_joint(x, y), law.backward().log_joint(y, x)
    np.testing.assert_allclose(there, back, rtol=1e-9, atol=1e-9)
    powers = np.arange(3)
    terms = law.exponent * (x[..., None, None] ** powers[:, None]) * (y[..., None, None] ** powers)
    difference = there + 0.5 * terms.sum(axis=(-2, -1))
    np.testing.assert_allclose(difference, difference[0, 0], atol=1e-9)  # the normalising constant


@pytest.mark.parametrize("seed", range(3))
def test_the_marginal_is_what_quadrature_says(seed):
    law = draw_rational(np.random.default_rng(seed))
    y = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(
        np.log(law.forward().effect_density(y)), law.backward().cause.log_density(y), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(2))
def test_backward_mean_and_scale_are_the_reverse_moments(seed):
    law = draw_rational(np.random.default_rng(seed))
    y = np.linspace(-2, 2, 9)
    _, mean, spread = law.forward().reverse_moments(y)
    backward = law.backward()
    np.testing.assert_allclose(mean, backward.location(y), atol=1e-9)
    np.testing.assert_allclose(spread, backward.scale(y), rtol=1e-9)


def test_the_linear_member_is_the_bivariate_normal_law():
    law = linear_gaussian(0.6, 2.0, 0.5)
    oracle = stats.multivariate_normal([0, 0], [[4, 0.6], [0.6, 0.25]])
    points = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(law.forward().log_joint(*points.T), oracle.logpdf(points), rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_samples_follow_both_models(family):
    law = FAMILIES[family](np.random.default_rng(7))
    x, y = law.sample(np.random.default_rng(8), 4000)
    for cause, effect, model in ((x, y, law.forward()), (y, x, law.backward())):
        noise = (effect - model.location(cause)) / model.scale(cause)
        assert stats.kstest(noise, "norm").pvalue > 1e-3
        assert abs(stats.spearmanr(cause, noise**2).statistic) < 0.06


def test_laws_that_cannot_be_integrated_are_refused():
    for broken in (-np.eye(3), np.ones((3, 3)) + np.diag([0.0, 3.0], 1)):
        with pytest.raises(InputError, match="no finite integral"):
            rational_gaussian(broken)
    with pytest.raises(InputError, match="between"):
        linear_gaussian(1.0)


SOME = [
    gaussian(1.0, 2.0),
    soft_uniform(-1.0, 2.0),
    distribution(lambda v: -(np.abs(v - 1) ** 3)),
    *map(distribution, NAMED),
]


@pytest.mark.parametrize("law", SOME)
def test_laws_are_densities_and_their_samples_follow_them(law):
    nodes = np.linspace(law.low, law.high, 20_001)
    mass = np.exp(law.log_density(nodes))
    assert np.trapezoid(mass, nodes) == pytest.approx(1, abs=1e-6)
    cumulative = np.cumsum(mass) * (nodes[1] - nodes[0])
    sample = law.sample(np.random.default_rng(0), 3000)
    assert stats.kstest(sample, lambda v: np.interp(v, nodes, cumulative)).pvalue > 1e-3
