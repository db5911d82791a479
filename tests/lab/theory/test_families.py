"""The laws whose two conditionals are both Gaussian: densities, backward models, samplers."""

import numpy as np
import pytest
from scipy import stats

from causewise.errors import InputError
from causewise.lab.theory.distributions import NAMED, distribution, gaussian, soft_uniform
from causewise.lab.theory.families import FAMILIES, draw_rational, linear_gaussian, rational_gaussian


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
