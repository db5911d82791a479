"""`orient`: the open edges of a graph that another method found, oriented where the table says which way.

An edge is open where its direction is not given: undirected, or drawn both ways. The graph says that there is an edge,
so background knowledge about its direction decides it, whatever the rows say. Edges are oriented one by one, the given
ones first and then the surest. One that would close a cycle with those before it, with the graph's own arrows or with
the given precedence is left as it was.
"""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from causewise.catalogue import DEFAULT
from causewise.decision import USABLE
from causewise.errors import SEEDS, InputError, between
from causewise.formatting import percent, visible
from causewise.inference import prepare_method, threshold_setting
from causewise.knowledge.background import Knowledge
from causewise.parallel import one_thread
from causewise.protocol import Method
from causewise.scanning.graph_reading import read_graph
from causewise.scanning.pair_scorer import PairScorer, blank_row
from causewise.scanning.table import ScanTable, read_scan_table
from causewise.tables.choose import list_names

Nodes = tuple[Any, Any]

_TAIL, _ARROW = -1, 1
"""Ends of an edge in causal-learn's matrix, where [i, j] is the end at i; 2 is a circle, larger ones double edges."""
_MAYBE_HIDDEN = ("<->", "o->", "o-o", "o--")
"""Directions, as `read_graph` has them, of edges that a hidden common cause may explain."""
_HIDDEN = "The graph allows for a hidden common cause on this edge, which pairwise methods rule out."


@dataclass(frozen=True)
class OrientedEdge:
    """One open edge of a graph, and what became of it."""

    x: Any
    y: Any
    cause: Any = None
    """None where the edge is left open."""
    effect: Any = None
    confidence: float | None = None
    """The data's, in the direction that the edge was given; in the one they lean to where it is left open."""
    score: float | None = None
    """> 0 favours x → y."""
    given: bool = False
    """Whether background knowledge gave the direction, whatever the rows say."""
    why: str = ""
    """What was given about the direction, or why there is none."""

    def __str__(self) -> str:
        usable = self.confidence is not None and (self.cause is not None or self.confidence >= USABLE)
        sure = f" ({percent(self.confidence or 0.0)})" if usable else ""
        if self.cause is None:
            return visible(f"{self.x} – {self.y}{sure}: left. {self.why}")
        return visible(f"{self.cause} → {self.effect}{sure}{f': {self.why}' if self.why else ''}")


class Orientation(NamedTuple):
    """A graph with some of its open edges oriented, and what became of each of them."""

    graph: Any
    """Of the kind that was given; a DiGraph, what is left drawn both ways, for a networkx Graph; one for a file."""
    edges: tuple[OrientedEdge, ...]
    """In the order of the table's columns; edges that cannot be scored come last."""
    contradictions: tuple[str, ...] = ()
    """Sentences about the graph's own arrows that contradict background knowledge; they are not touched."""

    def __str__(self) -> str:
        count = sum(edge.cause is not None for edge in self.edges)
        heading = f"{count} of {len(self.edges)} open edge{'s' * (len(self.edges) != 1)} oriented"
        return "\n".join([heading, *map(str, self.edges), *map(visible, self.contradictions)])


@dataclass(frozen=True, eq=False)
class MixedGraph:
    """A graph of any package: edges that point somewhere, edges that are open, and how to turn these."""

    nodes: tuple[Any, ...]
    arrows: tuple[Nodes, ...]
    """From cause to effect."""
    open: tuple[Nodes, ...]
    """Edges that may be turned, each once."""
    turn: Callable[[Sequence[Nodes]], Any]
    """A graph of the same kind in which these open edges run from the first node to the second."""
    left: Mapping[Nodes, str] = field(default_factory=dict)
    """Edges that may not be turned, with the reason."""
    numbered: bool = False
    """Whether the nodes stand in the order of the table's columns, named by their number."""


