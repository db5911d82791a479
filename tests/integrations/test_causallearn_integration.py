"""Graphs of causal-learn, found by its own PC and FCI."""

import numpy as np
import pytest

pytest.importorskip("causallearn", reason="causal-learn is not installed here: make bridges has an environment for it")

from causallearn.graph.Edge import Edge
from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.search.ConstraintBased.FCI import fci
from causallearn.search.ConstraintBased.PC import pc

import causewise
from causewise.errors import InputError

NAMES = ["dose", "level", "answer"]


def chain(n: int = 1000) -> np.ndarray:
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, n)
    b = a + np.sin(3 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=n)
    return np.column_stack([a, b, b + rng.laplace(size=n)])


def drawn(*edges: tuple[str, str, Endpoint, Endpoint]) -> GeneralGraph:
    nodes = {name: GraphNode(name) for name in NAMES}
    graph = GeneralGraph(list(nodes.values()))
    for one, other, end, far in edges:
        graph.add_edge(Edge(nodes[one], nodes[other], end, far))
    return graph


def shape(graph: GeneralGraph) -> np.ndarray:
    return graph.graph != 0


def test_what_pc_leaves_undirected_is_turned() -> None:
    data = chain()
    found = pc(data, 0.05, "fisherz", node_names=NAMES, show_progress=False)
    before = found.G.graph.copy()
    assert found.find_undirected()  # a chain has no collider: PC cannot say which way
    result = causewise.orient(found, dict(zip(NAMES, data.T, strict=True)))
    turned = result.graph
    assert type(turned) is type(found) and np.array_equal(found.G.graph, before)
    assert np.array_equal(shape(turned.G), shape(found.G))
    for edge in result.edges:
        if edge.cause is not None:
            assert turned.G.is_directed_from_to(turned.G.get_node(edge.cause), turned.G.get_node(edge.effect))
    first = result.edges[0]
    assert (first.cause, first.effect) == ("dose", "level")
    assert turned.G.is_ancestor_of(turned.G.get_node("dose"), turned.G.get_node("level"))
    assert np.array_equal(causewise.orient(found.G, dict(zip(NAMES, data.T, strict=True))).graph.graph, turned.G.graph)


def test_nameless_columns_are_the_nodes_in_their_order() -> None:
    data = chain()
    named = causewise.orient(pc(data, node_names=NAMES, show_progress=False).G, dict(zip(NAMES, data.T, strict=True)))
    nameless = causewise.orient(pc(data, show_progress=False).G, data)
    assert np.array_equal(named.graph.graph, nameless.graph.graph)
    assert [edge.confidence for edge in named.edges] == [edge.confidence for edge in nameless.edges]
    with pytest.raises(InputError, match="called like columns"):
        causewise.orient(pc(data, show_progress=False).G, data[:, :2])


def test_arrows_stay_and_knowledge_is_applied() -> None:
    graph = drawn(
        ("level", "dose", Endpoint.TAIL, Endpoint.ARROW),  # against the rows
        ("level", "answer", Endpoint.TAIL, Endpoint.TAIL),
    )
    known = {"before": [["answer", "level"]]}
    result = causewise.orient(graph, dict(zip(NAMES, chain().T, strict=True)), knowledge=known)
    assert {str(edge) for edge in result.graph.get_graph_edges()} == {"level --> dose", "answer --> level"}


def test_two_heads_are_open_in_pcs_graphs_and_a_common_cause_in_fcis() -> None:
    both = ("dose", "level", Endpoint.ARROW, Endpoint.ARROW)
    table = dict(zip(NAMES, chain().T, strict=True))
    assert [str(edge) for edge in causewise.orient(drawn(both), table).graph.get_graph_edges()] == ["dose --> level"]
    partial = drawn(both, ("level", "answer", Endpoint.CIRCLE, Endpoint.CIRCLE))
    partial.set_pag(True)
    result = causewise.orient(partial, table)
    assert np.array_equal(result.graph.graph, partial.graph)
    assert all("hidden common cause" in edge.why for edge in result.edges) and len(result.edges) == 2


def test_circles_of_fci_are_left() -> None:
    data = chain()
    graph, _ = fci(data, node_names=NAMES, show_progress=False, verbose=False)
    result = causewise.orient(graph, dict(zip(NAMES, data.T, strict=True)))
    assert np.array_equal(result.graph.graph, graph.graph) and result.edges
