"""The graph of a scan, its text forms read back by others, and its contradictions counted by brute force."""

import inspect
import json
import re
from dataclasses import replace
from itertools import combinations, pairwise, permutations

import networkx as nx
import pytest
from drawn_scans import HOSTILE, UNSEEN, letters, row, rows_of, scans
from hypothesis import given
from hypothesis import strategies as st

from causewise.scanning.arrows import graph
from causewise.scanning.graph_text import to_dot, to_graphml, to_json
from causewise.scanning.quality import Quality, quality
from causewise.scanning.scan_row import ScanRow

names = st.lists(st.one_of(st.text(max_size=8), st.sampled_from(HOSTILE + UNSEEN)), min_size=2, max_size=6, unique=True)


def chain(columns: list[str]) -> nx.DiGraph:
    return graph([row(a, b, 1.5 - 0.1 * k) for k, (a, b) in enumerate(pairwise(columns))], columns)


def same(one: nx.DiGraph, other: nx.DiGraph) -> bool:
    return list(one) == list(other) and {(a, b): f for a, b, f in one.edges(data=True)} == {
        (a, b): f for a, b, f in other.edges(data=True)
    }


def test_edges_run_from_cause_to_effect_and_are_told_from_the_cause() -> None:
    forward = replace(row("a", "b", 2.0), p_forward=0.4, p_backward=1e-9)
    backward = replace(row("b", "c", -1.0), p_forward=1e-3, p_backward=0.2, confidence=None)
    others = [
        row("a", "c", 0.1, threshold=0.5),
        ScanRow("a", "d", 100, 0, status="unrelated"),
        ScanRow("b", "d", 0, 100),
    ]
    found = graph([forward, backward, *others], letters(4))
    assert list(found) == letters(4)
    assert dict(found.edges) == {
        ("a", "b"): {"weight": forward.confidence, "score": 2.0, "p_forward": 0.4, "p_backward": 1e-9, "n": 100},
        ("c", "b"): {"weight": 1.0, "score": 1.0, "p_forward": 0.2, "p_backward": 1e-3, "n": 100},
    }


@given(names)
def test_json_reads_back_whatever_the_names(columns: list[str]) -> None:
    word = "edges" if "edges" in inspect.signature(nx.node_link_graph).parameters else "link"
    assert same(nx.node_link_graph(json.loads(to_json(chain(columns))), **{word: "edges"}), chain(columns))


@given(names)
def test_graphml_and_dot_read_back_and_never_merge_two_names(columns: list[str]) -> None:
    drawn = chain(columns)
    for back in (nx.parse_graphml(to_graphml(drawn)), read_dot(to_dot(drawn))):
        renamed = dict(zip(drawn, back, strict=True))
        assert same(nx.relabel_nodes(drawn, renamed), back)
        assert all(name == there for name, there in renamed.items() if name.isprintable())


def test_hostile_names_stay_data() -> None:
    drawn = chain(list(HOSTILE))
    assert same(drawn, nx.parse_graphml(to_graphml(drawn)))
    assert same(drawn, read_dot(to_dot(drawn)))


def test_what_xml_and_c_cannot_hold_is_spelt_out_and_kept_apart() -> None:
    drawn = chain(["\x1b[31m", "\\x1b[31m", "nul\x00"])
    assert list(nx.parse_graphml(to_graphml(drawn))) == ["\\x1b[31m'", "\\x1b[31m", "nul\\x00"]


QUOTED = r'"((?:[^"\\]|\\.)*)"'


def read_dot(text: str) -> nx.DiGraph:
    """The part of DOT that is written here; what is left over would be a name that broke out."""

    def unquoted(body: str) -> str:
        return re.sub(r"\\(.)", r"\1", body, flags=re.DOTALL)

    head, tail = "digraph {\n", "}\n"
    assert text.startswith(head) and text.endswith(tail)
    found = nx.DiGraph()
    statement = re.compile(rf"  {QUOTED}(?: -> {QUOTED} \[([^\]]*)\])?;\n", re.DOTALL)
    here, end = len(head), len(text) - len(tail)
    while here < end:
        match = statement.match(text, here)
        assert match, text[here:]
        here = match.end()
        if match[2] is None:
            found.add_node(unquoted(match[1]))
        else:
            facts = {name: json.loads(value) for name, value in re.findall(r'(\w+)="([^"]*)"', match[3])}
            found.add_edge(unquoted(match[1]), unquoted(match[2]), **facts)
    return found


@given(scans())
def test_contradictions_are_those_found_by_trying_everything(scan: tuple[list[ScanRow], list[str]]) -> None:
    rows, columns = scan
    found, drawn = quality(rows, columns), graph(rows, columns)
    circles = [c for size in range(3, 8) for c in permutations(columns, size) if nx.is_path(drawn, [*c, c[0]])]
    assert len(found.cycle) == min(map(len, circles), default=0)
    assert found.cycle in circles or not circles
    assert {name for knot in found.knots for name in knot} == {name for circle in circles for name in circle}
    leans = nx.DiGraph([(r.x, r.y) if r.score > 0 else (r.y, r.x) for r in rows if r.score])
    triples = [leans.subgraph(three) for three in combinations(columns, 3)]
    complete = [each for each in triples if each.number_of_edges() == 3]
    assert found.triples == len(complete)
    assert found.circular == sum(not nx.is_directed_acyclic_graph(each) for each in complete)


def test_knots_come_in_the_tables_order() -> None:
    scores = {(3, 4): 1.0, (4, 5): 1.0, (3, 5): -1.0, (0, 1): -1.0, (1, 2): -1.0, (0, 2): 1.0, (2, 3): 1.0}
    assert quality(rows_of(scores, letters(6)), letters(6)).knots == (("a", "b", "c"), ("d", "e", "f"))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Quality(0, (), (), 0, 0), "There are no arrows. No three columns have a score for each pair"),
        (Quality(3, (), (), 1, 0), "No arrows run in a circle. 0 of 1 triples (0 %) lean in a circle"),
        (
            Quality(9, (("a", "b", "c"),), ("a", "b", "c"), 4, 1),
            "Arrows of 3 columns run in circles, for instance a → b → c → a",
        ),
    ],
)
def test_the_words_say_what_was_found(found: Quality, words: str) -> None:
    assert found.words.startswith(words)
