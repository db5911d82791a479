"""Columns that are not continuous in a graph: left out with the reason, or where their place is given."""

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from worlds import unit

import causewise
from causewise.graphs.graph_columns import read_graph_columns

N = 600


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    """Two values move a, a moves b; b and what is hidden make levels; visits are counted."""
    rng = np.random.default_rng(1)
    group = rng.integers(2, size=N).astype(float)
    a = unit(1.5 * group + (0.5 + 0.5 * group) * rng.normal(size=N))
    b = unit(np.tanh(2 * a) + 0.3 * np.exp(0.4 * a) * rng.normal(size=N))
    stage = np.digitize(b + 0.3 * rng.normal(size=N), [-1, 0, 1]).astype(float)
    return {"group": group, "a": a, "b": b, "stage": stage, "visits": rng.poisson(2, N).astype(float)}


def find(data: object, **settings: Any) -> causewise.CausalGraph:
    """Without parts of the rows: what is asked here does not depend on them."""
    return causewise.graph(data, **{"bootstrap": 0} | settings)


KNOWLEDGE = {"tiers": [["group"], ["a", "b"], ["stage", "visits"]]}


def arrows(found: causewise.CausalGraph) -> set[tuple[str, str]]:
    return {(edge.parent, edge.child) for edge in found.edges}


def test_coarse_columns_are_left_out_with_the_reason(table):
    found = find(table)
    assert set(found.order) == {"a", "b"}
    assert found.left_out["group"].startswith("it takes only 2 values: too coarse")
    assert found.left_out["stage"].startswith("it takes only 4 values: too coarse")
    assert "rows: too coarse" in found.left_out["visits"]
    with pytest.raises(causewise.InputError, match="'stage', and it takes only 4 values"):
        find(table, columns=["a", "b", "stage"])


def test_where_their_place_is_given_they_stand_there(table):
    found = find(table, knowledge=KNOWLEDGE)
    assert arrows(found) == {("group", "a"), ("a", "b"), ("b", "stage")}
    assert found.order[:3] == ("group", "a", "b")
    assert found.kinds["group"] == "two values" and found.kinds["stage"] == "few levels"
    assert found.kinds["visits"] == "count" and found.kinds["a"] == "continuous"
    assert found.to_dict()["kinds"] == found.kinds
    assert found.independence["stage"] is None and found.independence["b"] is not None
    assert "'group' takes only 2 values: its place is given, not found." in found.warnings
    assert not any("depends on columns before it" in warning for warning in found.warnings)


def test_a_place_given_in_part_is_not_given(table):
    found = find(table, knowledge={"before": [["group", "a"]]})
    assert "group" in found.left_out
    found = find(table, knowledge={"forbidden": [["a", "group"], ["b", "group"]]})
    assert ("group", "a") in arrows(found)


def test_without_a_column_whose_place_can_be_found_there_is_no_graph(table):
    coarse = {name: table[name] for name in ("group", "stage", "visits")}
    with pytest.raises(causewise.InputError, match="0 columns that can be used"):
        find(coarse, knowledge=KNOWLEDGE | {"tiers": [["group"], ["stage", "visits"]]})


def test_a_value_that_hardly_any_row_has_shows_nothing(table):
    rare = table | {"group": (np.arange(N) < 19).astype(float)}
    assert find(rare, knowledge=KNOWLEDGE).left_out["group"] == "it is 0 in all but 19 rows"
    enough = table | {"group": (np.arange(N) < 20).astype(float)}
    found = find(enough, knowledge=KNOWLEDGE, bootstrap=3, engine=causewise.Engine(jobs=1))
    assert "group" in found.order and np.isfinite(found.log_likelihood)


def test_between_two_coarse_columns_of_one_tier_nothing_is_said(table):
    copied = table | {"mark": np.where(np.arange(N) % 5 == 0, 1 - table["group"], table["group"])}
    found = find(copied, knowledge={"tiers": [["group", "mark"], ["a", "b"]]})
    assert {"group", "mark"} <= set(found.order)
    assert not {("group", "mark"), ("mark", "group")} & arrows(found)
    ordered = find(copied, knowledge={"tiers": [["group"], ["mark"], ["a", "b"]]})
    assert ("group", "mark") in arrows(ordered)


def test_neither_the_order_of_rows_nor_processes_matter(table):
    rng = np.random.default_rng(3)
    steps = table | {"b": np.round(table["b"], 1)}
    shuffled = rng.permutation(N)
    other = {name: steps[name][shuffled] for name in reversed(steps)}
    found = find(steps, knowledge=KNOWLEDGE, bootstrap=2, engine=causewise.Engine(jobs=1))
    assert find(other, knowledge=KNOWLEDGE, bootstrap=2, engine=causewise.Engine(jobs=2)).to_dict() == found.to_dict()
    assert any("'b' has many equal values" in warning for warning in found.warnings)