def orient(
    graph: Any,
    data: Any,
    *,
    knowledge: Any = None,
    method: str | Method = DEFAULT,
    threshold: float | None = None,
    seed: int = 0,
    **asked: Any,
) -> Orientation:
    """Orient the undirected and two-way edges of a graph where the rows of its columns say which way.

    Arrows that are there already stay, and no edge is added or removed. An edge that would close a directed cycle is
    left open: the given ones are oriented first, then those with the highest confidence. Every edge is scored by its
    two columns alone, as in `infer`.

    Parameters
    ----------
    graph
        A networkx Graph or DiGraph, a causal-learn GeneralGraph or what its `pc` returns, a pgmpy PDAG, or a file that
        `read_graph` reads, with the table's columns as nodes. It is not changed.
    data
        A table: pandas, polars, Arrow, a dict of columns, a matrix, or the path of a file.
    knowledge
        Background knowledge, as for `scan`: tiers, "a before b", required, forbidden and likely edges. Applied.
    method
        A name from `causewise.list_methods()`, with settings if need be, or an object with a `name` and
        `decide_many(pairs)`.
    threshold
        From which confidence on a direction is given, for methods that have a confidence.
    seed
        For methods that draw random numbers.
    **asked
        How to read a text file: `decimal`, `header`, `sep`, `sheet`, `max_bytes`, `max_lines`.

    Returns
    -------
    Orientation
        `graph`, of the kind that was given, and `edges`, what became of every open edge.

    Raises
    ------
    InputError
        If the graph is of no supported kind, no node is a column, or the knowledge contradicts itself.

    Examples
    --------
    >>> import networkx as nx, numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> a = rng.uniform(-2, 2, 500)
    >>> b = np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=500)
    >>> table = {"a": a, "b": b, "c": b + rng.normal(size=500)}
    >>> found = causewise.orient(nx.path_graph(["a", "b", "c"]), table, knowledge={"before": [["b", "c"]]})
    >>> sorted(found.graph.edges)
    [('a', 'b'), ('b', 'c')]
    >>> [(edge.cause, edge.given) for edge in found.edges]
    [('a', False), ('b', True)]
    """
    between("orient", *SEEDS, seed=seed)
    mixed = read_mixed_graph(graph)
    table, scorer = make_scorer(data, knowledge, method, threshold, seed, **asked)
    columns = _columns_of(mixed, table)
    edges = _avoid_cycles(_score_edges(mixed, columns, scorer), mixed, columns, scorer.knowledge)
    oriented = mixed.turn([(edge.cause, edge.effect) for edge in edges if edge.cause is not None])
    contradictions = tuple(_list_contradictions(mixed, columns, scorer.knowledge))
    return Orientation(oriented, (*edges, *_list_unscored(mixed, columns, table)), contradictions)


def make_scorer(
    data: Any, knowledge: Any, method: str | Method, threshold: float | None, seed: int, **asked: Any
) -> tuple[ScanTable, PairScorer]:
    """The table, and what scores its pairs; the method is checked before a large table is read."""
    settings = dict(threshold_setting(method, threshold))
    prepare_method(method, seed, settings)
    table = read_scan_table(data, **asked)
    background = Knowledge.of(knowledge, table.every)
    return table, PairScorer(table.names, table.values, method, seed, settings, background, notes=table.notes)


def _columns_of(mixed: MixedGraph, table: ScanTable) -> dict[Any, str]:
    """The column that each node is, where it is one."""
    nameless = tuple(f"column {k}" for k in range(1, len(mixed.nodes) + 1))
    if mixed.numbered and table.every == nameless:
        return dict(zip(mixed.nodes, table.every, strict=True))
    columns = {node: str(node) for node in mixed.nodes if str(node) in table.every}
    if (mixed.nodes and not columns) or len(set(columns.values())) < len(columns):
        raise InputError(
            f"Got a graph with the nodes{list_names(list(map(str, mixed.nodes)))} and a table with the columns"
            f"{list_names(table.every)}; expected nodes that are called like columns, no two like one: rename the "
            f"ones or "
            "the others."
        )
    return columns


