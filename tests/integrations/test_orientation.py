"""Open edges of a networkx graph: turned where there is an answer, never into a cycle, and nothing else touched."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.errors import InputError
from causewise.integrations import orientation
from causewise.integrations.orientation import OrientedEdge

NAMES = "abcdef"


def chain(n: int = 500, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.uniform(-2, 2, n)
    b = np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=n)
    c = np.tanh(b) + (0.05 + 0.3 * b**2) * rng.normal(size=n)
    return {"a": a, "b": b, "c": c}


def arrows(graph: nx.DiGraph) -> set[tuple]:
    return {edge for edge in graph.edges if edge[::-1] not in graph.edges}


def skeleton(graph: nx.Graph) -> set[frozenset]:
    return {frozenset(edge) for edge in graph.edges}


def test_what_the_rows_answer_is_turned_and_told() -> None:
    table = chain()
    found = causewise.orient(nx.path_graph(["a", "b", "c"]), table)
    edge = found.edges[0]
    assert ("a", "b") in arrows(found.graph)
    alone = causewise.infer(table, "a", "b")
    assert (edge.cause, edge.effect, edge.confidence, edge.score) == ("a", "b", alone.confidence, alone.score)
    assert "a → b" in str(found) and str(found).splitlines()[0].endswith("of 2 open edges oriented")


def test_a_high_threshold_leaves_everything_and_says_why() -> None:
    found = causewise.orient(nx.path_graph(["a", "b", "c"]), chain(), threshold=0.999)
    assert not arrows(found.graph)
    assert all(edge.cause is None and edge.why for edge in found.edges)
    assert all("left" in line for line in str(found).splitlines()[1:])


def test_the_graph_that_was_given_is_not_changed_and_keeps_its_attributes() -> None:
    graph = nx.Graph(name="mine")
    graph.add_edge("a", "b", weight=3)
    graph.add_node("elsewhere", colour="red")
    found = causewise.orient(graph, chain())
    assert set(graph.edges) == {("a", "b")} and not graph.is_directed()
    assert found.graph.graph["name"] == "mine" and found.graph.nodes["elsewhere"] == {"colour": "red"}
    assert dict(found.graph.edges) == {("a", "b"): {"weight": 3}}


def test_arrows_stay_and_two_way_edges_are_open() -> None:
    graph = nx.DiGraph([("b", "a"), ("b", "c"), ("c", "b")])  # the first against the rows
    found = causewise.orient(graph, chain(), knowledge={"before": [["b", "c"]]})
    assert set(found.graph.edges) == {("b", "a"), ("b", "c")}
    assert [(edge.x, edge.y) for edge in found.edges] == [("b", "c")]


def test_background_knowledge_decides_whatever_the_rows_say() -> None:
    found = causewise.orient(nx.path_graph(["a", "b", "c"]), chain(), knowledge={"tiers": [["b"], ["a"]]})
    assert ("b", "a") in arrows(found.graph)
    edge = found.edges[0]
    assert edge.given and "earlier tier" in edge.why and edge.confidence < 0.5


def test_what_is_given_as_no_edge_is_left_as_it_is() -> None:
    known = {"forbidden": [["a", "b"], ["b", "a"]]}
    found = causewise.orient(nx.Graph([("a", "b")]), chain(), knowledge=known)
    assert not arrows(found.graph) and "the graph has the edge all the same" in found.edges[0].why


def test_a_likely_direction_is_added_to_the_score() -> None:
    graph, table = nx.Graph([("a", "b")]), chain()
    alone = causewise.orient(graph, table).edges[0]
    told = causewise.orient(graph, table, knowledge={"soft": [["b", "a", {"log_odds": 10}]]}).edges[0]
    assert told.score == pytest.approx(alone.score - 10) and told.cause == "b" and not told.given


def test_arrows_of_the_graph_that_contradict_what_was_given_are_named() -> None:
    found = causewise.orient(nx.DiGraph([("a", "b")]), chain(), knowledge={"forbidden": [["a", "b"]]})
    assert set(found.graph.edges) == {("a", "b")}
    assert "a → b contradicts what was given" in found.contradictions[0] and found.contradictions[0] in str(found)


def test_ends_that_cannot_be_scored_leave_their_edge_open() -> None:
    table = {**chain(), "same": np.ones(500), "word": ["x"] * 500}
    graph = nx.Graph([("a", "b"), ("a", "same"), ("word", "b"), ("b", "hidden")])
    found = causewise.orient(graph, table)
    told = {frozenset((edge.x, edge.y)): edge.why for edge in found.edges}
    assert arrows(found.graph) == {("a", "b")}
    assert "1 in every row" in told[frozenset(("a", "same"))]
    assert "holds text" in told[frozenset(("b", "word"))]
    assert "no column" in told[frozenset(("b", "hidden"))]
    assert skeleton(found.graph) == skeleton(graph)


def test_a_given_direction_needs_no_rows_that_answer() -> None:
    table = chain()
    table["copy"] = table["a"]  # refused as a pair: both columns are equal
    found = causewise.orient(nx.Graph([("a", "copy")]), table, knowledge={"before": [["a", "copy"]]})
    assert set(found.graph.edges) == {("a", "copy")}
    assert not arrows(causewise.orient(nx.Graph([("a", "copy")]), table).graph)


@pytest.mark.parametrize(
    ("graph", "hint"),
    [
        ([("a", "b")], "networkx"),
        (nx.MultiGraph([("a", "b")]), "DiGraph"),
        (nx.Graph([(0, 2)]), "called like columns"),
        (nx.DiGraph([("a", "b"), (1, "1")]), "no two like one"),
    ],
)
def test_what_is_no_graph_of_the_table_is_a_sentence(graph: object, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        causewise.orient(graph, {**chain(), "1": np.arange(500.0)})


@given(st.randoms(use_true_random=False))
def test_the_order_of_nodes_edges_and_ends_makes_no_difference(random) -> None:
    answers = {pair: (random.choice((1, -1)), random.random()) for pair in combinations(NAMES, 2)}
    edges = random.sample(list(answers), 9)
    results = []
    for _ in range(2):
        random.shuffle(edges)
        graph = nx.Graph()
        graph.add_nodes_from(random.sample(NAMES, 6))
        graph.add_edges_from(edge if random.random() < 0.5 else edge[::-1] for edge in edges)
        results.append(answered(graph, answers))
    assert set(results[0].graph.edges) == set(results[1].graph.edges) and results[0].edges == results[1].edges


@given(st.randoms(use_true_random=False))
def test_no_cycle_is_ever_closed_and_nothing_else_is_lost(random) -> None:
    pairs = list(combinations(NAMES, 2))
    answers = {pair: (random.choice((1, -1, 0)), random.random()) for pair in pairs}
    edges = random.sample(pairs, random.randint(1, 15))
    fixed = {edge for edge in edges if random.random() < 0.3}
    order = random.sample(NAMES, 6)  # the graph's arrows, and what is known, agree with some order
    fixed = {tuple(sorted(edge, key=order.index)) for edge in fixed}
    before = [pair for pair in combinations(order, 2) if random.random() < 0.2]
    graph = nx.DiGraph(fixed)
    graph.add_nodes_from(NAMES)
    for x, y in edges:
        if not {(x, y), (y, x)} & fixed:
            graph.add_edges_from([(x, y), (y, x)])

    found = answered(graph, answers, knowledge={"before": [list(pair) for pair in before]})

    given_arrows, made = arrows(graph), arrows(found.graph)
    assert skeleton(found.graph) == skeleton(graph) and given_arrows <= made
    combined = nx.DiGraph([*made, *before])
    assert nx.is_directed_acyclic_graph(combined)
    for edge in found.edges:  # as much as can be is turned: every other one would close a cycle
        sign, _ = answers[edge.x, edge.y]
        if edge.cause is None and sign:
            cause, effect = (edge.x, edge.y) if sign > 0 else (edge.y, edge.x)
            assert nx.has_path(combined, effect, cause) and "cycle" in edge.why


def test_of_three_that_run_in_a_circle_the_least_sure_is_left() -> None:
    answers = {("a", "b"): (1, 0.9), ("b", "c"): (1, 0.8), ("a", "c"): (-1, 0.85)}
    found = answered(nx.Graph(list(answers)), answers)
    assert arrows(found.graph) == {("a", "b"), ("c", "a")}
    assert found.edges[2].why.startswith("b → c would close a cycle: c → a → b")


def test_what_is_forbidden_comes_before_what_is_sure() -> None:
    """It speaks of its own pair alone, so that no order of columns follows from it, unlike from tiers."""
    answers = {("a", "b"): (-1, 0.9), ("b", "c"): (1, 0.99), ("a", "c"): (-1, 0.98)}
    found = answered(nx.Graph(list(answers)), answers, knowledge={"forbidden": [["b", "a"]]})
    assert arrows(found.graph) == {("a", "b"), ("b", "c")}


def test_a_circle_through_a_node_without_a_column_is_seen() -> None:
    answers = {("a", "b"): (1, 0.9)}
    graph = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "hidden"), ("hidden", "a")])
    found = answered(graph, answers)
    assert ("b", "a") in found.graph.edges and "b → hidden → a" in found.edges[0].why


def answered(graph: nx.Graph, answers: dict[tuple[str, str], tuple[int, float]], knowledge: object = None):
    """Orient with these answers in the place of the rows': sign (0 for none) and confidence, by pair."""
    real = orientation.score_edge

    def score(scorer, nodes, places) -> OrientedEdge:
        if scorer.knowledge.on(*nodes).direction:
            return real(scorer, nodes, places)
        sign, sure = answers[nodes]
        ends = {1: nodes, -1: nodes[::-1], 0: (None, None)}[sign]
        return OrientedEdge(*nodes, *ends, confidence=sure, score=sign * sure)

    table = dict(zip(NAMES, np.random.default_rng(0).normal(size=(6, 30)), strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orientation, "score_edge", score)
        return orientation.orient(graph, table, knowledge=knowledge, method="igci")
