"""Spline features against scikit-learn and SciPy, designs and band systems against dense matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline
from sklearn.preprocessing import SplineTransformer

from causewise.numerics.native import native
from causewise.numerics.splines import (
    additive_design,
    damped_cholesky,
    dense_design,
    extend_knots,
    spline_rows,
    uniform_knots,
)

cholesky = native("bool cholesky(double *band, int64_t size, int64_t width, double *factor)")
solve = native("void solve(double *factor, int64_t size, int64_t width, double *x)")
rotate_in = native(
    "double rotate_in(double *triangle, double *right, int64_t size, int64_t width, int64_t start, double *row, "
    "double target)"
)
back_substitution = native(
    "void back_substitution(double *triangle, double *right, int64_t size, int64_t width, double *x)"
)


def dense(rows):
    full = np.zeros((len(rows.first), rows.size))
    for i, (first, values) in enumerate(zip(rows.first, rows.values, strict=True)):
        full[i, first : first + len(values)] = values
    return full


@pytest.mark.parametrize("degree", [0, 1, 3, 5])
@pytest.mark.parametrize("n_knots", [2, 7, 25])
def test_same_features_as_scikit_learn(degree, n_knots):
    u = np.sort(np.random.default_rng(0).normal(3.0, 2.0, size=200))
    rows = spline_rows(u, uniform_knots(u[0], u[-1], n_knots, degree), degree)
    expected = SplineTransformer(n_knots=n_knots, degree=degree).fit_transform(u[:, None])
    # A row that sits on a knot may be given to either side of a discontinuity.
    tolerance = 1e-12 if degree > 0 else 1.0
    np.testing.assert_allclose(dense(rows), expected, atol=tolerance)


def test_uneven_knots_agree_with_scipy():
    knots = extend_knots(np.array([-1.0, 0.0, 0.2, 1.5, 4.0]), 3)
    u = np.linspace(-1.0, 3.999, 97)
    expected = BSpline.design_matrix(u, knots, 3).toarray()
    np.testing.assert_allclose(dense(spline_rows(u, knots, 3)), expected, atol=1e-13)


@given(st.integers(0, 6), st.integers(2, 30), st.floats(-50, 50), st.floats(0.01, 100))
def test_sums_to_one_and_is_positive_everywhere(degree, n_knots, low, width):
    u = np.linspace(low - width, low + 2 * width, 50)
    rows = spline_rows(u, uniform_knots(low, low + width, n_knots, degree), degree)
    np.testing.assert_allclose(rows.values.sum(axis=1), 1.0, rtol=1e-12)
    assert rows.values.min() >= 0.0
    assert rows.first.min() >= 0
    assert rows.first.max() + degree < rows.size


def test_constant_beyond_the_ends():
    knots = uniform_knots(0.0, 1.0, 5, 3)
    inside, outside = spline_rows(np.array([0.0, 1.0]), knots, 3), spline_rows(np.array([-7.0, 9.0]), knots, 3)
    np.testing.assert_array_equal(inside.values, outside.values)


def to_band(matrix, width):
    band = np.zeros((len(matrix), width + 1))
    for i in range(len(matrix)):
        for c in range(max(0, i - width), i + 1):
            band[i, width + c - i] = matrix[i, c]
    return band


@given(st.integers(1, 25), st.integers(0, 24), st.integers(0, 2**31))
def test_banded_solve_equals_the_dense_one(size, width, seed):
    width = min(width, size - 1)
    rng = np.random.default_rng(seed)
    lower = np.tril(np.triu(rng.normal(size=(size, size)), -width)) + 3.0 * np.eye(size)
    matrix, right = lower @ lower.T, rng.normal(size=size)
    band = to_band(matrix, width)
    factor, x = np.empty_like(band), right.copy()
    assert cholesky(band, size, width + 1, factor)
    solve(factor, size, width + 1, x)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, right), rtol=1e-6, atol=1e-8)


def test_an_indefinite_matrix_is_told_and_numbers_that_are_none_do_not_hang():
    band = np.array([[0.0, 1.0], [2.0, 1.0]])
    assert not cholesky(band, 2, 2, np.empty_like(band))
    assert damped_cholesky(np.full((3, 2), np.nan)) is None


def design_and_matrix(columns, seed=0):
    rng = np.random.default_rng(seed)
    inputs = np.sort(rng.normal(size=(80, columns)), axis=0)
    if columns > 1:
        inputs[:, 1:] = rng.permutation(inputs[:, 1:])
    rows = [spline_rows(np.ascontiguousarray(u), uniform_knots(u.min(), u.max(), 4, 2), 2) for u in inputs.T]
    return additive_design(rows), np.hstack([dense(r) for r in rows])


@pytest.mark.parametrize("columns", [1, 3])
def test_design_operations_equal_matrix_products(columns):
    design, matrix = design_and_matrix(columns)
    rng = np.random.default_rng(1)
    w = rng.normal(size=2 * design.size)
    even, odd = design.predict(w)
    np.testing.assert_allclose(even, matrix @ w[0::2], atol=1e-13)
    np.testing.assert_allclose(odd, matrix @ w[1::2], atol=1e-13)
    a, b = rng.uniform(size=(2, 80))
    out = design.scatter(a, b)
    np.testing.assert_allclose(out[0::2], matrix.T @ a, atol=1e-13)
    np.testing.assert_allclose(out[1::2], matrix.T @ b, atol=1e-13)


@pytest.mark.parametrize("columns", [1, 2])
def test_least_squares_is_the_projection(columns):
    design, matrix = design_and_matrix(columns, seed=2)
    rng = np.random.default_rng(3)
    v, s = rng.normal(size=80), rng.uniform(0.5, 2.0, size=80)
    beta = design.least_squares(v, s)
    expected, *_ = np.linalg.lstsq(np.sqrt(s)[:, None] * matrix, np.sqrt(s) * v, rcond=None)
    np.testing.assert_allclose(matrix @ beta[0::2], matrix @ expected, atol=1e-6)
    np.testing.assert_array_equal(beta[1::2], 0.0)


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 30), st.integers(0, 2**31))
def test_rotations_give_the_least_squares_solution_and_its_error(size, width, extra, seed):
    width = min(width, size)
    rng = np.random.default_rng(seed)
    # A ridge of one row for each unknown, then rows with `width` neighbouring entries in any order.
    starts = np.concatenate([np.arange(size), rng.integers(0, size - width + 1, extra)])
    dense, targets = np.zeros((len(starts), size)), rng.normal(size=len(starts))
    triangle, right, error = np.zeros((size, width)), np.zeros(size), 0.0
    for k, start in enumerate(starts):
        row = np.zeros(width)
        row[: 1 if k < size else width] = rng.normal(size=1 if k < size else width) + 2.0
        dense[k, start : start + width] = row[: size - start]
        error += rotate_in(triangle, right, size, width, start, row.copy(), targets[k]) ** 2
    expected = np.linalg.lstsq(dense, targets, rcond=None)[0]
    x = np.empty(size)
    back_substitution(triangle, right, size, width, x)
    np.testing.assert_allclose(x, expected, rtol=1e-6, atol=1e-6)
    assert error == pytest.approx(np.sum((targets - dense @ expected) ** 2), rel=1e-6, abs=1e-9)


def test_a_dense_design_is_the_same_one():
    rng = np.random.default_rng(3)
    inputs = np.sort(rng.uniform(-1, 1, (700, 1)), axis=0), rng.uniform(-1, 1, (700, 4))
    columns = [
        spline_rows(np.ascontiguousarray(u), uniform_knots(-1.0, 1.0, 4, 3), 3) for u in np.column_stack(inputs).T
    ]
    sparse, dense = additive_design(columns), dense_design(columns)
    w, v, s = rng.normal(size=2 * sparse.size), rng.normal(size=700), rng.uniform(0.5, 2, 700)
    np.testing.assert_allclose(dense.predict(w), sparse.predict(w), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dense.scatter(v, s), sparse.scatter(v, s), rtol=1e-9, atol=1e-9)
    fits = [each.predict(each.least_squares(v, s, 1e-3))[0] for each in (dense, sparse)]
    np.testing.assert_allclose(*fits, rtol=1e-6, atol=1e-8)
