"""Which way an edge runs, and how probable that is.

On random halves of the rows the whole graph is found anew, and each half says by how many nats it prefers the edge as
it is to the best graph with the edge turned round, or the other way. The mean over the halves of the signed logarithm
of these nats is the evidence: one clear half does not outweigh seven that lean the other way, and halves that agree
on next to nothing say next to nothing. Where all rows hardly prefer the edge as it is, the search on a half may have
missed the order that turns it: halves say no more than all rows do. The weight is that of a logistic regression
without a constant, since turning the edge round turns the evidence round, on the edges of simulated tables, of worlds
that the mechanisms describe and of worlds that they do not (`python benchmarks/graph_directions.py fit`). With whole
worlds held out it predicts much better than the nats of all rows, and as well as the share of halves that show the
edge this way, which needs a constant and has few values. Tests of independence, the misfit of both directions, the
length of tails and the pair by itself were tried beside it and left the probability on other worlds as it was.

What a probability from these cannot tell is a wrong model. So an arrow is drawn only where nothing of this holds:
fewer than half of the parts show it; a flexible regression still predicts the child's noise from its parents; the
child follows the noise of the parent no worse than its value (`hidden_causes`); neither direction leaves independent
noise. The last is no sign of a hidden common cause: of nine edges that were marked for it, or by the pair alone, none
had one, and the noise of pairs that have one looks independent (`hidden_causes`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causewise.graphs.graph_search import GraphSearch
from causewise.graphs.mechanisms import Mechanism
from causewise.graphs.misfit import Misfit, measure_misfit
from causewise.graphs.noise import Kernels, least_p_value
from causewise.graphs.order_search import to_bits
from causewise.graphs.reversals import Arrow
from causewise.numerics.native import FloatArray
from causewise.pair import standardise

PER_LOG_NAT = 1.67
PER_LOG_NAT_ALONE = 0.82
"""Where no parts of the rows were drawn."""
CLEAR = 6.0
"""Nats that all rows lose by turning an edge, from which not they but parts of them are said to leave it open."""
LEAST_SHOWN = 0.5
"""The share of parts that must show an arrow."""
MANY_TURNED = 0.2
"""The share of parts that turn an edge round from which that is given as the reason."""
DEPENDENT = 1e-8
"""The p-value below which noise is said to depend on a column: what a fit lacks shows long before it misleads."""


@dataclass(frozen=True)
class DirectionEvidence:
    """What speaks for the direction of one edge, and against drawing it."""

    loss: float
    """Nats that the best graph with the edge turned round has less; infinite where that is forbidden."""
    is_dependent: bool
    """Whether the noise is dependent whichever way the edge runs, though the parents predict nothing of it."""
    misfit: Misfit
    """What the child's parents still say about its noise."""
    follows_noise: bool = False
    """Whether the code of the child by the noise of the parent is no longer than by its value, though it might be."""


def gather_evidence(
    columns: FloatArray, found: GraphSearch, kernels: Kernels, doubtful: frozenset[Arrow] = frozenset()
) -> dict[Arrow, DirectionEvidence]:
    """The evidence for each arrow of a graph; those that are doubtful follow noise as well as value."""
    fits = dict(zip(found.graph.order, found.graph.fits, strict=True))
    standard = [standardise(column) for column in columns]
    misfits = {child: _measure(standard, fit) for child, fit in fits.items()}
    out = {}
    for parent, child in sorted(found.graph.arrows):
        loss = found.reversal_loss((parent, child))
        forward = least_p_value(
            kernels.of_noise(fits[child]), [kernels.of_column(parent), kernels.of_noise(fits[parent])]
        )
        is_dependent = (
            forward < DEPENDENT
            and not misfits[child].describe()
            and _turned_p_value(found, (parent, child), kernels) < DEPENDENT
        )
        out[parent, child] = DirectionEvidence(loss, is_dependent, misfits[child], (parent, child) in doubtful)
    return out


def _turned_p_value(found: GraphSearch, arrow: Arrow, kernels: Kernels) -> float:
    """That the parent's noise is independent of the child, and of its noise, once the edge is turned round."""
    (parent, child), order = arrow, found.graph.order
    noise = found.likelihoods.fit_once(parent, to_bits(order[: order.index(parent)]) | 1 << child)
    without = found.likelihoods.fit_once(child, to_bits(order[: order.index(child)]) & ~(1 << parent))
    return least_p_value(kernels.of_noise(noise), [kernels.of_column(child), kernels.of_noise(without)])


def average_log(nats: Sequence[float]) -> float:
    """Their mean once each is its signed logarithm: one that is clear does not outweigh many that are not."""
    return float(np.mean(np.sign(nats) * np.log1p(np.abs(nats))))


def weigh_parts(loss: float, leans: Sequence[float]) -> float:
    """What parts of the rows say for an edge as it is: the mean of their log-nats, no more than all rows say."""
    mean = average_log(leans)
    return math.copysign(min(abs(mean), math.log1p(max(loss, 0.0))), mean)


def direction_probability(loss: float, leans: Sequence[float]) -> float:
    """That an edge runs as found, from the nats that all rows lose by turning it, and those that parts of them do."""
    if math.isinf(loss):
        return 1.0
    logit = PER_LOG_NAT * weigh_parts(loss, leans) if leans else PER_LOG_NAT_ALONE * math.log1p(max(loss, 0.0))
    return 1.0 / (1.0 + math.exp(-logit))


def explain_open(
    evidence: DirectionEvidence, probability: float, shown: float | None, leans: Sequence[float], threshold: float
) -> str:
    """Why an edge has no direction; empty where it has one."""
    if evidence.is_dependent:
        return "the noise depends on the other column whichever way it runs: no mechanism fits, or a cause is no column"
    if what := evidence.misfit.describe():
        return f"no mechanism fits the second column: {what}"
    if probability < threshold:
        turned = float(np.mean(np.array(leans) < 0.0)) if leans else 0.0
        if turned > MANY_TURNED:
            return f"{turned:.0%} of the parts of the rows turn it round"
        if leans and evidence.loss >= CLEAR:
            return "parts of the rows hardly prefer it to its reversal"
        return f"both directions fit nearly as well ({max(evidence.loss, 0.0):.1f} nats apart)"
    if shown is not None and shown < LEAST_SHOWN:
        return f"only {shown:.0%} of the parts of the rows show it this way"
    if evidence.follows_noise:
        what = "the second column follows the noise of the first no worse than its value"
        return f"{what}: a common cause that is no column may join them"
    return ""


def _measure(columns: Sequence[FloatArray], fit: Mechanism) -> Misfit:
    parents = sorted(fit.parents)
    return measure_misfit(np.array([columns[k] for k in parents]), fit.residual) if parents else Misfit(0.0, 0.0, 0.0)
