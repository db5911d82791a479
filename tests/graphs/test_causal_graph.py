"""`causewise.graph`: what it finds, what it does not depend on, what it applies, and what it refuses."""

import json
from types import SimpleNamespace

import networkx as nx
import numpy as np
import psutil
import pytest
from worlds import CHAIN, chain, unit, world

import causewise
from causewise.graphs import cross_checks, finder
from causewise.graphs.causal_graph import Edge
from causewise.graphs.graph_columns import MOST_COLUMNS


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    return chain()


@pytest.fixture(scope="module")
def found(table) -> causewise.CausalGraph:
    return causewise.graph(table, bootstrap=4, engine=causewise.Engine(jobs=1))


def arrows(found: causewise.CausalGraph) -> set[tuple[str, str]]:
    return {(edge.parent, edge.child) for edge in found.edges}


def test_a_chain_is_found_with_what_each_parent_moves(found):
    assert arrows(found) == CHAIN
    first, second = sorted(found.edges, key=lambda edge: edge.parent)
    assert (first.mean, first.spread) == (True, True)
    assert (second.mean, second.spread) == (True, False)
    assert first.p < 1e-9
    assert second.p_spread is None
    assert found.order.index("a") < found.order.index("b") < found.order.index("c")
    assert found.independence[found.order[0]] is None
    assert not found.warnings
    assert found.parents("c") == ("b",)


def test_neither_rows_nor_columns_nor_their_order_matter(table, found):
    rng = np.random.default_rng(5)
    shuffled = rng.permutation(len(table["a"]))
    other = {name: table[name][shuffled] for name in reversed(table)}
    assert causewise.graph(other, bootstrap=4, engine=causewise.Engine(jobs=1)).to_dict() == found.to_dict()


def test_units_and_signs_change_nothing_beyond_rounding(table, found):
    other = causewise.graph(
        {name: -1e6 * column + 32 for name, column in table.items()}, bootstrap=4, engine=causewise.Engine(jobs=1)
    )
    assert other.order == found.order
    assert arrows(other) == arrows(found)
    assert [edge.support for edge in other.edges] == [edge.support for edge in found.edges]
    assert other.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-6)


def test_processes_change_nothing(table, found):
    seen = []
    several = causewise.graph(
        table, bootstrap=4, engine=causewise.Engine(jobs=2, on_progress=lambda *told: seen.append(told))
    )
    assert several.to_dict() == found.to_dict()
    assert ("drawing", 4, 4) in seen
    assert seen[0][0] == "ordering"


def test_an_order_is_mostly_right_on_graphs_of_eight_columns():
    wrong = total = 0
    for seed in range(4):
        lines, truth = world(8, 500, seed, share=0.3)
        found = causewise.graph({str(k): line for k, line in enumerate(lines)}, bootstrap=0)
        order = [int(name) for name in found.order]
        wrong += sum(order.index(parent) > order.index(child) for parent, child in truth)
        total += len(truth)
    assert wrong <= 0.15 * total  # of random orders half


def test_background_knowledge_is_applied(table):
    tiers = causewise.graph(table, knowledge={"tiers": [["c"], ["b"], ["a", "d"]]}, bootstrap=0)
    assert tiers.order.index("c") < tiers.order.index("b") < min(tiers.order.index("a"), tiers.order.index("d"))
    forbidden = causewise.graph(table, knowledge={"forbidden": [["a", "b"]], "before": [["a", "b"]]}, bootstrap=0)
    assert ("a", "b") not in arrows(forbidden)
    assert forbidden.order.index("a") < forbidden.order.index("b")
    required = causewise.graph(table, knowledge={"required": [["d", "c"]]}, bootstrap=0)
    edge = next(each for each in required.edges if each.parent == "d")
    assert edge.required
    assert edge.moves == "nothing that shows"
    assert any("required to cause" in warning for warning in required.warnings)
    soft = causewise.graph(
        table, knowledge={"soft": [["d", "a", {"log_odds": 3.0}], ["b", "a", {"likely": 0.6}]]}, bootstrap=0
    )
    assert soft.order.index("d") < soft.order.index("a")
    assert ("a", "b") in arrows(soft)  # 500 rows outweigh three to two


