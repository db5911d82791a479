"""One table's graph found: the order, the parents of every column, and what each of them moves.

Arrays in, numbers out, so that it can be repeated on parts of the rows in other processes.
"""

from dataclasses import dataclass

import numpy as np

from causewise.graphs.constraints import Constraints
from causewise.graphs.likelihoods import Likelihoods
from causewise.graphs.search import OnMove, Search
from causewise.models.additive import AdditiveFit, Smooths
from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.numerics.native import FloatArray
from causewise.pair import standardise


@dataclass(frozen=True, eq=False)
class Found:
    """Columns by their number."""

    order: tuple[int, ...]
    fits: tuple[AdditiveFit, ...]
    """Of each column, in the order's order, given its parents."""
    log_likelihood: float
    """Nats a row, of all columns together, less one nat a coefficient."""

    @property
    def arrows(self) -> frozenset[tuple[int, int]]:
        """Parent and child."""
        return frozenset(
            (term.parent, child) for child, fit in zip(self.order, self.fits, strict=True) for term in fit.terms
        )


def find(columns: FloatArray, constraints: Constraints, alpha: float, on_move: OnMove = lambda done, of: None) -> Found:
    """The graph of some columns, one line each, of any unit."""
    likelihoods = Likelihoods(Smooths([standardise(column) for column in columns]), constraints, alpha)
    search = Search(likelihoods, constraints, columns.shape[1])
    order = search.best(on_move)
    fits = tuple(likelihoods.fit(column, order[:k]) for k, column in enumerate(order))
    return Found(tuple(order), fits, search.total(order))


def independence(columns: FloatArray, found: Found) -> list[float | None]:
    """Of each column in the order: is its noise independent of all before it? None for the first.

    The smallest of the p-values (HSIC) with each of them, times their number. A location-scale model without hidden
    common causes leaves such noise in the true order, and in no other.
    """
    kernels = [kernel_column(standardise(column)) for column in columns]
    out: list[float | None] = []
    for k, fit in enumerate(found.fits):
        noise = kernel_column(standardise(fit.residual))
        p_values = [hsic_test(noise, kernels[other]).p_value for other in found.order[:k]]
        out.append(min(1.0, float(np.min(p_values)) * k) if p_values else None)
    return out
