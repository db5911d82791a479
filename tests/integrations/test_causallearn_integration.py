"""causal-learn: graphs of its own PC and FCI, its background knowledge, and the text that it shares with Tetrad."""

import doctest
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("causallearn", reason="causal-learn is not installed here: make bridges has an environment for it")

from causallearn.graph.Edge import Edge
from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.search.ConstraintBased.FCI import fci
from causallearn.search.ConstraintBased.PC import pc
from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge
from causallearn.utils.TXT2GeneralGraph import txt2generalgraph

import causewise
import causewise.integrations.causallearn
from causewise.errors import InputError
from causewise.integrations.causallearn import from_background_knowledge, to_background_knowledge
from causewise.knowledge.background import Knowledge
from causewise.scanning.graph_files import build_digraph, to_tetrad

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


# ---- background knowledge, both ways

COLUMNS = ["a", "ab", "b c", "d", "é"]
NODES = {name: GraphNode(name) for name in COLUMNS}
PAIRS = list(permutations(COLUMNS, 2))
edges = st.lists(st.sampled_from(PAIRS).map(list), unique_by=tuple, max_size=4)
tiers = st.lists(st.sampled_from(range(-1, 3)), min_size=5, max_size=5).map(
    lambda places: [
        tier for k in range(3) if (tier := [name for name, at in zip(COLUMNS, places, strict=True) if at == k])
    ]
)
ours = st.fixed_dictionaries(
    {},
    optional={
        "tiers": tiers,
        "before": edges,
        "required": edges,
        "forbidden": edges,
        "first": st.lists(st.sampled_from(COLUMNS), unique=True, max_size=2),
    },
)


def facts(known: object) -> tuple[list, list]:
    """The excluded and the required ones of all directions."""
    if isinstance(known, BackgroundKnowledge):
        asked = [(NODES[one], NODES[other]) for one, other in PAIRS]
        return [known.is_forbidden(*pair) for pair in asked], [known.is_required(*pair) for pair in asked]
    checked = Knowledge.of(known, COLUMNS)
    return [checked.excludes(*pair) for pair in PAIRS], [checked.requires(*pair) for pair in PAIRS]


@given(ours)
def test_our_knowledge_says_the_same_in_causal_learn_and_back(known):
    try:
        checked = Knowledge.of(known, COLUMNS)
    except InputError:  # drawn statements may contradict each other
        with pytest.raises(InputError):
            to_background_knowledge(known, COLUMNS)
        return
    theirs = to_background_knowledge(known, COLUMNS)
    assert facts(theirs) == facts(known) == facts(to_background_knowledge(checked, COLUMNS))
    assert facts(from_background_knowledge(theirs, COLUMNS)) == facts(known)
    stated = known.get("tiers", [])
    assert [sorted(tier) for tier in checked.tiers] == ([sorted(tier) for tier in stated] if len(stated) > 1 else [])


@st.composite
def theirs(draw) -> BackgroundKnowledge:
    known, nodes = BackgroundKnowledge(), st.sampled_from(list(NODES.values()))
    pattern = st.sampled_from(["a.*", "a", ".", "b c", "d|é", "z", "$"])
    for _ in range(draw(st.integers(0, 3))):
        known.add_forbidden_by_node(draw(nodes), draw(nodes))
        known.add_forbidden_by_pattern(draw(pattern), draw(pattern))
        known.add_node_to_tier(draw(nodes), draw(st.sampled_from([0, 1, 4])))
    if draw(st.booleans()):
        known.add_required_by_node(draw(nodes), draw(nodes))
        known.add_required_by_pattern(draw(pattern), draw(pattern))
    if draw(st.booleans()):
        known.forbid_within_tier(draw(st.integers(0, 2)))
    return known


@given(theirs())
def test_causal_learns_knowledge_says_the_same_here_and_back(known):
    forbidden, required = facts(known)
    try:
        translated = from_background_knowledge(known, COLUMNS)
    except InputError as refusal:  # it requires what it forbids, a circle, or a column that causes itself
        assert any(required) or any(one == other for one, other in known.required_rules_specs), refusal
        return
    excluded, kept = facts(translated)
    assert kept == required
    if any(required):  # which exclude their reverse, and order columns together with tiers
        assert all(here or not there for here, there in zip(excluded, forbidden, strict=True))
    else:
        assert excluded == forbidden
    assert facts(to_background_knowledge(translated, COLUMNS)) == (excluded, kept)


