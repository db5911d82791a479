"""Halves of the rows: the same seed gives the same halves, and the method that is repeated is the decision's own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import causewise
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Decision, Direction, Evidence
from causewise.errors import InputError
from causewise.inference import BLOCK, MOST_DRAWS, Stability, half_samples
from causewise.pair import FloatArray, Pair


def clear(n: int = 400) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, n)
    return x, x**3 + 0.2 * rng.normal(size=n)


def weak(n: int = 101) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    return x, np.tanh(x) + rng.normal(size=n)


def scored(pair: Pair, score: float, **extra: Any) -> Decision:
    return Decision("recorder", pair, score, Evidence(score=score / 2), Evidence(score=-score / 2), **extra)


def failed(pair: Pair) -> Decision:
    return scored(pair, math.nan, failed=True, reason="The method broke down on this pair.")


@dataclass
class Recorder:
    """A method that keeps the pairs it is asked about; its score is the mean of x, and none where that is negative."""

    name: str = "recorder"
    seen: list[Pair] = field(default_factory=list)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        self.seen += pairs
        return [scored(pair, float(pair.x.mean())) if pair.x.mean() >= 0 else failed(pair) for pair in pairs]


def numbered(n: int, dependent: bool = False) -> Decision:
    """A decision whose x column is the number of the row."""
    pair = Pair.of(np.arange(n), np.arange(n) ** 2 % 7, x_name="rain", y_name="river")
    notice = DataWarning("Neighbours resemble each other.", Severity.LOWERS, "dependent_rows")
    return scored(pair, 1.0, warnings=(notice,) if dependent else ())


def drawn_rows(decision: Decision, draws: int = 5, seed: int = 0) -> list[FloatArray]:
    recorder = Recorder()
    half_samples(decision, draws, seed, recorder)
    return [pair.x for pair in recorder.seen]


def test_the_same_seed_gives_the_same_result_and_another_another() -> None:
    decision = causewise.infer(*weak())
    one, same, other = (decision.stability(8, seed) for seed in (0, 0, 1))
    assert one == same
    assert (one.low, one.high) != (other.low, other.high)
    assert (one.draws, one.seed, other.seed) == (8, 0, 1)


@pytest.mark.parametrize("name", ["causewise", "loci-h", "loci-h:n_knots=5"])
def test_it_is_what_a_loop_over_halves_finds(name: str) -> None:
    x, y = weak()
    decision = causewise.infer(x, y, method=name)
    rng, scores = np.random.default_rng(3), []
    for _ in range(6):
        rows = np.sort(rng.choice(101, 51, replace=False))
        scores.append(causewise.infer(x[rows], y[rows], method=name).score)
    agreement = np.mean(np.sign(scores) == np.sign(decision.score))
    assert decision.stability(6, seed=3) == Stability(agreement, min(scores), max(scores), 6, 3, tuple(scores))


@pytest.mark.parametrize("name", ["causewise", "loci-h"])
def test_a_very_clear_pair_agrees_with_itself(name: str) -> None:
    for columns in (clear(), clear()[::-1]):
        found = causewise.infer(*columns, method=name).stability(10)
        assert found.agreement == 1.0 and found.draws == 10
        assert found.low <= found.high and found.low * found.high > 0


def test_a_clear_pair_agrees_although_its_answer_is_withheld() -> None:
    found = causewise.infer(*clear(), threshold=0.99)
    assert found.direction is Direction.UNDECIDED
    assert found.stability(5).agreement == 1.0


def test_the_decisions_settings_are_those_of_its_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def method(name: str, **settings: object) -> Recorder:
        asked.append((name, settings))
        return Recorder()

    x, y = weak()
    decision = causewise.infer(x + 10, y, max_rows=60, threshold=0.9)
    monkeypatch.setattr("causewise.inference.build_method", method)
    decision.stability(3)
    replace(decision, method="cgnn", settings={}, seed=5).stability(3)
    assert asked == [("causewise", dict(decision.settings)), ("cgnn", {"seed": 5})]
    assert {"max_rows": 60, "threshold": 0.9}.items() <= decision.settings.items()


def test_a_half_is_half_of_the_rows_in_their_order_each_once() -> None:
    for n in (40, 41):
        for rows in drawn_rows(numbered(n), draws=20):
            assert len(rows) == (n + 1) // 2
            assert np.all(np.diff(rows) > 0)


def test_halves_differ_and_every_row_is_in_about_half_of_them() -> None:
    halves = drawn_rows(numbered(60), draws=200)
    assert len({tuple(half) for half in halves}) == 200
    share = np.bincount(np.concatenate(halves).astype(int), minlength=60) / 200
    assert np.all(np.abs(share - 0.5) < 5 * 0.5 / np.sqrt(200))


def test_dependent_rows_are_drawn_in_blocks() -> None:
    n = 20 * BLOCK + 7
    plain, blocks = drawn_rows(numbered(n)), drawn_rows(numbered(n, dependent=True))
    assert all(runs(half) > n // 8 for half in plain)
    for half in blocks:
        assert runs(half) <= 10
        assert n / 2 - 2 * BLOCK < len(half) < n / 2 + 2 * BLOCK
    assert len({tuple(half) for half in blocks}) == len(blocks)


def runs(rows: FloatArray) -> int:
    return 1 + int(np.count_nonzero(np.diff(rows) > 1))


def test_short_tables_are_drawn_row_by_row_even_where_rows_depend() -> None:
    assert all(runs(half) > 20 for half in drawn_rows(numbered(4 * BLOCK - 1, dependent=True)))


def test_infer_finds_the_notice_that_asks_for_blocks() -> None:
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(size=400))
    decision = causewise.infer(x, np.sin(x) + np.cumsum(rng.normal(size=400)))
    recorder = Recorder()
    half_samples(replace(decision, pair=Pair.of(np.arange(400), decision.pair.y)), 4, 0, recorder)
    assert all(runs(pair.x) <= 4 for pair in recorder.seen)


def test_names_travel_with_the_halves() -> None:
    recorder = Recorder()
    half_samples(numbered(40), 1, 0, recorder)
    assert (recorder.seen[0].x_name, recorder.seen[0].y_name) == ("rain", "river")


def test_halves_without_an_answer_are_left_out_of_the_count() -> None:
    rng = np.random.default_rng(0)
    columns = Pair.of(rng.normal(size=60), rng.normal(size=60))
    found = half_samples(replace(numbered(60), pair=columns), 40, 0, Recorder())
    assert 0 < found.draws < 40
    assert found.low >= 0 and found.agreement == 1.0


@pytest.mark.parametrize("draws", [0, -1, MOST_DRAWS + 1, 2.0, "ten", None])
def test_bad_draws_are_refused_with_a_sentence(draws: Any) -> None:
    with pytest.raises(InputError, match=r"Got draws=.*; expected a whole number from 1 to 1000\."):
        causewise.infer(*weak()).stability(draws)


@pytest.mark.parametrize("seed", [-1, 0.5, "zero", None])
def test_bad_seeds_are_refused_with_a_sentence(seed: Any) -> None:
    with pytest.raises(InputError, match=r"Got seed=.*; expected a whole number from 0 to .*\."):
        causewise.infer(*weak()).stability(2, seed)


def test_a_failed_decision_is_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="nothing to repeat"):
        failed(Pair.of(*weak())).stability()


def test_too_few_rows_for_a_half_are_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="too few"):
        causewise.infer(*weak(14)).stability(3)


def test_what_was_found_stands_in_the_record() -> None:
    decision = causewise.infer(*weak())
    found = decision.stability(4)
    assert "stability" not in decision.to_dict()
    assert replace(decision, half_samples=found).to_dict()["stability"] == found.to_dict()


def test_where_a_warning_stops_the_answer_there_is_no_lean_to_repeat(tmp_path) -> None:
    x, y = clear()
    stopped = causewise.infer(x, 1.0 * (y > 0))
    with pytest.raises(InputError, match="nothing to repeat"):
        stopped.stability()
    stopped.report(tmp_path / "page.html", stability=True)
    assert (tmp_path / "page.html").exists()
