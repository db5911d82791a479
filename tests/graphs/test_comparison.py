"""`graph.compare`: against a count pair by pair, and graphs of other packages."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.graphs.causal_graph import CausalGraph, Edge
from causewise.graphs.comparison import compare_marks, read_marks
from causewise.scanning.graph_files import to_dot
from causewise.scanning.graph_reading import read_dot

NAMES = ("a", "b", "c", "d", "e")
PAIRS = list(combinations(NAMES, 2))
STATES = ("none", "->", "<-", "--", "<->")
states = st.lists(st.sampled_from(STATES), min_size=len(PAIRS), max_size=len(PAIRS))


def marks(chosen: list[str]) -> dict[tuple[str, str], str]:
    found = {}
    for (a, b), state in zip(PAIRS, chosen, strict=True):
        if state != "none":
            found[(b, a) if state == "<-" else (a, b)] = "->" if state == "<-" else state
    return found


def distance(one: str, other: str) -> float:
    """Of two columns, as the docstring has it."""
    if one == other:
        return 0.0
    return 0.5 if "--" in (one, other) and "none" not in (one, other) else 1.0


def make_graph(order: tuple[str, ...], found: dict[tuple[str, str], str]) -> CausalGraph:
    edges = tuple(Edge(a, b, mark, True, False, 0.001, None, 0.9) for (a, b), mark in found.items())
    return CausalGraph(order, edges, {}, {}, 0.0, 100, 0, {}, {}, (), {})


@given(states, states, st.permutations(NAMES))
def test_the_distance_is_that_of_a_count_pair_by_pair(one, other, order):
    beside = compare_marks(order, marks(one), marks(other))
    assert beside.shd == sum(map(distance, one, other))
    arrows = [ends for ends, mark in marks(other).items() if mark == "->"]
    against = [ends for ends in arrows if order.index(ends[0]) > order.index(ends[1])]
    assert beside.order_error == (len(against) / len(arrows) if arrows else None)
    for value in (beside.precision, beside.recall, beside.f1):
        assert value is None or 0 <= value <= 1
    if beside.precision and beside.recall:
        assert beside.f1 == pytest.approx(2 / (1 / beside.precision + 1 / beside.recall))
    assert len(beside.extra) - len(beside.missing) == len(marks(one)) - len(marks(other))
    assert str(beside) and set(beside.to_dict()) >= {"shd", "turned", "missing", "extra"}


@given(states, states)
def test_the_distance_is_symmetric_and_zero_to_itself(one, other):
    assert compare_marks(NAMES, marks(one), marks(other)).shd == compare_marks(NAMES, marks(other), marks(one)).shd
    same = compare_marks(NAMES, marks(one), marks(one))
    assert (same.shd, same.turned, same.missing, same.extra) == (0, (), (), ())


@given(st.lists(st.sampled_from(["none", "->", "<-"]), min_size=len(PAIRS), max_size=len(PAIRS)))
def test_directed_graphs_have_the_distance_of_their_adjacency_matrices(chosen):
    truth = nx.DiGraph()
    truth.add_nodes_from(NAMES)
    truth.add_edges_from(PAIRS)
    mine = nx.DiGraph()
    mine.add_nodes_from(NAMES)
    mine.add_edges_from(marks(chosen))
    one, other = (nx.to_numpy_array(each, nodelist=NAMES) for each in (mine, truth))
    differ = one != other
    shd = np.count_nonzero(np.triu(differ | differ.T))  # a turned edge differs twice, and counts once
    assert make_graph(NAMES, marks(chosen)).compare(truth).shd == shd


@given(states)
def test_files_and_other_packages_read_back(chosen):
    graph = make_graph(NAMES, marks(chosen))
    drawn = graph.to_networkx()
    for other in (graph, drawn, to_dot(drawn)):
        assert graph.compare(other).shd == 0


@pytest.mark.parametrize("ending", ["dot", "graphml", "json"])
def test_a_written_file_is_read(tmp_path, ending):
    graph = make_graph(("d", "a", "b c", 'e"\\'), {("a", "b c"): "->", ("d", 'e"\\'): "--", ("a", "d"): "<->"})
    graph.write(tmp_path / f"g.{ending}")
    for path in (tmp_path / f"g.{ending}", str(tmp_path / f"g.{ending}")):
        assert graph.compare(path).shd == 0


class Node:
    def __init__(self, name: str) -> None:
        self.name = name

    def get_name(self) -> str:
        return self.name


class GeneralGraph:
    """As causal-learn has it: the mark at i of the edge to j stands at [i, j]; -1 tail, 1 head, 2 circle."""

    def __init__(self, chosen: list[str]) -> None:
        self.graph = np.zeros((len(NAMES), len(NAMES)), dtype=int)
        ends = {"->": (-1, 1), "<-": (1, -1), "--": (-1, -1), "<->": (1, 1), "none": (0, 0)}
        for (a, b), state in zip(PAIRS, chosen, strict=True):
            i, j = NAMES.index(a), NAMES.index(b)
            self.graph[i, j], self.graph[j, i] = ends[state]

    def get_nodes(self) -> list[Node]:
        return [Node(name) for name in NAMES]


@given(states)
def test_a_graph_of_causal_learn_is_read_and_its_matrix_too(chosen):
    other = GeneralGraph(chosen)
    assert read_marks(other)[1] == marks(chosen)
    if (other.graph < 0).any():
        assert read_marks(other.graph, NAMES)[1] == marks(chosen)


def test_circles_and_arrows_both_ways_have_no_direction():
    circles = np.array([[0, 2], [1, 0]])
    assert read_marks(circles, ["a", "b"])[1] == {("a", "b"): "--"}
    assert read_marks(np.array([[0, 1], [1, 0]]), ["a", "b"])[1] == {("a", "b"): "--"}
    assert read_marks(np.array([[0, 1], [0, 0]]), ["a", "b"])[1] == {("a", "b"): "->"}
    assert read_marks(nx.Graph([("a", "b")]))[1] == {("a", "b"): "--"}


def test_real_causal_learn_agrees():
    pytest.importorskip("causallearn")
    from causallearn.graph.GeneralGraph import GeneralGraph as Real
    from causallearn.graph.GraphNode import GraphNode

    nodes = [GraphNode(name) for name in NAMES]
    other = Real(nodes)
    other.add_directed_edge(nodes[0], nodes[1])
    assert read_marks(other) == (set(NAMES), {("a", "b"): "->"})


def test_dot_of_others_is_read():
    text = """strict digraph "G" { rankdir=LR; node [shape=box]; // x -> y
        a -> b -> "c \\"d" [label="x -> y; z"]; subgraph cluster_1 { e -> f } /* g -> h */
        my-node -> 1.5 [dir=back]; k }"""
    nodes, edges = read_dot(text)
    assert nodes == ["a", "b", 'c "d', "e", "f", "my-node", "1.5", "k"]
    assert edges == [(("a", "b"), "->"), (("b", 'c "d'), "->"), (("e", "f"), "->"), (("1.5", "my-node"), "->")]
    assert read_dot("graph { a -- b }")[1] == [(("a", "b"), "--")]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (nx.DiGraph([("a", "z")]), "'b', 'c', 'd', 'e' in this graph alone; 'z' in the other alone"),
        (np.zeros((3, 3)), "matrix of 3 nodes and 0 names"),
        (np.zeros(3), "Got ndarray"),
        (7, "Got int"),
        ("nowhere.dot", "Could not read 'nowhere.dot'"),
        ("{ a -> b }", "expected DOT text"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(other, sentence):
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        make_graph(NAMES, {}).compare(other)
