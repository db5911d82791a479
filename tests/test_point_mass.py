"""Point masses: which rows are scored, and what is said of it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.column_types import are_common_steps, drop_point_masses
from causewise.data_checks import Severity
from causewise.decision import Decision, Direction
from causewise.pair import FEW_ROWS, Pair

SEEDS = st.integers(0, 2**32 - 1)


def rainfall(seed: int, share: float = 0.4, n: int = 600) -> Pair:
    """A river that is dry in a share of the rows."""
    rng = np.random.default_rng(seed)
    rain = rng.uniform(0, 4, n)
    river = 3 + np.sin(2 * rain) + (0.1 + 0.2 * rain) * rng.normal(size=n)
    return Pair.of(rain, np.where(rng.random(n) < share, 0.0, river), x_name="rain", y_name="river")


@given(SEEDS, st.floats(0.2, 0.7))
@settings(max_examples=20, deadline=None)
def test_the_rest_is_every_row_but_those_of_the_point_mass(seed: int, share: float) -> None:
    pair = rainfall(seed, share)
    rest = drop_point_masses(pair)
    assert rest is not None
    np.testing.assert_array_equal(rest.x, pair.x[pair.y != 0])
    np.testing.assert_array_equal(rest.y, pair.y[pair.y != 0])
    assert (rest.x_name, rest.y_name) == ("rain", "river")


def test_the_answer_is_that_of_the_rows_handed_in_alone() -> None:
    pair = rainfall(0)
    wet = pair.y != 0
    found, alone = (
        causewise.infer(pair),
        causewise.infer(Pair.of(pair.x[wet], pair.y[wet], x_name="rain", y_name="river")),
    )
    assert found.direction is Direction.FORWARD
    assert (found.score, found.confidence, found.pair) == (alone.score, alone.confidence, alone.pair)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["n"] == told["rows_judged"] == np.count_nonzero(wet)
    assert told["rows_given"] == 600
    dry = f"'river' is 0 in {100 * np.mean(~wet):.2g} % of rows, a point mass"
    assert told["warnings"] == [f"{dry}: only the other {np.count_nonzero(wet)} of 600 rows are scored."]
    assert told["warning_levels"] == [Severity.LOWERS]
    assert f"scored on {np.count_nonzero(wet)} of 600 rows" in str(found)


def test_turning_the_pair_round_turns_the_answer() -> None:
    pair = rainfall(1)
    assert causewise.infer(pair.swap()).score == -causewise.infer(pair).score


def test_halves_are_halves_of_the_rows_that_were_judged() -> None:
    found = causewise.infer(rainfall(2))
    assert found.stability(draws=4).agreement > 0.5


def test_rows_left_out_for_missing_values_stay_a_share_of_all() -> None:
    pair = rainfall(3)
    rain = pair.x.copy()
    rain[:30] = np.nan
    table = {"rain": rain, "river": pair.y}
    found = causewise.infer(table, "rain", "river", nan_policy="omit")
    assert found.pair.dropped == 30
    assert found.rows_given == 600
    assert found.thinned == f"scored on {found.pair.n} of 600 rows"
    assert any("30 rows (5 %) with a missing value" in text for text in found.warnings)


def half_rounded(seed: int) -> Pair:
    """A river of which four fifths of the rows were rounded, beside rain that does not repeat."""
    pair = rainfall(seed, 0.0)
    return Pair.of(pair.x, np.where(np.arange(600) % 5 < 4, np.round(pair.y), pair.y), x_name="rain", y_name="river")


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (rainfall(2, 0.87), "of rows, a point mass: only 72 other rows, collect 100."),
        (half_rounded(4), "of rows, the largest of 3 point masses, rounded in part: round all rows alike."),
    ],
    ids=["too few rows are left", "several"],
)
def test_where_nothing_can_be_scored_the_reason_says_what_was_found(pair: Pair, why: str) -> None:
    assert drop_point_masses(pair) is None and not are_common_steps(pair)
    found = causewise.infer(pair)
    assert found.pair == pair and found.stopped
    assert why in found.explanation


def test_without_a_point_mass_there_is_nothing_to_leave_out() -> None:
    pair = Pair.of(*np.round(np.random.default_rng(4).normal(size=(2, 400)), 3))
    assert drop_point_masses(pair) is None and not are_common_steps(pair)


def test_a_hundred_rows_are_needed() -> None:
    pair = rainfall(5, 0.0, 400)
    for left, scored in ((FEW_ROWS, True), (FEW_ROWS - 1, False)):
        cut = Pair.of(pair.x, np.where(np.arange(400) < left, pair.y, 0.0))
        assert (drop_point_masses(cut) is not None) is scored


def test_where_the_point_mass_is_all_that_relates_the_columns_that_is_said() -> None:
    """A hurdle that the cause decides, and behind it an amount that it does not."""
    rng = np.random.default_rng(3)
    weight = rng.normal(size=1200)
    smoked = np.where(rng.random(1200) < 1 / (1 + np.exp(-3 * weight)), 1 + rng.gamma(3, size=1200), 0.0)
    assert causewise.infer(weight[smoked > 0], smoked[smoked > 0]).unrelated
    found = causewise.infer(weight, smoked)
    assert found.pair.n == 1200
    assert found.stopped and not found.unrelated
    left = np.count_nonzero(smoked)
    assert f"among the other {left} of 1200 rows no relation is visible" in found.explanation
    assert "so the direction rests on whether 'y' is 0, which this method cannot score" in found.explanation
    assert [str(text) for text in found.warnings] == [found.reason.removeprefix("Undecided: ")]


def schooling(seed: int, n: int = 800, where: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Years at school, two of them far commoner than their neighbours, and a wage in steps."""
    rng = np.random.default_rng(seed)
    years = np.clip(np.round(rng.normal(12, 3, n)), 4, 20)
    years = np.where(rng.random(n) < 0.55, rng.choice([where, 12], n), years)
    wage = np.round(np.exp(0.1 * years + 0.3 * rng.normal(size=n)), 1)
    return years, wage


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_point_masses_inside_columns_that_repeat_are_steps_and_all_rows_are_scored(seed: int) -> None:
    years, wage = schooling(seed)
    pair = Pair.of(years, wage, x_name="years", y_name="wage")
    assert are_common_steps(pair) and are_common_steps(pair.swap())
    found = causewise.infer(pair)
    assert found.pair.n == found.rows_judged == found.rows_given == 800
    assert not found.stopped
    assert any("all rows are scored" in text for text in found.warnings)


