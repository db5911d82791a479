"""Knowledge and data in one row: the direction of the one, the numbers of the other."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit

from causewise.knowledge.background import Knowledge, PairStatement
from causewise.scanning.scan_row import ScanRow, apply_knowledge

SCORES = st.floats(-30, 30)
THRESHOLDS = st.floats(0.5, 0.99)
STATEMENTS = st.one_of(
    st.builds(
        PairStatement,
        direction=st.sampled_from(["x->y", "y->x"]),
        why=st.just("'a' before 'b'"),
        required=st.booleans(),
    ),
    st.just(PairStatement(unrelated=True, why="'a' forbidden to cause 'b', 'b' forbidden to cause 'a'")),
    st.builds(PairStatement, log_odds=SCORES, why=st.just("'a' to cause 'b'")),
)
ANSWER = {"x->y": ("a", "b"), "y->x": ("b", "a"), "undecided": (None, None)}
ODDS = {"cause", "effect", "direction", "status", "confidence", "reason", "is_given"}
WHY = "'a' to cause 'b'"
NEITHER = st.floats(0, 0.99)
FORWARD = PairStatement("x->y", why=WHY)
STOPPED = ScanRow("a", "b", 100, 0, 9.0, 1e-9, 1e-8, "undecided", reason="Undecided: a straight line.")
"""Of a pair whose answer a warning stops."""


def scored_row(score, threshold=0.8, neither=0.0):
    """The row of a method with three outcomes."""
    confidence = (1.0 - neither) / (1.0 + math.exp(-abs(score)))
    direction = "undecided" if score == 0 or confidence < threshold else "x->y" if score > 0 else "y->x"
    status = "undecided" if direction == "undecided" else "oriented"
    cause, effect = ANSWER[direction]
    return ScanRow(
        "a", "b", 100, 0, 9.0, 1e-9, 1e-8, status, direction, cause, effect, confidence, neither, score, score
    )


@st.composite
def rows(draw):
    row = scored_row(draw(SCORES), neither=draw(NEITHER))
    kind = draw(st.sampled_from(["scored", "no confidence", "stopped", "unrelated", "failed"]))
    if kind == "no confidence":
        return replace(row, confidence=None, neither=None, reason="Only one test rejects.")
    if kind == "stopped":
        return STOPPED
    if kind == "unrelated":
        return ScanRow("a", "b", 100, 3, 1.0, 0.4, 0.5, "unrelated", reason="No relation.")
    return ScanRow("a", "b", 4, 0, reason="Got 4 rows.") if kind == "failed" else row


@given(rows(), STATEMENTS, THRESHOLDS)
def test_the_fields_of_a_row_agree(row, statement, threshold):
    found = apply_knowledge(row, statement, threshold)
    assert (found.cause, found.effect) == ANSWER[found.direction]
    assert (found.status == "oriented") == (found.direction != "undecided")
    if found.confidence is not None and found.direction != "undecided":
        sign = 1 if found.direction == "x->y" else -1
        score = row.score if found.is_given else found.score
        assert math.isclose(found.confidence, (1 - found.neither) * expit(sign * score), rel_tol=1e-12)
    assert row.reason in found.reason


@given(rows(), STATEMENTS, THRESHOLDS)
def test_hard_knowledge_is_obeyed_exactly_and_leaves_the_numbers(row, statement, threshold):
    assume(not statement.log_odds)
    found = apply_knowledge(row, statement, threshold)
    related = row.status in ("oriented", "undecided")
    if statement.unrelated:
        assert found.status == "unrelated"
    elif statement.direction and (statement.required or related):
        assert found.direction == statement.direction
    else:
        assert found == row
    assert replace(found, **{name: getattr(row, name) for name in ODDS}) == row


@given(rows(), STATEMENTS, THRESHOLDS)
def test_what_the_data_do_not_say_themselves_is_given(row, statement, threshold):
    found = apply_knowledge(row, statement, threshold)
    soft = statement.direction is None and not statement.unrelated
    same = (found.status, found.direction) == (row.status, row.direction)
    by_the_data = same or (soft and found.cause is None)
    assert found.is_given == (not by_the_data)
    assert found.outcome == (found.status if by_the_data else "given")


@given(SCORES, NEITHER, st.sampled_from(["x->y", "y->x"]))
def test_confidence_is_the_data_s_own_where_they_agree_and_the_rest_where_not(score, neither, direction):
    row = scored_row(score, neither=neither)
    found = apply_knowledge(row, PairStatement(direction, why="'a' before 'b'"), 0.8)
    if score == 0 or (score > 0) == (direction == "x->y"):
        assert found.confidence == row.confidence
    else:
        assert math.isclose(found.confidence, 1 - neither - row.confidence, abs_tol=1e-15)
        assert found.confidence < 0.5 or abs(score) < 1e-15


@given(SCORES, SCORES, THRESHOLDS, NEITHER)
def test_soft_knowledge_is_a_term_of_the_score_and_leaves_neither(score, odds, threshold, neither):
    assume(odds != 0)
    row = scored_row(score, threshold, neither)
    found = apply_knowledge(row, PairStatement(log_odds=odds, why=WHY), threshold)
    expected = scored_row(score + odds, threshold, neither)
    for name in ("status", "direction", "cause", "effect", "score", "neither"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.is_given or found.confidence == expected.confidence
    assert (found.given, found.description, found.weight) == (odds, row.description, row.weight)


@given(SCORES, SCORES, NEITHER)
def test_the_outcomes_add_up_to_one_whatever_is_believed(score, odds, neither):
    found = apply_knowledge(scored_row(score, neither=neither), PairStatement(log_odds=odds, why=WHY), 0.8)
    ways = [apply_knowledge(found, PairStatement(way, why=WHY), 0.8).confidence for way in ("x->y", "y->x")]
    assert math.isclose(sum(ways) + found.neither, 1.0)
    assert found.is_given or math.isclose(max(ways), found.confidence)


@given(rows(), THRESHOLDS)
def test_nothing_known_changes_nothing(row, threshold):
    assert apply_knowledge(row, PairStatement(), threshold) is row


@given(rows(), STATEMENTS, THRESHOLDS)
def test_exchanging_the_columns_exchanges_the_answer(row, statement, threshold):
    turn = {"x->y": "y->x", "y->x": "x->y"}

    def turned(one):
        score = None if one.score is None else -one.score
        log_odds = None if one.given is None else -one.given
        return replace(
            one, x=one.y, y=one.x, direction=turn.get(one.direction, one.direction), score=score, given=log_odds
        )

    other = statement._replace(direction=turn.get(statement.direction), log_odds=-statement.log_odds)
    assert turned(apply_knowledge(row, statement, threshold)) == apply_knowledge(turned(row), other, threshold)


def test_soft_knowledge_without_log_odds_to_add_it_to_is_said_to_be_unused():
    row = replace(scored_row(0.01), status="oriented", direction="x->y", cause="a", effect="b", confidence=None)
    found = apply_knowledge(row, PairStatement(log_odds=-5.0, why=WHY), 0.8)
    assert "not used" in found.reason
    assert replace(found, reason="") == row


def test_soft_knowledge_opens_no_answer_that_the_rows_forbid():
    found = apply_knowledge(STOPPED, PairStatement(log_odds=9.0, why=WHY), 0.8)
    assert replace(found, reason=STOPPED.reason) == STOPPED
    assert "not used" in found.reason
    told = apply_knowledge(STOPPED, FORWARD, 0.8)
    assert (told.direction, told.confidence, told.score) == ("x->y", None, None)


@pytest.mark.parametrize(
    ("stated", "status"), [("before", "unrelated"), ("required", "oriented"), ("forbidden", "unrelated")]
)
def test_only_a_required_edge_joins_unrelated_columns(stated, status):
    row = ScanRow("a", "b", 100, 0, 1.0, 0.4, 0.5, "unrelated")
    assert apply_knowledge(row, Knowledge.of({stated: [["b", "a"]]}, ["a", "b"]).on("a", "b"), 0.8).status == status


def test_the_message_says_what_is_known_and_what_the_data_say():
    row = replace(scored_row(0.5), reason="Undecided: 62 %.")
    found = apply_knowledge(row, Knowledge.of({"before": [["a", "b"]]}, ["a", "b"]).on("a", "b"), 0.8)
    assert found.reason == "Given: 'a' before 'b'. The data alone: Undecided: 62 %."
