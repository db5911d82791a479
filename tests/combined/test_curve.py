"""The location-scale curve: as many knots as the rows pay for, and the optimum of the concave fit at each size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.preprocessing import SplineTransformer

from whence.combined import curve as module
from whence.combined.curve import DEGREE, DELTA, KNOTS, PATIENCE, ROWS_PER_COEFFICIENT, Curve, curve_at, fit_curve
from whence.pair import FloatArray, standardise
from whence.threads import one_thread

Columns = tuple[FloatArray, FloatArray]
seeds = st.integers(0, 10**6)


def wavy(seed: int, n: int, frequency: float = 4.0, noise: float = 0.3) -> Columns:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.normal(size=n))
    v = np.sin(frequency * u) + noise * (1 + 0.5 * np.tanh(u)) * rng.normal(size=n)
    return standardise(u), standardise(v)


def size_of(n_knots: int) -> int:
    return 2 * (n_knots + DEGREE - 1)


@given(seed=seeds, n=st.integers(10, 250))
def test_few_rows_give_few_knots(seed: int, n: int) -> None:
    found = fit_curve(*wavy(seed, n, noise=0.01))
    assert found.size == size_of(KNOTS[0]) or found.size * ROWS_PER_COEFFICIENT <= n


def test_many_rows_pay_for_many_knots() -> None:
    sizes = [fit_curve(*wavy(1, n, noise=0.02)).size for n in (30, 100, 300, 2000)]
    assert sizes == sorted(sizes)
    assert sizes[0] == size_of(KNOTS[0])
    assert sizes[-1] >= size_of(KNOTS[3])


@pytest.mark.parametrize("seed", range(20))
def test_a_straight_line_with_constant_noise_takes_the_smallest_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.uniform(-1, 1, 400))
    v = u + 0.3 * rng.normal(size=400)
    assert fit_curve(standardise(u), standardise(v)).size == size_of(KNOTS[0])


@given(seed=seeds, n=st.integers(60, 500), frequency=st.floats(0.5, 8.0))
def test_the_chosen_size_is_the_cheapest_among_those_tried(seed: int, n: int, frequency: float) -> None:
    u, v = wavy(seed, n, frequency, 0.1)
    chosen = fit_curve(u, v)
    allowed = [k for k in KNOTS if k == KNOTS[0] or size_of(k) * ROWS_PER_COEFFICIENT <= n]
    costs = [module._of_size(u, v, k).cost for k in allowed]
    at = [size_of(k) for k in allowed].index(chosen.size)
    assert chosen.cost == min(costs[: at + 1 + PATIENCE])


@given(seed=seeds, n=st.integers(20, 300))
def test_cost_is_half_the_bayesian_information_criterion_a_row(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    log_likelihood = norm.logpdf(v, found.location, found.scale)
    assert found.log_likelihood == pytest.approx(log_likelihood.mean(), rel=1e-9, abs=1e-9)
    assert found.cost == pytest.approx((-2 * log_likelihood.sum() + found.size * np.log(n)) / (2 * n), rel=1e-9)
    assert found.size == 2 * (len(found.knots) - DEGREE - 1)


@given(seed=seeds, n=st.integers(10, 300))
def test_the_residual_is_what_is_left_in_units_of_the_scale(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    assert np.array_equal(found.residual, (v - found.location) / found.scale)
    assert np.all(found.scale > 0)


@given(seed=seeds, n=st.integers(10, 300))
def test_curve_at_the_own_rows_is_location_and_scale(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    location, scale = curve_at(found, u)
    assert np.array_equal(location, found.location)
    assert np.array_equal(scale, found.scale)


def test_beyond_the_rows_the_end_value_holds() -> None:
    u, v = wavy(2, 200)
    found = fit_curve(u, v)
    location, scale = curve_at(found, np.array([u[0] - 5, u[0], u[-1], u[-1] + 5]))
    assert location[0] == location[1] and location[2] == location[3]
    assert scale[0] == scale[1] and scale[2] == scale[3]


def penalised(found: Curve, u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Spline features by scikit-learn, and the fit's coefficients as (e, p) one after the other."""
    n_knots = len(found.knots) - 2 * DEGREE
    features = SplineTransformer(n_knots, degree=DEGREE).fit_transform(u[:, None])
    return np.asarray(features), np.concatenate([found.coefficients[::2], found.coefficients[1::2]])


def objective(w: FloatArray, features: FloatArray, v: FloatArray) -> tuple[float, FloatArray]:
    """Minus the penalised log-likelihood a row, from the density of scipy; and its gradient."""
    k, n = features.shape[1], len(v)
    e, p = features @ w[:k], features @ w[k:]
    mean, sd = e / (2 * p), 1 / np.sqrt(2 * p)
    value = -norm.logpdf(v, mean, sd).sum() + DELTA / 2 * np.sum(w**2)
    by_e, by_p = v - mean, sd**2 + mean**2 - v**2
    return value / n, (np.concatenate([-(features.T @ by_e), -(features.T @ by_p)]) + DELTA * w) / n


@pytest.mark.parametrize("n", [30, 150, 400])
@pytest.mark.parametrize("seed", range(3))
def test_no_other_optimiser_finds_a_better_fit(seed: int, n: int) -> None:
    u, v = wavy(seed, n)
    found = fit_curve(u, v)
    features, w = penalised(found, u, v)
    bounds = [(None, None)] * (len(w) // 2) + [(1e-9, None)] * (len(w) // 2)
    start = np.concatenate([np.zeros(len(w) // 2), np.full(len(w) // 2, 0.5)])
    with one_thread():
        best = min(
            minimize(objective, s, (features, v), "L-BFGS-B", True, bounds=bounds, options={"maxiter": 3000}).fun
            for s in (start, np.maximum(w, [low or -np.inf for low, _ in bounds]))
        )
    assert objective(w, features, v)[0] <= best + 1e-9


@given(seed=seeds, n=st.integers(10, 400), frequency=st.floats(0.5, 8.0))
def test_the_optimum_is_certified(seed: int, n: int, frequency: float) -> None:
    found = fit_curve(*wavy(seed, n, frequency))
    assert found.converged
    assert found.message == ""


def test_a_fit_that_stopped_short_says_so() -> None:
    short = fit_curve(*wavy(0, 100))._replace(kkt=1.0)
    assert not short.converged
    assert short.message


def test_the_curve_follows_location_and_scale_of_many_rows() -> None:
    rng = np.random.default_rng(4)
    u = np.linspace(-1.7, 1.7, 4000)
    sd = 0.3 + 0.2 * u**2
    v = np.sin(2 * u) + sd * rng.normal(size=4000)
    found = fit_curve(u, v)
    assert np.mean((found.location - np.sin(2 * u)) ** 2) < 0.01 * np.var(np.sin(2 * u))
    assert np.mean((np.log(found.scale) - np.log(sd)) ** 2) < 0.01
