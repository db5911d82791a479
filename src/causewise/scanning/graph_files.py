r"""A graph as GraphML, node-link JSON, DOT and Tetrad's text, files by the ending of their name.

JSON holds any name. XML 1.0 has no place for most control characters, and Graphviz ends a text at NUL: in GraphML and
DOT they are spelt out, `\x1b`; all other names read back as they were. Tetrad and causal-learn split their text at
blanks, commas and semicolons, and no quoting helps: names that have them are refused there.

How an edge joins two nodes is its attribute `direction`: `->` where there is none, `--` (no direction), `<->` (a common
cause), and `o->`, `o-o`, `o--`, in which a circle is a tail or a head (Zhang 2008).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.formatting import json_text, visible
from causewise.tables.choose import list_names

if TYPE_CHECKING:
    from networkx import DiGraph

BY_ENDS = {"->": "->", "--": "--", "<>": "<->", "o>": "o->", "oo": "o-o", "o-": "o--"}
"""Every direction, by what stands at the first node and at the second."""
_DOT_STYLES = {
    "--": "dir=none",
    "<->": "dir=both",
    "o->": "dir=both, arrowtail=odot, arrowhead=normal",
    "o-o": "dir=both, arrowtail=odot, arrowhead=odot",
    "o--": "dir=both, arrowtail=odot, arrowhead=none",
}
"""What Graphviz calls the ends of an edge that is no arrow."""
_NOT_IN_TETRAD = re.compile(r"[\s,;\x00-\x1f\ud800-\udfff]|^$|^\(.*\)$|^\[.*\]$")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_ending(target: Path, formats: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The writer for the ending of a file's name, refused where there is none."""
    ending = target.suffix.lower()
    if ending not in formats:
        raise InputError(f"Got the file name {str(target)!r}; expected one that ends in {', '.join(formats)}.")
    return formats[ending]


def build_digraph(nodes: Iterable[str], edges: Iterable[tuple[str, str, Mapping[str, Any]]]) -> "DiGraph":
    """The nodes in their order, and an edge from each cause to its effect with the attributes that are not None."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for cause, effect, attributes in edges:
        graph.add_edge(cause, effect, **{name: value for name, value in attributes.items() if value is not None})
    return graph


def to_graphml(graph: "DiGraph") -> str:
    """GraphML, which networkx, igraph, Gephi, Cytoscape and yEd read; a node's id is its column."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(nx.relabel_nodes(graph, _spell_names(graph)))) + "\n"


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
    names = {name: _quote(spelling) for name, spelling in _spell_names(graph).items()}
    lines = [f"  {names[name]};" for name in graph]
    for cause, effect, facts in graph.edges(data=True):
        # Quoted, since a bare number of DOT has no exponent.
        attributes = ", ".join(f"{name}={_quote(repr(value))}" for name, value in facts.items())
        if style := _DOT_STYLES.get(facts.get("direction", "")):
            attributes += f", {style}"
        lines.append(f"  {names[cause]} -> {names[effect]} [{attributes}];")
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def to_tetrad(graph: "DiGraph") -> str:
    """Tetrad's text, which causal-learn reads too; of attributes it has room for the direction alone.

    Examples
    --------
    >>> print(to_tetrad(build_digraph("abc", [("a", "b", {}), ("b", "c", {"direction": "--"})])), end="")
    Graph Nodes:
    a;b;c
    <BLANKLINE>
    Graph Edges:
    1. a --> b
    2. b --- c
    """
    if names := [name for name in graph if _NOT_IN_TETRAD.search(name)]:
        raise InputError(
            f"Got columns that Tetrad's text cannot hold{list_names([repr(name) for name in names])}; expected names "
            "without blanks, commas, semicolons and brackets around them: rename the columns, or write .dot, .graphml "
            "or .json."
        )
    ends = {direction: pair for pair, direction in BY_ENDS.items()}
    lines = []
    for number, (one, other, facts) in enumerate(graph.edges(data=True), 1):
        sign = "-".join(ends[facts.get("direction", "->")])
        lines.append(f"{number}. {one} {sign} {other}")
    return "\n".join(["Graph Nodes:", ";".join(graph), "", "Graph Edges:", *lines]) + "\n"


def _quote(text: str) -> str:
    r"""A quoted ID: `\"` is a quote, and `\\` shows as one backslash and cannot swallow the closing quote."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _spell_names(graph: "DiGraph") -> dict[str, str]:
    """Every name as XML and C can hold it; two names never become one."""
    taken = {name for name in graph if not _NOT_IN_XML.search(name)}
    spellings = {name: name for name in taken}
    for name in graph:
        if name not in spellings:
            text = _NOT_IN_XML.sub(lambda match: visible(match[0]), name)
            while text in taken:
                text += "'"
            taken.add(text)
            spellings[name] = text
    return spellings


GRAPH_FORMATS: Mapping[str, Callable[["DiGraph"], str]] = {
    ".json": to_json,
    ".graphml": to_graphml,
    ".dot": to_dot,
    ".txt": to_tetrad,
}
"""Of the arrows, by the ending of a file's name."""
