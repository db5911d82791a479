"""A causal graph beside another: how many edges differ, and which.

Two columns are joined by an arrow one way, by an arrow the other way, by an edge without a direction or by a common
cause. Where both graphs join them alike the credit is 1; where one of them has no direction and the other has one, or
a common cause, it is a half; else 0. The structural Hamming distance counts one for every pair that only one graph
joins, and what is missing to 1 for every pair that both do (Tsamardinos et al. 2006 count a whole for edges without a
direction; a half is what a coin would lose).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.formatting import percent
from causewise.graphs.causal_graph import ARROW, LINE, TWO_HEADED, CausalGraph
from causewise.scanning.graph_reading import Ends, Joined, collect_edges, list_edges, read_graph
from causewise.tables.choose import list_names

Marks = Mapping[Ends, str]
"""Of each pair of columns that is joined, once: how. An arrow runs from the first to the second."""
_TAIL, _HEAD, _CIRCLE = -1, 1, 2
"""At an end of an edge in a matrix of causal-learn; a circle is either of the two."""


@dataclass(frozen=True)
class GraphComparison:
    """How far a graph is from another, which stands for the truth.

    Examples
    --------
    >>> from causewise.graphs.comparison import compare_marks
    >>> found = {("a", "b"): "->", ("b", "c"): "--", ("a", "d"): "->"}
    >>> beside = compare_marks(("a", "b", "c", "d"), found, {("b", "a"): "->", ("b", "c"): "->"})
    >>> beside.shd, beside.turned, beside.undirected, beside.extra, beside.missing
    (2.5, (('b', 'a'),), (('b', 'c'),), (('a', 'd'),), ())
    >>> print(beside)
    SHD 2.5, F1 0.20; 50 % of the other's arrows contradict the order; 1 turned, 1 without a direction, 1 extra
    """

    shd: float
    """Structural Hamming distance; an edge without a direction counts half where the other has one."""
    precision: float | None
    """The share of this graph's edges that the other has; None where there is none."""
    recall: float | None
    """The share of the other's edges that this graph has."""
    f1: float | None
    order_error: float | None
    """The share of the other's arrows that this graph's order contradicts."""
    turned: tuple[Ends, ...]
    """The other's arrows that run the other way here."""
    undirected: tuple[Ends, ...]
    """The other's arrows that have no direction here."""
    missing: tuple[Ends, ...]
    """The other's edges between columns that are not joined here."""
    extra: tuple[Ends, ...]
    """Edges between columns that the other does not join."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain numbers and text."""
        return {name: list(map(list, each)) if isinstance(each, tuple) else each for name, each in asdict(self).items()}

    def __str__(self) -> str:
        f1 = "" if self.f1 is None else f", F1 {self.f1:.2f}"
        order = (
            ""
            if self.order_error is None
            else f"; {percent(self.order_error)} of the other's arrows contradict the order"
        )
        counts = {
            "turned": self.turned,
            "without a direction": self.undirected,
            "missing": self.missing,
            "extra": self.extra,
        }
        listed = ", ".join(f"{len(edges)} {what}" for what, edges in counts.items() if edges)
        return f"SHD {self.shd:g}{f1}{order}; {listed or 'the same edges'}"


def compare_graphs(graph: CausalGraph, other: Any, names: Sequence[str] | None = None) -> GraphComparison:
    """A causal graph beside another of any package; see `CausalGraph.compare`."""
    nodes, marks = read_marks(other, names)
    differ = [(set(graph.order) - nodes, "this graph alone"), (nodes - set(graph.order), "the other alone")]
    said = [f"{list_names(sorted(map(repr, some)), '', '')} in {where}" for some, where in differ if some]
    if said:
        raise InputError(
            f"Got graphs of different columns ({'; '.join(said)}); expected the same names in both: rename the "
            "nodes, or compare without these columns."
        )
    return compare_marks(graph.order, {(edge.parent, edge.child): edge.direction for edge in graph.edges}, marks)


