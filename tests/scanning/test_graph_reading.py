"""Graphs read back from files: what was written, what other programs write, and sentences for the rest."""

import json
import re
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from drawn_scans import HOSTILE, UNSEEN
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.errors import InputError
from causewise.scanning.graph_files import BY_ENDS, GRAPH_FORMATS, build_digraph, to_dot, to_tetrad
from causewise.scanning.graph_reading import _READERS, collect_edges, read_tetrad

DIRECTIONS = list(BY_ENDS.values())
any_name = st.one_of(
    st.text(max_size=8), st.sampled_from((*HOSTILE, *UNSEEN, "a[b]", "x, y;z", "--", "edge", "(L)", "1"))
)
plain_name = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters=",;"), min_size=1, max_size=8
).filter(lambda name: not re.fullmatch(r"\(.*\)|\[.*\]", name))


@st.composite
def graphs(draw, names=any_name):
    nodes = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    pairs = draw(st.lists(st.sampled_from(list(combinations(nodes, 2)) or [None]), unique=True, max_size=6))
    edges = [
        (*(pair if draw(st.booleans()) else pair[::-1]), {"direction": draw(st.sampled_from(DIRECTIONS))})
        for pair in pairs
        if pair
    ]
    return build_digraph(nodes, edges)


def content(graph: nx.DiGraph) -> tuple[list, set]:
    return list(graph), set(graph.edges(data="direction"))


@given(graphs())
def test_json_dot_and_graphml_give_the_graph_back(graph):
    assert content(read_text(".json", graph)) == content(graph)
    for ending in (".dot", ".graphml"):
        back = read_text(ending, graph)
        renamed = dict(zip(graph, back, strict=True))  # what they cannot hold is spelt out
        assert content(nx.relabel_nodes(graph, renamed)) == content(back)
        assert all(name == there for name, there in renamed.items() if name.isprintable())


@given(graphs(st.one_of(plain_name, any_name)))
def test_tetrads_text_gives_the_graph_back_or_refuses_a_name(graph):
    try:
        text = to_tetrad(graph)
    except InputError as refusal:
        assert any(repr(name) in str(refusal) for name in graph)
    else:
        assert content(causewise.read_graph(text)) == content(graph)


@given(graphs(plain_name))
def test_plain_names_are_not_refused(graph):
    assert to_tetrad(graph)


@pytest.mark.parametrize("name", ["two words", "a,b", "a;b", "(L)", "[S]", "", "a\tb", "nul\x00"])
def test_names_that_tetrad_would_split_are_refused(name):
    with pytest.raises(InputError, match=re.escape(repr(name)) + ".*rename the columns"):
        to_tetrad(build_digraph(["a", name], []))


@given(st.sampled_from(list(_READERS)), st.text(alphabet='ab1.;,{}[]"\\-><o =\n', max_size=40), st.booleans())
def test_any_text_is_a_graph_or_a_sentence(ending, text, opened):
    if opened:
        text = {".dot": "digraph {", ".txt": "Graph Nodes:\na;b\n\nGraph Edges:\n1. "}.get(ending, "") + text
    try:
        nodes, edges = _READERS[ending](text)
    except InputError:
        return
    assert {name for ends, _ in edges for name in ends} <= set(nodes)


def read_text(ending: str, graph: nx.DiGraph) -> nx.DiGraph:
    """As from a file, without one."""
    nodes, edges = _READERS[ending](GRAPH_FORMATS[ending](graph))
    return build_digraph(nodes, [(*ends, {"direction": mark}) for ends, mark in collect_edges(edges).items()])


@pytest.mark.parametrize("ending", GRAPH_FORMATS)
def test_a_file_of_any_ending_is_read(tmp_path, ending):
    graph = build_digraph("abc", [("a", "b", {"direction": "->"}), ("c", "b", {"direction": "<->"})])
    path = tmp_path / f"g{ending}"
    path.write_text("\ufeff" + GRAPH_FORMATS[ending](graph), encoding="utf-8")  # as editors on Windows save it
    for source in (path, str(path)):
        assert content(causewise.read_graph(source)) == content(graph)


def test_node_link_json_of_networkx_is_read(tmp_path):
    for graph, direction in ((nx.DiGraph([("a", "b")]), "->"), (nx.Graph([("a", "b")]), "--")):
        for word in ("edges", "links"):
            links = [{"source": "a", "target": "b"}]
            record = {"directed": graph.is_directed(), "nodes": [{"id": "a"}, {"id": "b"}], word: links}
            (tmp_path / "g.json").write_text(json.dumps(record))
            assert list(causewise.read_graph(tmp_path / "g.json").edges(data="direction")) == [("a", "b", direction)]
    (tmp_path / "g.graphml").write_text("\n".join(nx.generate_graphml(nx.Graph([(1, 2)]))))
    assert list(causewise.read_graph(tmp_path / "g.graphml").edges(data="direction")) == [("1", "2", "--")]


