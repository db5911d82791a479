"""A score is printed in digits that add up, in every sentence the same ones; so are the three outcomes."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from specimens import SPECIMENS, pair, weighed

from causewise.formatting import percent
from causewise.methods.combined import terms
from causewise.methods.combined.outcomes import in_units
from causewise.report.decision_wording import score, sentence, use_rounded_digits
from causewise.report.measures import list_factors, list_measures, list_terms
from causewise.report.pair_numbers import pair_numbers
from causewise.report.provenance import paragraph
from causewise.report.score_bars import REACH, WIDTH, outcome_bar, round_score, round_together, stack_terms

HALF = Fraction(1, 200)
TERMS = st.lists(st.floats(-20, 20), min_size=1, max_size=4)
FACTORS = st.lists(st.floats(0.05, 1.0), min_size=1, max_size=3)


def exact(text: str) -> Fraction:
    return Fraction(text.replace("−", "-"))


def weight_of(parts: list[float]) -> float:
    return math.prod(parts)


@given(TERMS, FACTORS)
def test_what_is_printed_adds_up(values: list[float], parts: list[float]) -> None:
    weight = weight_of(parts)
    found = round_together(dict(zip("abcd", values, strict=False)), weight, dict(zip("pqr", parts, strict=False)))
    assert found is not None
    assert sum(map(exact, found.terms.values())) == exact(found.total)
    assert abs(exact(found.weight) * exact(found.total) - exact(found.score)) <= HALF


@given(TERMS, FACTORS)
def test_what_is_printed_is_true_to_its_last_digit(values: list[float], parts: list[float]) -> None:
    weight = weight_of(parts)
    found = round_together(dict(zip("abcd", values, strict=False)), weight, {})
    assert found is not None
    unit = Fraction(1, 100)
    total = sum(map(Fraction, values))
    assert abs(exact(found.score) - Fraction(weight) * total) <= HALF
    assert abs(exact(found.total) - total) < unit
    assert all(abs(exact(text) - Fraction(v)) < unit for text, v in zip(found.terms.values(), values, strict=True))
    digits = len(found.weight.split(".")[1])
    assert 2 <= digits <= 4
    assert abs(exact(found.weight) - Fraction(weight)) <= Fraction(1, 10_000 if digits == 4 else 2 * 10**digits)


@given(TERMS, FACTORS)
def test_the_other_way_round_the_same_digits_stand_with_the_other_sign(values: list[float], parts: list[float]) -> None:
    weight, named = weight_of(parts), dict(zip("abcd", values, strict=False))
    there, back = round_together(named, weight, {}), round_together({k: -v for k, v in named.items()}, weight, {})
    assert there is not None and back is not None
    assert exact(there.score) == -exact(back.score)


@given(FACTORS)
def test_the_factors_multiply_to_the_weight(parts: list[float]) -> None:
    found = round_together({"a": 1.0}, weight_of(parts), dict(zip("pqr", parts, strict=False)))
    assert found is not None
    product = math.prod(map(exact, found.factors.values()))
    assert abs(product - exact(found.weight)) <= Fraction(1, 10 ** len(found.weight.split(".")[1]))


def test_a_line_by_hand() -> None:
    found = round_together({"description": 1.24, "recording": 0.03, "shape": 0.72}, 0.94, {"rows": 0.94})
    assert str(found) == (
        "description length +1.24, recording +0.03, shape +0.72; sum +1.99 × weight 0.94 = score +1.87"
    )


def test_terms_that_each_round_down_share_what_is_lost() -> None:
    found = round_together({"a": 0.0149, "b": 0.0148, "c": 0.0147}, 1.0, {})
    assert found is not None
    assert (found.terms, found.total) == ({"a": "+0.02", "b": "+0.01", "c": "+0.01"}, "+0.04")


@pytest.mark.parametrize("kind", ["clear", "score only", "failed", "stopped", "confident without a reason"])
def test_other_scores_are_no_sum(kind: str) -> None:
    assert round_score(SPECIMENS[kind]) is None
    assert list_terms(SPECIMENS[kind]) == list_factors(SPECIMENS[kind]) == ()


@pytest.mark.parametrize("wrong", [{"score": 9.0}, {"weight": None}, {"weight": 1.5}, {"contributions": {}}])
def test_a_sum_that_does_not_hold_is_not_shown(wrong: dict[str, float]) -> None:
    assert round_score(replace(SPECIMENS["confident"], **wrong)) is None


def test_a_term_of_nothing_has_no_row() -> None:
    decision = weighed(pair(), (1.2, 0.0, -0.3, 0.0))
    assert [row.name for row in list_terms(decision)] == ["Description length", "Recording"]
    assert "regression" not in str(round_score(decision))
    assert round_score(weighed(pair(), (0.0, 0.0, 0.0, 0.0))) is None


@given(st.tuples(*[st.floats(-3, 3)] * 4).filter(lambda values: all(values) and abs(sum(values)) > 1e-6))
def test_every_sentence_has_the_digits_of_the_sum(values: tuple[float, float, float, float]) -> None:
    decision = weighed(pair(), values)
    found = round_score(decision)
    assert found is not None
    # The sum is towards x → y, the sentence towards the direction that it favours.
    told = re.search(r"description length \(([+−]?[\d.]+)", use_rounded_digits(decision.carried_by, decision))
    assert told is not None
    assert exact(told[1]) == (1 if decision.score > 0 else -1) * exact(found.terms["description"])
    assert str(found) in paragraph(decision)
    assert score(decision) == found.score
    assert [row.term for row in list_terms(decision)] == list(found.terms.values())
    assert "Score" not in [row.name for row in list_measures(decision)]


@pytest.mark.parametrize("kind", ["confident", "confident backward", "withheld", "unrelated"])
def test_the_reason_comes_from_the_sum_and_not_from_the_tests(kind: str) -> None:
    assert not re.search(r"fits", sentence(SPECIMENS[kind]))


def test_small_p_values_are_powers() -> None:
    decision = SPECIMENS["withheld"]
    assert use_rounded_digits("The tests reject both (p = 5.4e-06 and 1e-12).", decision).endswith(
        "(p = 5.4×10⁻⁶ and 1×10⁻¹²)."
    )
    assert use_rounded_digits("b1e-05 is a name", decision) == "b1e-05 is a name"


def test_the_axis_of_the_bars_is_the_same_for_every_pair() -> None:
    large, small = stack_terms([3.0, 2.0], 1.0), stack_terms([0.3, 0.2], 1.0)
    assert large.zero == small.zero == WIDTH / 2
    assert small.score.width == pytest.approx(0.1 * large.score.width, abs=0.02)
    beyond = stack_terms([-400.0], 1.0)
    assert (beyond.score.x, beyond.score.width) == (0.0, WIDTH / 2)


def test_no_sum_of_the_default_method_passes_the_axis() -> None:
    assert sum(term.height for term in terms.TERMS.values()) <= REACH


shares = st.floats(0, 0.99).flatmap(
    lambda neither: st.floats(0.5, 1).map(lambda ahead: (ahead * (1 - neither), (1 - ahead) * (1 - neither), neither))
)


@given(shares, st.integers(1, 200))
def test_units_add_up_and_the_lead_is_rounded_down(values: tuple[float, float, float], units: int) -> None:
    lead, other, neither = in_units(*values, units=units)
    assert lead + other + neither == units
    assert lead == math.floor(units * values[0] + 1e-9) and other <= lead
    assert all(abs(whole - units * share) < 2 for whole, share in zip((lead, other, neither), values, strict=True))


@given(shares)
def test_what_is_ruled_out_gets_nothing(values: tuple[float, float, float]) -> None:
    lead = values[0] / (values[0] + values[1])
    assert in_units(lead, 1 - lead, 0.0)[2] == 0


@pytest.mark.parametrize("kind", ["confident", "confident backward", "direct", "withheld", "no usable lean"])
def test_the_bar_holds_the_probabilities_the_likelier_direction_first(kind: str) -> None:
    decision = SPECIMENS[kind]
    bar = outcome_bar(decision)
    assert bar is not None and bar.threshold == 0.8
    assert [part.kind for part in bar.parts] == ["leading", "other", "neither"]
    assert sorted(part.value for part in bar.parts) == sorted(decision.probabilities.values())
    leading = bar.parts[0]
    assert leading.value == decision.confidence and leading.text == percent(leading.value)
    x_first = leading.name == "altitude → temperature"
    assert x_first == (decision.score > 0)
    assert sum(int(part.text.removesuffix(" %")) for part in bar.parts) == 100


@given(st.floats(0.5, 0.9999), st.floats(0.5, 0.99))
def test_the_bar_reaches_its_mark_where_an_answer_is_given(confidence: float, threshold: float) -> None:
    ways = {"x->y": confidence, "y->x": 1 - confidence, "neither": 0.0}
    bar = outcome_bar(replace(weighed(pair(), threshold=threshold), confidence=confidence, probabilities=ways))
    assert bar is not None
    assert bar.cells(100)[0] >= math.floor(100 * threshold + 1e-9) or confidence < threshold


@pytest.mark.parametrize("kind", ["clear", "failed", "unrelated", "stopped", "tie", "confident without a reason"])
def test_without_outcomes_there_is_no_bar(kind: str) -> None:
    assert outcome_bar(SPECIMENS[kind]) is None
    assert pair_numbers(SPECIMENS[kind])["outcomes"] is None


def test_a_page_gets_the_parts_and_the_threshold() -> None:
    found = pair_numbers(SPECIMENS["withheld"])
    parts = found["outcomes"]["parts"]
    assert [part["text"] for part in parts] == ["72 %", "18 %", "10 %"]
    assert sum(part["value"] for part in parts) == pytest.approx(1, abs=2e-4)
    assert found["outcomes"]["threshold"] == 0.8 and found["sum"]["reach"] == REACH
