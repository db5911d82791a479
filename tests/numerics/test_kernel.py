"""Kernel factors against dense kernels, the median distance against a sort of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import solve_triangular

from causewise.numerics import kernel
from causewise.numerics.kernel import (
    BLOCK,
    choose_pivots,
    features,
    kernel_factor,
    median_sq_distance,
    pivoted_cholesky,
)

LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "heavy": lambda rng, n: rng.standard_t(2, size=n),
    "tied": lambda rng, n: rng.poisson(3.0, size=n).astype(float),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [40, 700])
def test_factor_reproduces_the_kernel(law, n):
    column = LAWS[law](np.random.default_rng(3), n)
    bandwidth = median_sq_distance(column)
    factor = features(column, choose_pivots(column, bandwidth))
    kernel = np.exp(-((column[:, None] - column[None, :]) ** 2) / bandwidth)
    assert np.max(np.abs(factor.T @ factor - kernel)) < 1e-9
    assert len(factor) < n


@pytest.mark.parametrize("law", LAWS)
def test_thinned_candidates_represent_every_row_of_a_long_column(law):
    column = LAWS[law](np.random.default_rng(4), 4 * BLOCK)
    factor = features(column, choose_pivots(column, median_sq_distance(column)))
    assert np.max(np.abs(1.0 - np.sum(factor**2, axis=0))) < 1e-9


@pytest.mark.parametrize("dimensions", [1, 2])
def test_points_of_any_dimension_have_a_factor(dimensions):
    points = np.random.default_rng(5).normal(size=(120, dimensions))
    factor = kernel_factor(points, 1e-10)
    kernel = np.exp(-0.5 * np.sum((points[:, None] - points[None]) ** 2, axis=2))
    assert np.max(np.abs(factor.T @ factor - kernel)) < 1e-9
    assert len(factor) < 120


def plain_cholesky(points, bandwidth, tolerance, away, alike):
    """The same algorithm on the whole kernel matrix."""
    left = np.exp(-np.sum((points[:, :, None] - points[:, None]) ** 2, axis=0) / bandwidth)
    chosen, rows, missing = [], [], np.ones(points.shape[1])
    while len(rows) < len(missing) and missing.max() > tolerance:
        ties = np.flatnonzero(missing >= missing.max() - alike)
        pivot = ties[np.argmin(away[ties])]
        row = left[pivot] / np.sqrt(missing[pivot])
        left = left - np.outer(row, row)
        missing = missing - row**2
        missing[pivot] = 0.0
        chosen.append(pivot)
        rows.append(row)
    return np.array(chosen), np.array(rows)


SIZES = st.sampled_from([1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 150])


@given(SIZES, st.integers(1, 3), st.integers(0, 2**31))
def test_pivots_and_factor_are_those_of_the_whole_matrix(n, dimensions, seed):
    # So narrow a kernel is nearly of full rank, far beyond the room that the factor has at first.
    points = np.random.default_rng(seed).normal(size=(dimensions, n))
    away = np.abs(points[0] - points[0].mean())
    chosen, factor = pivoted_cholesky(points, 0.01, 1e-3, away, 1e-14)
    plain_chosen, plain_factor = plain_cholesky(points, 0.01, 1e-3, away, 1e-14)
    np.testing.assert_array_equal(chosen, plain_chosen)
    np.testing.assert_allclose(factor, plain_factor, atol=1e-10)


def test_a_factor_made_in_many_passes_has_the_same_bits(monkeypatch):
    column = np.random.default_rng(8).normal(size=1300)
    whole = choose_pivots(column, 1e-3)
    values = features(column, whole)
    monkeypatch.setattr(kernel, "_AT_ONCE", 10**6)
    parts = choose_pivots(column, 1e-3)
    assert len(parts.points) > 100
    np.testing.assert_array_equal(parts.factor, whole.factor)
    np.testing.assert_array_equal(features(column, parts), values)


@given(SIZES, st.integers(0, 2**31))
def test_features_solve_the_triangle_of_the_pivots(n, seed):
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "TOLERANCE", 1e-4)
        pivots = choose_pivots(rng.normal(size=40), 0.5)
    column = rng.normal(size=2 * n)[::2]
    right = np.exp(-((pivots.points[:, None] - column) ** 2) / 0.5)
    np.testing.assert_allclose(
        features(column, pivots), solve_triangular(pivots.triangle, right, lower=True), atol=1e-9
    )


def test_candidates_are_the_ends_of_cells():
    s = np.array([-3.0, -2.9, -2.8, -0.1, 0.0, 0.1, 2.9, 3.0, 2.8 + 1.0])
    kept = kernel._thin_candidates(np.sort(s), 1.0)
    assert kept.tolist() == [-3.0, -2.8, -0.1, 0.1, 2.9, 3.0, 3.8]
    assert kernel._thin_candidates(np.ones(1), 1.0).tolist() == [1.0]


# The median distance.


def brute_force(column: np.ndarray, zeros: bool) -> float:
    upper = np.triu_indices(len(column), 1)
    squared = ((column[:, None] - column[None, :]) ** 2)[upper]
    counted = squared if zeros else squared[squared > 0]
    return float(np.median(counted)) if len(counted) else 0.0


@given(st.lists(st.floats(-1e6, 1e6).map(lambda v: v + 0.0), min_size=2, max_size=60), st.booleans())
def test_equals_a_sort_of_all_pairs(values, zeros):
    column = np.array(values)
    # Distances whose square underflows are zero to the brute force but not to us.
    gaps = np.abs(column[:, None] - column[None, :])
    if np.any((gaps > 0) & (gaps < 1e-150)):
        return
    assert median_sq_distance(column, zeros) == brute_force(column, zeros)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("law", ["normal", "poisson", "two values", "heavy"])
def test_equals_a_sort_of_all_pairs_on_typical_laws(law, zeros):
    rng = np.random.default_rng(1)
    column = {
        "normal": rng.normal(size=501),
        "poisson": rng.poisson(2.0, size=400).astype(float),
        "two values": rng.integers(0, 2, size=300) * 3.5,
        "heavy": rng.standard_cauchy(size=350),
    }[law]
    assert median_sq_distance(column, zeros) == brute_force(column, zeros)


def test_no_pair_to_count_gives_zero():
    assert median_sq_distance(np.ones(5)) == 0.0


def test_fewer_than_two_rows_have_no_distance():
    assert median_sq_distance(np.ones(1)) == 0.0
    assert median_sq_distance(np.empty(0), zeros=True) == 0.0


@given(st.integers(1, 90), st.integers(1, 60), st.integers(0, 2**31))
def test_distances_are_counted_and_listed_as_in_the_whole_matrix(n, levels, seed):
    rng = np.random.default_rng(seed)
    s = np.sort(rng.integers(0, levels, size=n) / 7.0 + (rng.normal(size=n) if seed % 2 else 0.0))
    every = np.sort((s[:, None] - s[None, :])[np.tril_indices(n, -1)])
    low, high = sorted(rng.choice(np.append(every, [0.0, 1.5]), size=2))
    assert kernel._pairs_within(s, n, low) == np.sum(every <= low)
    between = every[(every > low) & (every <= high)]
    found = np.empty(len(between))
    kernel._distances_between(s, n, low, high, found)
    np.testing.assert_array_equal(np.sort(found), between)
    assert kernel._next_distance(s, n, low) == min(every[every > low], default=np.inf)


@given(st.integers(2, 300), st.integers(1, 400), st.booleans(), st.integers(0, 2**31))
def test_a_bracket_narrowed_in_many_passes_holds_the_same_median(n, levels, zeros, seed):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, levels, size=n) / 8.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_ROWS_AT_ONCE", 0)
        patch.setattr(kernel, "_ENOUGH", 1)
        assert median_sq_distance(column, zeros) == brute_force(column, zeros)
