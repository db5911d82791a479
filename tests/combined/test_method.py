"""The default method as a whole: what is shown is what decides, and it knows when to keep silent."""

import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.special import expit

import whence
from whence.catalogue import method
from whence.combined.constants import TERMS
from whence.combined.method import Weighing, terms_of, weighing
from whence.combined.method import whence as built
from whence.decision import Decision, Direction
from whence.numerics.hsic import hsic_test
from whence.pair import FloatArray, InputError, Pair, standardise
from whence.preflight import Level, Notice

Columns = tuple[FloatArray, FloatArray]
CONTRACT = {
    *("direction", "cause", "effect", "score", "method", "n", "forward", "backward", "warnings"),
    *("confidence", "contributions", "weight", "rows_judged"),
}


def related(seed: int, n: int = 150) -> Columns:
    """One of several relations, some of them rounded."""
    rng = np.random.default_rng(seed)
    u = (rng.normal(size=n), rng.uniform(-2, 2, n), rng.gamma(2.0, size=n))[seed % 3]
    e = rng.normal(size=n)
    curves = (np.tanh(2 * u) + (0.2 + 0.2 * np.abs(u)) * e, np.sin(2 * u) + 0.5 * e, np.exp(u / 2) + 0.3 * e)
    v = (*curves, u**3 + (1 + np.abs(u) / 2) * e)[seed % 4]
    return (np.round(u, 1), np.round(v, 1)) if seed % 5 == 0 else (u, v)


def clear(seed: int, n: int = 400) -> Columns:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x, x**2 + 0.3 * rng.normal(size=n)


def series(rng: np.random.Generator, n: int, memory: float) -> FloatArray:
    shocks = rng.normal(size=n) * np.sqrt(1 - memory**2)
    shocks[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -memory], shocks))


def decide(x: FloatArray, y: FloatArray, **chosen: Any) -> Decision:
    return built(**chosen).decide_many([Pair.of(x, y)])[0]


def independent(seed: int, n: int = 200) -> Columns:
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.gamma(1.0, size=n)


seeds = st.integers(0, 10**6)
some = settings(max_examples=15)


# The sum.


@some
@given(seeds, st.integers(10, 200))
def test_the_score_is_the_weight_times_the_sum_of_the_terms(seed: int, n: int) -> None:
    found = decide(*related(seed, n))
    assert found.weight is not None and 0 < found.weight <= 1
    assert found.score == pytest.approx(found.weight * sum(found.contributions.values()), rel=1e-12)
    assert found.weight == pytest.approx(math.prod(found.weight_parts.values()), rel=1e-12)
    assert found.score == found.forward.score - found.backward.score


@some
@given(seeds)
def test_exchanging_the_columns_negates_every_term_exactly(seed: int) -> None:
    x, y = related(seed)
    one, two = decide(x, y), decide(y, x)
    assert one.contributions == {name: -value for name, value in two.contributions.items()}
    assert one.score == -two.score
    assert one.confidence == two.confidence and one.weight_parts == two.weight_parts
    assert one.forward.to_dict() == two.backward.to_dict()
    assert one.relation_p_value == two.relation_p_value and one.unrelated == two.unrelated


@given(st.dictionaries(st.sampled_from(list(TERMS)), st.floats(-1e9, 1e9), min_size=len(TERMS)))
def test_a_term_is_odd_rising_and_never_higher_than_its_height(contrasts: dict[str, float]) -> None:
    terms, against = terms_of(contrasts), terms_of({k: -v for k, v in contrasts.items()})
    more = terms_of({k: v + 0.1 * TERMS[k].width for k, v in contrasts.items()})
    for name, term in terms.items():
        assert abs(term) <= TERMS[name].height
        assert term == -against[name]
        assert more[name] >= term
        assert term * contrasts[name] >= 0


@some
@given(seeds)
def test_the_terms_are_those_of_the_contrasts(seed: int) -> None:
    x, y = related(seed)
    contrasts = weighing(Pair.of(x, y)).contrasts
    for name, term in decide(x, y).contributions.items():
        height, width = TERMS[name]
        assert term == pytest.approx(height * np.tanh(contrasts[name] / width), rel=1e-12)


@some
@given(seeds)
def test_confidence_is_the_logistic_of_the_size_of_the_score(seed: int) -> None:
    found = decide(*related(seed))
    assert found.confidence == pytest.approx(expit(abs(found.score)), rel=1e-12)


