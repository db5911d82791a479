"""IGCI: the column with the larger entropy relative to a reference measure is the cause.

Daniušis et al. (UAI 2010), Janzing et al. (Artificial Intelligence 2012). If effect = f(cause) without noise and the
slope of f is unrelated to the density of the cause, f can only make the density rougher, so the effect has the lower
entropy once both columns are brought to a common reference: the unit interval (uniform), or mean 0 and variance 1
(Gaussian).
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from causewise.errors import InputError
from causewise.numerics.arrays import minmax, unit_magnitude, zscore
from causewise.numerics.density import spacing_entropy, spacing_entropy_of_masses
from causewise.pair import FloatArray
from causewise.protocol import Directional, Method

MIN_DISTINCT = 3

Score = Callable[[FloatArray, FloatArray], float]

Ties = Literal["zero", "mass"]
"""What equal values add to the entropy: nothing, as published, or their share of the density (see spacing_entropy)."""

_ENTROPY = {"zero": spacing_entropy, "mass": spacing_entropy_of_masses}


def score_uniform(cause: FloatArray, effect: FloatArray, *, ties: Ties = "zero") -> float:
    """Entropy in bits of the cause on the unit interval; the effect enters through the other direction."""
    return _ENTROPY[ties](minmax(unit_magnitude(_varied(np.sort(cause)))))


def score_gaussian(cause: FloatArray, effect: FloatArray, *, ties: Ties = "zero") -> float:
    """Entropy in bits of the standardised cause; the effect enters through the other direction."""
    return _ENTROPY[ties](zscore(unit_magnitude(_varied(np.sort(cause))), ddof=1))


def score_unscaled(cause: FloatArray, effect: FloatArray) -> float:
    """The published Gaussian form: it forgets to divide by the standard deviation, so its answer depends on units."""
    return spacing_entropy(np.sort(cause))


def igci(ties: Ties = "zero", published: bool = False) -> Method:
    """IGCI with the uniform reference; the default is the published form, and `published` insists on it."""
    ties = _known("zero" if published else ties)
    return _method("igci", partial(score_uniform, ties=ties), ties, published)


def igci_g(ties: Ties = "zero", published: bool = False) -> Method:
    """IGCI with the Gaussian reference; `published` leaves out the scaling, as the published program does."""
    ties = _known("zero" if published else ties)
    score = score_unscaled if published else partial(score_gaussian, ties=ties)
    return _method("igci-g", score, ties, published)


def _method(name: str, score: Score, ties: Ties, published: bool) -> Method:
    return Directional(name, score, {"ties": ties, "published": published})


def _known(ties: Ties) -> Ties:
    if ties not in tuple(_ENTROPY):  # a tuple: in a dict, what has no hash is a TypeError
        raise InputError(f"Got ties={ties!r} for IGCI; expected 'zero' (as published) or 'mass'.")
    return ties


def _varied(ordered: FloatArray) -> FloatArray:
    distinct = 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
    if distinct < MIN_DISTINCT:
        raise InputError(
            f"IGCI got a column with {distinct} distinct values; expected at least {MIN_DISTINCT}, since it compares "
            "densities: choose a continuous column."
        )
    return ordered
