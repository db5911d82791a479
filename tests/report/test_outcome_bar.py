"""One bar of three parts: whole per cent that add up, the confidence rounded down, the mark where answers begin."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from specimens import SPECIMENS, pair, weighed

from causewise.decision import percent
from causewise.methods.combined.outcomes import in_units
from causewise.report.outcome_bar import outcome_bar
from causewise.report.pair_numbers import pair_numbers
from causewise.report.sparks import REACH

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
