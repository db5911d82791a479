r"""A scan's graph as text: GraphML, node-link JSON and DOT, in which every name stays a name.

JSON holds any name. XML 1.0 has no place for most control characters, and Graphviz ends a text at NUL: in GraphML and
DOT they are spelt out, `\x1b`; all other names read back as they were.
"""

import re
from typing import TYPE_CHECKING, Any

from causewise.formatting import json_text, visible

if TYPE_CHECKING:
    from networkx import DiGraph

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_graphml(graph: "DiGraph") -> str:
    """GraphML, which networkx, igraph, Gephi, Cytoscape and yEd read; a node's id is its column."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(nx.relabel_nodes(graph, _spelt(graph)))) + "\n"


def to_json(graph: "DiGraph") -> str:
    """Node-link JSON, which `networkx.node_link_graph(data, edges="edges")` and d3 read."""
    # Written here: networkx names the list of edges otherwise from version to version.
    record = {
        "directed": True,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name} for name in graph],
        "edges": [{"source": cause, "target": effect} | facts for cause, effect, facts in graph.edges(data=True)],
    }
    return json_text(record) + "\n"


def to_dot(graph: "DiGraph") -> str:
    """DOT, the language of Graphviz."""
    names = {name: _quoted(spelt) for name, spelt in _spelt(graph).items()}
    nodes = [f"  {names[name]};" for name in graph]
    edges = [f"  {names[a]} -> {names[b]} [{_facts(facts)}];" for a, b, facts in graph.edges(data=True)]
    return "\n".join(["digraph {", *nodes, *edges, "}"]) + "\n"


def _facts(facts: dict[str, Any]) -> str:
    # Quoted, since a bare number of DOT has no exponent.
    return ", ".join(f"{name}={_quoted(repr(value))}" for name, value in facts.items())


def _quoted(text: str) -> str:
    r"""A quoted ID: `\"` is a quote, and `\\` shows as one backslash and cannot swallow the closing quote."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _spelt(graph: "DiGraph") -> dict[str, str]:
    """Every name as XML and C can hold it; two names never become one."""
    taken = {name for name in graph if not _NOT_IN_XML.search(name)}
    spelt = {name: name for name in taken}
    for name in graph:
        if name not in spelt:
            text = _NOT_IN_XML.sub(lambda found: visible(found[0]), name)
            while text in taken:
                text += "'"
            taken.add(text)
            spelt[name] = text
    return spelt
