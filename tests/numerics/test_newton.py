import numpy as np
import pytest
from scipy.optimize import minimize

from causewise.numerics import gaussian
from causewise.numerics.gaussian import KKT_GOAL, descend, fit_natural
from causewise.numerics.splines import additive_design, spline_rows, uniform_knots


def problem(n=150, n_knots=5, degree=3, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    u = np.sort(rng.uniform(-2, 2, size=n))
    v = np.sin(2 * u) + (0.1 + 0.4 * np.abs(u)) * rng.normal(size=n)
    design = additive_design([spline_rows(u, uniform_knots(u[0], u[-1], n_knots, degree), degree)])
    return design, v, np.ones(n) if weights is None else weights


def objective(w, design, v, s, delta):
    e, p = design.predict(w)
    if np.any(p <= 0):
        return np.inf
    loss = -s @ gaussian.log_density(e, p, np.log(2 * p), v)
    return (loss + 0.5 * delta * w @ w) / s.sum()


@pytest.mark.parametrize("seed", range(4))
def test_not_above_a_generic_optimiser(seed):
    design, v, s = problem(seed=seed, weights=np.random.default_rng(seed).uniform(0.1, 3, size=150))
    solution = fit_natural(design, v, s, 1e-2, 200)
    bounds = [(None, None), (1e-9, None)] * design.size
    start = np.tile([0.0, 0.5], design.size)
    generic = minimize(
        objective,
        start,
        (design, v, s, 1e-2),
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 3000, "maxfun": 10**6},
    )
    assert solution.objective <= generic.fun + 1e-9
    assert solution.objective == pytest.approx(objective(solution.coefficients, design, v, s, 1e-2), rel=1e-12)


def test_every_start_reaches_the_same_optimum():
    design, v, s = problem(n_knots=12, degree=5)
    best = fit_natural(design, v, s, 1e-5, 500)
    rng = np.random.default_rng(1)
    for _ in range(5):
        start = np.empty(2 * design.size)
        start[0::2], start[1::2] = rng.normal(size=design.size), rng.uniform(0.01, 5.0, size=design.size)
        found = descend(design, v, s, 1e-5, start, 500)
        assert found.kkt <= 1e-6
        assert found.objective == pytest.approx(best.objective, abs=1e-9)


def test_a_descent_taken_step_by_step_is_the_same_descent(monkeypatch):
    design, v, s = problem(n_knots=12, degree=5)
    whole = fit_natural(design, v, s, 1e-5, 500)
    monkeypatch.setattr("causewise.numerics.gaussian._ROWS_AT_ONCE", 1)
    single = fit_natural(design, v, s, 1e-5, 500)
    np.testing.assert_array_equal(whole.coefficients, single.coefficients)
    assert (whole.objective, whole.n_iter) == (single.objective, single.n_iter)


def test_certificate_is_the_scaled_projected_gradient():
    design, v, s = problem(n_knots=15, degree=5, n=400)
    solution = fit_natural(design, v, s, 1e-5, 500)
    assert solution.kkt <= KKT_GOAL
    w = solution.coefficients
    for j in range(len(w)):
        h = 1e-6 * max(1.0, abs(w[j]))
        up, down = w.copy(), w.copy()
        up[j] += h
        down[j] = down[j] - h if j % 2 == 0 else max(down[j] - h, 0.0)
        slope = (objective(up, design, v, s, 1e-5) - objective(down, design, v, s, 1e-5)) / (up[j] - down[j])
        if j % 2 == 0:
            assert abs(slope) < 1e-5
        elif w[j] > 0:
            assert abs(slope) * max(w[j], 1e-3) < 1e-5
        else:
            assert slope > -1e-5
    assert np.all(w[1::2] >= 0)


def test_a_constant_feature_is_solved_by_hand():
    # One feature equal to 1: location = mean, variance = population variance, up to the tiny prior.
    v = np.array([1.0, 2.0, 4.0, 7.0])
    design = additive_design([spline_rows(np.linspace(0, 1, 4), uniform_knots(0.0, 1.0, 2, 0), 0)])
    solution = fit_natural(design, v, np.ones(4), 1e-12, 200)
    e, p = solution.coefficients
    assert gaussian.location(e, p) == pytest.approx(v.mean(), rel=1e-6)
    assert gaussian.variance(p) == pytest.approx(v.var(), rel=1e-6)


def test_weights_count_rows():
    design, v, _ = problem(n=60)
    counts = np.random.default_rng(2).integers(0, 4, size=60)
    weighted = fit_natural(design, v, counts.astype(float), 1e-3, 300)
    rng = np.random.default_rng(0)
    u = np.repeat(np.sort(rng.uniform(-2, 2, size=60)), counts)
    low_high = np.sort(np.random.default_rng(0).uniform(-2, 2, size=60))[[0, -1]]
    repeated_design = additive_design([spline_rows(u, uniform_knots(*low_high, 5, 3), 3)])
    repeated = fit_natural(repeated_design, np.repeat(v, counts), np.ones(len(u)), 1e-3, 300)
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-6, atol=1e-8)
