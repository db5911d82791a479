"""What a decision shows: the curve and the residual at every row, which rows were judged, the fields of the record."""

import json
from functools import cache

import numpy as np
import pytest
from drawn import Columns, clear, decide, independent, related, seeds, some
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.decision import Decision, Direction
from causewise.methods.combined.method import PairEvidence, gather_evidence
from causewise.methods.combined.terms import TERMS
from causewise.numerics.hsic import hsic_test
from causewise.pair import FloatArray, Pair, standardise

CONTRACT = {
    *("direction", "cause", "effect", "score", "method", "n", "forward", "backward", "warnings"),
    *("confidence", "contributions", "weight", "rows_judged"),
}


def function_of(cause: FloatArray, values: FloatArray) -> bool:
    _, first, where = np.unique(cause, return_index=True, return_inverse=True)
    return bool(np.array_equal(values, values[first][where]))


@some
@given(seeds, st.sampled_from([60, 20_000]))
def test_the_curve_is_a_function_of_the_recorded_cause_at_every_row(seed: int, max_rows: int) -> None:
    x, y = related(seed)
    found = decide(x, y, max_rows=max_rows)
    for side, cause in ((found.forward, x), (found.backward, y)):
        assert side.location is not None and side.scale is not None and side.residual is not None
        assert len(side.location) == len(side.scale) == len(side.residual) == len(x)
        assert function_of(cause, side.location) and function_of(cause, side.scale)
        assert np.all(side.scale > 0)


@some
@given(seeds)
def test_curve_and_residual_follow_the_order_of_the_file(seed: int) -> None:
    x, y = related(seed)
    order = np.random.default_rng(seed).permutation(len(x))
    one, two = decide(x, y), decide(x[order], y[order])
    for a, b in ((one.forward, two.forward), (one.backward, two.backward)):
        assert a.location is not None and a.scale is not None and a.residual is not None and b.residual is not None
        np.testing.assert_allclose(b.location, a.location[order], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(b.scale, a.scale[order], rtol=1e-9)
        assert np.array_equal(np.sort(b.residual), np.sort(a.residual))


@some
@given(seeds, st.sampled_from([60, 20_000]))
def test_without_ties_the_residual_is_effect_minus_location_over_scale(seed: int, max_rows: int) -> None:
    x, y = (column + 1e-6 * np.random.default_rng(seed).normal(size=150) for column in related(seed))
    found = decide(1000 + 7 * x, y, max_rows=max_rows)
    for side, effect in ((found.forward, y), (found.backward, 1000 + 7 * x)):
        assert side.location is not None and side.scale is not None
        np.testing.assert_allclose(side.residual, (effect - side.location) / side.scale, rtol=1e-6, atol=1e-6)


@cache
def long_pair() -> tuple[Decision, PairEvidence]:
    x, y = clear(9, 25_000)
    pair = Pair.of(x, np.round(y, 2))
    return causewise.infer(pair), gather_evidence(pair)


def test_the_residual_of_a_long_table_is_the_tested_one() -> None:
    decision, found = long_pair()
    for side, reading, column in (
        (decision.forward, found.forward, found.rows.x),
        (decision.backward, found.backward, found.rows.y),
    ):
        assert side.residual is not None
        judged = side.residual[found.rows.kept[reading.order]]
        assert np.array_equal(judged, reading.curve.residual)
        test = hsic_test(standardise(column[reading.order]), judged)
        assert side.hsic == pytest.approx(test.statistic, rel=1e-9)
        assert side.log_p_value == pytest.approx(test.log_p_value, rel=1e-9)


def test_a_thinned_table_says_so() -> None:
    decision, found = long_pair()
    assert decision.rows_judged == len(found.rows.kept)
    assert 20_000 <= len(found.rows.kept) <= 20_004
    assert decision.thinned and decision.thinned in str(decision)
    assert decision.to_dict()["rows_judged"] == decision.rows_judged < decision.to_dict()["n"] == 25_000
    assert decision.direction is Direction.FORWARD


def test_a_sample_counts_as_no_more_rows_than_it_has() -> None:
    x, y = clear(1, 1000)
    assert decide(x, y, max_rows=100).weight_parts["rows"] < decide(x[:110], y[:110]).weight_parts["rows"]


def test_a_whole_table_does_not_say_it_is_thinned() -> None:
    found = decide(*related(1), max_rows=150)
    assert found.rows_judged == 150 and found.thinned == "" and "n = 150" in str(found)


@pytest.mark.parametrize("columns", [related(1), independent(0), clear(0)])
def test_the_record_has_the_fields_of_the_contract(columns: Columns) -> None:
    record = causewise.infer(*columns).to_dict()
    assert record.keys() >= CONTRACT
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert set(record["contributions"]) == set(TERMS) >= set(record["forward"]["costs"])


def test_leaving_out_a_tenth_of_the_rows_moves_the_score_little() -> None:
    moved = []
    for seed in range(12):
        x, y = related(seed, 6000)
        kept = np.random.default_rng(seed).permutation(6000) >= 600
        moved.append(abs(decide(x, y).score - decide(x[kept], y[kept]).score))
    assert np.median(moved) < 0.3
