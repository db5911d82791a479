"""Laws of causes and noises: moments; and the published laws made of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.lab.datasets.classic import combined_noise, scale_mixture, sigmoid
from causewise.lab.datasets.laws import CAUSE_LAWS, NOISE_LAWS, gamma2
from causewise.lab.datasets.lookalikes import NET_LAWS

ALL_LAWS = CAUSE_LAWS | NOISE_LAWS | NET_LAWS | {"gamma2": gamma2}


@pytest.mark.parametrize("name", ALL_LAWS)
def test_laws_have_mean_0_and_variance_1(name: str) -> None:
    sample = ALL_LAWS[name](np.random.default_rng(8), 400_000)
    assert sample.mean() == pytest.approx(0, abs=0.01)
    assert sample.var() == pytest.approx(1, abs=0.12 if name == "t3" else 0.02)


def test_the_classic_cause_is_the_scale_mixture_it_should_be() -> None:
    sample = scale_mixture(np.random.default_rng(2), 400_000)
    assert sample.var() == pytest.approx(1.5, rel=0.01)  # E v
    assert np.mean(sample**4) / sample.var() ** 2 == pytest.approx(3 * (7 / 3) / 1.5**2, rel=0.02)  # 3 E v² / (E v)²


@given(st.integers(0, 500))
def test_sigmoids_are_monotone_and_bounded(seed: int) -> None:
    x = np.linspace(-50, 50, 400)
    steps = np.diff(y := sigmoid(np.random.default_rng(seed), x))
    assert (steps > 0).all() or (steps < 0).all()
    assert 0.9 < np.abs(y).max() < 1 + 8 * 0.25 + 2


def test_multi_is_normalised_and_never_linear_gaussian() -> None:
    for seed in range(200):
        cause, effect = combined_noise(np.random.default_rng(seed), 400)
        for column in (cause, effect):
            assert column.mean() == pytest.approx(0, abs=1e-9) and column.std(ddof=1) < 1