def compare_marks(order: Sequence[str], own: Marks, other: Marks) -> GraphComparison:
    """The edges of one graph beside those of another, which stands for the truth; `order` is the first one's."""
    mine, theirs = ({frozenset(ends): (ends, mark) for ends, mark in marks.items()} for marks in (own, other))
    both = [pair for pair in theirs if pair in mine]
    credits = {pair: _credit(mine[pair], theirs[pair]) for pair in both}
    credit, place = sum(credits.values()), {name: k for k, name in enumerate(order)}
    arrows = [ends for ends, mark in other.items() if mark == ARROW]
    against = sum(place[cause] > place[effect] for cause, effect in arrows)
    joined = [(theirs[pair], mine[pair]) for pair in both if theirs[pair][1] == ARROW]
    return GraphComparison(
        shd=len(mine) + len(theirs) - len(both) - credit,
        precision=credit / len(mine) if mine else None,
        recall=credit / len(theirs) if theirs else None,
        f1=2 * credit / (len(mine) + len(theirs)) if mine or theirs else None,
        order_error=against / len(arrows) if arrows else None,
        turned=tuple(ends for (ends, _), (here, mark) in joined if mark == ARROW and here != ends),
        undirected=tuple(ends for (ends, _), (_, mark) in joined if mark == LINE),
        missing=tuple(ends for pair, (ends, _) in theirs.items() if pair not in mine),
        extra=tuple(ends for pair, (ends, _) in mine.items() if pair not in theirs),
    )


def _credit(one: tuple[Ends, str], other: tuple[Ends, str]) -> float:
    (ends, mark), (there, told) = one, other
    if mark == told:
        return 1.0 if mark != ARROW or ends == there else 0.0
    return 0.5 if LINE in (mark, told) else 0.0


def read_marks(other: Any, names: Sequence[str] | None = None) -> tuple[set[str], dict[Ends, str]]:
    """The nodes and edges of a graph of any package, of a file, or of DOT text."""
    if isinstance(other, CausalGraph):
        return set(other.order), {(edge.parent, edge.child): edge.direction for edge in other.edges}
    if isinstance(other, str | Path):
        return _collect(*list_edges(read_graph(other)))
    other = getattr(other, "G", other)  # what causal-learn's pc returns holds its graph
    if hasattr(other, "edges") and hasattr(other, "is_directed"):
        return _collect(*list_edges(other))
    if hasattr(other, "get_nodes") and hasattr(other, "graph"):
        return _read_matrix(np.asarray(other.graph), [node.get_name() for node in other.get_nodes()], ended=True)
    matrix = np.asarray(other)
    if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and np.issubdtype(matrix.dtype, np.number):
        if names is None or len(names) != len(matrix):
            raise InputError(
                f"Got a matrix of {len(matrix)} nodes and {0 if names is None else len(names)} names; expected "
                "names=[…], one for each of its rows."
            )
        ended = bool((matrix < 0).any() or (matrix == _CIRCLE).any())
        return _read_matrix(matrix, list(names), ended)
    raise InputError(
        f"Got {type(other).__name__} to compare with; expected a CausalGraph, a networkx or causal-learn graph, a "
        "matrix with names=[…], DOT or Tetrad's text, or the path of a .dot, .graphml, .json or .txt file."
    )


def _read_matrix(matrix: Any, names: Sequence[str], ended: bool) -> tuple[set[str], dict[Ends, str]]:
    """causal-learn's marks at the ends of edges, or else 1 from a row to a column."""
    edges: list[Joined] = []
    for i, j in zip(*np.nonzero(matrix), strict=True):
        at_i, at_j = matrix[i, j], matrix[j, i]
        if not ended or (at_i == _TAIL and at_j == _HEAD):
            edges.append(((names[i], names[j]), ARROW))
        elif i < j and at_i == at_j == _HEAD:
            edges.append(((names[i], names[j]), TWO_HEADED))
        elif i < j and (at_i, at_j) != (_HEAD, _TAIL):
            edges.append(((names[i], names[j]), LINE))
    return _collect(names, edges)


def _collect(nodes: Iterable[str], edges: Iterable[Joined]) -> tuple[set[str], dict[Ends, str]]:
    """Each pair once; an edge with a circle at an end has no direction, since the circle may be a tail or a head."""
    marks = collect_edges((ends, LINE if "o" in mark else mark) for ends, mark in edges)
    return {*nodes, *(name for ends in marks for name in ends)}, marks
