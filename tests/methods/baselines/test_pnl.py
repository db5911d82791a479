"""PNL: its fit, its increasing basis and its constrained descent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import causewise
from causewise.decision import Direction
from causewise.methods.baselines import pnl
from causewise.methods.baselines.pnl import IncreasingBasis, quadratic_minus_log, score

SENSORS = {"cube": lambda z: z**3, "exp": np.exp, "root": np.cbrt, "saturating": lambda z: 1 / (1 + np.exp(-z))}


def distorted(sensor: str, seed: int = 0, n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.7, 1.7, n)
    return x, SENSORS[sensor](np.sin(1.5 * x) + x / 2 + 0.4 * rng.laplace(size=n))


@pytest.mark.parametrize("sensor", SENSORS)
def test_distorted_additive_noise_is_decided_rightly(sensor: str) -> None:
    decision = causewise.infer(*distorted(sensor), method="pnl")
    assert decision.direction is Direction.FORWARD
    assert decision.forward.converged and decision.backward.converged
    assert decision.forward.p_value > 0.01


@pytest.mark.parametrize("sensor", ["cube", "exp"])
def test_the_fit_undoes_the_distortion(sensor: str) -> None:
    x, plain = distorted("root")
    plain = plain**3
    straight, bent = score(x, plain), score(x, SENSORS[sensor](plain))
    assert bent.hsic == pytest.approx(straight.hsic, rel=0.5)


def test_blocks_of_rows_change_nothing_but_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = score(*distorted("exp"))
    monkeypatch.setattr(pnl, "BLOCK", 130)
    assert score(*distorted("exp")).score == pytest.approx(whole.score, rel=1e-6)


@pytest.mark.slow
def test_it_is_right_on_most_distorted_pairs() -> None:
    right = [
        causewise.infer(*distorted(sensor, seed), method="pnl").direction is Direction.FORWARD
        for sensor in SENSORS
        for seed in range(25)
    ]
    assert np.mean(right) > 0.9


def test_derivatives_are_those_of_the_values() -> None:
    grid = np.linspace(-2, 3, 4001)
    basis = IncreasingBasis.of(grid, 8)
    numeric = np.gradient(basis.values(grid), grid, axis=0)
    np.testing.assert_allclose(numeric[5:-5], basis.derivatives(grid)[5:-5], atol=1e-3)
    np.testing.assert_allclose(basis.values(grid).mean(axis=0), 0.0, atol=1e-12)


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=25, deadline=None)
def test_non_negative_weights_make_an_increasing_function(seed: int, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    column = np.round(3 * rng.standard_normal(50)) if tied else rng.standard_cauchy(50)
    basis = IncreasingBasis.of(column, 9)
    weights = rng.exponential(size=len(basis.middle))
    order = np.argsort(column)
    assert np.all(np.diff((basis.values(column) @ weights)[order]) >= -1e-12)
    assert np.all(basis.derivatives(column) @ weights > 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_is_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(size=(200, 6)) * (rng.uniform(size=6) ** 3)
    root = rng.standard_normal((20, 6))
    quadratic = root.T @ root / 20
    ours = quadratic_minus_log(quadratic, rows)

    def objective(beta: np.ndarray) -> float:
        return float(0.5 * beta @ quadratic @ beta - np.mean(np.log(rows @ beta)))

    theirs = minimize(objective, np.ones(6), bounds=[(0, None)] * 6, options={"ftol": 1e-14, "gtol": 1e-9})
    assert ours.converged
    assert objective(ours.weights) <= theirs.fun + 1e-8


def test_the_optimum_gives_the_residual_unit_variance() -> None:
    # Along β → cβ the objective is ½c²q − log c + const, which is least where q = βᵀQβ = 1.
    rng = np.random.default_rng(9)
    root = rng.standard_normal((30, 5))
    quadratic = root.T @ root
    beta = quadratic_minus_log(quadratic, rng.uniform(size=(50, 5))).weights
    assert beta @ quadratic @ beta == pytest.approx(1.0, abs=1e-7)


@given(st.integers(1, 300), st.integers(1, 20), st.integers(0, 10_000))
@settings(max_examples=24, deadline=None)
def test_sums_and_derivatives_are_matrix_products(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.where(np.abs(np.arange(k) - rng.integers(0, k, n)[:, None]) <= 1, rng.uniform(0.1, 1, (n, k)), 0.0)
    beta = rng.exponential(size=k) + 0.1
    slopes = rows @ beta
    gradient, bend = pnl._derivatives(rows, beta)
    shares = rows / slopes[:, None]
    assert pnl._mean_log(rows, beta) == pytest.approx(np.mean(np.log(slopes)), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(gradient, shares.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(bend, shares.T @ shares / n, rtol=1e-10)


def test_a_slope_that_is_not_positive_has_no_logarithm() -> None:
    assert pnl._mean_log(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0])) == -np.inf


def test_long_matrices_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rows, beta = rng.uniform(size=(100, 4)), rng.exponential(size=4)
    whole = pnl._mean_log(rows, beta), *pnl._derivatives(rows, beta)
    monkeypatch.setattr(pnl, "_ENTRIES_AT_ONCE", 30)
    for one, other in zip(whole, (pnl._mean_log(rows, beta), *pnl._derivatives(rows, beta)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
