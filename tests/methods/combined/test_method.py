"""The default method as a sum: what is shown is what decides, whatever the units and however odd the table."""

import json
import math

import numpy as np
import pytest
from drawn import Columns, decide, related, seeds, some
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import causewise
from causewise.catalogue import method
from causewise.errors import InputError
from causewise.methods.combined.method import NEITHER_PRIOR, THRESHOLD, gather_evidence
from causewise.methods.combined.outcomes import BACKWARD, FORWARD, NO_DIRECTION, probabilities
from causewise.methods.combined.terms import TERMS, compute_terms
from causewise.pair import Pair

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
    turned = {FORWARD: BACKWARD, BACKWARD: FORWARD, NO_DIRECTION: NO_DIRECTION}
    assert one.probabilities == {turned[way]: chance for way, chance in two.probabilities.items()}
    assert one.forward.to_dict() == two.backward.to_dict()
    assert one.dependence_p == two.dependence_p and one.unrelated == two.unrelated


@given(st.fixed_dictionaries(dict.fromkeys(TERMS, st.floats(-1e9, 1e9))), st.floats(0, 1))
def test_a_term_is_odd_rising_and_never_higher_than_its_height(contrasts: dict[str, float], repeats: float) -> None:
    terms, against = compute_terms(contrasts, repeats), compute_terms({k: -v for k, v in contrasts.items()}, repeats)
    more = compute_terms({k: v + 0.1 * TERMS[k].width for k, v in contrasts.items()}, repeats)
    for name, term in terms.items():
        assert abs(term) <= TERMS[name].height
        assert term == -against[name]
        assert more[name] >= term
        assert term * contrasts[name] >= 0


@some
@given(seeds)
def test_the_terms_are_those_of_the_contrasts(seed: int) -> None:
    x, y = related(seed)
    found = gather_evidence(Pair.of(x, y))
    assert decide(x, y).contributions == compute_terms(found.contrasts, found.recording.share)


def test_where_no_value_repeats_two_terms_say_nothing() -> None:
    x, y = related(1)
    found = decide(x, y)
    assert found.contributions["recording"] == found.contributions["regression"] == 0
    assert "regression" not in found.forward.costs


@given(st.floats(-1e9, 1e9), st.floats(0, 1))
def test_how_columns_are_recorded_gives_no_answer_alone(contrast: float, repeats: float) -> None:
    silent = dict.fromkeys(TERMS, 0.0)
    score = sum(compute_terms(silent | {"recording": contrast}, repeats).values())
    assert expit(abs(score)) < THRESHOLD
    assert compute_terms(silent | {"recording": contrast}, repeats, recording=False)["recording"] == 0


# The outcomes.

scores = st.floats(-30, 30)
lefts = st.floats(0, 5)
shares = st.floats(0, 1)
priors = st.floats(0, 0.99)


@given(scores, lefts, shares, priors)
def test_three_outcomes_add_up_to_one(score: float, left: float, share: float, prior: float) -> None:
    chances = probabilities(score, left, share, prior)
    assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
    assert all(0 <= chance <= 1 for chance in chances.values())
    assert (chances[FORWARD] >= chances[BACKWARD]) == (score >= 0) or chances[FORWARD] == chances[BACKWARD]


@given(scores.filter(bool), lefts, shares, priors)
def test_exchanging_the_columns_exchanges_the_directions_bit_for_bit(
    score: float, left: float, share: float, prior: float
) -> None:
    there, back = probabilities(score, left, share, prior), probabilities(-score, left, share, prior)
    assert (there[FORWARD], there[BACKWARD]) == (back[BACKWARD], back[FORWARD])
    assert there[NO_DIRECTION] == back[NO_DIRECTION]


@given(scores, lefts, shares, st.floats(0.01, 0.98))
def test_the_more_often_there_is_no_direction_the_less_sure_is_one(
    score: float, left: float, share: float, prior: float
) -> None:
    one, more = probabilities(score, left, share, prior), probabilities(score, left, share, prior + 0.01)
    assert more[NO_DIRECTION] > one[NO_DIRECTION] or one[NO_DIRECTION] < 1e-9
    assert max(more[FORWARD], more[BACKWARD]) <= max(one[FORWARD], one[BACKWARD])


@some
@given(seeds)
def test_without_a_prior_the_confidence_is_the_logistic_of_the_size_of_the_score(seed: int) -> None:
    x, y = related(seed)
    direct, none = decide(x, y, direct=True), decide(x, y, neither=0.0)
    assert direct.to_dict() == none.to_dict()
    assert direct.probabilities[NO_DIRECTION] == 0
    assert direct.confidence == pytest.approx(expit(abs(direct.score)), rel=1e-12)


@some
@given(seeds)
def test_an_answer_is_given_from_the_threshold_on(seed: int) -> None:
    found = decide(*related(seed))
    assert found.settings["neither"] == NEITHER_PRIOR
    assert found.confidence == max(found.probabilities[FORWARD], found.probabilities[BACKWARD])
    assert (found.status == "oriented") == (found.confidence >= THRESHOLD)


@some
@given(seeds)
def test_turning_a_column_over_changes_nothing(seed: int) -> None:
    """Also where both are rounded and values repeat."""
    x, y = related(seed)
    for u, v in ((x, y), (np.round(x, 1), np.round(y, 1))):
        plain = decide(u, v)
        for turned in (decide(-u, v), decide(u, -v)):
            assert turned.score == pytest.approx(plain.score, rel=1e-9, abs=1e-9)
            assert turned.probabilities == pytest.approx(plain.probabilities, abs=1e-9)


@pytest.mark.parametrize("max_rows", [100, 20_000])
@some
@given(seed=seeds)
def test_the_order_of_the_rows_changes_no_bit_of_the_record(max_rows: int, seed: int) -> None:
    x, y = related(seed, 300)
    order = np.random.default_rng(seed).permutation(300)
    one, two = decide(x, y, max_rows=max_rows), decide(x[order], y[order], max_rows=max_rows)
    assert one.to_dict() == two.to_dict()


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
    found = causewise.infer(*odd_tables()[name])
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.explanation
    if found.confidence is None:
        assert not found.probabilities
    else:
        assert math.isfinite(found.score) and sum(found.probabilities.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("power", [-300, -40, 40, 300])
def test_units_change_no_score(power: int) -> None:
    x, y = related(2)
    for u, v in ((x, y), (np.round(x, 1), np.round(y, 1))):
        plain = decide(u, v).score
        assert decide(2.0**power * u, v).score == pytest.approx(plain, rel=1e-9)
        assert decide(u, 2.0**power * v).score == pytest.approx(plain, rel=1e-9)


def test_a_breakdown_becomes_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise FloatingPointError("no spread")

    monkeypatch.setattr("causewise.methods.combined.method.gather_evidence", broken)
    found = decide(*related(1))
    assert found.status == "failed" and "no spread" in found.reason and math.isnan(found.score)


BAD = [("max_rows", 3), ("max_rows", 49), ("max_rows", 100.0), ("max_rows", "all")]
BAD += [("threshold", value) for value in (1, 1.0, 0.2, 0.499, -1.0, math.nan, math.inf)]
BAD += [("neither", value) for value in (-0.1, 1.0, math.nan, True)] + [("direct", 1), ("recording", 0)]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_bad_settings_are_refused_with_a_sentence(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"Got {name}=.* for causewise; expected .+\."):
        causewise.infer(*related(1), **{name: value})
    with pytest.raises(InputError, match=name):
        method("causewise", **{name: value})
