"""The identifiability equation on models whose answer is known."""

import numpy as np
import pytest

from causewise.errors import InputError
from causewise.lab.theory.distributions import gaussian, soft_uniform
from causewise.lab.theory.equation import evaluate, evaluate_exact
from causewise.lab.theory.families import FAMILIES, GENERIC, PATHS
from causewise.lab.theory.model import Model, location_scale


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
