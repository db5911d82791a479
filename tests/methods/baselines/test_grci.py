"""GRCI: the method in plain matrices, its neighbours and its regression against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

import causewise
from causewise.methods.baselines import grci
from causewise.methods.baselines.grci import (
    _dependence,
    count_within,
    fit_constant,
    fit_piecewise_linear,
    kth_distance,
    score,
)
from causewise.numerics.arrays import zscore
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def reference(x, y, k=10):
    """The method in plain matrices: truncated powers, hat matrices, all distances."""

    def fit(u, target, positive):
        unit = np.std(target, ddof=1)
        t, best, chosen = target / unit, np.inf, None
        for q in [0, 1, *dict.fromkeys(np.round(np.linspace(2, min(200, np.sqrt(len(u) / 10)), 10)).astype(int))]:
            interior = np.linspace(0, 1, max(q, 2))[1:-1]
            columns = [u, *(np.maximum(u - knot, 0) for knot in interior)] if q else []
            design = np.column_stack([*columns, np.ones_like(u)])
            hat = design @ np.linalg.solve(design.T @ design + 1e-8 * np.eye(design.shape[1]), design.T)
            fitted = np.maximum(hat @ t, 0.05) if positive else hat @ t
            missed = (t - fitted) / (1 - np.diag(hat))
            if np.mean(missed**2) < best:
                best, chosen = np.mean(missed**2), (fitted * unit, (t - missed) * unit)
        return chosen

    u = (x - x.min()) / (x.max() - x.min())
    fitted, left_out = fit(u, y, False)
    residual = (y - fitted) / fit(u, np.abs(y - left_out), True)[0]
    a, e = zscore(x, ddof=1), residual / np.std(residual, ddof=1)
    apart_a, apart_e = np.abs(a[:, None] - a), np.abs(e[:, None] - e)
    radius = np.sort(np.maximum(apart_a, apart_e), axis=1)[:, k, None]
    return np.mean(digamma(np.sum(apart_a <= radius, axis=1)) + digamma(np.sum(apart_e <= radius, axis=1)))


@pytest.mark.parametrize("seed", range(4))
def test_against_the_method_in_plain_matrices(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300)
    y = np.sin(2 * x) + (0.1 + 0.3 * np.abs(x)) * rng.normal(size=300)
    assert score(x, y, published=True) == pytest.approx(reference(x, y), abs=1e-9)
    assert score(y, x, published=True) == pytest.approx(reference(y, x), abs=1e-9)


def test_noise_that_grows_with_the_cause_is_no_obstacle():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=600)
    y = np.tanh(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=600)
    assert decide("grci", x, y).cause == "x"


def test_dependence_is_smallest_for_independent_columns():
    rng = np.random.default_rng(1)
    a, b = (zscore(c) for c in rng.normal(size=(2, 400)))
    assert _dependence(a, b, 10, 0.0) < _dependence(a, zscore(a + b), 10, 0.0) < _dependence(a, zscore(a**3), 10, 0.0)


def test_fewer_rows_than_neighbours_are_refused_with_the_numbers():
    x = np.arange(10.0)
    assert "10 rows" in decide("grci", x, x**2).reason
    assert not decide("grci:neighbours=5", x, np.sin(3 * x)).failed


def test_an_exact_function_is_refused():
    x = np.random.default_rng(2).normal(size=100)
    assert "exact" in decide("grci", x, 3 * x - 1).reason


def brute_distance(a, b, k):
    apart = np.maximum(np.abs(a[:, None] - a), np.abs(b[:, None] - b))
    np.fill_diagonal(apart, np.inf)
    return np.sort(apart, axis=1)[:, k - 1]


def brute_count(column, radius):
    return np.sum(np.abs(column[:, None] - column) <= radius[:, None], axis=1)


@given(st.integers(0, 10**6), st.integers(11, 80), st.sampled_from([1, 3, 10]), st.sampled_from([2, 7, 1000]))
@settings(max_examples=30, deadline=None)
def test_against_every_distance_with_and_without_ties(seed, n, k, values):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, values, n) / 7.0, rng.integers(0, 1 + values // 2, n) / 3.0
    radius = kth_distance(a, b, k)
    assert np.array_equal(radius, brute_distance(a, b, k))
    for column in (a, b):
        assert np.array_equal(count_within(np.sort(column), column, radius), brute_count(column, radius))


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_radii_of_any_size_around_any_centre(seed, n):
    rng = np.random.default_rng(seed)
    column, centres = np.sort(rng.integers(0, 9, n) / 3), rng.normal(1, 3, 25)
    radius = rng.choice([0.0, 1e-3, 1.0, 1e9], 25)
    expected = np.sum(np.abs(column - centres[:, None]) <= radius[:, None], axis=1)
    assert np.array_equal(count_within(column, centres, radius), expected)


def test_rows_counted_in_parts_are_the_same(monkeypatch):
    a = np.random.default_rng(6).normal(size=100)
    whole = count_within(np.sort(a), a, np.abs(a))
    monkeypatch.setattr(grci, "_ROWS_AT_ONCE", 7)
    assert np.array_equal(count_within(np.sort(a), a, np.abs(a)), whole)


def test_the_neighbour_that_defines_the_radius_is_counted():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 500))
    radius = kth_distance(a, b, 10)
    beside = np.maximum(count_within(np.sort(a), a, radius), count_within(np.sort(b), b, radius))
    assert beside.min() >= 11


def test_heavy_tails_and_the_order_of_columns_do_not_matter():
    rng = np.random.default_rng(4)
    a, b = rng.standard_cauchy((2, 300))
    assert np.array_equal(kth_distance(a, b, 10), kth_distance(b, a, 10))
    assert np.array_equal(kth_distance(a, b, 10), brute_distance(a, b, 10))


def test_against_a_k_d_tree():
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(5)
    points = rng.normal(size=(2000, 2))
    tree, _ = cKDTree(points).query(points, 11, p=np.inf)
    assert kth_distance(*points.T.copy(), 10) == pytest.approx(tree[:, -1], abs=1e-15)


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
@settings(max_examples=30, deadline=None)
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
