"""Three rules that look at the marginals only, to be held beside every table: what they reach needs no causality."""

import numpy as np

from causewise.numerics.density import spacing_entropy_of_masses
from causewise.pair import FloatArray, standardise
from causewise.protocol import Directional


def control_gaussian() -> Directional:
    """The more Gaussian variable is the cause: the larger entropy at equal variance."""
    return Directional("control-gaussian", lambda cause, effect: _entropy(cause))


def control_distinct() -> Directional:
    """The variable with fewer distinct values is the cause."""
    return Directional("control-distinct", lambda cause, effect: -float(len(np.unique(cause))))


def control_kurtosis() -> Directional:
    """The variable with the lower kurtosis is the cause."""
    return Directional("control-kurtosis", lambda cause, effect: -float(np.mean(_standard(cause) ** 4)))


def _standard(column: FloatArray) -> FloatArray:
    return standardise(np.sort(column))


def _entropy(column: FloatArray) -> float:
    return float(spacing_entropy_of_masses(_standard(column)))