def test_what_cannot_be_translated_is_a_sentence():
    with pytest.raises(InputError, match="soft statement about 'a' and 'd'"):
        to_background_knowledge({"soft": [["a", "d", {"likely": 0.9}]]}, COLUMNS)
    with pytest.raises(InputError, match="elsewhere"):
        from_background_knowledge(BackgroundKnowledge().add_node_to_tier(GraphNode("elsewhere"), 0), COLUMNS)
    with pytest.raises(InputError, match="regular expression"):
        from_background_knowledge(BackgroundKnowledge().add_required_by_pattern("(", "a"), COLUMNS)


def test_pc_follows_our_knowledge_and_our_scan_follows_causal_learns():
    data = chain()
    known = {"tiers": [["answer"], ["level"]], "forbidden": [["dose", "level"]]}
    found = pc(data, node_names=NAMES, show_progress=False, background_knowledge=to_background_knowledge(known, NAMES))
    assert {str(edge) for edge in found.G.get_graph_edges()} == {"answer --> level", "level --> dose"}
    theirs = BackgroundKnowledge().add_required_by_pattern("l.*", "d.*")
    rows = causewise.scan(
        dict(zip(NAMES, data.T, strict=True)), knowledge=from_background_knowledge(theirs, NAMES), method="igci"
    )
    assert [(row.cause, row.effect) for row in rows if row.is_given] == [("level", "dose")]


def test_the_examples_in_its_docstrings_run():
    assert doctest.testmod(causewise.integrations.causallearn).failed == 0


# ---- Tetrad's text

MARKS = {
    "->": (Endpoint.TAIL, Endpoint.ARROW),
    "--": (Endpoint.TAIL, Endpoint.TAIL),
    "<->": (Endpoint.ARROW, Endpoint.ARROW),
    "o->": (Endpoint.CIRCLE, Endpoint.ARROW),
    "o-o": (Endpoint.CIRCLE, Endpoint.CIRCLE),
}


@st.composite
def mixed_graphs(draw, names: list[str]) -> tuple[dict, GeneralGraph]:
    """Edges, and the same as a graph of causal-learn."""
    joined = {}
    for pair in combinations(names, 2):
        if mark := draw(st.sampled_from([None, *MARKS])):
            joined[pair if draw(st.booleans()) else pair[::-1]] = mark
    nodes = {name: GraphNode(name) for name in names}
    graph = GeneralGraph(list(nodes.values()))
    for (one, other), mark in joined.items():
        graph.add_edge(Edge(nodes[one], nodes[other], *MARKS[mark]))
    return joined, graph


def marks_of(graph) -> dict:
    """Symmetric edges in either order are the same."""
    found = {(one, other): mark for one, other, mark in graph.edges(data="direction")}
    return {tuple(sorted(pair)) if mark in ("--", "<->", "o-o") else pair: mark for pair, mark in found.items()}


@given(mixed_graphs(["a", "b c", 'd"', "é,f"]))
def test_what_causal_learn_prints_reads_back_whatever_the_names(drawn_graph):
    joined, graph = drawn_graph
    found = causewise.read_graph(str(graph))
    expected = build_digraph([], [(*pair, {"direction": mark}) for pair, mark in joined.items()])
    assert list(found) == [node.get_name() for node in graph.get_nodes()]
    assert marks_of(found) == marks_of(expected)


@given(mixed_graphs(["a", "b", 'd"', "é"]))
def test_causal_learn_reads_what_is_written(tmp_path_factory, drawn_graph):
    joined, graph = drawn_graph
    path = tmp_path_factory.mktemp("tetrad") / "g.txt"
    made = build_digraph(["a", "b", 'd"', "é"], [(*pair, {"direction": mark}) for pair, mark in joined.items()])
    path.write_text(to_tetrad(made), encoding="utf-8")
    read = txt2generalgraph(str(path))
    assert [node.get_name() for node in read.get_nodes()] == ["a", "b", 'd"', "é"]
    assert np.array_equal(read.graph, graph.graph)
    assert marks_of(causewise.read_graph(path)) == marks_of(made)
