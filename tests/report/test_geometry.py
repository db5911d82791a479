"""Thinning: what is drawn is a faithful, bounded and repeatable part of what there is."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import cKDTree
from specimens import decided, location, pair, scale

from causewise.decision import Evidence
from causewise.report.geometry import (
    MAX_CURVE,
    MAX_QUANTILES,
    SHADES,
    SortedColumn,
    bin_hexagons,
    sample_rows,
    split_pieces,
    thin_direction,
)


@given(st.integers(10, 3000), st.integers(5, 1000))
def test_rows_are_few_ascending_and_hold_the_extremes(n: int, limit: int) -> None:
    rows = pair(n)
    kept = sample_rows(rows, limit)
    assert len(kept) <= max(limit + 4, 0)
    assert np.all(np.diff(kept) > 0)
    assert {rows.x.argmin(), rows.x.argmax(), rows.y.argmin(), rows.y.argmax()} <= set(kept)
    assert np.array_equal(kept, sample_rows(rows, limit))


@pytest.mark.parametrize("n", [10, 250, 20_000])
def test_curve_is_the_fit_at_some_rows_in_order(n: int) -> None:
    rows = pair(n)
    curve = thin_direction(rows.x, rows.y, decided(rows).forward, np.arange(n)).curve
    assert curve is not None and curve.low is not None and curve.high is not None
    assert len(curve.cause) <= MAX_CURVE
    assert np.all(np.diff(curve.cause) >= 0)
    assert (curve.cause[0], curve.cause[-1]) == (rows.x.min(), rows.x.max())
    np.testing.assert_array_equal(curve.location, location(curve.cause))
    np.testing.assert_allclose(curve.high - curve.low, 4 * scale(curve.cause))


def test_quantiles_agree_with_scipy_where_nothing_is_thinned() -> None:
    rows = pair(60)
    evidence = decided(rows).forward
    drawing = thin_direction(rows.x, rows.y, evidence, np.arange(60))
    assert drawing.quantiles is not None
    normal, sample = drawing.quantiles
    assert len(normal) <= MAX_QUANTILES
    ranks = np.searchsorted(np.sort(evidence.residual), sample)
    np.testing.assert_allclose(normal, stats.norm.ppf((ranks + 0.5) / 60))


def test_drift_is_level_for_independent_noise_and_tilted_otherwise() -> None:
    cause = np.linspace(0, 1, 4000)
    noise = np.random.default_rng(1).normal(size=4000)
    level = thin_direction(cause, cause, Evidence(0.0, residual=noise), np.arange(10)).drift
    tilted = thin_direction(cause, cause, Evidence(0.0, residual=noise * (1 + 4 * cause)), np.arange(10)).drift
    assert level is not None and tilted is not None
    assert np.ptp(level.quantiles, axis=1).max() < 0.6
    assert np.ptp(tilted.quantiles[2]) > 3


def test_drift_does_not_depend_on_the_order_of_tied_rows() -> None:
    rng = np.random.default_rng(2)
    cause, noise, order = rng.integers(0, 6, 900).astype(float), rng.normal(size=900), rng.permutation(900)
    drifts = [
        thin_direction(cause[rows], noise[rows], Evidence(0.0, residual=noise[rows]), np.arange(10)).drift
        for rows in (np.arange(900), order)
    ]
    assert drifts[0] is not None and drifts[1] is not None
    np.testing.assert_allclose(drifts[0].quantiles, drifts[1].quantiles)


@pytest.mark.parametrize("bad", [np.full(120, np.nan), np.zeros(7)])
def test_arrays_that_cannot_be_drawn_are_left_out(bad: np.ndarray) -> None:
    rows = pair(120)
    drawing = thin_direction(rows.x, rows.y, Evidence(0.0, location=bad, scale=bad, residual=bad), np.arange(120))
    assert (drawing.curve, drawing.residual, drawing.drift, drawing.quantiles) == (None, None, None, None)


def test_a_curve_is_supported_by_rows_and_neither_by_a_gap_nor_by_a_far_value() -> None:
    rng = np.random.default_rng(3)
    cause = np.concatenate([rng.uniform(0, 1, 300), rng.uniform(3, 4, 300), [12.0]])
    curve = thin_direction(cause, cause, Evidence(0.0, location=cause), np.arange(10)).curve
    assert curve is not None
    alike = [
        (curve.cause[part][0], curve.cause[part][-1]) for part, supported in split_pieces(curve.supported) if supported
    ]
    np.testing.assert_allclose(alike, [(0, 1), (3, 4)], atol=0.2)


@pytest.mark.parametrize("distinct", [2, 5, 10, 400])
def test_values_that_are_few_by_nature_leave_no_gap(distinct: int) -> None:
    cause = np.arange(400.0) % distinct
    curve = thin_direction(cause, cause, Evidence(0.0, location=cause), np.arange(10)).curve
    assert curve is not None and curve.supported.all()


def test_of_a_sample_the_curve_needs_rows_in_the_sample() -> None:
    cause = np.concatenate([np.linspace(0, 1, 2000), np.linspace(1, 2, 80)])
    ends = []
    for judged in (2080, 100):
        curve = thin_direction(cause, cause, Evidence(0.0, location=cause), np.arange(10), judged).curve
        assert curve is not None
        ends.append(curve.cause[1:][curve.supported].max())
    assert ends[0] == 2
    assert ends[1] < 1.1


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_pieces_follow_one_another_and_each_is_of_one_kind(supported: list[bool]) -> None:
    found = split_pieces(np.array(supported))
    assert [found[0][0].start, found[-1][0].stop] == [0, len(supported) + 1]
    assert all(a[0].stop - 1 == b[0].start and a[1] != b[1] for a, b in itertools.pairwise(found))
    assert all(set(supported[part.start : part.stop - 1]) == {kind} for part, kind in found)


def cells(n: int, seed: int, across: float, down: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 2)) * (3.0, 100.0)
    box = (-20.0, 20.0), (-600.0, 600.0)
    shades = bin_hexagons(rows[:, 0], rows[:, 1], *box, across, down)
    centres = np.concatenate([np.column_stack([shade.x, shade.y]) for shade in shades])
    levels = np.concatenate([np.full(len(shade.x), shade.depth) for shade in shades])
    # In distances of two neighbours, in which the cells are regular.
    unit = np.array([across / 40, down / 1200])
    return rows * unit, centres * unit, levels


@given(st.integers(1, 400), st.integers(0, 99), st.floats(5, 60), st.floats(5, 60))
def test_rows_lie_in_their_nearest_cell(n: int, seed: int, across: float, down: float) -> None:
    rows, centres, _ = cells(n, seed, across, down)
    tree = cKDTree(centres)
    distance, nearest = tree.query(rows)
    assert distance.max() <= 1 / math.sqrt(3) + 1e-9  # no row is further than a corner from its centre
    assert set(nearest) == set(range(len(centres)))  # and no cell is empty


@pytest.mark.parametrize("seed", [0, 1])
def test_neighbours_are_one_apart_and_darker_cells_hold_more(seed: int) -> None:
    rows, centres, levels = cells(5000, seed, 40.0, 30.0)
    apart = cKDTree(centres).query(centres, 2)[0][:, 1]
    np.testing.assert_allclose(apart[apart < 1.5], 1.0, rtol=1e-9)
    held = np.bincount(cKDTree(centres).query(rows)[1], minlength=len(centres))
    assert {1, SHADES} <= set(levels.tolist())
    means = [held[levels == level].mean() for level in np.unique(levels)]
    assert means == sorted(means)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60))
def test_a_sorted_column_has_its_values_median_and_ranks(values: list[int]) -> None:
    column = np.array(values, dtype=float)
    in_order = SortedColumn.of(column)
    np.testing.assert_array_equal(in_order.ascending[in_order.starts], np.unique(column))
    assert in_order.median == np.median(column)
    np.testing.assert_array_equal(in_order.mid_ranks() + 1, stats.rankdata(column))