@pytest.mark.parametrize("max_rows", [100, 20_000])
@some
@given(seed=seeds)
def test_the_order_of_the_rows_changes_no_bit_of_the_record(max_rows: int, seed: int) -> None:
    x, y = related(seed, 300)
    order = np.random.default_rng(seed).permutation(300)
    one, two = decide(x, y, max_rows=max_rows), decide(x[order], y[order], max_rows=max_rows)
    assert one.to_dict() == two.to_dict()


# Who is answered.


def test_the_threshold_decides_who_is_answered() -> None:
    samples = [related(seed, 300) for seed in range(40)]
    answered = [[decide(x, y, threshold=t).status for x, y in samples].count("oriented") for t in (0.5, 0.8, 0.99)]
    assert answered[0] == sum(not decide(x, y).unrelated for x, y in samples) > 35
    assert 0 < answered[1] < answered[0]
    assert answered[2] <= 1


@some
@given(seeds, st.floats(0.5, 0.99))
def test_an_answer_is_given_from_the_threshold_on(seed: int, threshold: float) -> None:
    found = decide(*related(seed), threshold=threshold)
    assert found.confidence is not None
    assert (found.status == "oriented") == (found.confidence >= threshold and not found.unrelated)
    assert bool(found.abstention) == (found.status != "oriented")


@pytest.mark.parametrize("seed", range(8))
def test_a_clear_pair_is_answered_rightly(seed: int) -> None:
    x, y = clear(seed)
    assert whence.infer(x, y).direction is Direction.FORWARD
    assert whence.infer(y, x).direction is Direction.BACKWARD


def test_unrelated_columns_are_told_so_and_get_no_lean() -> None:
    found = whence.infer(*independent(1), threshold=0.5)
    assert found.unrelated and found.status == "unrelated"
    assert found.leaning is found.direction is Direction.UNDECIDED
    assert found.cause is found.effect is None
    assert found.verdict == "x and y are unrelated"
    assert found.explanation.startswith("Unrelated") and "confidence" not in str(found)
    assert math.isfinite(found.score) and found.relation_p_value is not None and found.relation_p_value >= 0.05


def test_independent_columns_are_told_unrelated() -> None:
    found = [decide(*independent(seed)) for seed in range(100)]
    assert sum(each.unrelated for each in found) >= 90
    assert sum(each.status == "oriented" for each in found) <= 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.poisson(1.0, (2, 500)),
        lambda rng: rng.integers(3, size=(2, 300)),
        lambda rng: rng.random((2, 300)) < [[0.3], [0.6]],
        lambda rng: rng.permuted(np.tile([0, 1], (2, 150)), axis=1),
        lambda rng: rng.permuted(np.tile([0, 1, 2], (2, 200)), axis=1),
    ],
    ids=["counts", "three values", "two values", "two balanced values", "three balanced values"],
)
def test_independent_columns_of_few_values_are_told_unrelated(draw: Callable[[np.random.Generator], Columns]) -> None:
    columns = [draw(np.random.default_rng(seed)) for seed in range(30)]
    assert sum(decide(np.array(x, float), np.array(y, float)).unrelated for x, y in columns) >= 25


def test_negating_a_fine_column_beside_a_coarse_one_changes_nothing() -> None:
    x, y = clear(0, 200)
    x = np.round(x)
    assert decide(x, -y).score == pytest.approx(decide(x, y).score, rel=1e-9)


@pytest.mark.parametrize("effect_of", [lambda x: np.tanh(x), lambda x: 0 * x])
def test_series_are_seldom_answered(effect_of: Callable[[FloatArray], FloatArray]) -> None:
    answered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = series(rng, 400, 0.97)
        answered += decide(x, effect_of(x) + 0.5 * series(rng, 400, 0.97)).status == "oriented"
    assert answered <= 2


def test_a_table_that_is_its_own_exchange_is_undecided_with_a_sentence() -> None:
    x, y = clear(3, 100)
    found = whence.infer(np.append(x, y), np.append(y, x), threshold=0.5)
    assert found.score == 0 and found.confidence == 0.5
    assert found.direction is Direction.UNDECIDED and found.status == "undecided"
    assert found.explanation


# What is shown.


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
def long_pair() -> tuple[Decision, Weighing]:
    x, y = clear(9, 25_000)
    pair = Pair.of(x, np.round(y, 2))
    return whence.infer(pair), weighing(pair)


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
    record = whence.infer(*columns).to_dict()
    assert record.keys() >= CONTRACT
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert set(record["contributions"]) == set(TERMS) == set(record["forward"]["costs"])


def test_leaving_out_a_tenth_of_the_rows_moves_the_score_little() -> None:
    moved = []
    for seed in range(12):
        x, y = related(seed, 6000)
        kept = np.random.default_rng(seed).permutation(6000) >= 600
        moved.append(abs(decide(x, y).score - decide(x[kept], y[kept]).score))
    assert np.median(moved) < 0.3


