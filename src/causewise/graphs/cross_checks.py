"""Arrows that the same rows contradict when they are looked at another way lose their direction.

Two ways: the two columns by themselves, as pairs are scored, and the logarithms of columns with long tails.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from causewise.decision import Decision, Direction
from causewise.graphs.causal_graph import ARROW, LINE, TWO_HEADED, Edge
from causewise.graphs.graph_columns import GraphColumns
from causewise.graphs.graph_search import fit_graph
from causewise.inference import infer
from causewise.pair import standardise
from causewise.parallel import one_thread

LONG_TAILS = 50.0
"""Excess kurtosis from which a column is looked at in logs, too."""
REJECTED = 1e-4
"""The p-value below which a pair by itself is said to leave dependent noise."""


def compare_with_pairs(table: GraphColumns, edges: Sequence[Edge], seed: int) -> tuple[list[Edge], list[str]]:
    """The edges, and a sentence for each that the two columns by themselves contradict.

    Two columns that are joined to no other are all that the graph knows of them, and the more careful scoring of pairs
    decides. Elsewhere other columns tell of the direction, too, and only an answer the other way contradicts it: where
    a third column is joined to both, that may explain it, and where none is, the direction is left open.
    """
    neighbours: dict[str, set[str]] = {name: set() for name in table.names}
    for edge in edges:
        neighbours[edge.parent].add(edge.child)
        neighbours[edge.child].add(edge.parent)
    out, sentences = [], []
    for edge in edges:
        if edge.direction == ARROW and not (edge.is_given or table.placed & {edge.parent, edge.child}):
            third = sorted(neighbours[edge.parent] & neighbours[edge.child])
            columns = (table.values[table.names.index(name)] for name in (edge.parent, edge.child))
            pair = infer(*columns, seed=seed)
            if len(neighbours[edge.parent]) == len(neighbours[edge.child]) == 1:
                edge = _agree_with_pair(edge, pair)
            elif pair.direction is Direction.BACKWARD:
                other = "by themselves are answered the other way"
                if third:
                    names = ", ".join(map(repr, third))
                    both = f"{edge.parent!r} and {edge.child!r} {other}"
                    sentences.append(f"{both}; {names}, joined to both, may explain it.")
                else:
                    reason = f"the two columns {other}, and no third is joined to both"
                    edge = replace(edge, direction=LINE, reason=reason)
        out.append(edge)
    return out, sentences


def _agree_with_pair(edge: Edge, pair: Decision) -> Edge:
    """An arrow between columns that are joined to no other, as far as the pair by itself lets it."""
    p_values = [each.p_value for each in (pair.forward, pair.backward) if each.p_value is not None]
    if len(p_values) == 2 and max(p_values) < REJECTED:
        reason = "by themselves neither direction leaves independent noise: a common cause that is no column, perhaps"
        return replace(edge, direction=TWO_HEADED, reason=reason)
    if pair.probabilities and pair.probabilities["y->x"] > pair.probabilities["x->y"]:
        reason = "the two columns by themselves lean the other way, and no third explains it"
        return replace(edge, direction=LINE, reason=reason)
    return edge


def compare_with_logs(read: GraphColumns, alpha: float, edges: Sequence[Edge]) -> tuple[list[Edge], list[str]]:
    """The edges, none an arrow that turns round where columns with long tails are taken in logs, and what was found.

    Either scale is a way to record the same quantity: an arrow that hangs on it is no finding.
    """
    is_long = {
        name: name not in read.placed and column.min() > 0 and np.mean(standardise(column) ** 4) - 3.0 > LONG_TAILS
        for name, column in zip(read.names, read.values, strict=True)
    }
    if not any(is_long.values()):
        return list(edges), []
    columns = zip(is_long.values(), read.values, strict=True)
    table = replace(read, values=np.array([np.log(column) if long else column for long, column in columns]))
    table = table.to_canonical()
    with one_thread():
        arrows = fit_graph(table.values, table.constraints(), alpha).arrows
    named = {(table.names[parent], table.names[child]) for parent, child in arrows}
    names = ", ".join(repr(name) for name, long in sorted(is_long.items()) if long)
    turned = [edge for edge in edges if edge.direction == ARROW and (edge.child, edge.parent) in named]
    reason = f"with the logarithms of {names} it would run the other way"
    out = [replace(edge, direction=LINE, reason=reason) if edge in turned else edge for edge in edges]
    listed = ", ".join(f"{edge.parent!r} → {edge.child!r}" for edge in turned)
    result = f"{listed} would run the other way: left open" if turned else "no arrow would run the other way"
    return out, [f"A few extreme rows hold most of the variance of {names}; in logarithms {result}."]