def _score_edges(mixed: MixedGraph, columns: Mapping[Any, str], scorer: PairScorer) -> list[OrientedEdge]:
    """The open edges between columns that can be scored, in the table's order, each as if it were the only one."""
    place = {node: scorer.names.index(name) for node, name in columns.items() if name in scorer.names}
    edges = [sorted(edge, key=place.__getitem__) for edge in mixed.open if edge[0] in place and edge[1] in place]
    edges.sort(key=lambda edge: (place[edge[0]], place[edge[1]]))
    with one_thread(), scorer.share_columns():
        return [score_edge(scorer, (x, y), (place[x], place[y])) for x, y in edges]


def score_edge(scorer: PairScorer, nodes: Nodes, places: tuple[int, int]) -> OrientedEdge:
    """The edge between two columns, as the rows and the knowledge about these two alone would have it."""
    screening, (x, y) = scorer.screen(*places), nodes
    if screening.p is None:
        row = scorer.apply_knowledge(blank_row(scorer.names, screening, None))
    else:
        row = scorer.orient(screening, screening.p)
    statement = scorer.knowledge.on(row.x, row.y)
    ends = {"x->y": (x, y), "y->x": (y, x)}
    if statement.unrelated:
        return OrientedEdge(x, y, why=f"Given: {statement.why}; the graph has the edge all the same.")
    if statement.direction:
        why = f"Given: {statement.why}."
        return OrientedEdge(x, y, *ends[statement.direction], row.confidence, row.score, True, why)
    why = row.reason or ("" if row.status == "oriented" else f"The columns are {row.status}.")
    return OrientedEdge(x, y, *ends.get(row.direction, (None, None)), row.confidence, row.score, why=why)


def _avoid_cycles(
    edges: Sequence[OrientedEdge], mixed: MixedGraph, columns: Mapping[Any, str], knowledge: Knowledge
) -> list[OrientedEdge]:
    """The same edges, those left open that would close a cycle."""
    import networkx as nx

    # Which column comes before which: columns are text, ends of tiers numbers, and nodes without a column tuples.
    order = nx.DiGraph((one, other) for one, behind in knowledge.links.items() for other in behind)
    order.add_edges_from(tuple(columns.get(node, (node,)) for node in arrow) for arrow in mixed.arrows)
    result = list(edges)
    for k, edge in sorted(enumerate(edges), key=lambda item: (*_doubt(item[1]), item[0])):
        if edge.cause is None:
            continue
        cause, effect = columns[edge.cause], columns[edge.effect]
        if order.has_node(effect) and order.has_node(cause) and nx.has_path(order, effect, cause):
            path = [node for node in nx.shortest_path(order, effect, cause) if not isinstance(node, int)]
            arrows = " → ".join(str(node[0] if isinstance(node, tuple) else node) for node in path)
            why = f"{cause} → {effect} would close a cycle: {arrows} stands already, in the graph or as given."
            result[k] = replace(edge, cause=None, effect=None, why=why)
        else:
            order.add_edge(cause, effect)
    return result


def _doubt(edge: OrientedEdge) -> tuple[bool, float, float]:
    """Smallest for what was given, then for the highest confidence; for the largest score where there is none."""
    return not edge.given, -(edge.confidence or 0.0), -abs(edge.score or 0.0)


def _list_unscored(mixed: MixedGraph, columns: Mapping[Any, str], table: ScanTable) -> Iterable[OrientedEdge]:
    """Open edges of which one end is no column, or none that can be scored; and those that may not be turned."""
    for x, y in sorted(mixed.open, key=str):
        for node in (x, y):
            name = columns.get(node)
            if name not in table.names:
                what = "is no column of the table" if name is None else f"cannot be scored: {table.left_out.get(name)}"
                yield OrientedEdge(x, y, why=f"{node} {what}.")
                break
    yield from (OrientedEdge(x, y, why=why) for (x, y), why in mixed.left.items())


def _list_contradictions(mixed: MixedGraph, columns: Mapping[Any, str], knowledge: Knowledge) -> Iterable[str]:
    for arrow in mixed.arrows:
        if arrow[0] in columns and arrow[1] in columns:
            cause, effect = columns[arrow[0]], columns[arrow[1]]
            statement = knowledge.on(cause, effect)
            if statement.unrelated or statement.direction == "y->x":
                yield f"The graph's own {cause} → {effect} contradicts what was given: {statement.why}."