def test_point_masses_at_an_end_or_beside_a_continuous_column_are_no_steps() -> None:
    years, wage = schooling(0)
    continuous = wage + 1e-3 * np.random.default_rng(1).normal(size=800)
    assert not are_common_steps(Pair.of(years, continuous))
    at_an_end, low = schooling(0, where=4)
    assert not are_common_steps(Pair.of(at_an_end, low))


def test_methods_without_a_confidence_get_every_row() -> None:
    found = causewise.infer(rainfall(7), method="loci-h")
    assert found.pair.n == 600


def test_a_scan_scores_the_same_rows_and_says_so() -> None:
    pair = rainfall(0)
    scan = causewise.scan({"rain": pair.x, "river": pair.y})
    (row,) = scan.rows
    one: Decision = causewise.infer(pair)
    assert (row.status, row.cause, row.score) == ("oriented", "rain", one.score)
    assert row.n == 600
    assert row.warnings == one.warnings


def test_the_types_are_those_of_the_columns_that_were_given() -> None:
    told = causewise.infer(rainfall(0))
    assert told.pair.n < 600
    assert told.to_dict()["kinds"] == {"x": "continuous", "y": "point mass"}


def test_a_ratio_that_was_rounded_in_part_fills_no_grid() -> None:
    rng = np.random.default_rng(0)
    ratio = np.where(rng.random(600) < 0.7, rng.integers(2, 6, 600), np.round(rng.uniform(2, 6, 600), 2))
    other = np.round(ratio + rng.normal(size=600), 1)
    assert not are_common_steps(Pair.of(ratio, other))
    assert causewise.infer(ratio, other).stopped


def test_a_minority_beside_a_point_mass_does_not_speak_for_all() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 1000)
    y = np.exp(x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=1000)
    few, many = (causewise.infer(x, np.where(rng.random(1000) < share, 0.0, y)) for share in (0.6, 0.3))
    assert few.stopped and "fewer than half" in few.explanation
    assert many.cause == "x" and many.rows_judged < many.rows_given == 1000
