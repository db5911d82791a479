"""The graph of largest likelihood: an order of the columns, the parents of each, and graphs nearly as good."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.mechanisms import Mechanism, Mechanisms
from causewise.graphs.order_search import Likelihoods, OnMove, Search, Wider, to_bits
from causewise.graphs.reversals import Arrow, explore_reversals
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

_BETTER = 1e-6
"""Nats of all rows by which a graph nearby must be better to be gone on from."""


@dataclass(frozen=True, eq=False)
class OrderedFits:
    """A graph of columns by their number: their order, and a fit of each given its parents."""

    order: tuple[int, ...]
    fits: tuple[Mechanism, ...]
    """Of each column, in the order's order, given its parents."""
    log_likelihood: float
    """Nats a row, of all columns together, less what the code of the mechanisms costs."""

    @property
    def arrows(self) -> frozenset[Arrow]:
        """Parent and child."""
        return frozenset(
            (parent, child) for child, fit in zip(self.order, self.fits, strict=True) for parent in fit.parents
        )


class Guide(NamedTuple):
    """What all rows tell the search on a part of them."""

    order: Sequence[int]
    """One more to begin at: a search that ends elsewhere by chance would pass for rows that disagree."""
    wider: Wider
    """Mechanisms that were let in, and are in every part."""


class GraphSearch(NamedTuple):
    """A graph, and what it takes to ask how much worse others are."""

    graph: OrderedFits
    likelihoods: Likelihoods
    search: Search
    turned: Mapping[Arrow, float]
    """Of edges that graphs nearby have the other way round: the nats that the best of these has less."""

    @property
    def guide(self) -> Guide:
        """For parts of these rows."""
        wider = self.likelihoods.mechanisms.wider
        return Guide(self.graph.order, {kind: sorted(columns) for kind, columns in wider.items()})

    def reversal_loss(self, arrow: Arrow) -> float:
        """Nats that the best graph with an arrow turned round has less; below 0 where that is the way it stands.

        Whether the arrow is an edge or not; infinite where background knowledge forbids it.
        """
        parent, child = arrow
        order = self.graph.order
        if order.index(parent) > order.index(child):
            return -self.reversal_loss((child, parent))
        loss = self.search.reversal_loss(order, parent, child) * len(self.graph.fits[0].residual)
        return min(loss, self.turned.get(arrow, np.inf))


def fit_graph(
    columns: FloatArray, constraints: Constraints, alpha: float, on_move: OnMove = lambda done, of: None
) -> OrderedFits:
    """The graph of some columns, one line each, of any unit.

    Arrays in, numbers out, so that it can be repeated on parts of the rows in other processes.
    """
    return search_graph(columns, constraints, alpha, on_move).graph


def search_graph(
    columns: FloatArray,
    constraints: Constraints,
    alpha: float,
    on_move: OnMove = lambda done, of: None,
    guide: Guide | None = None,
) -> GraphSearch:
    """As `fit_graph`, with all fits that were made; guided by all rows where these are a part."""
    likelihoods = Likelihoods(Mechanisms([standardise(column) for column in columns], alpha), constraints)
    search = Search(likelihoods, constraints, columns.shape[1], likelihoods.candidates)
    orders = search.reach(on_move)
    if guide is not None:
        orders.append(search.improve(guide.order, on_move))
        likelihoods.let_in(guide.wider)
        orders = [search.improve(search.choose(orders), on_move)]
    while guide is None and likelihoods.widen(orders):
        orders = [search.improve(search.choose(orders), on_move)]
    order = search.choose(orders)
    near = explore_reversals(likelihoods, order)
    # A column that may choose from more parents is not always fitted better: what is gained nearby may be lost again.
    while near.gain > _BETTER and (other := search.choose([order, search.improve(near.order, on_move)])) != order:
        order = other
        near = explore_reversals(likelihoods, order)
    fits = tuple(likelihoods.fit(column, to_bits(order[:k])) for k, column in enumerate(order))
    return GraphSearch(OrderedFits(tuple(order), fits, search.total(order)), likelihoods, search, near.losses)
