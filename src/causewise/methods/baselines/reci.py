"""RECI (Blöbaum et al. 2018) and FOM (Cai et al. 2020): the regression error is smaller in the causal direction.

Model: effect = f(cause) + little noise, the cause's density unrelated to f, both columns scaled to [0, 1].

RECI   f monotone or nearly so, a polynomial by least squares: its squared error
FOM    noise of size g(cause), f and g by the library's location-scale splines: the fourth moment of the error, which
       for Gaussian noise is 3·mean g⁴
"""

from functools import partial
from typing import Any, Literal

import numpy as np

from causewise.decision import Evidence
from causewise.errors import REALS, SPLINE_DEGREES, SPLINE_KNOTS, InputError, between
from causewise.models.spline import DEGREE, DELTA, N_KNOTS, fit_location_scale
from causewise.numerics.arrays import minmax, squared_error
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional, make_builder

DEGREES = (1, 20)
"""Up to the highest, the powers of numbers in [0, 1] are independent to double precision, and no further."""

Terms = Literal["all", "monomial"]
Scaling = Literal["minmax", "zscore"]
Moment = Literal["model", "empirical"]


def score_reci(
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
    settings: dict[str, Any] = {"degree": degree, "terms": "monomial" if published else terms, "scaling": scaling}
    return Directional("reci", partial(score_reci, **settings), settings | {"published": published})


def score_fom(
    cause: FloatArray,
    effect: FloatArray,
    *,
    moment: Moment = "model",
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    published: bool = False,
) -> Evidence:
    """Minus the fourth moment of the regression error, the effect scaled to [0, 1].

    `moment="empirical"` averages the residuals' fourth powers instead of trusting a Gaussian. The published program
    fits a heteroscedastic Gaussian process at a cost cubic in the rows; it is not here.
    """
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    fit = fit_location_scale(u, v, n_knots, degree, delta)
    scale = fit.scale / np.ptp(v)  # from unit variance to unit range
    fourth = 3.0 * np.mean(scale**4) if moment == "model" else np.mean((fit.residual * scale) ** 4)
    return Evidence(
        score=-float(fourth),
        log_likelihood=fit.log_likelihood,
        converged=fit.converged,
        n_iter=fit.n_iter,
        kkt=fit.kkt,
        message=fit.message,
    )


def _refuse_published(published: bool) -> None:
    if published:
        raise InputError(
            "Got published=true for fom; causewise has only its own form, on splines in place of the published "
            "Gaussian process: leave the setting out."
        )


fom = make_builder(
    Directional,
    "fom",
    score_fom,
    moment=("model", "empirical"),
    n_knots=SPLINE_KNOTS,
    degree=SPLINE_DEGREES,
    delta=REALS[1],
    published=_refuse_published,
)
