"""Pairwise LiNGAM (Hyvärinen & Smith 2013): linear effect with non-Gaussian noise, compared by entropies.

Model: effect = ρ·cause + N on standardised columns. The log-likelihood ratio of the two directions is a difference of
differential entropies, each taken by Hyvärinen's maximum-entropy approximation.
"""

import math

import numpy as np

from causewise.errors import InputError
from causewise.numerics.gaussian import HALF_LOG_2PI
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional

LOG_COSH_WEIGHT, LOG_COSH_GAUSSIAN, SKEW_WEIGHT = 79.047, 0.37457, 7.4129
EXACT_LINE = 1e-14


def entropy(u: FloatArray) -> float:
    """Approximate differential entropy in nats of a column with mean 0 and variance 1 (Hyvärinen 1998)."""
    size = np.abs(u)
    log_cosh = float(np.mean(size + np.log1p(np.exp(-2.0 * size)))) - math.log(2.0)
    skewed = float(np.mean(u * np.exp(-0.5 * u * u)))
    gaussian = 0.5 + HALF_LOG_2PI
    return gaussian - LOG_COSH_WEIGHT * (log_cosh - LOG_COSH_GAUSSIAN) ** 2 - SKEW_WEIGHT * skewed**2


def score(cause: FloatArray, effect: FloatArray) -> float:
    """−H(cause) − H(residual of the effect on the cause), both standardised."""
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    slope = float(x @ y) / len(x)
    if 1.0 - slope * slope < EXACT_LINE:
        raise InputError(
            "The two columns are an exact linear function of each other; expected some noise, since a line without "
            "noise reads the same both ways: choose two variables that differ by more than units."
        )
    return -entropy(x) - entropy(standardise(y - slope * x))


def lingam(*, published: bool = False) -> Directional:
    """The method; the published form has no setting and no defect, so `published` changes nothing."""
    return Directional("lingam", score, {"published": published})
