"""Graphs nearly as good as the one found, in which some of its edges run the other way.

Where columns come from each other by straight lines with normal noise, a whole class of graphs fits alike, and any two
of them are joined by turning one edge after the other, each between columns that otherwise have the same parents
(Chickering 1995; with curves among the lines: Rothenhäusler, Ernst and Bühlmann 2018). To turn one of these edges
alone may cost hundreds of nats where all of them together cost none. So edges of the graph that was found are turned
one by one, the cheapest first, while little is lost, and of every edge that is turned on the way the least loss is
kept.

An edge can be turned that no other path joins: its ends then share the parents of both, of which those that do not
matter cost nothing.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from causewise.graphs.order_search import Columns, Likelihoods, to_bits, to_list

Arrow = tuple[int, int]

NEAR = 8.0
"""Nats less than the graph that was found, beneath which a graph is followed further."""
MOST = 400
"""Turns that are tried, beside those of the graph that was found."""


class NearbyGraphs(NamedTuple):
    """What was found around a graph."""

    losses: dict[Arrow, float]
    """Of edges, by parent and child, that some graph has the other way round: the nats that the best of these lacks."""
    gain: float
    """Nats by which the best graph on the way is better."""
    order: list[int]
    """Of its columns, parents first."""


class _Graph(NamedTuple):
    """The nats that a graph has less than the first, and the parents of every column."""

    loss: float
    parents: tuple[Columns, ...]


def explore_reversals(likelihoods: Likelihoods, order: Sequence[int]) -> NearbyGraphs:
    """Graphs around the one of an order, reached by turning its edges."""
    given = [to_bits(np.flatnonzero(column)) for column in likelihoods.constraints.before.T]
    fits = {column: likelihoods.fit_once(column, to_bits(order[:k])) for k, column in enumerate(order)}
    first = _Graph(0.0, tuple(to_bits(fits[column].parents) for column in range(len(order))))
    losses: dict[Arrow, float] = {}
    best, waiting, seen, tried = first, [first], {first.parents}, 0
    while waiting and waiting[0].loss < NEAR and tried < MOST:
        graph = heapq.heappop(waiting)
        for arrow in _list_free_edges(graph.parents, given):
            turned = _turn(likelihoods, graph, arrow)
            tried += graph is not first
            if turned.parents not in seen:
                seen.add(turned.parents)
                heapq.heappush(waiting, turned)
                best = min(best, turned)
                for each in _list_turned(first.parents, turned.parents):
                    losses[each] = min(losses.get(each, math.inf), turned.loss)
    return NearbyGraphs(losses, -best.loss, _sort(_add(best.parents, given)))


def _turn(likelihoods: Likelihoods, graph: _Graph, arrow: Arrow) -> _Graph:
    """The graph with a free edge the other way round."""
    parent, child = arrow
    above = (graph.parents[parent] | graph.parents[child]) & ~(1 << parent)
    old = (likelihoods.fit_once(column, graph.parents[column]) for column in arrow)
    new = [likelihoods.fit_once(parent, above | 1 << child), likelihoods.fit_once(child, above)]
    gain = sum(fit.log_likelihood for fit in new) - sum(fit.log_likelihood for fit in old)
    parents = list(graph.parents)
    parents[parent], parents[child] = (to_bits(fit.parents) for fit in new)
    lean = float(likelihoods.constraints.log_odds[child, parent])
    return _Graph(graph.loss - gain * len(new[0].residual) - lean, tuple(parents))


def _list_free_edges(parents: Sequence[Columns], given: Sequence[Columns]) -> Iterator[Arrow]:
    """Edges that no other path joins, nor what is given."""
    above = _add(parents, given)
    ancestors = [0] * len(parents)
    for column in _sort(above):
        beyond = given[column]
        for other in to_list(above[column]):
            beyond |= ancestors[other]
        ancestors[column] = beyond | above[column]
        for parent in to_list(parents[column] & ~beyond):
            yield parent, column


def _list_turned(first: Sequence[Columns], second: Sequence[Columns]) -> Iterator[Arrow]:
    """Edges of the first graph that the second has the other way round."""
    for child, above in enumerate(first):
        for parent in to_list(above):
            if second[parent] >> child & 1:
                yield parent, child


def _add(parents: Sequence[Columns], given: Sequence[Columns]) -> list[Columns]:
    """The parents of each column, and those that are given to stand before it."""
    return [one | other for one, other in zip(parents, given, strict=True)]


def _sort(above: Sequence[Columns]) -> list[int]:
    """The columns, each behind those above it, else by their number."""
    order, done = list[int](), 0
    while len(order) < len(above):
        column = next(k for k, others in enumerate(above) if not (done >> k & 1 or others & ~done))
        order.append(column)
        done |= 1 << column
    return order
