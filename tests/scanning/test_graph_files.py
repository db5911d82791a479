"""A graph's files read back by others, whatever the names of its columns."""

import inspect
import json
import re
from itertools import pairwise

import networkx as nx
from drawn_scans import HOSTILE, UNSEEN, row
from hypothesis import given
from hypothesis import strategies as st

from causewise.scanning.consistency import to_digraph
from causewise.scanning.graph_files import to_dot, to_graphml, to_json

names = st.lists(st.one_of(st.text(max_size=8), st.sampled_from(HOSTILE + UNSEEN)), min_size=2, max_size=6, unique=True)


def chain(columns: list[str]) -> nx.DiGraph:
    return to_digraph([row(a, b, 1.5 - 0.1 * k) for k, (a, b) in enumerate(pairwise(columns))], columns)


def same(one: nx.DiGraph, other: nx.DiGraph) -> bool:
    return list(one) == list(other) and {(a, b): f for a, b, f in one.edges(data=True)} == {
        (a, b): f for a, b, f in other.edges(data=True)
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
