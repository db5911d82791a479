"""`read_graph`: the graph of a file, which GraphML, DOT, Tetrad's text or JSON holds, as a networkx graph.

Other programs' dialects are read where they say how two nodes are joined: ends of edges in DOT, probabilities behind
those of Tetrad, names with blanks, which causal-learn writes and does not read.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.formatting import visible
from causewise.scanning.graph_files import BY_ENDS, build_digraph

if TYPE_CHECKING:
    from networkx import DiGraph

Ends = tuple[str, str]
Joined = tuple[Ends, str]
"""Two nodes, and how they are joined."""

_DIRECTIONS = frozenset(BY_ENDS.values())
_SYMMETRIC = ("--", "<->", "o-o")
_MIRROR = str.maketrans("<>", "><")
_EXPECTED = "DOT or Tetrad's text, or the path of a .dot, .graphml, .json or .txt (Tetrad) file"
_QUOTED = r'"(?:\\.|[^"\\])*"'
_DOT_REMARK = re.compile(rf"{_QUOTED}|//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_DOT_TOKEN = re.compile(
    rf"{_QUOTED}|\[(?:{_QUOTED}|[^\]\"])*\]|->|--|[=;{{}}]|[^\s\"=\[\]{{}};,-]+(?:-(?![->])[^\s\"=\[\]{{}};,-]+)*|-[\d.]+",
    re.DOTALL,
)
_DOT_FACT = re.compile(rf"(\w+)\s*=\s*({_QUOTED}|[\w.+-]+)", re.DOTALL)
_DOT_ENDS = {"none": "-", "odot": "o"}
"""Ends of edges that are no heads."""
_TETRAD_EDGE = re.compile(r"\d+\.\s+(.*)")
_TETRAD_SIGN = re.compile(r"\s([-<o])-([->o])(?=\s)")


def read_graph(source: Any) -> "DiGraph":
    """Read the graph of a file: GraphML, DOT, Tetrad's text, or JSON as causewise writes it.

    Where several edges join two nodes and disagree, such as arrows both ways, they become one without a direction.
    Edges from a node to itself are left out.

    Parameters
    ----------
    source
        The path of a file whose name ends in .graphml, .dot, .txt or .json; or DOT or Tetrad's text itself.

    Returns
    -------
    networkx.DiGraph
        The nodes in their order, and edges with the attribute `direction`: `->`, `--` (none), `<->` (a common cause),
        or `o->`, `o-o`, `o--`, in which a circle is a tail or a head. `graph.compare`, `orient` and
        `knowledge={"required": …}` take it.

    Raises
    ------
    InputError
        If there is no such file, or no graph in it.

    Examples
    --------
    >>> import causewise
    >>> graph = causewise.read_graph("digraph { dose -> level; level -> answer [dir=none] }")
    >>> list(graph.edges(data="direction"))
    [('dose', 'level', '->'), ('level', 'answer', '--')]
    """
    nodes, edges = _read_source(source)
    return build_digraph(nodes, [(*ends, {"direction": mark}) for ends, mark in collect_edges(edges).items()])


def collect_edges(edges: Iterable[Joined]) -> dict[Ends, str]:
    """Each pair of nodes once; edges that disagree have no direction, and none joins a node with itself."""
    marks: dict[Ends, str] = {}
    for (a, b), mark in edges:
        there, back = marks.get((a, b)), marks.get((b, a))
        if back is not None:
            marks[b, a] = back if back == mark and mark in _SYMMETRIC else "--"
        elif a != b:
            marks[a, b] = mark if there in (None, mark) else "--"
    return marks


def list_edges(graph: Any) -> tuple[list[str], list[Joined]]:
    """The nodes and edges of a networkx graph, by the attribute `direction` where an edge has one."""
    usual = "->" if graph.is_directed() else "--"
    edges = [((str(a), str(b)), _check_direction(stated, usual)) for a, b, stated in graph.edges(data="direction")]
    return list(map(str, graph)), edges


def _check_direction(stated: Any, usual: str) -> str:
    return stated if stated in _DIRECTIONS else usual


def _read_source(source: Any) -> tuple[list[str], list[Joined]]:
    if isinstance(source, str) and source.lstrip().startswith(("Graph Nodes:", "Graph Edges:")):
        return read_tetrad(source)
    if isinstance(source, str) and "{" in source:
        return read_dot(source)
    try:
        path = Path(source)
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError, TypeError) as problem:
        reason = getattr(problem, "strerror", None) or type(problem).__name__
        raise InputError(f"Could not read {visible(str(source)[:120])!r} ({reason}); expected {_EXPECTED}.") from None
    if path.suffix.lower() not in _READERS:
        raise InputError(f"Got {visible(str(path))!r} as a graph; expected {_EXPECTED}.")
    return _READERS[path.suffix.lower()](content)


def read_dot(text: str) -> tuple[list[str], list[Joined]]:
    """The nodes of DOT text, and its edges with how they join.

    Arrows, chains, quoted names, `dir`, `arrowhead` and `arrowtail` are read; subgraphs are taken as their content.

    Examples
    --------
    >>> read_dot('digraph { a -> b -> "c d"; a -> e [dir=none]; f }')
    (['a', 'b', 'c d', 'e', 'f'], [(('a', 'b'), '->'), (('b', 'c d'), '->'), (('a', 'e'), '--')])
    """
    body = _DOT_REMARK.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    opening = re.match(r"\s*(strict\s+)?(di)?graph\b[^{]*{", body, re.IGNORECASE)
    if opening is None:
        raise InputError(f"Got {visible(text[:60])!r} as a graph; expected DOT text: digraph {{ a -> b; }}.")
    nodes: dict[str, None] = {}
    usual: dict[str, str] = {}
    edges: list[Joined] = []
    for words, signs, facts in _split_dot(body[opening.end() :]):
        if words[0].lower() == "edge":
            usual |= facts
        if words[0].lower() in ("node", "edge", "graph", "subgraph") or "=" in signs:
            continue
        names = [_unquote(word) for word in words]
        nodes |= dict.fromkeys(names)
        for a, b, sign in zip(names, names[1:], signs, strict=False):
            edges.append(_join(a, b, _read_dot_ends(usual | facts, sign)))
    return list(nodes), edges


def _split_dot(body: str) -> Iterator[tuple[list[str], list[str], dict[str, str]]]:
    """Of each statement: its words, the signs between them, and attributes."""
    words: list[str] = []
    signs: list[str] = []
    facts: dict[str, str] = {}
    for token in (match[0] for match in _DOT_TOKEN.finditer(body)):
        is_open = len(signs) == len(words)  # a word may follow: the first, or one behind a sign
        if is_open and (token in ("->", "--", "=") or (words and token in "{};")):
            raise InputError(
                f"Got {visible(' '.join([*words[-1:], *signs[-1:], token]))!r} in DOT text; expected edges between two "
                "nodes: write those of a group {…} one by one."
            )
        if token in ("->", "--", "="):
            signs.append(token)
        elif token[0] == "[":
            facts |= {name: _unquote(value) for name, value in _DOT_FACT.findall(token)}
        elif is_open and token not in "{};":
            words.append(token)
        else:
            if words and token != "{":  # before which the name of a subgraph stands
                yield words, signs, facts
            words, signs, facts = [] if token in "{};" else [token], [], {}
    if words and len(signs) < len(words):
        yield words, signs, facts


def _read_dot_ends(facts: Mapping[str, str], sign: str) -> str:
    """What stands at the first node of an edge and at the second; `dir` says which of them are drawn."""
    way = facts.get("dir", "forward" if sign == "->" else "none")
    first = _DOT_ENDS.get(facts.get("arrowtail", ""), "<") if way in ("both", "back") else "-"
    last = _DOT_ENDS.get(facts.get("arrowhead", ""), ">") if way in ("both", "forward") else "-"
    return first + last


def _unquote(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL) if word.startswith('"') else word


def read_tetrad(text: str) -> tuple[list[str], list[Joined]]:
    r"""The nodes of Tetrad's text, and its edges with how they join; brackets round latent nodes are left out.

    Examples
    --------
    >>> read_tetrad("Graph Nodes:\na;b c;d\n\nGraph Edges:\n1. a --> b c\n2. d o-> a\n")
    (['a', 'b c', 'd'], [(('a', 'b c'), '->'), (('d', 'a'), 'o->')])
    """
    before, found, after = text.partition("Graph Edges:")
    if not found:
        raise InputError(
            f"Got {visible(text[:60])!r} as a graph; expected Tetrad's text, in which the lines 'Graph Nodes:' and "
            "'Graph Edges:' stand."
        )
    listed = before.partition("Graph Nodes:")[2]
    tokens = re.split("[;\n]" if ";" in listed else "[,\n]", listed)  # older files have commas
    nodes = dict.fromkeys(_strip_brackets(token) for token in tokens if token.strip())
    edges = []
    for line in after.splitlines():
        if numbered := _TETRAD_EDGE.fullmatch(line.strip()):
            edges.append(_read_tetrad_edge(numbered[1], nodes))
            nodes |= dict.fromkeys(edges[-1][0])
    return list(nodes), edges


def _read_tetrad_edge(text: str, nodes: Mapping[str, None]) -> Joined:
    """By the nodes on both sides of a sign; else by words, since Tetrad writes properties behind the second node."""
    splits = [(text[: sign.start()], sign[1] + sign[2], text[sign.end() :]) for sign in _TETRAD_SIGN.finditer(text)]
    for one, ends, other in splits:
        if one.strip() in nodes and other.strip() in nodes:
            return _join(one.strip(), other.strip(), ends)
    for one, ends, other in splits[:1]:
        if len(one.split()) == 1 and other.split():
            return _join(_strip_brackets(one), _strip_brackets(other.split()[0]), ends)
    raise InputError(
        f"Got {visible(text[:120])!r} under 'Graph Edges:'; expected two nodes with -->, ---, <->, o-> or o-o between "
        "them."
    )


def _strip_brackets(token: str) -> str:
    """Tetrad lists latent nodes as (L) and selection variables as [S]."""
    name = token.strip()
    return name[1:-1] if name[:1] + name[-1:] in ("()", "[]") else name


def _join(a: str, b: str, ends: str) -> Joined:
    """Two nodes, in the order in which their ends have a name."""
    if ends in BY_ENDS:
        return (a, b), BY_ENDS[ends]
    return (b, a), BY_ENDS[ends[::-1].translate(_MIRROR)]


def _read_graphml(text: str) -> tuple[list[str], list[Joined]]:
    import networkx as nx

    try:
        return list_edges(nx.parse_graphml(text))
    except Exception as problem:  # of XML, of missing keys, of networkx: it names none
        reason = visible(str(problem)[:120]) or type(problem).__name__
        raise InputError(f"Could not read GraphML ({reason}); expected it as networkx or yEd writes it.") from None


def _read_json(text: str) -> tuple[list[str], list[Joined]]:
    """What a graph writes, or a scan: node-link JSON, which networkx and d3 write too."""
    try:
        record = json.loads(text)
        if "order" in record:
            own = [
                ((edge["parent"], edge["child"]), _check_direction(edge["direction"], "->")) for edge in record["edges"]
            ]
            return list(record["order"]), own
        usual = "->" if record.get("directed", True) else "--"
        links = record["edges"] if "edges" in record else record["links"]
        edges = [
            ((str(link["source"]), str(link["target"])), _check_direction(link.get("direction"), usual))
            for link in links
        ]
        return [str(node["id"]) for node in record["nodes"]], edges
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError(
            "Got JSON without a graph; expected what `causewise graph --out x.json` or `scan --graph x.json` writes."
        ) from None


_READERS: Mapping[str, Callable[[str], tuple[list[str], list[Joined]]]] = {
    ".json": _read_json,
    ".graphml": _read_graphml,
    ".dot": read_dot,
    ".gv": read_dot,
    ".txt": read_tetrad,
}
