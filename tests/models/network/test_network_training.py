"""The settings of training and the one home of Adam."""

import numpy as np
import pytest

from causewise.models.network.training import (
    BETA_1,
    BETA_2,
    EPSILON,
    Training,
    adam_bias,
    adam_direction,
    adam_moments,
)

GRADIENTS = np.random.default_rng(0).normal(size=(6, 4))


def test_rates_fall_from_the_first_to_the_last_along_a_cosine():
    rates = Training(steps=1000, first_rate=0.1, last_rate=0.001).rates()
    assert rates[0] == 0.1
    assert rates[500] == pytest.approx((0.1 + 0.001) / 2)
    assert rates[-1] == pytest.approx(0.001, rel=1e-3)
    assert np.all(np.diff(rates) < 0)


def test_adam_is_the_ratio_of_weighted_means_of_the_gradients():
    """Kingma & Ba's recursion, solved: after t steps gradient i has the weight βᵗ⁻ⁱ, and the weights sum to one."""
    m, s = np.zeros(4), np.zeros(4)
    for g in GRADIENTS:
        m, s = adam_moments(m, s, g)
    t = len(GRADIENTS)
    bias_m, bias_s = adam_bias(t)
    mean, mean_square = (
        np.average(values, axis=0, weights=beta ** np.arange(t - 1, -1, -1))
        for values, beta in ((GRADIENTS, BETA_1), (GRADIENTS**2, BETA_2))
    )
    expected = mean / (np.sqrt(mean_square) + EPSILON)
    np.testing.assert_allclose(adam_direction(m / bias_m, s / bias_s, np.sqrt), expected, rtol=1e-12)
