"""exp and tanh for compiled loops, against the C library."""

import math

import numpy as np
import pytest
from numba import njit

from whence.models.network import elementary
from whence.models.network.elementary import exp, tanh


@njit
def _tanh_all(values):
    return np.array([tanh(value) for value in values], dtype=values.dtype)


@njit
def _exp_all(values):
    return np.array([exp(value) for value in values])


@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 5e-16), (np.float32, 3e-7)])
def test_tanh_has_the_stated_absolute_error(dtype, error):
    z = np.concatenate([np.linspace(-30, 30, 20001), np.linspace(-0.1, 0.1, 5001), [1e6, -1e6, 0.0]]).astype(dtype)
    assert np.max(np.abs(_tanh_all(z).astype(np.float64) - np.tanh(z.astype(np.float64)))) < error


def test_exp_has_the_relative_error_of_its_argument():
    x = np.linspace(-690, 690, 20001)
    assert np.max(np.abs(_exp_all(x) / np.exp(x) - 1) / (1 + np.abs(x))) < 4e-16


def test_exp_beyond_its_range_is_huge_or_tiny_but_never_wraps_round():
    big, small = _exp_all(np.array([1e9, -1e9]))
    assert big > 1e300
    assert 0 <= small < 1e-300


def test_the_same_functions_work_uncompiled():
    assert elementary.exp(1.0) == pytest.approx(math.e, rel=1e-15)
    assert elementary.tanh(0.5) == pytest.approx(math.tanh(0.5), abs=1e-15)


def test_nan_stays_nan():
    assert np.isnan(_tanh_all(np.array([np.nan]))).all()
