"""How plausible is one direction? Each criterion reads a direction's evidence; higher is more plausible.

And what the two independence tests say together of the model, whichever criterion decides.
"""

import math
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causewise.numerics.density import log_density_at_rows
from causewise.pair import Pair, standard_deviation, standardise

if TYPE_CHECKING:  # a direction's evidence is read, never made here: the record is one layer up
    from causewise.decision import Evidence

Criterion = Callable[["Evidence"], float]

LEVEL = 0.05
"""A direction's model is called rejected when its independence test has p below this."""

STANDARD_ERRORS = 2.0
"""By which the likelihood must differ from the marginals' entropies to say more than these."""


def likelihood(evidence: "Evidence") -> float:
    """M: mean log-likelihood of the effect given the cause.

    The cause's own law is taken as Gaussian, so that after standardising both marginals cancel. With perfect fits the
    difference of two directions is then the difference of the marginals' entropies: "the more Gaussian variable is the
    cause". That is a statement about marginals, and users of this criterion must know it.
    """
    return float("nan") if evidence.log_likelihood is None else evidence.log_likelihood


def independence(evidence: "Evidence") -> float:
    """H: the smaller the HSIC statistic of presumed cause and residual, the more plausible.

    The paper's text compares p-values, its published program statistics; statistics do not saturate, so they decide
    here, and the p-values stand beside them.
    """
    return float("nan") if evidence.hsic is None else -evidence.hsic


def independence_p_value(evidence: "Evidence") -> float:
    """H by p-value, as in the paper's text: the larger the p-value of the independence test, the more plausible.

    Its logarithm is compared, which does not saturate where the p-value itself is zero in double precision.
    """
    return float("nan") if evidence.log_p_value is None else evidence.log_p_value


class ScoreParts(NamedTuple):
    """The likelihood score of a pair = marginals + relation, in nats, both columns standardised."""

    marginals: float
    """Entropy of x − entropy of y: the rule of igci-g, which knows nothing of the relation."""
    relation: float
    """The two directions compared with the marginals left free."""
    error: float
    """Standard error of either part."""


def split_score(pair: Pair, forward: "Evidence", backward: "Evidence") -> ScoreParts | None:
    """Split a likelihood score; None where ties leave no density or a direction has no fit.

    The relation's part is the mean over rows of log p(y | x) + log p(x) − log p(x | y) − log p(y), the marginals by
    spacings: a comparison of two laws of (x, y) that agree on the marginals.
    """
    logs = [_log_joint(c, e, side) for c, e, side in ((pair.x, pair.y, forward), (pair.y, pair.x, backward))]
    if logs[0] is None or logs[1] is None:
        return None
    rows = np.sort(logs[0] - logs[1])  # sorted, so that the order of the file cannot show in a digit
    relation, error = float(np.mean(rows)), float(np.std(rows)) / math.sqrt(len(rows))
    return ScoreParts(likelihood(forward) - likelihood(backward) - relation, relation, error)


def marginal_rule(pair: Pair, forward: "Evidence", backward: "Evidence") -> tuple[str, ...]:
    """The sentence for a likelihood answer that the columns' own shapes have given; none where the relation did."""
    parts = split_score(pair, forward, backward)
    if parts is None:
        return ()
    score, width = parts.marginals + parts.relation, STANDARD_ERRORS * parts.error
    sizes = (
        f"{parts.marginals:+.3f} nats from the columns' shapes, {parts.relation:+.3f} ± {width:.3f} from the relation"
    )
    if abs(parts.relation) < width:
        return (
            f"The likelihood score ({score:+.3f}) cannot be told apart here from the rule that the more Gaussian "
            f"column is the cause ({sizes}; the rule of igci-g): it is wrong where the cause is the less Gaussian "
            "column; compare with loci-h.",
        )
    if parts.relation * score < 0:
        return (
            f"The likelihood score ({score:+.3f}) goes with the more Gaussian column, the rule of igci-g, against the "
            f"relation between the columns ({sizes}), which favours the other direction; compare with loci-h.",
        )
    return ()


def _log_joint(cause: np.ndarray, effect: np.ndarray, side: "Evidence") -> np.ndarray | None:
    """log p(effect | cause) + log p(cause) at every row, up to a constant."""
    marginal = log_density_at_rows(standardise(cause))
    if marginal is None or side.residual is None or side.scale is None:
        return None
    return np.asarray(marginal - 0.5 * side.residual**2 - np.log(side.scale / standard_deviation(effect)))


class ModelCheck(Enum):
    """Which directions' models two independence tests reject; the value is the sentence for the user.

    Examples
    --------
    >>> import causewise
    >>> causewise.ModelCheck.of(0.4, 0.001).name
    'FORWARD_FITS'
    >>> print(causewise.ModelCheck.of(0.4, 0.001).value.format(x="rain", y="river"))
    Only rain → river fits: its residual looks independent of rain, and the reverse model is rejected.
    """

    FORWARD_FITS = "Only {x} → {y} fits: its residual looks independent of {x}, and the reverse model is rejected."
    BACKWARD_FITS = "Only {y} → {x} fits: its residual looks independent of {y}, and the reverse model is rejected."
    BOTH_FIT = (
        "Both directions fit: neither residual depends visibly on its presumed cause, so these rows cannot tell the "
        "directions apart well (too few rows, or a relation that is the same both ways, such as a linear Gaussian one)."
    )
    NEITHER_FITS = (
        "Neither direction fits: both residuals still depend on their presumed cause, which points to a hidden common "
        "cause, a mixture of mechanisms, dependent rows, or a model family that is too small; if a direction is "
        "given all the same, it is only the less bad one."
    )

    @classmethod
    def of(cls, p_forward: float | None, p_backward: float | None) -> "ModelCheck | None":
        """From two p-values; None where a method gives none."""
        if p_forward is None or p_backward is None or math.isnan(p_forward) or math.isnan(p_backward):
            return None
        fits = (p_forward >= LEVEL, p_backward >= LEVEL)
        return {
            (True, False): cls.FORWARD_FITS,
            (False, True): cls.BACKWARD_FITS,
            (True, True): cls.BOTH_FIT,
            (False, False): cls.NEITHER_FITS,
        }[fits]