def test_a_hidden_cause_is_a_two_headed_edge():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=1000)
    x = unit(hidden + 0.5 * rng.normal(size=1000))
    y = unit(np.sin(2 * hidden) + 0.2 * rng.normal(size=1000))
    found = causewise.graph({"x": x, "y": y})
    assert [edge.direction for edge in found.edges] == ["<->"]
    assert "common cause" in found.edges[0].reason
    assert found.parents("x") == found.parents("y") == ()
    assert found.neighbours("x") == ("y",)


def test_straight_lines_with_normal_noise_have_no_direction():
    rng = np.random.default_rng(0)
    a = rng.normal(size=600)
    b = 0.8 * a + rng.normal(size=600)
    found = causewise.graph({"c": b - 0.7 * rng.normal(size=600), "a": a, "b": b}, engine=causewise.Engine(jobs=1))
    assert len(found.edges) == 2
    assert {edge.direction for edge in found.edges} == {"--"}
    assert all(edge.direction_probability < 0.9 and edge.reason for edge in found.edges)
    assert "2 without a direction" in str(found)


@pytest.fixture(scope="module")
def long_table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(2, 500))
    return {"a": a, "b": np.exp(2 * unit(np.sin(2 * a) + 0.5 * c**2 + 0.3 * rng.normal(size=500))), "c": c}


def test_columns_with_long_tails_are_tried_in_logs(long_table):
    found = causewise.graph(long_table, bootstrap=0)
    assert any("'b'; in logarithms no arrow would run the other way" in warning for warning in found.warnings)
    assert [edge.direction for edge in found.edges] == ["->", "->"]


def test_an_arrow_that_hangs_on_the_scale_of_a_long_column_has_no_direction(monkeypatch, long_table):
    monkeypatch.setattr(cross_checks, "fit_graph", lambda *_: SimpleNamespace(arrows={(1, 0), (2, 1)}))
    found = causewise.graph(long_table, bootstrap=0)
    assert {(edge.parent, edge.child): edge.direction for edge in found.edges} == {("a", "b"): "--", ("c", "b"): "->"}
    [left_open] = [edge for edge in found.edges if edge.direction == "--"]
    assert left_open.reason == "with the logarithms of 'b' it would run the other way"
    assert any("'a' → 'b' would run the other way: left open" in warning for warning in found.warnings)


def test_an_edge_that_few_parts_show_is_left_out(monkeypatch, table):
    monkeypatch.setattr(finder, "LEAST_SUPPORT", 1.1)
    found = causewise.graph(table, bootstrap=2, engine=causewise.Engine(jobs=1))
    assert not found.edges
    assert any("'a' — 'b' (100%)" in warning for warning in found.warnings)


def test_rows_with_a_missing_value_are_counted(table):
    holed = {name: column.copy() for name, column in table.items()}
    holed["a"][:7], holed["c"][5:10] = np.nan, np.nan
    found = causewise.graph(holed, bootstrap=0)
    assert (found.n, found.dropped_rows) == (490, 10)
    assert arrows(found) == CHAIN


def test_columns_without_a_density_are_left_out_with_the_reason(table):
    rng = np.random.default_rng(0)
    more = table | {
        "coin": rng.integers(2, size=500),
        "still": np.ones(500),
        "copy": 3 - 2 * table["a"],
        "word": ["x"] * 500,
        "few": np.where(np.arange(500) < 60, rng.normal(size=500), np.nan),
    }
    found = causewise.graph(more, bootstrap=0)
    assert set(found.order) == set(table)
    assert found.left_out["coin"].startswith("it takes only 2 values")
    assert found.left_out["still"] == "it is 1 in every row"
    assert "another unit" in found.left_out["copy"]
    assert set(found.left_out) == {"coin", "still", "copy", "word", "few"}
    with pytest.raises(causewise.InputError, match="'coin', and it takes only 2 values"):
        causewise.graph(more, columns=["a", "b", "coin"])


