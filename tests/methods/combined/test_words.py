"""The sentences: the largest term is named, the lean and both tests are told, and so is what lowers the weight."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.decision import USABLE, Evidence
from causewise.methods.combined.outcomes import ReliabilityWeight, in_units, probabilities
from causewise.methods.combined.words import KINDS, Account, explain_abstention, explain_score, say_unrelated
from causewise.pair import Pair

DEPENDENT, FEW, COARSE = "resemble their neighbours", "rows are few", "distinct values"
LIMITS = (DEPENDENT, FEW, COARSE)
number = st.floats(-3, 3).filter(lambda value: abs(value) > 1e-6)
terms = st.fixed_dictionaries(dict.fromkeys(KINDS, number))


def side(p: float) -> Evidence:
    return Evidence(0.0, p_value=math.exp(p) if p < -1 else p, log_p_value=p if p < -1 else math.log(p))


def account(
    terms: dict[str, float] | None = None,
    n: int = 1000,
    distinct: tuple[int, int] = (900, 800),
    effective: float | None = None,
    weight: ReliabilityWeight | None = None,
    p: tuple[float, float] = (0.4, 0.012),
    threshold: float = 0.99,
    prior: float = 0.1,
    skewed: bool = False,
) -> Account:
    x = np.exp(np.linspace(0, 9, n)) if skewed else np.linspace(-1, 1, n)
    found = {"description": 0.9, "shape": -0.2, "recording": 0.01, "regression": 0.0} if terms is None else terms
    weight = weight or ReliabilityWeight(0.97, 0.99)
    score = weight.product * sum(found.values())
    sides = side(p[0]), side(p[1])
    pair = Pair.of(x, x**3, x_name="rain", y_name="river")
    chances = probabilities(score, 0.01, 0.0, prior)
    return Account(pair, sides, found, weight, score, chances, threshold, distinct, effective or float(n))


def percentages(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"(\d+) %", text)]


# The reason.


@given(terms)
def test_every_reason_names_the_largest_term(terms: dict[str, float]) -> None:
    given = account(terms)
    largest = max(terms, key=lambda kind: abs(terms[kind]))
    assert (KINDS[largest] in explain_score(given)) == (given.score != 0)
    # A term that speaks for the direction named is positive, whichever direction that is.
    assert f"({math.copysign(1, given.score) * terms[largest]:+.2f}" in explain_score(given) or given.score == 0


@given(terms)
def test_terms_for_the_lean_come_before_those_against_it(terms: dict[str, float]) -> None:
    given = account(terms)
    if given.score == 0:
        return
    text, way = explain_score(given), "rain → river" if given.score > 0 else "river → rain"
    assert text.startswith(f"What speaks for {way}: ")
    favour, _, against = text.partition("Against it:")
    for kind, term in terms.items():
        assert KINDS[kind] not in (against if term * given.score > 0 else favour)
    assert "(-" not in favour and "(+" not in against


@given(terms)
def test_the_terms_in_favour_are_named_by_size(terms: dict[str, float]) -> None:
    given = account(terms)
    favour = explain_score(given).partition("Against it:")[0]
    named = sorted((k for k in KINDS if KINDS[k] in favour), key=lambda k: favour.index(KINDS[k]))
    assert [abs(terms[k]) for k in named] == sorted((abs(terms[k]) for k in named), reverse=True)


def test_trifles_are_not_named() -> None:
    text = explain_score(account({"description": 1.0, "shape": -0.05, "recording": 0.05, "regression": 0.0}))
    assert [kind for kind in KINDS if KINDS[kind] in text] == ["description"]


@pytest.mark.parametrize("seed", range(6))
def test_the_reason_of_a_decision_names_its_largest_term(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, size=120)
    found = causewise.infer(x, np.sqrt(x) + 0.2 * x * rng.normal(size=120), threshold=0.5, direct=True)
    largest = max(found.contributions, key=lambda kind: abs(found.contributions[kind]))
    assert KINDS[largest] in found.carried_by == found.explanation


# Why no answer is given.


@given(terms, st.sampled_from([0.0, 0.1, 0.4]))
def test_an_undecided_sentence_tells_the_lean_both_p_values_and_the_threshold(
    terms: dict[str, float], prior: float
) -> None:
    given = account(terms, prior=prior)
    text = explain_abstention(given)
    if given.score == 0 or given.confidence >= given.threshold:
        assert text == ""
        return
    assert "0.4" in text and "0.012" in text
    if given.confidence < USABLE:
        assert text.startswith("Undecided: there is no usable lean to either side.")
        assert percentages(text.partition("Next step")[0]) == []
        return
    assert text.startswith(f"Undecided: the evidence leans towards {given.lean} with a confidence of ")
    ways = given.probabilities["x->y"], given.probabilities["y->x"]
    lead, _, neither = in_units(max(ways), min(ways), given.probabilities["neither"])
    assert percentages(text.partition("asked for")[0]) == [lead, *[neither] * (neither > 0), 99]


@given(terms)
def test_terms_that_disagree_are_named_with_their_signs(terms: dict[str, float]) -> None:
    given = account(terms)
    told = re.search(r"The terms disagree: (.*) speaks? for (.* → \w+), (.*) against it\.", explain_abstention(given))
    if told is None:
        return
    assert told[2] == given.lean
    assert "(-" not in told[1] and "(+" in told[1]
    assert "(-" in told[3] and "(+" not in told[3]


@given(terms, st.sampled_from([(0.4, 0.012), (1e-4, 1e-5), (0.3, 0.2)]), st.sampled_from([100, 1000]), st.booleans())
def test_there_is_one_next_step(terms: dict[str, float], p: tuple[float, float], n: int, skewed: bool) -> None:
    given = account(terms, n=n, p=p, skewed=skewed, threshold=0.8)
    assert explain_abstention(given).count("Next step:") == bool(explain_abstention(given))


def test_the_most_promising_step_comes_first() -> None:
    sure = {"description": 1.7, "shape": 0.0, "recording": 0.0, "regression": 0.0}
    weak = sure | {"description": 0.3}
    rejected = (1e-4, 1e-5)
    steps = {
        "--direct": account(sure, threshold=0.8),
        "logarithms": account(weak, p=rejected, skewed=True),
        "collect more": account(weak, n=100),
        "split the rows": account(weak, p=rejected),
        "comes first in time": account(weak),
    }
    for words, shown in steps.items():
        assert words in explain_abstention(shown).partition("Next step:")[2]


@pytest.mark.parametrize(
    ("p", "told"),
    [
        ((0.4, 0.012), "leave rain → river standing alone (p = 0.4 against 0.012)"),
        ((0.012, 0.4), "leave river → rain standing alone (p = 0.4 against 0.012)"),
        ((0.4, 0.3), "Both directions are compatible with the data (p = 0.4 and 0.3)"),
        ((0.03, 0.02), "reject both directions (p = 0.03 and 0.02)"),
        ((-700.0, -1000.0), "reject both directions (p = 1e-305 and 1e-435)"),
    ],
)
def test_the_tests_are_told_as_they_turned_out(p: tuple[float, float], told: str) -> None:
    assert told in explain_abstention(account(p=p))


@pytest.mark.parametrize("seed", range(5))
def test_the_sentence_of_a_decision_has_its_own_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=80)
    found = causewise.infer(x, x**3 + 3 * rng.normal(size=80), threshold=0.99)
    assert found.status == "undecided"
    for side in (found.forward, found.backward):
        assert f"{side.p_value:.2g}" in found.explanation
    lean = "x → y" if found.score > 0 else "y → x"
    assert lean in found.explanation or "no usable lean" in found.explanation


def test_an_answer_needs_no_excuse() -> None:
    given = account()
    assert explain_abstention(given._replace(threshold=given.confidence)) == ""
    assert explain_abstention(given._replace(threshold=np.nextafter(given.confidence, 1))) != ""


def test_unrelated_columns_are_told_with_their_p_value_and_without_a_lean() -> None:
    text = say_unrelated(account().pair, math.log(0.37))
    assert text.startswith("Unrelated") and "p = 0.37" in text and "→" not in text
    assert "rain" in text and "river" in text


# What lowers the weight.


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ((), account()),
        ((DEPENDENT,), account(effective=40.0, weight=ReliabilityWeight(0.5, 0.99))),
        ((FEW,), account(n=60, distinct=(60, 60), weight=ReliabilityWeight(0.6, 0.97))),
        ((COARSE,), account(distinct=(900, 4), weight=ReliabilityWeight(0.97, 0.67))),
        ((DEPENDENT, COARSE), account(effective=40.0, distinct=(3, 900), weight=ReliabilityWeight(0.5, 0.6))),
    ],
)
def test_what_lowers_the_weight_is_named_and_nothing_else(told: tuple[str, ...], given: Account) -> None:
    for text in (explain_score(given), explain_abstention(given).partition("Next step")[0]):
        assert {limit for limit in LIMITS if limit in text} == set(told)


def test_dependent_rows_are_told_with_what_they_are_worth() -> None:
    text = explain_score(account(effective=40.2, weight=ReliabilityWeight(0.5, 0.99)))
    assert "the 1000 rows" in text and "count as about 40 independent ones" in text


def test_thousands_of_dependent_rows_are_not_worth_a_word() -> None:
    assert DEPENDENT not in explain_score(account(n=10_000, effective=4000.0, weight=ReliabilityWeight(0.99, 0.99)))


@pytest.mark.parametrize(("distinct", "name"), [((3, 900), "rain has only 3"), ((900, 3), "river has only 3")])
def test_the_coarser_column_is_named(distinct: tuple[int, int], name: str) -> None:
    assert name in explain_score(account(distinct=distinct, weight=ReliabilityWeight(0.97, 0.6)))


def test_real_tables_get_the_word_that_applies() -> None:
    rng = np.random.default_rng(0)
    x, e = rng.normal(size=(2, 600))
    y = x**2 + 0.5 * e
    assert FEW in causewise.infer(x[:40], y[:40]).explanation
    assert COARSE in causewise.infer((x > 0).astype(float), x + e).explanation
    drift = np.cumsum(0.2 * x) + 0.1 * e
    assert DEPENDENT in causewise.infer(np.cumsum(x), drift + np.cumsum(e)).explanation
