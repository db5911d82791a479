"""Two-headed edges: pairs of which one follows the noise of the other, and edges that stay arrows."""

from dataclasses import replace

import numpy as np
import pytest
from worlds import unit, world

import causewise
from causewise.graphs.direction import DirectionEvidence, explain_open
from causewise.graphs.graph_columns import Constraints
from causewise.graphs.graph_search import search_graph
from causewise.graphs.hidden_causes import join_by_hidden_causes
from causewise.graphs.misfit import Misfit


def joined(seed: int, strength: float = 1.0, n: int = 800) -> dict[str, np.ndarray]:
    """a moves b, c moves d, and a cause that is no column moves b and d."""
    rng = np.random.default_rng(seed)
    a, c, hidden = rng.uniform(-2, 2, (3, n))
    b = unit(np.sin(1.5 * a) + 0.6 * strength * hidden + 0.3 * rng.normal(size=n))
    d = unit(np.tanh(2 * c) + strength * np.tanh(hidden) + (0.2 + 0.1 * np.abs(c)) * rng.normal(size=n))
    return {"a": a, "b": b, "c": c, "d": d}


def find_marks(table: dict[str, np.ndarray]) -> set[frozenset[str]]:
    names = list(table)
    found = search_graph(np.array(list(table.values())), Constraints.none(len(names)), 0.001)
    return {frozenset(names[k] for k in pair) for pair in join_by_hidden_causes(found).pairs}


@pytest.mark.parametrize("seed", range(5))
def test_a_hidden_cause_of_columns_with_parents_is_marked(seed):
    assert find_marks(joined(seed)) == {frozenset("bd")}