def read_mixed_graph(graph: Any) -> MixedGraph:
    """The graph of any package that is supported, or of a file."""
    if isinstance(graph, str | Path):
        return _read_networkx(read_graph(graph))
    families = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(graph).__mro__}
    for family, reader in _READERS.items():
        if family in families:
            return reader(graph)
    raise InputError(
        f"Got {type(graph).__name__} as the graph; expected one of networkx (Graph, DiGraph), causal-learn "
        "(GeneralGraph, or what pc returns) or pgmpy (PDAG, DAG), or the path of a file: convert it to one of these, "
        "and give it before the table."
    )


def _read_networkx(graph: Any) -> MixedGraph:
    if graph.is_multigraph():
        raise InputError(
            f"Got a {type(graph).__name__}, in which two nodes may have several edges; expected a Graph or a DiGraph: "
            "convert it with networkx.DiGraph(graph)."
        )
    both = graph.has_edge if graph.is_directed() else lambda one, other: True
    place = {node: k for k, node in enumerate(graph)}
    arrows: list[Nodes] = []
    undirected: dict[Nodes, None] = {}
    left: dict[Nodes, str] = {}
    for one, other, stated in graph.edges(data="direction"):  # as causewise's own graphs and files have it
        edge: Any = tuple(sorted((one, other), key=place.__getitem__))
        if stated in _MAYBE_HIDDEN:
            left[edge] = _HIDDEN
        elif one != other and (stated == "--" or both(other, one)):
            undirected[edge] = None
        elif one != other:
            arrows.append((one, other))

    def turn(chosen: Sequence[Nodes]) -> Any:
        # Undirected graphs have no room for an arrow: they become directed, and what is left runs both ways.
        oriented = graph.copy() if graph.is_directed() else graph.to_directed()
        for cause, effect in chosen:
            facts = dict(oriented.get_edge_data(cause, effect) or oriented.get_edge_data(effect, cause))
            oriented.remove_edges_from([(effect, cause)])
            oriented.add_edge(cause, effect, **facts | ({"direction": "->"} if "direction" in facts else {}))
        return oriented

    return MixedGraph(tuple(graph), tuple(arrows), tuple(undirected), turn, left)


def _read_pgmpy(graph: Any) -> MixedGraph:
    def turn(chosen: Sequence[Nodes]) -> Any:
        oriented = graph.copy()
        for cause, effect in chosen:
            oriented.orient_undirected_edge(cause, effect, inplace=True)
        return oriented

    return MixedGraph(tuple(graph), tuple(graph.directed_edges), tuple(graph.undirected_edges), turn)


def _read_general_graph(graph: Any) -> MixedGraph:
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

    def turn(chosen: Sequence[Nodes]) -> Any:
        oriented = copy.deepcopy(graph)
        for cause, effect in chosen:
            ends = (oriented.get_node(cause), oriented.get_node(effect))
            oriented.remove_connecting_edge(*ends)
            oriented.add_directed_edge(*ends)
        return oriented

    numbered = names == tuple(f"X{k}" for k in range(1, len(names) + 1))
    return MixedGraph(names, tuple(arrows), tuple(undirected), turn, left, numbered)


def _read_causal_graph(graph: Any) -> MixedGraph:
    """What causal-learn's pc returns: a graph, and how it was found."""
    inner = _read_general_graph(graph.G)

    def turn(chosen: Sequence[Nodes]) -> Any:
        oriented = copy.copy(graph)
        oriented.G = inner.turn(chosen)
        return oriented

    return replace(inner, turn=turn)


_READERS: dict[tuple[str, str], Callable[[Any], MixedGraph]] = {
    ("causallearn", "CausalGraph"): _read_causal_graph,
    ("causallearn", "GeneralGraph"): _read_general_graph,
    ("pgmpy", "PDAG"): _read_pgmpy,
    ("networkx", "Graph"): _read_networkx,
}
"""By package and class, the special before the general: a PDAG is a networkx graph too."""
