import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline
from sklearn.preprocessing import SplineTransformer

from causewise.numerics.splines import extend_knots, spline_rows, uniform_knots


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
