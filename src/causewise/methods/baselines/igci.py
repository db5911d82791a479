"""Rules that look at the two marginals alone: IGCI, and three controls to be held beside every table.

IGCI (Daniušis et al., UAI 2010; Janzing et al., Artificial Intelligence 2012): the column with the larger entropy
relative to a reference measure is the cause. If effect = f(cause) without noise and the slope of f is unrelated to the
density of the cause, f can only make the density rougher, so the effect has the lower entropy once both columns are
brought to a common reference: the unit interval (uniform), or mean 0 and variance 1 (Gaussian).

What the controls reach needs no causality.
"""

from functools import partial
from typing import Literal

import numpy as np

from causewise.errors import InputError
from causewise.numerics.arrays import minmax, unit_magnitude, zscore
from causewise.numerics.density import spacing_entropy, spacing_entropy_of_masses
from causewise.pair import FloatArray, standardise
from causewise.protocol import Directional

MIN_DISTINCT = 3

Ties = Literal["zero", "mass"]
"""What equal values add to the entropy: nothing, as published, or their share of the density (see spacing_entropy)."""

_ENTROPY = {"zero": spacing_entropy, "mass": spacing_entropy_of_masses}


def score_uniform(cause: FloatArray, effect: FloatArray, *, ties: Ties = "zero") -> float:
    """Entropy in bits of the cause on the unit interval; the effect enters through the other direction."""
    return _ENTROPY[ties](minmax(unit_magnitude(_sort_varied(cause))))


def score_gaussian(cause: FloatArray, effect: FloatArray, *, ties: Ties = "zero") -> float:
    """Entropy in bits of the standardised cause; the effect enters through the other direction."""
    return _ENTROPY[ties](zscore(unit_magnitude(_sort_varied(cause)), ddof=1))


def score_unscaled(cause: FloatArray, effect: FloatArray) -> float:
    """The published Gaussian form: it forgets to divide by the standard deviation, so its answer depends on units."""
    return spacing_entropy(np.sort(cause))


def igci(ties: Ties = "zero", published: bool = False) -> Directional:
    """IGCI with the uniform reference; the default is the published form, and `published` insists on it."""
    ties = _check_ties("zero" if published else ties)
    return Directional("igci", partial(score_uniform, ties=ties), {"ties": ties, "published": published})


def igci_g(ties: Ties = "zero", published: bool = False) -> Directional:
    """IGCI with the Gaussian reference; `published` leaves out the scaling, as the published program does."""
    ties = _check_ties("zero" if published else ties)
    score = score_unscaled if published else partial(score_gaussian, ties=ties)
    return Directional("igci-g", score, {"ties": ties, "published": published})


def control_gaussian() -> Directional:
    """The more Gaussian variable is the cause: the larger entropy at equal variance."""
    return Directional("control-gaussian", lambda cause, effect: spacing_entropy_of_masses(standardise(np.sort(cause))))


def control_distinct() -> Directional:
    """The variable with fewer distinct values is the cause."""
    return Directional("control-distinct", lambda cause, effect: -float(len(np.unique(cause))))


def control_kurtosis() -> Directional:
    """The variable with the lower kurtosis is the cause."""
    return Directional("control-kurtosis", lambda cause, effect: -float(np.mean(standardise(np.sort(cause)) ** 4)))


def _check_ties(ties: Ties) -> Ties:
    if ties not in tuple(_ENTROPY):  # a tuple: in a dict, what has no hash is a TypeError
        raise InputError(f"Got ties={ties!r} for IGCI; expected 'zero' (as published) or 'mass'.")
    return ties


def _sort_varied(column: FloatArray) -> FloatArray:
    ordered = np.sort(column)
    distinct = 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
    if distinct < MIN_DISTINCT:
        raise InputError(
            f"IGCI got a column with {distinct} distinct values; expected at least {MIN_DISTINCT}, since it compares "
            "densities: choose a continuous column."
        )
    return ordered
