"""Sums over boxes against the features of every row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.numerics import kernel
from causewise.numerics.kernel import assign_boxes, choose_pivots, cross_moments, features, own_moments


def columns(n, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_t(3, size=n), np.round(rng.normal(size=n), 1)


def assert_moments_of_the_features(a, b):
    pivots = choose_pivots(a, 0.8), choose_pivots(b, 1.3)
    f, g = features(a, pivots[0]), features(b, pivots[1])
    one, two = assign_boxes(a, pivots[0]), assign_boxes(b, pivots[1])
    found = (*own_moments(one), *own_moments(two), cross_moments(one, two))
    for ours, plain in zip(found, (f @ f.T, f.sum(axis=1), g @ g.T, g.sum(axis=1), f @ g.T), strict=True):
        np.testing.assert_allclose(ours, plain, rtol=0.0, atol=1e-8 * len(a))


@given(st.sampled_from([1, 2, 7, 8, 9, 100, 700]), st.integers(0, 2**31))
def test_moments_are_those_of_the_features(n, seed):
    assert_moments_of_the_features(*columns(n, seed))


def test_rows_may_come_in_several_parts(monkeypatch):
    monkeypatch.setattr(kernel, "_SORTED_AT_ONCE", 64)
    assert_moments_of_the_features(*columns(500, 1))


def test_boxes_beyond_the_integers_are_left_out():
    column = np.append(np.random.default_rng(2).normal(size=100), 1e30)
    boxes = assign_boxes(column, choose_pivots(column, 1.0))
    assert len(boxes.coefficients) < 50
    assert np.max(np.abs(boxes.place)) <= 1.0 + 1e-8


@given(st.integers(1, 300), st.integers(0, 2**31))
def test_sums_of_polynomials_by_box(n, seed):
    rng = np.random.default_rng(seed)
    box, place = rng.integers(0, 3, size=n), rng.uniform(-1, 1, size=n)
    sums = np.zeros((3, 16))
    kernel._add_chebyshev_sums(box, place, n, sums)
    for c in range(3):
        plain = np.polynomial.chebyshev.chebvander(place[box == c], 15).sum(axis=0)
        assert sums[c] == pytest.approx(plain, rel=1e-12, abs=1e-11)
