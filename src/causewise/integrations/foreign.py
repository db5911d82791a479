"""Graphs of other packages: which edges point somewhere, which are open, and the same graph with some of these turned.

An edge is open where its direction is not given: undirected, or drawn both ways. Packages are told apart by the names
of their classes, so that none of them is imported.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from causewise.errors import InputError

Nodes = tuple[Any, Any]

_TAIL, _ARROW = -1, 1
"""Ends of an edge in causal-learn's matrix, where [i, j] is the end at i; 2 is a circle, larger ones double edges."""
_HIDDEN = "The graph allows for a hidden common cause on this edge, which pairwise methods rule out."


@dataclass(frozen=True, eq=False)
class MixedGraph:
    """What orienting needs to know about a graph."""

    nodes: tuple[Any, ...]
    arrows: tuple[Nodes, ...]
    """From cause to effect."""
    open: tuple[Nodes, ...]
    """Edges that may be turned, each once."""
    turned: Callable[[Sequence[Nodes]], Any]
    """A graph of the same kind in which these open edges run from the first node to the second."""
    left: Mapping[Nodes, str] = field(default_factory=dict)
    """Edges that may not be turned, with the reason."""
    numbered: bool = False
    """Whether the nodes stand in the order of the table's columns, named by their number."""


def read_graph(graph: Any) -> MixedGraph:
    """The graph of any package that is known here."""
    families = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(graph).__mro__}
    for family, reader in _READERS.items():
        if family in families:
            return reader(graph)
    raise InputError(
        f"Got {type(graph).__name__} as the graph; expected one of networkx (Graph, DiGraph), causal-learn "
        "(GeneralGraph, or what pc returns) or pgmpy (PDAG, DAG): convert it to one of these, and give it before the "
        "table."
    )


def _networkx(graph: Any) -> MixedGraph:
    if graph.is_multigraph():
        raise InputError(
            f"Got a {type(graph).__name__}, in which two nodes may have several edges; expected a Graph or a DiGraph: "
            "convert it with networkx.DiGraph(graph)."
        )
    both = graph.has_edge if graph.is_directed() else lambda one, other: True
    place = {node: k for k, node in enumerate(graph)}
    edges = [(one, other) for one, other in graph.edges if one != other]

    def turned(chosen: Sequence[Nodes]) -> Any:
        # Undirected graphs have no room for an arrow: they become directed, and what is left runs both ways.
        found = graph.copy() if graph.is_directed() else graph.to_directed()
        found.remove_edges_from([(effect, cause) for cause, effect in chosen])
        return found

    return MixedGraph(
        tuple(graph),
        tuple((one, other) for one, other in edges if not both(other, one)),
        tuple(dict.fromkeys(tuple(sorted(edge, key=place.__getitem__)) for edge in edges if both(edge[1], edge[0]))),
        turned,
    )


def _pgmpy(graph: Any) -> MixedGraph:
    def turned(chosen: Sequence[Nodes]) -> Any:
        found = graph.copy()
        for cause, effect in chosen:
            found.orient_undirected_edge(cause, effect, inplace=True)
        return found

    return MixedGraph(tuple(graph), tuple(graph.directed_edges), tuple(graph.undirected_edges), turned)


def _general_graph(graph: Any) -> MixedGraph:
    nodes = graph.get_nodes()
    names = tuple(node.get_name() for node in nodes)
    arrows: list[Nodes] = []
    undirected: list[Nodes] = []
    left: dict[Nodes, str] = {}
    for i, j in combinations(range(len(nodes)), 2):
        here, there = int(graph.graph[i, j]), int(graph.graph[j, i])
        if (here, there) in ((_TAIL, _ARROW), (_ARROW, _TAIL)):
            arrows.append((names[i], names[j]) if there == _ARROW else (names[j], names[i]))
        elif here == there == _TAIL or (here == there == _ARROW and not graph.is_pag()):
            # In PC's graphs an edge with two heads is one whose orientations contradict each other.
            undirected.append((names[i], names[j]))
        elif here or there:
            left[names[i], names[j]] = _HIDDEN

    def turned(chosen: Sequence[Nodes]) -> Any:
        found = copy.deepcopy(graph)
        for cause, effect in chosen:
            ends = (found.get_node(cause), found.get_node(effect))
            found.remove_connecting_edge(*ends)
            found.add_directed_edge(*ends)
        return found

    numbered = names == tuple(f"X{k}" for k in range(1, len(names) + 1))
    return MixedGraph(names, tuple(arrows), tuple(undirected), turned, left, numbered)


def _causal_graph(found: Any) -> MixedGraph:
    """What causal-learn's pc returns: a graph, and how it was found."""
    inner = _general_graph(found.G)

    def turned(chosen: Sequence[Nodes]) -> Any:
        again = copy.copy(found)
        again.G = inner.turned(chosen)
        return again

    return MixedGraph(inner.nodes, inner.arrows, inner.open, turned, inner.left, inner.numbered)


_READERS: dict[tuple[str, str], Callable[[Any], MixedGraph]] = {
    ("causallearn", "CausalGraph"): _causal_graph,
    ("causallearn", "GeneralGraph"): _general_graph,
    ("pgmpy", "PDAG"): _pgmpy,
    ("networkx", "Graph"): _networkx,
}
"""By package and class, the special before the general: a PDAG is a networkx graph too."""