def test_values_below_a_limit_of_detection_do_not_cost_a_column(table):
    clipped = table | {"a": np.maximum(table["a"], np.quantile(table["a"], 0.08))}
    found = causewise.graph(clipped, bootstrap=0)
    assert arrows(found) == CHAIN
    assert any("'a' has many equal values" in warning for warning in found.warnings)
    rounded = causewise.graph({name: np.round(column, 1) for name, column in table.items()}, bootstrap=0)
    assert arrows(rounded) == CHAIN


def test_the_support_survives_a_worker_that_is_killed(table, found):
    def kill(what, done, of):
        if what == "drawing" and done == 1:
            workers = [each for each in psutil.Process().children() if "spawn_main" in " ".join(each.cmdline())]
            workers[0].kill()

    other = causewise.graph(table, bootstrap=4, engine=causewise.Engine(jobs=2, on_progress=kill))
    assert other.to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"bootstrap": -1}, "bootstrap"),
        ({"bootstrap": 2.5}, "bootstrap"),
        ({"seed": -1}, "seed"),
        ({"columns": ["a"]}, "at least two"),
        ({"columns": ["a", "nobody"]}, "nobody"),
        ({"knowledge": {"before": [["a", "b"], ["b", "a"]]}}, "contradicts itself"),
    ],
)
def test_what_cannot_be_is_refused(table, settings, sentence):
    with pytest.raises(causewise.InputError, match=sentence):
        causewise.graph(table, **settings)


def test_few_rows_and_many_columns_are_refused(table):
    with pytest.raises(causewise.InputError, match="at least 60"):
        causewise.graph({name: column[:59] for name, column in table.items()})
    gaps = {name: np.where(np.arange(500) % 4 == k, np.nan, column) for k, (name, column) in enumerate(table.items())}
    with pytest.raises(causewise.InputError, match="0 complete rows"):
        causewise.graph(gaps)
    with pytest.raises(causewise.InputError, match=f"at most {MOST_COLUMNS}"):
        causewise.graph(np.random.default_rng(0).normal(size=(200, MOST_COLUMNS + 1)))


def test_files_read_back(found, tmp_path):
    for ending in ("json", "graphml", "dot"):
        found.write(tmp_path / f"g.{ending}")
    record = json.loads((tmp_path / "g.json").read_text())
    assert record["order"] == list(found.order)
    assert Edge(**record["edges"][0]) == found.edges[0]
    read = nx.read_graphml(tmp_path / "g.graphml")
    assert set(read.edges) == CHAIN
    assert read.edges["a", "b"]["spread"] is True
    assert '"a" -> "b"' in (tmp_path / "g.dot").read_text()
    with pytest.raises(causewise.InputError, match="ends in"):
        found.write(tmp_path / "g.png")


def test_words_cannot_give_a_terminal_orders():
    rng = np.random.default_rng(0)
    u = rng.normal(size=200)
    found = causewise.graph({"\x1b[31m": u, "b": np.tanh(2 * u) + 0.3 * rng.normal(size=200)})
    assert "\x1b" not in str(found) + "".join(map(str, found.edges))


def test_what_was_done_to_a_column_of_dates_is_said():
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.permutation(300).astype("m8[D]")
    sales = np.sin((days - days.min()).astype(float) / 40) + 0.2 * rng.normal(size=300)
    found = causewise.graph({"day": days, "sales": sales}, columns=["day", "sales"])
    assert any("'day'" in said and "days" in said for said in found.warnings)


def test_among_many_columns_an_edge_must_show_the_more_clearly():
    def edge(p, required=False):
        return Edge("a", "b", "->", True, False, p / 2, None, None, None, required)

    edges = [edge(1e-12), edge(1e-6), edge(9e-4), edge(1e-3, required=True)]
    assert finder._list_chance(edges, 5, 0.001) == []
    assert finder._list_chance(edges, 100, 0.001) == [edges[2]]
    assert finder._list_chance(edges, 100, 0.05) == []
    assert finder._list_chance([], 100, 0.001) == []
