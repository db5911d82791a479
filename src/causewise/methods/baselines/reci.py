"""RECI (Blöbaum et al. 2018): the regression error is smaller in the causal direction.

Model: effect = f(cause) + little noise, f monotone or nearly so, the cause's density unrelated to the slope of f. Both
columns are scaled to [0, 1] and a polynomial is fitted by least squares.
"""

from functools import partial
from typing import Literal

from causewise.errors import InputError, between
from causewise.numerics.arrays import minmax, squared_error
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional

DEGREES = (1, 20)
"""Up to the highest, the powers of numbers in [0, 1] are independent to double precision, and no further."""

Terms = Literal["all", "monomial"]
Scaling = Literal["minmax", "zscore"]


def score(
    cause: FloatArray, effect: FloatArray, *, degree: int = 3, terms: Terms = "all", scaling: Scaling = "minmax"
) -> float:
    """Minus the mean squared error of the polynomial of the scaled effect on the scaled cause."""
    scale = minmax if scaling == "minmax" else standardise
    order = row_order(cause, effect)
    u, v = scale(cause[order]), scale(effect[order])
    return -squared_error(u, v, tuple(range(degree + 1)) if terms == "all" else (0, degree))


def reci(*, degree: int = 3, terms: Terms = "all", scaling: Scaling = "minmax", published: bool = False) -> Directional:
    """The method; `published=True` fits a constant and the highest power alone, as the cdt package does.

    That form changes its answer when a column is reflected; all powers together do not.
    """
    between("reci", *DEGREES, degree=degree)
    if terms not in ("all", "monomial") or scaling not in ("minmax", "zscore"):
        raise InputError(
            f"Got terms={terms!r} and scaling={scaling!r} for reci; expected terms 'all' or 'monomial', and scaling "
            "'minmax' or 'zscore'."
        )
    used: Terms = "monomial" if published else terms
    return Directional(
        "reci",
        partial(score, degree=degree, terms=used, scaling=scaling),
        {"degree": degree, "terms": used, "scaling": scaling, "published": published},
    )
