r"""A graph as GraphML, node-link JSON and DOT, in which every name stays a name; files by the ending of their name.

JSON holds any name. XML 1.0 has no place for most control characters, and Graphviz ends a text at NUL: in GraphML and
DOT they are spelt out, `\x1b`; all other names read back as they were.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.formatting import json_text, visible

if TYPE_CHECKING:
    from networkx import DiGraph

_HEADS = {"--": "none", "<->": "both"}
"""What Graphviz calls the heads of an edge that is no arrow."""
_QUOTED = r'"(?:\\.|[^"\\])*"'
_DOT_REMARK = re.compile(rf"{_QUOTED}|//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_DOT_STATEMENT = re.compile(rf"(?:{_QUOTED}|\[(?:{_QUOTED}|[^\]\"])*\]|[^;{{}}\n\"\[])+")
_DOT_LIST = re.compile(rf"\[((?:{_QUOTED}|[^\]\"])*)\]")
_DOT_FACT = re.compile(rf"(\w+)\s*=\s*({_QUOTED}|[\w.+-]+)")
_DOT_WORD = re.compile(rf"{_QUOTED}|->|--|=|[^\s\"=\[\];,-]+(?:-(?![->])[^\s\"=\[\];,-]+)*")
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
        if facts.get("direction") in _HEADS:
            attributes += f", dir={_HEADS[facts['direction']]}"
        lines.append(f"  {names[cause]} -> {names[effect]} [{attributes}];")
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def read_dot(text: str) -> tuple[list[str], list[tuple[tuple[str, str], str]]]:
    """The nodes of DOT text, and its edges with how they join: `->`, `--`, `<->`.

    Arrows, chains, quoted names, `dir=both`, `dir=none` and `dir=back` are read; subgraphs are taken as their content.

    Examples
    --------
    >>> read_dot('digraph { a -> b -> "c d"; a -> e [dir=none]; f }')
    (['a', 'b', 'c d', 'e', 'f'], [(('a', 'b'), '->'), (('b', 'c d'), '->'), (('a', 'e'), '--')])
    """
    body = _DOT_REMARK.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    if not re.match(r"\s*(strict\s+)?(di)?graph\b[^{]*{", body):
        raise InputError(f"Got {visible(text[:60])!r} as a graph; expected DOT text: digraph {{ a -> b; }}.")
    nodes: dict[str, None] = {}
    edges: list[tuple[tuple[str, str], str]] = []
    for statement in _DOT_STATEMENT.findall(body[body.index("{") + 1 :]):
        listed = _DOT_LIST.search(statement)
        facts = dict(_DOT_FACT.findall(listed[1])) if listed else {}
        words = _DOT_WORD.findall(_DOT_LIST.sub(" ", statement))
        names = [_unquote(word) for word in words if word not in ("->", "--")]
        if not names or words[0] in ("node", "edge", "graph", "subgraph") or "=" in words:
            continue
        nodes |= dict.fromkeys(names)
        signs = [word for word in words if word in ("->", "--")]
        for a, b, sign in zip(names, names[1:], signs, strict=False):
            way = _unquote(facts.get("dir", ""))
            mark = {"none": "--", "both": "<->"}.get(way, sign)
            edges.append(((b, a) if way == "back" else (a, b), mark))
    return list(nodes), edges


def _unquote(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word


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


GRAPH_FORMATS: Mapping[str, Callable[["DiGraph"], str]] = {".json": to_json, ".graphml": to_graphml, ".dot": to_dot}
"""Of the arrows, by the ending of a file's name."""
