"""The rows beside a heap: which they are, when they are judged, and what is said of it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whence
from whence.decision import Decision, Direction
from whence.heaps import beside_heaps, judgeable
from whence.pair import Pair
from whence.preflight import FEW_ROWS, Level, check

SEEDS = st.integers(0, 2**32 - 1)


def rainfall(seed: int, share: float = 0.4, n: int = 600) -> Pair:
    """A river that is dry in a share of the rows."""
    rng = np.random.default_rng(seed)
    rain = rng.uniform(0, 4, n)
    river = 3 + np.sin(2 * rain) + (0.1 + 0.2 * rain) * rng.normal(size=n)
    return Pair.of(rain, np.where(rng.random(n) < share, 0.0, river), x_name="rain", y_name="river")


@given(SEEDS, st.floats(0.2, 0.7))
@settings(max_examples=20, deadline=None)
def test_the_rest_is_every_row_but_those_of_the_heap(seed: int, share: float) -> None:
    pair = rainfall(seed, share)
    rest = beside_heaps(pair)
    assert rest is not None
    np.testing.assert_array_equal(rest.x, pair.x[pair.y != 0])
    np.testing.assert_array_equal(rest.y, pair.y[pair.y != 0])
    assert (rest.x_name, rest.y_name) == ("rain", "river")


def test_the_answer_is_that_of_the_rows_handed_in_alone() -> None:
    pair = rainfall(0)
    wet = pair.y != 0
    found, alone = whence.infer(pair), whence.infer(Pair.of(pair.x[wet], pair.y[wet], x_name="rain", y_name="river"))
    assert found.direction is Direction.FORWARD
    assert (found.score, found.confidence, found.pair) == (alone.score, alone.confidence, alone.pair)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["n"] == told["rows_judged"] == np.count_nonzero(wet)
    dry = f"'river' is 0 in {100 * np.mean(~wet):.2g} % of rows, a heap that misleads"
    assert told["warnings"] == [f"{dry}: only the other {np.count_nonzero(wet)} rows are judged."]
    assert told["warning_levels"] == [Level.LOWERS]


def test_turning_the_pair_round_turns_the_answer() -> None:
    pair = rainfall(1)
    assert whence.infer(pair.swapped()).score == -whence.infer(pair).score


def test_halves_are_halves_of_the_rows_that_were_judged() -> None:
    found = whence.infer(rainfall(2))
    assert found.stability(draws=4).agreement > 0.5


def test_rows_left_out_for_missing_values_stay_a_share_of_all() -> None:
    pair = rainfall(3)
    rain = pair.x.copy()
    rain[:30] = np.nan
    table = {"rain": rain, "river": pair.y}
    found = whence.infer(table, "rain", "river", nan_policy="omit")
    assert found.pair.dropped == 30
    assert any("30 rows (5 %) with a missing value" in text for text in found.warnings)


@pytest.mark.parametrize(
    "pair",
    [
        rainfall(4, 0.9),
        Pair.of(*np.round(np.random.default_rng(4).normal(size=(2, 400)), 3)),
        Pair.of(rainfall(4).x, np.where(np.arange(600) % 5 < 4, np.round(rainfall(4, 0).y), rainfall(4, 0).y)),
    ],
    ids=["too few rows are left", "no heap", "several heaps"],
)
def test_where_nothing_can_be_judged_beside_a_heap(pair: Pair) -> None:
    assert beside_heaps(pair) is None
    assert judgeable(pair, check(pair)) is None
    assert whence.infer(pair).pair == pair


def test_a_hundred_rows_are_needed() -> None:
    pair = rainfall(5, 0.0, 400)
    for left, judged in ((FEW_ROWS, True), (FEW_ROWS - 1, False)):
        cut = Pair.of(pair.x, np.where(np.arange(400) < left, pair.y, 0.0))
        assert (beside_heaps(cut) is not None) is judged


def test_where_the_heap_is_all_that_relates_the_columns_the_answer_stays_withheld() -> None:
    """A hurdle that the cause decides, and behind it an amount that it does not."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=800)
    y = np.where(rng.random(800) < 1 / (1 + np.exp(-3 * x)), 1 + rng.gamma(3, size=800), 0.0)
    assert whence.infer(x[y > 0], y[y > 0]).unrelated
    found = whence.infer(x, y)
    assert found.pair.n == 800
    assert not found.unrelated
    assert "a heap that misleads: judge the rows without it" in found.explanation


def test_methods_without_a_confidence_get_every_row() -> None:
    found = whence.infer(rainfall(7), method="loci-h")
    assert found.pair.n == 600


def test_a_scan_judges_the_same_rows_and_says_so() -> None:
    pair = rainfall(0)
    scan = whence.scan({"rain": pair.x, "river": pair.y})
    (row,) = scan.rows
    one: Decision = whence.infer(pair)
    assert (row.status, row.cause, row.score) == ("oriented", "rain", one.score)
    assert row.n == 600
    assert row.warnings == one.warnings


def test_the_kinds_told_are_those_of_the_columns_that_were_given() -> None:
    told = whence.infer(rainfall(0))
    assert told.pair.n < 600
    assert told.to_dict()["kinds"] == {"x": "continuous", "y": "heaped"}
