"""Smooth functions of a column: orthonormal over its rows, whatever their law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.models.smooth_basis import Basis
from causewise.pair import standardise


@pytest.mark.filterwarnings("error")
@given(length=st.floats(0.1, 30), seed=st.integers(0, 50), n=st.integers(60, 300))
def test_functions_are_orthonormal_over_rows_of_any_tail(length, seed, n):
    column = standardise(np.exp(length * np.random.default_rng(seed).normal(size=n)))
    functions = Basis(column)(column)
    assert np.allclose(functions.mean(axis=0), 0, atol=1e-6)
    assert np.allclose(functions.T @ functions / n, np.eye(functions.shape[1]), atol=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(40))
def test_knots_within_rounding_of_each_other_are_one(seed):
    column = standardise(np.exp(20 * np.random.default_rng(seed).normal(size=150)))
    assert np.all(np.isfinite(Basis(column)(column)))