def test_what_tetrad_itself_writes_is_read():
    text = """Graph Nodes:
X1;X2;(L1);[S]

Graph Edges:
1. X1 --> X2 dd nl
2. L1 <-o X2 [X2 --> L1]:0.9000;[no edge]:0.1000;
3. X1 --- S

Graph Attributes:
Score: 12.5
"""
    edges = [(("X1", "X2"), "->"), (("X2", "L1"), "o->"), (("X1", "S"), "--")]
    assert read_tetrad(text) == (["X1", "X2", "L1", "S"], edges)
    dot = 'digraph g {\n "X1" -> "X2" [dir=both, arrowtail=odot, arrowhead=normal]; \n "X2" -> "X3" [arrowtail=none, '
    dot += 'arrowhead=normal]; \n "X3" -> "X1" [arrowtail=none, arrowhead=none]; \n}'
    found = set(causewise.read_graph(dot).edges(data="direction"))
    assert found == {("X1", "X2", "o->"), ("X2", "X3", "->"), ("X3", "X1", "--")}


def test_dot_is_read_over_lines_and_by_the_defaults_of_its_edges():
    text = 'graph { a --\n b\n c -- d [weight="-1"]; edge [dir=both]; "a[b]" -- -5; subgraph s { e -- f } }'
    assert list(causewise.read_graph(text).edges(data="direction")) == [
        ("a", "b", "--"),
        ("c", "d", "--"),
        ("a[b]", "-5", "<->"),
        ("e", "f", "<->"),
    ]


def test_edges_that_disagree_have_no_direction_in_whatever_order():
    assert collect_edges([(("a", "b"), "->"), (("b", "a"), "->")]) == {("a", "b"): "--"}
    assert collect_edges([(("a", "b"), "<->"), (("b", "a"), "<->"), (("a", "a"), "->")]) == {("a", "b"): "<->"}
    assert collect_edges([(("a", "b"), "->"), (("a", "b"), "<->")]) == {("a", "b"): "--"}
    assert collect_edges([(("b", "a"), "<->"), (("a", "b"), "->")]) == {("b", "a"): "--"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("digraph { a -> {b c} }", "one by one"),
        ("digraph { {a b} -> c }", "one by one"),
        ("{ a -> b }", "expected DOT text"),
        ("Graph Edges:\n1. a causes b", "under 'Graph Edges:'"),
        ("nowhere.txt", "Could not read 'nowhere.txt'"),
        (7, "Could not read '7'"),
    ],
)
def test_what_is_no_graph_is_one_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence):
        causewise.read_graph(text)


@pytest.mark.parametrize(
    ("ending", "text"), [("graphml", "<a/>"), ("graphml", "no"), ("json", "[]"), ("json", "{}"), ("txt", "a")]
)
def test_a_file_without_a_graph_is_one_sentence(tmp_path, ending, text):
    (tmp_path / f"g.{ending}").write_text(text)
    with pytest.raises(InputError, match="expected"):
        causewise.read_graph(tmp_path / f"g.{ending}")
    (tmp_path / "g.png").write_bytes(b"\x89PNG")
    with pytest.raises(InputError, match="expected DOT"):
        causewise.read_graph(tmp_path / "g.png")


def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 500)
    b = np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=500)
    return {"a": a, "b": b, "c": b + rng.normal(size=500)}


def test_orient_takes_a_file_and_leaves_what_may_be_a_common_cause(tmp_path):
    graph = build_digraph("abc", [("b", "a", {"direction": "--"}), ("b", "c", {"direction": "<->"})])
    (tmp_path / "g.txt").write_text(to_tetrad(graph))
    for source in (graph, tmp_path / "g.txt", to_dot(graph)):
        found = causewise.orient(source, table())
        assert set(found.graph.edges(data="direction")) == {("a", "b", "->"), ("b", "c", "<->")}
        assert "hidden common cause" in found.edges[-1].why
    assert set(graph.edges(data="direction")) == {("b", "a", "--"), ("b", "c", "<->")}


def test_arrows_of_a_file_can_be_required():
    known = causewise.read_graph("digraph { b -> a; c }")
    found = causewise.scan(table(), knowledge={"required": known})
    assert [(row.cause, row.effect) for row in found if row.is_given] == [("b", "a")]
    for text in ("digraph { a -> b [dir=none] }", "digraph { a -> b [dir=both, arrowtail=odot] }"):
        with pytest.raises(InputError, match="'a' and 'b' are joined without a direction"):
            causewise.scan(table(), knowledge={"required": causewise.read_graph(text)})
