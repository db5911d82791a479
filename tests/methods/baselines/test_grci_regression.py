import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.methods.baselines.grci import fit_constant, fit_piecewise_linear


def truncated_powers(u, knots):
    interior = np.linspace(0, 1, knots)[1:-1]
    return np.column_stack([u, *(np.maximum(u - k, 0) for k in interior), np.ones_like(u)])


def dense(u, t, knots, ridge):
    design = truncated_powers(u, knots)
    padded = np.vstack([design, np.sqrt(ridge) * np.eye(design.shape[1])])
    q, _ = np.linalg.qr(padded)
    q = q[: len(u)]
    return q @ (q.T @ t), np.sum(q * q, axis=1)


def sample(seed, n):
    rng = np.random.default_rng(seed)
    u = np.sort(rng.beta(0.7, 2.0, n))
    u = (u - u[0]) / (u[-1] - u[0])
    return u, np.sin(7 * u) + rng.normal(size=n)


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(2, 9), st.sampled_from([1e-8, 1e-2, 3.0]))
@settings(max_examples=60, deadline=None)
def test_against_dense_orthogonalisation_in_the_truncated_power_basis(seed, n, knots, ridge):
    u, t = sample(seed, n)
    fitted, leverage = fit_piecewise_linear(u, t, knots, ridge)
    expected, expected_leverage = dense(u, t, knots, ridge)
    assert fitted == pytest.approx(expected, abs=1e-6)
    assert leverage == pytest.approx(expected_leverage, abs=1e-9)


@pytest.mark.parametrize("knots", [2, 5])
def test_leaving_out_by_formula_is_leaving_out_by_refitting(knots):
    u, t = sample(1, 40)
    fitted, leverage = fit_piecewise_linear(u, t, knots, 0.1)
    for i in range(len(u)):
        keep = np.arange(len(u)) != i
        design = truncated_powers(u, knots)
        gram = design[keep].T @ design[keep] + 0.1 * np.eye(design.shape[1])
        refitted = design[i] @ np.linalg.solve(gram, design[keep].T @ t[keep])
        assert (t - (t - fitted) / (1 - leverage))[i] == pytest.approx(refitted, abs=1e-10)


def test_a_lone_point_in_its_cell_keeps_a_positive_distance_from_leverage_one():
    u = np.concatenate([np.linspace(0, 0.2, 50), [1.0]])
    _, leverage = fit_piecewise_linear(u, np.cos(u), 6, 1e-8)
    assert 0 < 1 - leverage[-1] < 1e-7


def test_constant():
    t = np.array([1.0, 2.0, 6.0])
    fitted, leverage = fit_constant(t, 0.5)
    assert np.all(fitted == 9 / 3.5)
    assert np.all(leverage == 1 / 3.5)


def test_a_broken_line_is_reproduced():
    u = np.linspace(0, 1, 101)
    t = np.interp(u, [0, 0.25, 0.5, 0.75, 1], [0.0, 2.0, -1.0, 0.5, 0.5])
    fitted, leverage = fit_piecewise_linear(u, t, 5, 1e-12)
    assert fitted == pytest.approx(t, abs=1e-9)
    assert np.sum(leverage) == pytest.approx(5, abs=1e-6)
