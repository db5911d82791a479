"""Mixtures of normals by BIC: against scikit-learn, by hand, and invariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from whence.numerics.mixture import fit_mixture
from whence.pair import FloatArray


def _column(kind: str, n: int = 800, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    draws = {
        "gaussian": rng.normal(size=n),
        "laplace": rng.laplace(size=n),
        "bimodal": np.where(rng.random(n) < 0.4, rng.normal(-3, 0.5, n), rng.normal(2, 1, n)),
        "exponential": rng.exponential(size=n),
    }
    return draws[kind]


def test_one_normal_is_coded_by_its_own_entropy() -> None:
    column = _column("gaussian")
    found = fit_mixture(column)
    assert len(found.weight) == 1
    assert found.data_cost == pytest.approx(0.5 * np.log(2 * np.pi * np.e * column.var()), abs=1e-12)


def test_two_separate_heaps_are_found() -> None:
    found = fit_mixture(_column("bimodal"))
    assert len(found.weight) == 2
    order = np.argsort(found.mean)
    assert found.mean[order] == pytest.approx([-3, 2], abs=0.15)
    assert found.weight[order] == pytest.approx([0.4, 0.6], abs=0.05)


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "bimodal", "exponential"])
def test_code_is_hardly_longer_than_the_best_of_scikit_learn(kind: str) -> None:
    column = _column(kind)
    sheet = column[:, None]
    rivals = [GaussianMixture(k, n_init=3, random_state=0).fit(sheet).bic(sheet) for k in range(1, 6)]
    assert fit_mixture(column).cost <= min(rivals) / (2 * len(column)) + 0.02


@given(shift=st.floats(-50, 50), scale=st.floats(0.01, 100), seed=st.integers(0, 20))
def test_units_move_the_cost_by_the_log_of_the_scale(shift: float, scale: float, seed: int) -> None:
    column = _column("laplace", 200, seed)
    assert fit_mixture(shift + scale * column).cost == pytest.approx(fit_mixture(column).cost + np.log(scale), abs=1e-4)


def test_row_order_does_not_matter() -> None:
    column = _column("exponential")
    assert fit_mixture(column).cost == fit_mixture(column[::-1]).cost
