"""`orient`: the open edges of a graph that another method found, turned where the table says which way.

The graph says that there is an edge, so what is known about its direction decides it, whatever the rows say. Edges are
turned one by one, the known first and then the surest. One that would close a cycle with those before it, with the
graph's own arrows or with what is known to come before what, is left as it was.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from causewise.catalogue import DEFAULT, seeded_method
from causewise.decision import USABLE, percent
from causewise.errors import SEEDS, InputError, between
from causewise.formatting import visible
from causewise.inference import threshold_setting
from causewise.integrations.foreign import MixedGraph, Nodes, read_graph
from causewise.knowledge.knowledge import Knowledge
from causewise.parallel import one_thread
from causewise.scanning.judging import Judge, blank_row
from causewise.scanning.scan_row import ScanRow
from causewise.scanning.table import ScanTable, scan_table

if TYPE_CHECKING:
    from networkx import DiGraph


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
    known: bool = False
    """Whether the direction was known, whatever the rows say."""
    why: str = ""
    """What is known about the direction, or why there is none."""

    def __str__(self) -> str:
        said = self.confidence is not None and (self.cause is not None or self.confidence >= USABLE)
        sure = f" ({percent(self.confidence or 0.0)})" if said else ""
        if self.cause is None:
            return visible(f"{self.x} – {self.y}{sure}: left. {self.why}")
        return visible(f"{self.cause} → {self.effect}{sure}{f': {self.why}' if self.why else ''}")


class Oriented(NamedTuple):
    """A graph with some of its open edges turned, and what became of each of them."""

    graph: Any
    """Of the kind that was given; a DiGraph, what is left drawn both ways, for a networkx Graph."""
    edges: tuple[OrientedEdge, ...]
    """In the order of the table's columns; edges that cannot be judged come last."""
    against: tuple[str, ...] = ()
    """Sentences about the graph's own arrows that go against what is known; they are not touched."""

    def __str__(self) -> str:
        count = sum(edge.cause is not None for edge in self.edges)
        told = f"{count} of {len(self.edges)} open edge{'s' * (len(self.edges) != 1)} oriented"
        return "\n".join([told, *map(str, self.edges), *map(visible, self.against)])


def orient(
    graph: Any,
    data: Any,
    *,
    knowledge: Any = None,
    method: str = DEFAULT,
    threshold: float | None = None,
    seed: int = 0,
    **asked: Any,
) -> Oriented:
    """Orient the undirected and two-way edges of a graph where the rows of its columns say which way.

    Arrows that are there already stay, and no edge is added or removed. An edge that would close a directed cycle is
    left open: the known ones are turned first, then those with the highest confidence. Every edge is judged by its two
    columns alone, as in `infer`.

    Parameters
    ----------
    graph
        A networkx Graph or DiGraph, a causal-learn GeneralGraph or what its `pc` returns, or a pgmpy PDAG, with the
        table's columns as nodes. It is not changed.
    data
        A table: pandas, polars, Arrow, a dict of columns, a matrix, or the path of a CSV or Parquet file.
    knowledge
        Background knowledge, as for `scan`: tiers, "a before b", required, forbidden and likely edges. Applied.
    method
        A name from `causewise.list_methods()`, with settings if need be.
    threshold
        From which confidence on a direction is given, for methods that have a confidence.
    seed
        For methods that draw random numbers.
    **asked
        How to read a text file: `decimal`, `header`, `max_bytes`, `max_lines`.

    Returns
    -------
    Oriented
        `graph`, of the kind that was given, and `edges`, what became of every open edge.

    Raises
    ------
    InputError
        If the graph is of no known kind, no node is a column, or what is known contradicts itself.

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
    >>> [(edge.cause, edge.known) for edge in found.edges]
    [('a', False), ('b', True)]
    """
    between("orient", *SEEDS, seed=seed)
    settings: dict[str, Any] = dict(threshold_setting(method, threshold))
    seeded_method(method, seed, **settings)  # refused before a large table is read
    mixed = read_graph(graph)
    table = scan_table(data, **asked)
    background = Knowledge.of(knowledge, table.every)
    columns = _columns_of(mixed, table)
    judge = Judge(table.names, table.values, method, seed, settings, background, notes=table.notes)
    judged = _judged(mixed, columns, judge)
    made, refused = _without_cycles(judged, mixed, columns, background)
    edges = [*(refused.get(place, edge) for place, edge in judged.items()), *_unjudged(mixed, columns, table)]
    return Oriented(mixed.turned(made), tuple(edges), tuple(_against(mixed, columns, background)))


def _columns_of(mixed: MixedGraph, table: ScanTable) -> dict[Any, str]:
    """The column that each node is, where it is one."""
    nameless = tuple(f"column {k}" for k in range(1, len(mixed.nodes) + 1))
    if mixed.numbered and table.every == nameless:
        return dict(zip(mixed.nodes, table.every, strict=True))
    found = {node: str(node) for node in mixed.nodes if str(node) in table.every}
    if (mixed.nodes and not found) or len(set(found.values())) < len(found):
        raise InputError(
            f"Got a graph with the nodes {_listed(mixed.nodes)} and a table with the columns {_listed(table.every)}; "
            "expected nodes that are called like columns, no two like one: rename the ones or the others."
        )
    return found


