"""Thinning: what is drawn is a faithful, bounded and repeatable part of what there is."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from specimens import decided, location, pair, scale

from causewise.decision import Evidence
from causewise.report.geometry import MAX_CURVE, MAX_QUANTILES, drawing_of, pieces, rows_to_draw


@given(st.integers(10, 3000), st.integers(5, 1000))
def test_rows_are_few_ascending_and_hold_the_extremes(n: int, limit: int) -> None:
    rows = pair(n)
    kept = rows_to_draw(rows, limit)
    assert len(kept) <= max(limit + 4, 0)
    assert np.all(np.diff(kept) > 0)
    assert {rows.x.argmin(), rows.x.argmax(), rows.y.argmin(), rows.y.argmax()} <= set(kept)
    assert np.array_equal(kept, rows_to_draw(rows, limit))


@pytest.mark.parametrize("n", [10, 250, 20_000])
def test_curve_is_the_fit_at_some_rows_in_order(n: int) -> None:
    rows = pair(n)
    curve = drawing_of(rows.x, rows.y, decided(rows).forward, np.arange(n)).curve
    assert curve is not None and curve.low is not None and curve.high is not None
    assert len(curve.cause) <= MAX_CURVE
    assert np.all(np.diff(curve.cause) >= 0)
    assert (curve.cause[0], curve.cause[-1]) == (rows.x.min(), rows.x.max())
    np.testing.assert_array_equal(curve.location, location(curve.cause))
    np.testing.assert_allclose(curve.high - curve.low, 4 * scale(curve.cause))


def test_quantiles_agree_with_scipy_where_nothing_is_thinned() -> None:
    rows = pair(60)
    evidence = decided(rows).forward
    drawing = drawing_of(rows.x, rows.y, evidence, np.arange(60))
    assert drawing.quantiles is not None
    normal, sample = drawing.quantiles
    assert len(normal) <= MAX_QUANTILES
    ranks = np.searchsorted(np.sort(evidence.residual), sample)
    np.testing.assert_allclose(normal, stats.norm.ppf((ranks + 0.5) / 60))


def test_drift_is_level_for_independent_noise_and_tilted_otherwise() -> None:
    cause = np.linspace(0, 1, 4000)
    noise = np.random.default_rng(1).normal(size=4000)
    level = drawing_of(cause, cause, Evidence(0.0, residual=noise), np.arange(10)).drift
    tilted = drawing_of(cause, cause, Evidence(0.0, residual=noise * (1 + 4 * cause)), np.arange(10)).drift
    assert level is not None and tilted is not None
    assert np.ptp(level.levels, axis=1).max() < 0.6
    assert np.ptp(tilted.levels[2]) > 3


def test_drift_does_not_depend_on_the_order_of_tied_rows() -> None:
    rng = np.random.default_rng(2)
    cause, noise, order = rng.integers(0, 6, 900).astype(float), rng.normal(size=900), rng.permutation(900)
    drifts = [
        drawing_of(cause[rows], noise[rows], Evidence(0.0, residual=noise[rows]), np.arange(10)).drift
        for rows in (np.arange(900), order)
    ]
    assert drifts[0] is not None and drifts[1] is not None
    np.testing.assert_allclose(drifts[0].levels, drifts[1].levels)


@pytest.mark.parametrize("bad", [np.full(120, np.nan), np.zeros(7)])
def test_arrays_that_cannot_be_drawn_are_left_out(bad: np.ndarray) -> None:
    rows = pair(120)
    drawing = drawing_of(rows.x, rows.y, Evidence(0.0, location=bad, scale=bad, residual=bad), np.arange(120))
    assert (drawing.curve, drawing.residual, drawing.drift, drawing.quantiles) == (None, None, None, None)


def test_a_curve_is_borne_by_rows_and_neither_by_a_gap_nor_by_a_far_value() -> None:
    rng = np.random.default_rng(3)
    cause = np.concatenate([rng.uniform(0, 1, 300), rng.uniform(3, 4, 300), [12.0]])
    curve = drawing_of(cause, cause, Evidence(0.0, location=cause), np.arange(10)).curve
    assert curve is not None
    alike = [(curve.cause[part][0], curve.cause[part][-1]) for part, borne in pieces(curve.borne) if borne]
    np.testing.assert_allclose(alike, [(0, 1), (3, 4)], atol=0.2)


@pytest.mark.parametrize("distinct", [2, 5, 10, 400])
def test_values_that_are_few_by_nature_leave_no_gap(distinct: int) -> None:
    cause = np.arange(400.0) % distinct
    curve = drawing_of(cause, cause, Evidence(0.0, location=cause), np.arange(10)).curve
    assert curve is not None and curve.borne.all()


def test_of_a_sample_the_curve_needs_rows_in_the_sample() -> None:
    cause = np.concatenate([np.linspace(0, 1, 2000), np.linspace(1, 2, 80)])
    ends = []
    for judged in (2080, 100):
        curve = drawing_of(cause, cause, Evidence(0.0, location=cause), np.arange(10), judged).curve
        assert curve is not None
        ends.append(curve.cause[1:][curve.borne].max())
    assert ends[0] == 2
    assert ends[1] < 1.1


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_pieces_follow_one_another_and_each_is_of_one_kind(borne: list[bool]) -> None:
    found = pieces(np.array(borne))
    assert [found[0][0].start, found[-1][0].stop] == [0, len(borne) + 1]
    assert all(a[0].stop - 1 == b[0].start and a[1] != b[1] for a, b in itertools.pairwise(found))
    assert all(set(borne[part.start : part.stop - 1]) == {kind} for part, kind in found)