def test_columns_with_ties_are_named_in_one_sentence(table):
    steps = table | {name: np.round(table[name], 1) for name in ("b", "a")}
    found = find(steps, columns=["a", "b"])
    (warning,) = (each for each in found.warnings if "equal values" in each)
    assert warning == "'a', 'b' have many equal values: ties are broken at random."


def test_values_that_are_spread_stay_in_their_cells(table):
    steps = table | {"b": np.round(table["b"], 1)}
    spread = read_graph_columns(steps, ["a", "b"]).to_canonical()
    b = spread.values[spread.names.index("b")]
    assert len(np.unique(b)) == N
    skew = np.sign(np.sum(unit(steps["b"]) ** 3))
    np.testing.assert_allclose(np.sort(b), np.sort(skew * unit(steps["b"])), atol=0.15)


def test_rows_are_not_lost_to_a_column_that_is_left_out(table):
    holed = table | {"group": np.where(np.arange(N) % 2, np.nan, table["group"])}
    assert find(holed).n == N
    assert find(holed, knowledge=KNOWLEDGE).n == N // 2


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_dates_stand_in_a_graph_as_days(table, library):
    rng = np.random.default_rng(0)
    days = rng.permutation(N)
    frame = library(
        {
            "day": [date(2020, 1, 1) + timedelta(int(k)) for k in days],
            "sales": np.sin(days / 60) + 0.2 * rng.normal(size=N),
            "town": ["x"] * N,
        }
    )
    found = find(frame)
    assert arrows(found) == {("day", "sales")}
    assert "'day' holds dates or times, read as days since 1970-01-01." in found.warnings
    assert found.left_out == {"town": "it holds text"}


def test_a_first_tier_is_a_place_beside_a_column_that_is_not_coarse(table):
    """`tiers: [[a, group], …]` says where group stands, though not which of the two comes first."""
    later = table | {"c": unit(table["b"] + np.exp(0.5 * table["group"]) * np.random.default_rng(2).normal(size=N))}
    for knowledge in ({"tiers": [["a", "group"], ["b", "c"]]}, {"first": ["a", "group"]}):
        found = find(later, exclude=["stage", "visits"], knowledge=knowledge)
        assert ("group", "c") in arrows(found)
        assert not {("group", "a"), ("a", "group")} & arrows(found)
        told = "Between 'group' and 'a' no edge is looked for: which comes first is not given."
        assert told in found.warnings
        assert found.left_out == {"stage": "it is excluded", "visits": "it is excluded"}


@pytest.mark.parametrize(
    ("knowledge", "lacking"),
    [
        ({}, "all others is given "),
        ({"first": ["a"]}, "'b' is given too "),
        ({"before": [["group", "a"]]}, "'b' is given too "),
        ({"tiers": [["a"], ["group", "b"]]}, "'b' is given too "),
    ],
)
def test_what_a_place_lacks_is_named(table, knowledge, lacking):
    found = find(table, exclude=["stage", "visits"], knowledge=knowledge)
    assert f"too coarse for a graph unless its order with {lacking}" in found.left_out["group"]
    assert found.left_out["group"].endswith("(knowledge: first, last, tiers or before)")


@pytest.mark.parametrize("knowledge", [{"first": ["group"]}, {"last": ["group"]}])
def test_first_and_last_give_a_place(table, knowledge):
    found = find(table, columns=["group", "a", "b"], knowledge=knowledge)
    assert found.order[0 if "first" in knowledge else -1] == "group"


def test_dates_are_proposed_as_first(table):
    days = np.random.default_rng(0).permutation(N)
    frame = {"day": [date(2020, 1, 1) + timedelta(int(k)) for k in days], "a": table["a"], "b": table["b"]}
    proposed = "'day' holds dates, which no other column causes: with first: [day] as knowledge none will."
    assert proposed in find(frame).warnings
    for first in (["day"], ["day", "a"]):
        assert proposed not in find(frame, knowledge={"first": first}).warnings


def test_a_column_that_lacks_most_of_its_values_does_not_stop_the_others(table):
    seldom = np.where(np.arange(N) >= 400, np.random.default_rng(0).normal(size=N), np.nan)
    holed = {"a": np.where(np.arange(N) < 450, table["a"], np.nan), "b": table["b"], "seldom": seldom}
    found = find(holed)
    assert found.left_out == {"seldom": "it lacks 400 values, and with it 50 rows are complete"}
    with pytest.raises(causewise.InputError, match="'seldom' lacks 400 values"):
        find(holed, columns=["a", "b", "seldom"])