@pytest.mark.parametrize("seed", range(5))
def test_edges_stay_arrows_where_no_cause_is_hidden(seed):
    lines, edges = world(6, 600, seed)
    found = search_graph(lines, Constraints.none(6), 0.001)
    result = join_by_hidden_causes(found)
    assert edges
    assert not result.pairs
    assert result.graph.arrows == found.graph.arrows
    assert result.graph.log_likelihood == pytest.approx(found.graph.log_likelihood, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_straight_lines_tell_nothing_of_a_hidden_cause(seed):
    """Value and noise say the same beside the parents, whether a cause is hidden or not."""
    rng = np.random.default_rng(seed)
    a, c, hidden = rng.exponential(size=(3, 600))
    b = unit(0.3 * a + hidden + 0.3 * rng.normal(size=600))
    assert not find_marks({"a": a, "b": b, "c": c, "d": unit(c + hidden + 0.3 * rng.normal(size=600))})


def test_false_parents_go_with_the_arrow():
    table = joined(1)
    columns = np.array(list(table.values()))
    found = search_graph(columns, Constraints.none(4), 0.001)
    result = join_by_hidden_causes(found)
    assert len(found.graph.arrows) > 3  # the parent of one is taken for one of the other, too
    assert result.graph.arrows == {(0, 1), (2, 3)}
    assert result.graph.log_likelihood > found.graph.log_likelihood


def test_a_two_headed_edge_says_why_and_is_no_effect():
    table = joined(0)
    graph = causewise.graph(table)
    [edge] = [edge for edge in graph.edges if edge.direction == "<->"]
    assert {edge.parent, edge.child} == {"b", "d"}
    assert "follows the noise" in edge.reason
    assert edge.direction_probability is None
    assert edge.p < 0.001
    assert edge.support == 1.0
    assert graph.parents("b") == ("a",)
    assert graph.parents("d") == ("c",)
    assert graph.effect("a", "b").from_to.mean != 0
    with pytest.raises(causewise.InputError, match="common cause that is no column"):
        graph.effect(edge.parent, edge.child)
    with pytest.raises(causewise.InputError, match="common cause that is no column"):
        graph.effect("a", "d")
    turned = {name: -3.0 * table[name][::-1] for name in "dbca"}
    assert [(each.direction, {each.parent, each.child}) for each in causewise.graph(turned).edges] == [
        (each.direction, {each.parent, each.child}) for each in graph.edges
    ]


def test_an_order_that_is_given_is_no_hidden_cause():
    table = joined(0)
    graph = causewise.graph(table, knowledge={"before": [["b", "d"]]}, bootstrap=0)
    assert {(edge.parent, edge.child): edge.direction for edge in graph.edges}["b", "d"] == "->"


def sensors(seed: int, n: int = 800) -> dict[str, np.ndarray]:
    """Three lights, two sensors that both see all of them and what flickers in all, and seven columns of their own."""
    rng = np.random.default_rng(seed)
    lights = rng.uniform(-1, 1, (3, n))
    flicker = 0.5 * rng.normal(size=n)
    noise = rng.laplace(size=(2, n))
    infrared = np.array([1.0, -0.8, 0.6]) @ lights + flicker + 0.2 * noise[0]
    visible = np.array([-0.5, 1.0, -0.9]) @ lights + flicker + 0.2 * noise[1]
    table = {f"light {k}": light for k, light in enumerate(lights)} | {"infrared": infrared, "visible": visible}
    return table | {f"other {k}": rng.normal(size=n) for k in range(7)}


@pytest.mark.parametrize("seed", range(3))
def test_sensors_of_the_same_light_are_not_said_to_move_each_other(seed):
    assert find_marks(sensors(seed)) == {frozenset(("infrared", "visible"))}


def test_parents_are_shared_by_no_coincidence_where_there_are_many_columns():
    graph = causewise.graph(sensors(0), bootstrap=0)
    [edge] = [edge for edge in graph.edges if edge.direction == "<->"]
    assert "all of its parents" in edge.reason
    few = {name: column for name, column in sensors(0).items() if not name.startswith("other")}
    assert not find_marks(few)


def test_few_parents_that_are_given_to_stand_first_may_be_shared():
    table = sensors(0)
    lights, others = ([name for name in table if what in name] for what in ("light", "other"))
    for first, is_marked in ((lights, False), (lights + others, True)):
        graph = causewise.graph(table, bootstrap=0, knowledge={"first": first})
        assert is_marked == bool([edge for edge in graph.edges if edge.direction == "<->"])
        assert {edge.parent for edge in graph.edges if edge.child in ("infrared", "visible")} >= {"light 0", "light 1"}


def find_direction(seed: int, is_hidden: bool) -> str:
    """Of an edge or a hidden cause between columns with a parent in common, which moves the first along a curve."""
    rng = np.random.default_rng(seed)
    a, c = rng.uniform(-2, 2, (2, 600))
    hidden, *noise = rng.exponential(size=(3, 600))
    b = a + 0.15 * a**2 + 0.8 * hidden + 0.3 * noise[0]
    d = -0.7 * a + 0.5 * c + (0.8 * hidden if is_hidden else 0.7 * b) + 0.3 * noise[1]
    graph = causewise.graph({"a": a, "b": b, "c": c, "d": d}, bootstrap=0)
    [edge] = [edge for edge in graph.edges if {edge.parent, edge.child} == {"b", "d"}]
    return edge.direction


def test_a_hidden_cause_is_seldom_taken_for_an_arrow():
    assert sum(find_direction(seed, True) == "->" for seed in range(6)) <= 1
    assert sum(find_direction(seed, False) == "->" for seed in range(6)) >= 5


def test_an_arrow_that_a_hidden_cause_may_stand_for_is_left_open():
    told = DirectionEvidence(100.0, is_dependent=False, misfit=Misfit(0.0, 0.0, 0.0))
    assert not explain_open(told, 0.99, 1.0, [90.0], 0.9)
    assert "noise of the first no worse" in explain_open(replace(told, follows_noise=True), 0.99, 1.0, [90.0], 0.9)
