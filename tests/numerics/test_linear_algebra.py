import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.numerics.design import additive_design
from causewise.numerics.linear import back_substitution, cholesky, damped_cholesky, rotate_in, solve
from causewise.numerics.splines import spline_rows, uniform_knots


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
    factor = cholesky(band)
    assert factor is not None
    np.testing.assert_allclose(solve(factor, right), np.linalg.solve(matrix, right), rtol=1e-6, atol=1e-8)


def test_an_indefinite_matrix_is_told_and_numbers_that_are_none_do_not_hang():
    band = np.array([[0.0, 1.0], [2.0, 1.0]])
    assert cholesky(band) is None
    assert damped_cholesky(np.full((3, 2), np.nan)) is None


def design_and_matrix(columns, seed=0):
    rng = np.random.default_rng(seed)
    inputs = np.sort(rng.normal(size=(80, columns)), axis=0)
    if columns > 1:
        inputs[:, 1:] = rng.permutation(inputs[:, 1:])
    rows = [spline_rows(np.ascontiguousarray(u), uniform_knots(u.min(), u.max(), 4, 2), 2) for u in inputs.T]
    dense = np.zeros((80, sum(r.size for r in rows)))
    offset = 0
    for r in rows:
        for i in range(80):
            dense[i, offset + r.first[i] : offset + r.first[i] + 3] = r.values[i]
        offset += r.size
    return additive_design(rows), dense


@pytest.mark.parametrize("columns", [1, 3])
def test_design_operations_equal_matrix_products(columns):
    design, dense = design_and_matrix(columns)
    rng = np.random.default_rng(1)
    w = rng.normal(size=2 * design.size)
    even, odd = design.predict(w)
    np.testing.assert_allclose(even, dense @ w[0::2], atol=1e-13)
    np.testing.assert_allclose(odd, dense @ w[1::2], atol=1e-13)
    a, b = rng.uniform(size=(2, 80))
    out = design.scatter(a, b)
    np.testing.assert_allclose(out[0::2], dense.T @ a, atol=1e-13)
    np.testing.assert_allclose(out[1::2], dense.T @ b, atol=1e-13)


@pytest.mark.parametrize("columns", [1, 2])
def test_least_squares_is_the_projection(columns):
    design, dense = design_and_matrix(columns, seed=2)
    rng = np.random.default_rng(3)
    v, s = rng.normal(size=80), rng.uniform(0.5, 2.0, size=80)
    beta = design.least_squares(v, s)
    expected, *_ = np.linalg.lstsq(np.sqrt(s)[:, None] * dense, np.sqrt(s) * v, rcond=None)
    np.testing.assert_allclose(dense @ beta[0::2], dense @ expected, atol=1e-6)
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
        error += rotate_in(triangle, right, start, row.copy(), targets[k]) ** 2
    expected = np.linalg.lstsq(dense, targets, rcond=None)[0]
    np.testing.assert_allclose(back_substitution(triangle, right), expected, rtol=1e-6, atol=1e-6)
    assert error == pytest.approx(np.sum((targets - dense @ expected) ** 2), rel=1e-6, abs=1e-9)
