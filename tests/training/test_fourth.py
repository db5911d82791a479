"""The judging of a fourth term: what earns its place does, and what should not does not."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2]))

from training.fourth import LEAST_FALL, SHAPES, Change, Measured, Trial, family_interval, trials
from training.judge import Judged
from training.table import Table
from whence.combined.constants import TERMS
from whence.pair import FloatArray

FAMILIES = 10
NAMES = ("knows", "noise", "part", SHAPES)


def context(rng: np.random.Generator, n: int) -> dict[str, FloatArray]:
    """Rows that say what they can."""
    return {
        "contrasts": rng.normal(size=(n, len(TERMS))) * [8.0, 8.0, 2.0],
        "effective_rows": np.full(n, 1000.0),
        "distinct": np.full(n, 1000.0),
        "better_log_p": np.zeros(n),
        "left": np.zeros(n),
        "truth": rng.choice([-1.0, 1.0], n),
    }


def candidates(rng: np.random.Generator, truth: FloatArray) -> FloatArray:
    """One that knows something, one that knows nothing, one that has read every third pair, and shapes of no use."""
    knows = truth + rng.normal(size=len(truth))
    part = np.where(np.arange(len(truth)) % 3 == 0, truth + rng.normal(size=len(truth)), np.nan)
    return np.column_stack([knows, rng.normal(size=len(truth)), part, rng.normal(size=len(truth))])


def world(seed: int, n: int) -> Table:
    rng = np.random.default_rng(seed)
    known = context(rng, n)
    known["contrasts"][:, 0] += 4.0 * known["truth"]
    return Table(
        relation_log_p=np.full(n, -50.0),
        family=np.full(n, "made up"),
        candidates=candidates(rng, known["truth"]),
        **known,
    )


def foreign(seed: int, n: int, from_shapes: bool) -> Judged:
    rng = np.random.default_rng(seed)
    known = context(rng, n)
    tried = candidates(rng, known["truth"])
    return Judged(
        terms=known["contrasts"],
        weight=np.ones(n),
        others=np.zeros((n, 1)),
        told=np.zeros(n),
        stopped=np.zeros(n, bool),
        unrelated=np.zeros(n, bool),
        share=np.ones(n),
        family=np.array([f"family {k % FAMILIES}" for k in range(n)]),
        candidates=tried,
        shuffled=tried if from_shapes else np.where(np.isnan(tried), np.nan, rng.normal(size=tried.shape)),
        **known,
    )


@pytest.fixture(scope="module")
def worlds() -> tuple[Table, Table, Table]:
    tossed = world(3, 150)._replace(candidates=np.random.default_rng(4).normal(size=(150, len(NAMES))))
    return world(1, 450), world(2, 300), tossed


def two_columns(found: Any, k: int, shapes: int) -> Any:
    """What knows something, and shapes."""
    return found._replace(candidates=found.candidates[:, [k, shapes]])


def judged_alone(worlds: tuple[Table, Table, Table], judged: Judged, recorded: Judged | None, shapes: int) -> Trial:
    """The one that knows something, with one of the columns as shapes."""
    first, second, tossed, there = (two_columns(found, 0, shapes) for found in (*worlds, judged))
    recorded = recorded and two_columns(recorded, 0, shapes)
    there = there._replace(shuffled=there.shuffled[:, [0, shapes]])
    return trials((first, second, tossed), there, recorded, ("knows", SHAPES))[0]


def test_what_knows_something_earns_its_place_and_noise_does_not(worlds: tuple[Table, Table, Table]) -> None:
    knows, noise, part, _ = trials(worlds, foreign(5, 450, False), None, NAMES)
    assert not knows.verdict and knows.change.mean < knows.change.high < -LEAST_FALL
    assert noise.verdict and abs(noise.change.mean) < 0.01
    assert part.change.mean < 0 and part.foreign[0] != knows.foreign[0]
    assert knows.alone[0] > 75 and 40 < knows.alone[1] < 60


def test_what_is_left_on_shuffled_rows_keeps_a_candidate_out(worlds: tuple[Table, Table, Table]) -> None:
    knows = judged_alone(worlds, foreign(5, 450, True), None, shapes=3)
    assert knows.shuffled[0] == knows.shuffled[1] < 0
    assert knows.verdict == "shapes"


def test_what_repeats_the_shapes_is_kept_out(worlds: tuple[Table, Table, Table]) -> None:
    repeats = judged_alone(worlds, foreign(5, 450, False), None, shapes=0)
    assert repeats.change.mean < -LEAST_FALL and abs(repeats.beside.mean) < LEAST_FALL
    assert repeats.verdict == "shapes"


def test_the_recorded_pairs_choose_nothing(worlds: tuple[Table, Table, Table]) -> None:
    judged = foreign(5, 450, False)
    wrong = judged_alone(worlds, judged, judged._replace(truth=-judged.truth), shapes=3)
    assert wrong.recorded is not None and wrong.recorded[1].accuracy < 50
    assert wrong._replace(recorded=None).verdict == wrong.verdict == ""


@given(st.floats(-0.1, 0.1), st.floats(-0.05, 0.05), st.floats(-2, 2), st.floats(-0.2, 0.1), st.floats(-0.1, 0.1))
def test_every_part_of_the_rule_can_keep_a_candidate_out(
    change: float, high: float, points: float, shuffled: float, beside: float
) -> None:
    measures = Measured(0.6, 70.0, 80.0), Measured(0.6 + change, 70.0 + points, 80.0)
    changes = Change(change, -1.0, high), Change(beside, -1.0, 1.0)
    trial = Trial("any", (60.0, 50.0), (0.5, 0.4), measures, changes[0], (change, shuffled), changes[1], None)
    gains = change <= -LEAST_FALL and high < 0 and measures[1].accuracy >= 70.0
    taken = gains and shuffled > change / 2 and beside <= change / 2
    assert (trial.verdict == "") == taken


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_the_interval_knows_that_pairs_of_a_family_are_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    family = np.repeat([f"family {k}" for k in range(FAMILIES)], 50)
    alone, alike = rng.normal(size=500), np.repeat(rng.normal(size=FAMILIES), 50) + 0.01 * rng.normal(size=500)
    widths = [high - low for low, high in (family_interval(values, family, 200) for values in (alone, alike))]
    assert widths[1] > 2 * widths[0]
    assert widths[1] == pytest.approx(4 * np.std(alike) / FAMILIES**0.5, rel=0.4)
