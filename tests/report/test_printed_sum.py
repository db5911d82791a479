"""A score that is a sum is printed in digits that add up, and every sentence uses the same digits."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from specimens import SPECIMENS, pair, weighed

from causewise.report.measures import factors, measures, terms
from causewise.report.printed_sum import printed_sum, round_together, with_printed_digits
from causewise.report.provenance import paragraph
from causewise.report.stance import sentence
from causewise.report.summary import score

HALF = Fraction(1, 200)
TERMS = st.lists(st.floats(-20, 20), min_size=1, max_size=4)
FACTORS = st.lists(st.floats(0.05, 1.0), min_size=1, max_size=3)


def exact(text: str) -> Fraction:
    return Fraction(text.replace("−", "-"))


def weight_of(parts: list[float]) -> float:
    return math.prod(parts)


@settings(max_examples=400)
@given(TERMS, FACTORS)
def test_what_is_printed_adds_up(values: list[float], parts: list[float]) -> None:
    weight = weight_of(parts)
    found = round_together(dict(zip("abcd", values, strict=False)), weight, dict(zip("pqr", parts, strict=False)))
    assert found is not None
    assert sum(map(exact, found.terms.values())) == exact(found.total)
    assert abs(exact(found.weight) * exact(found.total) - exact(found.score)) <= HALF


@settings(max_examples=400)
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


@settings(max_examples=400)
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
    assert printed_sum(SPECIMENS[kind]) is None
    assert terms(SPECIMENS[kind]) == factors(SPECIMENS[kind]) == ()


@pytest.mark.parametrize("wrong", [{"score": 9.0}, {"weight": None}, {"weight": 1.5}, {"contributions": {}}])
def test_a_sum_that_does_not_hold_is_not_shown(wrong: dict[str, float]) -> None:
    assert printed_sum(replace(SPECIMENS["confident"], **wrong)) is None


def test_a_term_of_nothing_has_no_row() -> None:
    decision = weighed(pair(), (1.2, 0.0, -0.3, 0.0))
    assert [row.name for row in terms(decision)] == ["Description length", "Recording"]
    assert "regression" not in str(printed_sum(decision))
    assert printed_sum(weighed(pair(), (0.0, 0.0, 0.0, 0.0))) is None


@given(st.tuples(*[st.floats(-3, 3)] * 4).filter(lambda values: all(values) and abs(sum(values)) > 1e-6))
def test_every_sentence_has_the_digits_of_the_sum(values: tuple[float, float, float, float]) -> None:
    decision = weighed(pair(), values)
    found = printed_sum(decision)
    assert found is not None
    # The sum is towards x → y, the sentence towards the direction that it favours.
    told = re.search(r"description length \(([+−]?[\d.]+)", with_printed_digits(decision.carried_by, decision))
    assert told is not None
    assert exact(told[1]) == (1 if decision.score > 0 else -1) * exact(found.terms["description"])
    assert str(found) in paragraph(decision)
    assert score(decision) == found.score
    assert [row.term for row in terms(decision)] == list(found.terms.values())
    assert "Score" not in [row.name for row in measures(decision)]


@pytest.mark.parametrize("kind", ["confident", "confident backward", "withheld", "unrelated"])
def test_the_reason_comes_from_the_sum_and_not_from_the_tests(kind: str) -> None:
    assert not re.search(r"fits", sentence(SPECIMENS[kind]))


def test_small_p_values_are_powers() -> None:
    decision = SPECIMENS["withheld"]
    assert with_printed_digits("The tests refuse both (p = 5.4e-06 and 1e-12).", decision).endswith(
        "(p = 5.4×10⁻⁶ and 1×10⁻¹²)."
    )
    assert with_printed_digits("b1e-05 is a name", decision) == "b1e-05 is a name"
