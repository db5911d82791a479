"""How well a column is told by those before it: the likelihood that an order of all columns adds up.

Among orders with the true parents before every column, the noise that is left has the least entropy in total. The law
of the noise is not assumed: its density is estimated from the gaps between the residuals. A nat is taken off for every
coefficient (Akaike 1974): a wrong order needs more of them, and what they gain on the rows they were fitted to had
outweighed the truth where functions are straight lines. Half of log n nats each (Schwarz 1978) was no better there, and
worse where noise enters otherwise than as a sum.

Rejected: sinks by the independence of the residual (HSIC), as RESIT finds them: every column is fitted on all others
first, and what nine splines leave of 500 rows looks independent of all of them.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from causewise.graphs.constraints import Constraints
from causewise.models.additive import AdditiveFit, Smooths
from causewise.numerics.density import log_density_at_rows


class _Known(NamedTuple):
    """A fit, with the columns it could choose from and those it chose: a bit each."""

    offered: int
    chosen: int
    value: float
    fit: AdditiveFit


class Likelihoods:
    """Log-likelihoods a row of standardised columns given others, each fitted once.

    Terms come in one by one, the strongest first, so a column that was offered and not taken changes nothing: a fit
    answers for every set between the columns it chose and those it could choose from.
    """

    def __init__(self, smooths: Smooths, constraints: Constraints, alpha: float) -> None:
        self.smooths, self.constraints, self.alpha = smooths, constraints, alpha
        self._known: list[list[_Known]] = [[] for _ in smooths.columns]

    def __call__(self, column: int, earlier: Iterable[int]) -> float:
        """Nats a row."""
        return self._found(column, earlier).value

    def fit(self, column: int, earlier: Iterable[int]) -> AdditiveFit:
        """The column given those of the earlier ones that matter, each given all others."""
        required = self._required(column, earlier)
        return self.smooths.prune(column, self._found(column, earlier).fit, self.alpha, required)

    def _found(self, column: int, earlier: Iterable[int]) -> _Known:
        candidates = [k for k in earlier if not self.constraints.barred[k, column]]
        offered = _bits(candidates)
        for known in self._known[column]:
            if not (known.chosen & ~offered or offered & ~known.offered):
                return known
        required = self._required(column, candidates)
        fit = self.smooths.fit(column, candidates, self.alpha, required)
        chosen = _bits({term.parent for term in fit.terms}.union(required))
        self._known[column].append(_Known(offered, chosen, _likelihood(fit), fit))
        return self._known[column][-1]

    def _required(self, column: int, earlier: Iterable[int]) -> list[int]:
        return [k for k in earlier if self.constraints.required[k, column]]


def _bits(columns: Iterable[int]) -> int:
    return sum(1 << k for k in columns)


def _likelihood(fit: AdditiveFit) -> float:
    density = log_density_at_rows(fit.residual)
    # Where ties leave no gaps, which is rare (see `complete_rows`), the normal law is all there is.
    told = -0.5 * fit.residual**2 - 0.5 * np.log(2 * np.pi) if density is None else density
    return float(np.mean(told - fit.log_scale)) - fit.coefficients / len(fit.residual)
