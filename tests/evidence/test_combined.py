"""The combined method and the controls: properties of every answer, and the reasons it gives for doubt."""

import numpy as np
import pytest

from whence.catalogue import method
from whence.decision import Decision, Direction
from whence.evidence.channels import CHANNELS
from whence.evidence.doubt import LOW
from whence.evidence.kinds import KINDS
from whence.pair import InputError, Pair


def _decide(pair: Pair, name: str = "whence") -> Decision:
    (decision,) = method(name).decide_many([pair])
    return decision


@pytest.fixture(scope="module")
def clear() -> Pair:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    return Pair.of(x, np.tanh(2 * x) + x**2 + 0.3 * rng.normal(size=500))


@pytest.fixture(scope="module")
def unclear() -> Pair:
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    return Pair.of(x, x + rng.normal(size=80), x_name="tide", y_name="moon")


def test_a_clear_pair_gets_a_confident_right_answer(clear: Pair) -> None:
    decision = _decide(clear)
    assert decision.direction is Direction.FORWARD
    assert decision.confidence is not None and decision.confidence > 0.9


def test_exchanging_the_columns_negates_the_score_and_every_contribution(clear: Pair) -> None:
    one, two = _decide(clear), _decide(clear.swapped())
    assert one.score == -two.score and one.confidence == two.confidence
    assert all(one.contributions[k] == -v for k, v in two.contributions.items())


def test_the_score_is_forward_minus_backward_and_confidence_its_logistic(clear: Pair) -> None:
    decision = _decide(clear)
    assert decision.score == decision.forward.score - decision.backward.score
    assert decision.confidence == pytest.approx(1 / (1 + np.exp(-abs(decision.score))))


def test_both_sides_carry_the_evidence_of_the_plotted_fit(clear: Pair) -> None:
    decision = _decide(clear)
    reference = _decide(clear, "loci-h")
    for ours, theirs in ((decision.forward, reference.forward), (decision.backward, reference.backward)):
        assert (ours.hsic, ours.p_value, ours.log_likelihood) == (theirs.hsic, theirs.p_value, theirs.log_likelihood)
        assert ours.residual is not None and len(ours.residual) == clear.n


def test_an_unclear_pair_is_left_undecided_with_a_reason(unclear: Pair) -> None:
    decision = _decide(unclear)
    assert decision.confidence is not None and decision.confidence < LOW
    assert decision.direction is Direction.UNDECIDED and decision.leaning is Direction.of(decision.score)
    assert "80 rows are few" in decision.abstention


def test_coarse_columns_are_named() -> None:
    rng = np.random.default_rng(2)
    level = np.round(rng.normal(size=300))
    decision = _decide(Pair.of(level, level + rng.normal(size=300), x_name="grade"))
    assert decision.confidence is not None
    assert ("grade has only" in decision.abstention) == (decision.confidence < LOW)
    assert decision.leaning is not Direction.UNDECIDED


def test_ten_rows_and_two_values_still_get_an_answer_or_a_sentence() -> None:
    decision = _decide(Pair.of([0, 1] * 5, np.arange(10.0)))
    assert decision.failure or np.isfinite(decision.score)


def test_a_senseless_setting_is_refused() -> None:
    with pytest.raises(InputError, match="max_rows=3"):
        method("whence:max_rows=3")


def test_controls_follow_the_marginals_only() -> None:
    rng = np.random.default_rng(3)
    round_column, heavy = np.round(rng.uniform(-2, 2, 400), 1), rng.standard_t(3, 400)
    pair = Pair.of(round_column, heavy)
    for name in ("control-distinct", "control-kurtosis", "control-gaussian"):
        assert _decide(pair, name).score > 0
        shuffled = Pair.of(round_column, rng.permutation(heavy))
        assert _decide(shuffled, name).score == _decide(pair, name).score


def test_ten_rows_and_no_noise_get_an_answer() -> None:
    rng = np.random.default_rng(5)
    few, line = rng.normal(size=10), rng.normal(size=200)
    for pair in (Pair.of(few, few**2 + rng.normal(size=10)), Pair.of(line, 2 * line + 1)):
        decision = _decide(pair)
        assert not decision.failure and np.isfinite(decision.score)
        turned = _decide(Pair.of(pair.y, pair.x))
        assert turned.score == -decision.score


def test_every_channel_has_a_name_to_read() -> None:
    assert set(KINDS) == set(CHANNELS)
