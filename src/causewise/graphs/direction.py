"""Which way an edge runs, and how probable that is.

Two things speak for a direction: the log-likelihood that is lost once the edge is turned round, and how often parts of
the rows, on each of which the whole graph is found anew, have it this way and how often the other way. Their weights
are those of a logistic regression on the edges of simulated tables, of worlds that the mechanisms describe and of
worlds that they do not (`python benchmarks/graph_directions.py fit`). Tests of independence, the misfit of both
directions, the length of tails and the pair by itself were tried beside them and left the probability on other worlds
as it was.

What a probability from these cannot tell is a wrong model. So an arrow is drawn only where nothing of this holds:
fewer than three in five parts show it this way, or more than one in five the other way; the child's noise still
depends on its parents; neither direction leaves independent noise, as a common cause would have it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causewise.graphs.mechanisms import Mechanism
from causewise.graphs.misfit import Misfit, measure_misfit
from causewise.graphs.order_search import GraphSearch, to_bits
from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

INTERCEPT, PER_LOG_LOSS, PER_AGREEMENT = 0.04, 0.47, 2.83
INTERCEPT_ALONE, PER_LOG_LOSS_ALONE = -0.53, 1.03
"""Where no parts of the rows were drawn."""
CLEAR = 3.0
"""Nats, a likelihood ratio of twenty, from which the agreement of parts counts in full."""
LEAST_SHOWN, MOST_TURNED = 0.6, 0.2
"""The share of parts that must show an arrow, and that may turn it round."""
DEPENDENT = 1e-8
"""The p-value below which noise is said to depend on a column: what a fit lacks shows long before it misleads."""

Arrow = tuple[int, int]


@dataclass(frozen=True)
class DirectionEvidence:
    """What speaks for the direction of one edge, and against drawing it."""

    loss: float
    """Nats that the best graph with the edge turned round has less; infinite where that is forbidden."""
    forward_p: float
    """That the child's noise is independent of the parent, and of the parent's own noise (HSIC)."""
    backward_p: float
    """The same of the parent's noise and the child, once the edge is turned round."""
    misfit: Misfit
    """What the child's parents still say about its noise."""

    @property
    def is_common_cause(self) -> bool:
        """Whether the noise is dependent whichever way the edge runs, though the parents predict nothing of it."""
        return max(self.forward_p, self.backward_p) < DEPENDENT and not self.misfit.describe()


def gather_evidence(columns: FloatArray, found: GraphSearch) -> dict[Arrow, DirectionEvidence]:
    """The evidence for each arrow of a graph."""
    order, fits = found.graph.order, dict(zip(found.graph.order, found.graph.fits, strict=True))
    standard = [standardise(column) for column in columns]
    misfits = {child: _measure(standard, fit) for child, fit in fits.items()}
    out = {}
    for parent, child in sorted(found.graph.arrows):
        place = order.index(parent)
        backward = found.likelihoods.fit_once(parent, to_bits(order[:place]) | 1 << child)
        without = found.likelihoods.fit_once(child, to_bits(order[: order.index(child)]) & ~(1 << parent))
        out[parent, child] = DirectionEvidence(
            found.search.reversal_loss(order, parent, child) * columns.shape[1],
            _independence(fits[child].residual, standard[parent], fits[parent].residual),
            _independence(backward.residual, standard[child], without.residual),
            misfits[child],
        )
    return out


def direction_probability(loss: float, turned: tuple[float, float] | None) -> float:
    """That an edge runs as found, from the nats lost and the shares of parts with it this way and the other way."""
    if math.isinf(loss):
        return 1.0
    loss = max(loss, 0.0)
    if turned is None:
        logit = INTERCEPT_ALONE + PER_LOG_LOSS_ALONE * math.log1p(loss)
    else:
        # Parts that agree on a tie agree on nothing but the order in which columns are tried.
        agreement = min(loss / CLEAR, 1.0) * (turned[0] - turned[1])
        logit = INTERCEPT + PER_LOG_LOSS * math.log1p(loss) + PER_AGREEMENT * agreement
    return 1.0 / (1.0 + math.exp(-logit))


def explain_open(
    evidence: DirectionEvidence, probability: float, turned: tuple[float, float] | None, threshold: float
) -> str:
    """Why an edge has no direction; empty where it has one."""
    if evidence.is_common_cause:
        return "the noise depends on the other column whichever way it runs: a common cause that is no column, perhaps"
    if what := evidence.misfit.describe():
        return f"no mechanism fits the second column: {what}"
    if turned is not None and turned[1] > MOST_TURNED:
        return f"{turned[1]:.0%} of the parts of the rows turn it round"
    if turned is not None and turned[0] < LEAST_SHOWN:
        return f"only {turned[0]:.0%} of the parts of the rows show it this way"
    if probability < threshold:
        return f"both directions fit nearly as well ({max(evidence.loss, 0.0):.1f} nats apart)"
    return ""


def share_of_parts(arrows: Sequence[frozenset[Arrow]]) -> Mapping[Arrow, float]:
    """The share of parts of the rows in which each arrow is found."""
    return {arrow: sum(arrow in each for each in arrows) / len(arrows) for arrow in frozenset().union(*arrows)}


def _measure(columns: Sequence[FloatArray], fit: Mechanism) -> Misfit:
    parents = sorted(fit.parents)
    return measure_misfit(np.array([columns[k] for k in parents]), fit.residual) if parents else Misfit(0.0, 0.0, 0.0)


def _independence(noise: FloatArray, *others: FloatArray) -> float:
    kernel = kernel_column(standardise(noise))
    p_values = [hsic_test(kernel, kernel_column(standardise(other))).p_value for other in others]
    return min(1.0, len(p_values) * min(p_values))
