import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.methods.baselines import grci
from causewise.methods.baselines.grci import count_within, kth_distance


def brute_distance(a, b, k):
    apart = np.maximum(np.abs(a[:, None] - a), np.abs(b[:, None] - b))
    np.fill_diagonal(apart, np.inf)
    return np.sort(apart, axis=1)[:, k - 1]


def brute_count(column, radius):
    return np.sum(np.abs(column[:, None] - column) <= radius[:, None], axis=1)


@given(st.integers(0, 10**6), st.integers(11, 80), st.sampled_from([1, 3, 10]), st.sampled_from([2, 7, 1000]))
@settings(max_examples=60, deadline=None)
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
