import json
import math

import numpy as np
import pytest

from whence.decision import LEVEL, Decision, Direction, Evidence, Reading, percent, undecided
from whence.pair import Pair

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
        (0.4, 1e-9, Reading.FORWARD_FITS, "Only rain → river fits"),
        (1e-9, 0.4, Reading.BACKWARD_FITS, "Only river → rain fits"),
        (LEVEL, 0.4, Reading.BOTH_FIT, "Both directions fit"),
        (1e-9, 0.0, Reading.NEITHER_FITS, "Neither direction fits"),
        (None, 0.4, None, ""),
    ],
)
def test_two_tests_have_four_readings(p_forward, p_backward, reading, words):
    made = decision(1.0, p_forward, p_backward)
    assert made.reading is reading
    assert made.explanation.startswith(words)


def test_a_failure_is_undecided_and_says_why():
    failed = undecided(PAIR, "some-method", "The sky fell.")
    assert failed.direction is Direction.UNDECIDED
    assert failed.explanation == "The sky fell."
    assert failed.verdict == "undecided between rain and river"
    assert str(failed) == "undecided between rain and river (some-method, no answer, n = 12)"


def test_the_record_is_valid_json_even_without_numbers():
    text = json.dumps(undecided(PAIR, "some-method", "No.").to_dict(), allow_nan=False)
    assert json.loads(text)["score"] is None


def test_one_line_says_it_all():
    assert str(decision(0.25)) == "rain → river (some-method, score +0.25, n = 12)"
    assert repr(decision(0.25)) == "<Decision: rain → river (some-method, score +0.25, n = 12)>"


def test_a_withheld_answer_keeps_its_leaning():
    made = decision(0.4, confidence=0.6, abstention="Too few rows.")
    assert made.direction is Direction.UNDECIDED and made.leaning is Direction.FORWARD
    assert made.cause is None and made.explanation == "Too few rows."
    assert made.to_dict()["leaning"] == "x->y" and made.to_dict()["direction"] == "undecided"
    assert "60 %" in str(made)


@pytest.mark.parametrize(
    ("p_forward", "p_backward", "words"),
    [
        (0.5, 0.001, "Only rain → river fits"),
        (0.001, 0.5, "points the other way (only river → rain fits)"),
        (0.5, 0.5, "cannot tell (both directions fit)"),
        (0.001, 0.001, "fits neither way"),
    ],
)
def test_beside_a_weighed_answer_the_tests_are_one_voice_among_others(p_forward, p_backward, words):
    assert words in decision(2.0, p_forward, p_backward, confidence=0.88).explanation


def test_a_confidence_is_never_rounded_up():
    assert (percent(0.798), percent(0.9999), percent(0.8)) == ("79 %", "99 %", "80 %")
