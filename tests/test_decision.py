import json
import math
from dataclasses import replace

import numpy as np
import pytest

from causewise.criteria import LEVEL, ModelCheck
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Decision, Direction, Evidence
from causewise.formatting import percent
from causewise.inference import Stability, add_warnings, infer
from causewise.pair import Pair
from causewise.protocol import record_failure

PAIR = Pair.of(np.arange(12.0), np.arange(12.0) ** 2, x_name="rain", y_name="river")


def decision(score, p_forward=None, p_backward=None, **extra):
    forward, backward = Evidence(score, p_value=p_forward), Evidence(0.0, p_value=p_backward)
    return Decision("some-method", PAIR, score, forward, backward, **extra)


@pytest.mark.parametrize(
    ("score", "direction", "cause"),
    [
        (0.1, Direction.FORWARD, "rain"),
        (-0.1, Direction.BACKWARD, "river"),
        (0.0, Direction.UNDECIDED, None),
        (math.nan, Direction.UNDECIDED, None),
        (math.inf, Direction.UNDECIDED, None),
    ],
)
def test_the_sign_of_the_score_decides(score, direction, cause):
    made = decision(score)
    assert made.direction is direction
    assert made.cause == cause
    assert made.to_dict()["direction"] == direction.value


@pytest.mark.parametrize(
    ("p_forward", "p_backward", "reading", "words"),
    [
        (0.4, 1e-9, ModelCheck.FORWARD_FITS, "Only rain → river fits"),
        (1e-9, 0.4, ModelCheck.BACKWARD_FITS, "Only river → rain fits"),
        (LEVEL, 0.4, ModelCheck.BOTH_FIT, "Both directions fit"),
        (1e-9, 0.0, ModelCheck.NEITHER_FITS, "Neither direction fits"),
        (None, 0.4, None, ""),
    ],
)
def test_two_tests_have_four_readings(p_forward, p_backward, reading, words):
    made = decision(1.0, p_forward, p_backward)
    assert made.reading is reading
    assert made.explanation.startswith(words)


def test_a_failure_is_undecided_and_says_why():
    failed = record_failure(PAIR, "some-method", "The sky fell.")
    assert failed.direction is Direction.UNDECIDED
    assert failed.explanation == "The sky fell."
    assert failed.verdict == "undecided between rain and river"
    assert str(failed) == "undecided between rain and river (some-method, no answer, n = 12)"


def test_the_record_is_valid_json_even_without_numbers():
    text = json.dumps(record_failure(PAIR, "some-method", "No.").to_dict(), allow_nan=False)
    assert json.loads(text)["score"] is None


def test_one_line_says_it_all():
    assert str(decision(0.25)) == "rain → river (some-method, score +0.25, n = 12)"
    assert repr(decision(0.25)) == "<Decision: rain → river (some-method, score +0.25, n = 12)>"


def test_a_withheld_answer_keeps_its_leaning():
    made = decision(0.4, confidence=0.61, reason="Too few rows.")
    assert made.direction is Direction.UNDECIDED and made.leaning is Direction.FORWARD
    assert made.cause is None and made.explanation == "Too few rows."
    assert made.to_dict()["leaning"] == "x->y" and made.to_dict()["direction"] == "undecided"
    assert made.leaning_names == ("rain", "river")
    assert "confidence 61 % for rain → river, score +0.4" in str(made)


def test_below_sixty_per_cent_there_is_no_usable_lean():
    made = decision(0.4, confidence=0.59, reason="No usable lean.")
    assert made.leaning_names is None and made.leaning is Direction.FORWARD
    assert str(made) == "undecided between rain and river (some-method, no usable lean, n = 12)"


def test_a_stopped_pair_has_neither_lean_nor_confidence():
    made = decision(math.nan, 0.4, 1e-9, reason="Undecided: two values only.")
    assert made.stopped and made.status == "undecided" and made.reading is made.leaning_names is None
    assert str(made) == "undecided between rain and river (some-method, n = 12)"
    record = made.to_dict()
    assert [record[name] for name in ("score", "confidence", "probabilities", "reading", "cause")] == [None] * 5
    assert record["leaning"] == "undecided" and record["explanation"] == "Undecided: two values only."
    assert not decision(0.0).stopped and not decision(math.nan, unrelated=True, reason="Unrelated.").stopped


