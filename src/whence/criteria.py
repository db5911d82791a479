"""How plausible is one direction? Each criterion reads a direction's evidence; higher is more plausible."""

from collections.abc import Callable

from whence.decision import Evidence

Criterion = Callable[[Evidence], float]


def likelihood(evidence: Evidence) -> float:
    """M: mean log-likelihood of the effect given the cause.

    The cause's own law is taken as Gaussian, so that after standardising both marginals cancel. With perfect fits the
    difference of two directions is then the difference of the marginals' entropies: "the more Gaussian variable is the
    cause". That is a statement about marginals, and users of this criterion must know it.
    """
    return float("nan") if evidence.log_likelihood is None else evidence.log_likelihood


def independence(evidence: Evidence) -> float:
    """H: the smaller the HSIC statistic of presumed cause and residual, the more plausible.

    The paper's text compares p-values, its published program statistics; statistics do not saturate, so they decide
    here, and the p-values stand beside them.
    """
    return float("nan") if evidence.hsic is None else -evidence.hsic