def _judged(mixed: MixedGraph, columns: Mapping[Any, str], judge: Judge) -> dict[tuple[int, int], OrientedEdge]:
    """The open edges between columns that can be judged, in the table's order, each as if it were the only one."""
    place = {node: judge.names.index(name) for node, name in columns.items() if name in judge.names}
    edges = [sorted(edge, key=place.__getitem__) for edge in mixed.open if edge[0] in place and edge[1] in place]
    with one_thread(), judge.shared():
        found = {(place[x], place[y]): judged_edge(judge, (x, y), (place[x], place[y])) for x, y in edges}
    return dict(sorted(found.items()))


def judged_edge(judge: Judge, nodes: Nodes, places: tuple[int, int]) -> OrientedEdge:
    """The edge between two columns, as the rows and what is known about these two alone would have it."""
    row, (x, y) = _row(judge, *places), nodes
    known = judge.knowledge.on(row.x, row.y)
    ends = {"x->y": (x, y), "y->x": (y, x)}
    if known.unrelated:
        return OrientedEdge(x, y, why=f"Known: {known.why}; the graph has the edge all the same.")
    if known.direction:
        return OrientedEdge(x, y, *ends[known.direction], row.confidence, row.score, True, f"Known: {known.why}.")
    why = row.reason or ("" if row.status == "oriented" else f"The columns are {row.status}.")
    return OrientedEdge(x, y, *ends.get(row.direction, (None, None)), row.confidence, row.score, why=why)


def _row(judge: Judge, i: int, j: int) -> ScanRow:
    screened = judge.screen(i, j)
    if screened.p is None:
        return judge.obeying(blank_row(judge.names, screened, None))
    return judge.orient(screened, screened.p)


def _without_cycles(
    judged: Mapping[tuple[int, int], OrientedEdge],
    mixed: MixedGraph,
    columns: Mapping[Any, str],
    knowledge: Knowledge,
) -> tuple[list[Nodes], dict[tuple[int, int], OrientedEdge]]:
    """The edges that are turned, from cause to effect, and the others that would have closed a cycle."""
    import networkx as nx

    order = _order(mixed, columns, knowledge)
    made: list[Nodes] = []
    refused: dict[tuple[int, int], OrientedEdge] = {}
    for place, edge in sorted(judged.items(), key=lambda item: (*_doubt(item[1]), item[0])):
        if edge.cause is None:
            continue
        cause, effect = columns[edge.cause], columns[edge.effect]
        if order.has_node(effect) and order.has_node(cause) and nx.has_path(order, effect, cause):
            path = [node for node in nx.shortest_path(order, effect, cause) if not isinstance(node, int)]
            told = " → ".join(str(node[0] if isinstance(node, tuple) else node) for node in path)
            why = f"{cause} → {effect} would close a cycle: {told} stands already, in the graph or in what is known."
            refused[place] = replace(edge, cause=None, effect=None, why=why)
        else:
            order.add_edge(cause, effect)
            made.append((edge.cause, edge.effect))
    return made, refused


def _order(mixed: MixedGraph, columns: Mapping[Any, str], knowledge: Knowledge) -> "DiGraph":
    """Which column comes before which. Columns are text, ends of tiers numbers, and nodes without a column tuples."""
    import networkx as nx

    order = nx.DiGraph((one, other) for one, behind in knowledge.precedence.links.items() for other in behind)
    order.add_edges_from(tuple(columns.get(node, (node,)) for node in arrow) for arrow in mixed.arrows)
    return order


def _doubt(edge: OrientedEdge) -> tuple[bool, float, float]:
    """Smallest for what is known, then for the highest confidence; for the largest score where there is none."""
    return not edge.known, -(edge.confidence or 0.0), -abs(edge.score or 0.0)


def _unjudged(mixed: MixedGraph, columns: Mapping[Any, str], table: ScanTable) -> Iterable[OrientedEdge]:
    """Open edges of which one end is no column, or none that can be judged; and those that may not be turned."""
    for x, y in sorted(mixed.open, key=str):
        for node in (x, y):
            name = columns.get(node)
            if name not in table.names:
                what = "is no column of the table" if name is None else f"cannot be judged: {table.left_out.get(name)}"
                yield OrientedEdge(x, y, why=f"{node} {what}.")
                break
    yield from (OrientedEdge(x, y, why=why) for (x, y), why in mixed.left.items())


def _against(mixed: MixedGraph, columns: Mapping[Any, str], knowledge: Knowledge) -> Iterable[str]:
    for arrow in mixed.arrows:
        if arrow[0] in columns and arrow[1] in columns:
            cause, effect = columns[arrow[0]], columns[arrow[1]]
            known = knowledge.on(cause, effect)
            if known.unrelated or known.direction == "y->x":
                yield f"The graph's own {cause} → {effect} goes against what is known: {known.why}."


def _listed(names: Iterable[Any]) -> str:
    told = [repr(name) for name in names]
    return ", ".join(told[:5]) + (f" and {len(told) - 5} more" if len(told) > 5 else "")