def test_a_reason_goes_before_the_tests():
    made = decision(2.0, 0.4, 1e-9, confidence=0.88, carried_by="What speaks for it: shape.")
    assert made.explanation == "What speaks for it: shape."
    assert made.reading is ModelCheck.FORWARD_FITS


def test_unrelated_columns_have_no_direction():
    made = decision(0.4, unrelated=True, reason="Unrelated: no relation.")
    assert str(made) == "rain and river are unrelated (some-method, n = 12)"
    assert made.direction is made.leaning is Direction.UNDECIDED
    assert (made.status, made.verdict) == ("unrelated", "rain and river are unrelated")
    assert made.to_dict()["status"] == "unrelated"


@pytest.mark.parametrize(
    ("made", "status"),
    [
        (decision(0.4), "oriented"),
        (decision(0.0), "undecided"),
        (decision(0.4, reason="Too few rows."), "undecided"),
        (record_failure(PAIR, "some-method", "No."), "failed"),
    ],
)
def test_a_decision_has_one_status(made, status):
    assert made.status == made.to_dict()["status"] == status


def test_rows_left_aside_are_told():
    assert decision(0.4).thinned == decision(0.4, rows_judged=12).thinned == ""
    assert decision(0.4, rows_judged=10).thinned == "scored on 10 of 12 rows"
    assert "scored on 10 of 12 rows" in str(decision(0.4, rows_judged=10))


def test_the_record_tells_levels_and_halves_where_they_are():
    made = decision(0.4, warnings=(DataWarning("Few.", Severity.LOWERS, "few_rows"), "Slow."))
    assert made.to_dict()["warning_levels"] == ["lowers confidence", "note"]
    assert "stability" not in made.to_dict()
    record = replace(made, half_samples=Stability(0.95, 0.1, 0.4, 20)).to_dict()
    assert json.loads(json.dumps(record))["stability"] == {
        "agreement": 0.95,
        "low": 0.1,
        "high": 0.4,
        "draws": 20,
        "seed": 0,
    }


def test_a_confidence_is_never_rounded_up():
    assert (percent(0.798), percent(0.9999), percent(0.8), percent(0.58)) == ("79 %", "99 %", "80 %", "58 %")


def test_costs_are_told_where_there_are_some_and_no_number_is_null():
    assert "costs" not in Evidence(0.0).to_dict()
    assert Evidence(0.0, costs={"length": 1.5, "shape": math.nan}).to_dict()["costs"] == {"length": 1.5, "shape": None}


@pytest.mark.parametrize(("count", "words"), [(0, "n = 12)"), (1, "; 1 warning)"), (2, "; 2 warnings)")])
def test_warnings_are_counted_in_the_line(count, words):
    assert str(decision(1.0, warnings=("Beware.",) * count)).endswith(words)


def test_decisions_are_compared_by_value_arrays_and_nan_included():
    def made(last: float):
        side = Evidence(math.nan, residual=np.array([0.0, last]))
        return Decision("some-method", PAIR, math.nan, side, side)

    assert made(1.0) == made(1.0)
    assert made(1.0) != made(2.0)
    assert hash(made(1.0)) == hash(made(1.0))


@pytest.mark.parametrize(
    ("extra", "withheld"),
    [({"confidence": 0.9}, True), ({}, False), ({"confidence": 0.9, "failed": True, "reason": "It broke."}, False)],
)
def test_rows_without_a_direction_withhold_an_answer_that_has_a_confidence(extra, withheld):
    stop = DataWarning("No direction can be found.", Severity.STOPS, "exact_line")
    told = add_warnings(decision(1.0, **extra), [stop])
    assert told.reason.startswith("Undecided: No direction") == withheld
    assert stop in told.warnings
    assert math.isnan(told.score) == (told.confidence is None and bool(extra)) == withheld
    assert (told.direction is told.leaning is Direction.UNDECIDED) == (withheld or "failed" in extra)


@pytest.mark.parametrize(("own", "told"), [(None, 5), (3, 3)])
def test_the_seed_is_the_methods_own_or_else_the_one_asked_for(own, told):
    class Fixed:
        name = "fixed"

        def decide_many(self, pairs):
            return [replace(decision(1.0), seed=own) for _ in pairs]

    assert infer(PAIR, method=Fixed(), seed=5).seed == told