# Odd tables.


def odd_tables() -> dict[str, Columns]:
    x, y = related(1, 100)
    lone = np.append(np.zeros(99), 1.0)
    return {
        "ten rows": (x[:10], y[:10]),
        "two values": ((x > 0).astype(float), y),
        "two values twice": ((x > 0).astype(float), (y > 0).astype(float)),
        "no noise": (x, np.exp(x)),
        "no noise, ten rows": (x[:10], x[:10] ** 3),
        "a line": (x, 3 * x + 1),
        "huge units": (1e300 * x, y),
        "tiny units": (x, 1e-300 * y),
        "no units left": (1e-310 * x, 1e-310 * y),
        "one row apart": (x, lone),
        "one row far away": (np.where(lone > 0, 1e20, x), y),
    }


@pytest.mark.parametrize("name", odd_tables())
def test_odd_tables_get_an_answer_or_a_sentence(name: str) -> None:
    found = whence.infer(*odd_tables()[name])
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.explanation
    if not found.failure:
        assert math.isfinite(found.score)
        assert found.confidence is not None and 0.5 <= found.confidence < 1


@pytest.mark.parametrize("power", [-300, -40, 40, 300])
def test_units_change_no_score(power: int) -> None:
    x, y = related(2)
    assert decide(2.0**power * x, y).score == pytest.approx(decide(x, y).score, rel=1e-9)
    assert decide(x, 2.0**power * y).score == pytest.approx(decide(x, y).score, rel=1e-9)


def test_a_breakdown_becomes_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise FloatingPointError("no spread")

    monkeypatch.setattr("whence.combined.method.weighing", broken)
    found = decide(*related(1))
    assert found.status == "failed" and "no spread" in found.failure and math.isnan(found.score)


BAD = [("max_rows", 3), ("max_rows", 49), ("max_rows", 100.0), ("max_rows", "all")]
BAD += [("threshold", value) for value in (1, 1.0, 0.2, 0.499, -1.0, math.nan, math.inf)]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_bad_settings_are_refused_with_a_sentence(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"Got {name}=.* for whence; expected .+\."):
        whence.infer(*related(1), **{name: value})
    with pytest.raises(InputError, match=name):
        method("whence", **{name: value})


# infer.


def test_infer_hands_the_threshold_to_the_default_method() -> None:
    x, y = related(1)
    strict, lenient = whence.infer(x, y, threshold=0.99), whence.infer(x, y, threshold=0.5)
    assert (strict.status, lenient.status) == ("undecided", "oriented")
    assert strict.settings["threshold"] == 0.99 and "99 %" in strict.explanation
    assert whence.infer(x, y).to_dict() == whence.infer(x, y, threshold=0.8).to_dict()


def test_a_threshold_is_refused_for_a_method_without_confidence() -> None:
    with pytest.raises(InputError, match="loci-h, which gives no confidence"):
        whence.infer(*related(1), method="loci-h", threshold=0.9)


def test_a_threshold_beside_a_built_method_is_refused() -> None:
    with pytest.raises(InputError, match="'threshold'"):
        whence.infer(*related(1), method=built(), threshold=0.9)


@pytest.mark.parametrize("seed", range(4))
def test_a_linear_gaussian_pair_is_withheld_by_the_default_method_alone(seed: int) -> None:
    x, e = np.random.default_rng(seed).normal(size=(2, 400))
    found, published = (whence.infer(x, x + e, **chosen) for chosen in ({"threshold": 0.5}, {"method": "loci-h"}))
    (notice,) = (n for n in found.warnings if isinstance(n, Notice) and n.level is Level.STOPS)
    assert found.status == "undecided" and str(notice) in found.abstention
    assert found.leaning is Direction.of(found.score) is not Direction.UNDECIDED
    assert published.status == "oriented" and notice in published.warnings and not published.abstention


def test_a_harmless_notice_withholds_nothing() -> None:
    x, y = clear(2)
    order = np.argsort(x)
    found = whence.infer(x[order], y[order])
    assert found.warnings and found.direction is Direction.FORWARD


def test_printing_a_decision_mentions_its_warnings() -> None:
    x, y = clear(2, 60)
    one, two = whence.infer(x, y), whence.infer(np.sort(x), y[np.argsort(x)])
    assert len(one.warnings) == 1 and "1 warning)" in str(one)
    assert len(two.warnings) == 2 and "2 warnings)" in str(two)
    assert "warning" not in str(whence.infer(*clear(2)))
