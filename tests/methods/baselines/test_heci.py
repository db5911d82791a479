"""HECI: its segmentation against brute force, and what it decides."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.methods.baselines import slope
from causewise.methods.baselines.slope import bin_factors, bin_starts, cheapest_cut
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def test_one_bin_is_polynomial_regression():
    x = np.arange(12.0)
    y = np.array([0, 3, 1, 4, 2, 6, 3, 5, 9, 4, 7, 8.0])
    u, v = x / 11, y / 9
    costs = []
    for degree in (1, 2, 3):
        error = np.sum((v - np.polyval(np.polyfit(u, v, degree), u)) ** 2)
        costs.append(12 * np.log2((error + 1e-4) / 12) + (degree + 2) * np.log2(12))
    assert decide("heci", x, y).forward.score == pytest.approx(-min(costs))


def test_a_many_to_one_effect_with_little_noise_is_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 500)
    assert decide("heci", x, x**2 + 0.02 * rng.normal(size=500)).cause == "x"


def test_pieces_with_their_own_noise_shorten_the_code():
    rng = np.random.default_rng(1)
    x = rng.random(800)
    y = np.where(x < 0.5, 0.01, 0.5) * rng.normal(size=800)
    fine, coarse = (decide(f"heci:bins={bins}", x, y).forward.score for bins in (20, 1))
    assert fine > coarse + 500


def test_values_on_the_ends_of_bins_do_not_depend_on_units():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 201, 2000).astype(float)
    y = np.round(x / 10 + rng.normal(size=2000) * (1 + x / 50), 1)
    scores = [decide("heci", x * unit, y).score for unit in (1.0, 0.1, 1 / 3, 1e-5)]
    assert np.ptp(scores) < 1e-6


def test_few_distinct_causes_are_fitted_by_what_they_determine():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 100).astype(float)
    y = x + 0.1 * rng.normal(size=100)
    v = (y - y.min()) / np.ptp(y)
    error = sum(np.sum((v[x == k] - v[x == k].mean()) ** 2) for k in (0, 1))
    expected = 100 * np.log2((error + 1e-4) / 100) + 3 * np.log2(100)
    assert decide("heci", x, y).forward.score == pytest.approx(-expected)


def brute_cost(u, v, floor, penalty):
    costs = []
    for degree in (1, 2, 3):
        basis = np.vander(u, degree + 1)
        error = np.sum((v - basis @ np.linalg.lstsq(basis, v, rcond=None)[0]) ** 2)
        costs.append(len(u) * np.log2((error + floor) / len(u)) + (degree + 2) * penalty)
    return min(costs)


def brute_cut(u, v, edges, floor, penalty):
    inner = edges[1:-1]
    best = np.inf
    for chosen in range(2 ** len(inner)):
        cuts = [edges[0], *(e for k, e in enumerate(inner) if chosen >> k & 1), edges[-1]]
        best = min(best, sum(brute_cost(u[a:b], v[a:b], floor, penalty) for a, b in pairwise(cuts)))
    return best


@pytest.mark.parametrize("seed", range(5))
def test_the_cheapest_cut_is_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    u = np.sort(rng.random(120))
    v = np.where(u < 0.4, 5 * u**2, 1 - u) + np.where(u < 0.7, 0.02, 0.3) * rng.normal(size=120)
    starts = bin_starts(u, 6, 10, 0.0, False)
    edges = np.append(starts, 120)
    found = cheapest_cut(*bin_factors(u, v, starts), np.diff(edges), 3, 1e-4, np.log2(120))
    assert found == pytest.approx(brute_cut(u, v, list(edges), 1e-4, np.log2(120)), abs=1e-8)


def plain_starts(u, bins, support, edge, cut_ties):
    starts, step = [0], (u[-1] - u[0]) / bins
    end, passed, distinct = u[0] + step, 1, 0
    for i in range(len(u)):
        fresh = i == 0 or u[i] != u[i - 1]
        if u[i] > end + edge and passed < bins:
            if distinct >= support and (fresh or cut_ties):
                starts.append(i)
                distinct = 0
            passed, end = passed + 1, end + step
        distinct += fresh or i == starts[-1]
    return starts[:-1] if distinct < support and len(starts) > 1 else starts


@given(
    st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([3, 25, 10**6]), st.integers(1, 80), st.integers(1, 9)
)
def test_bins_are_those_of_the_plain_loop(seed, n, values, bins, support):
    u = np.sort(np.random.default_rng(seed).integers(0, values, n) / values)
    for edge, cut_ties in ((0.0, True), (1e-9, False)):
        assert bin_starts(u, bins, support, edge, cut_ties).tolist() == plain_starts(u, bins, support, edge, cut_ties)


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 5))
def test_factors_are_those_of_least_squares(seed, n, bins):
    rng = np.random.default_rng(seed)
    u, v = np.sort(rng.random(n)), rng.normal(size=n)
    starts = np.unique(np.append(0, rng.integers(0, n, bins - 1)))
    triangles, rights, errors = bin_factors(u, v, starts)
    for b, rows in enumerate(np.split(np.arange(n), starts[1:])):
        basis = np.vander(u[rows], 4, increasing=True)
        assert np.sum(rights[b] ** 2) + errors[b] == pytest.approx(np.sum(v[rows] ** 2))
        dense = np.array([np.append(np.zeros(j), triangles[b, j, : 4 - j]) for j in range(4)])
        np.testing.assert_allclose(dense.T @ dense, basis.T @ basis, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(dense.T @ rights[b], basis.T @ v[rows], rtol=1e-9, atol=1e-9)


def test_a_cut_found_in_parts_is_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    u, v = np.sort(rng.random(300)), rng.normal(size=300)
    starts = bin_starts(u, 12, 10, 0.0, False)
    given = *bin_factors(u, v, starts), np.diff(np.append(starts, 300)), 3, 1e-4, np.log2(300)
    whole = cheapest_cut(*given)
    monkeypatch.setattr(slope, "_MERGES_AT_ONCE", 25)
    assert cheapest_cut(*given) == whole


@given(st.integers(0, 10**6), st.integers(30, 200), st.sampled_from([25, 60, 10**6]), st.integers(2, 20))
@settings(max_examples=30, deadline=None)
def test_bins_hold_enough_distinct_values_and_part_no_ties(seed, n, values, bins):
    u = np.sort(np.random.default_rng(seed).integers(0, values, n) / values)
    starts = bin_starts(u, bins, 10, 1e-9, False)
    assert starts[0] == 0
    assert np.all(np.diff(starts) > 0)
    pieces = np.split(u, starts[1:])
    assert len(pieces) <= bins
    assert len(pieces) == 1 or min(len(np.unique(piece)) for piece in pieces) >= 10
    assert all(a[-1] < b[0] for a, b in pairwise(pieces))


def test_even_data_fall_into_even_bins():
    u = (np.arange(1000) + 0.5) / 1000
    assert np.array_equal(bin_starts((u - u[0]) / (u[-1] - u[0]), 20, 10, 0.0, False), np.arange(0, 1000, 50))


def test_a_value_on_the_edge_belongs_below_it_whatever_its_last_bit():
    u = np.repeat(np.arange(201) / 200, 3)
    nudged = np.clip(u + 1e-13, 0, 1)
    assert np.array_equal(bin_starts(u, 20, 10, 1e-9, False), bin_starts(nudged, 20, 10, 1e-9, False))


def test_few_distinct_values_make_one_bin():
    assert np.array_equal(bin_starts(np.repeat([0.0, 0.5, 1.0], 50), 20, 10, 1e-9, False), [0])
