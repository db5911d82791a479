"""FOM, fourth-order moments (Cai et al. 2020): the regression error of the causal direction has the smaller one.

Model: effect = f(cause) + g(cause)·N with little noise, the cause's density unrelated to f. Both columns are scaled to
[0, 1]; f and g come from the library's location-scale splines. For Gaussian noise the fourth moment is 3·mean g⁴.
"""

from functools import partial
from typing import Literal

import numpy as np

from causewise.decision import Evidence
from causewise.errors import SPLINE_DEGREES, SPLINE_KNOTS, InputError, between, positive
from causewise.models.spline import DEGREE, DELTA, N_KNOTS, fit_location_scale
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional

Moment = Literal["model", "empirical"]


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    moment: Moment = "model",
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
) -> Evidence:
    """Minus the fourth moment of the regression error, the effect scaled to [0, 1]."""
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


def fom(
    *,
    moment: Moment = "model",
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    published: bool = False,
) -> Directional:
    """The method; `moment="empirical"` averages the residuals' fourth powers instead of trusting a Gaussian.

    The published program fits a heteroscedastic Gaussian process at a cost cubic in the rows; it is not here.
    """
    between("fom", *SPLINE_KNOTS, n_knots=n_knots)
    between("fom", *SPLINE_DEGREES, degree=degree)
    positive("fom", delta=delta)
    if published:
        raise InputError(
            "Got published=true for fom; causewise has only its own form, on splines in place of the published "
            "Gaussian process: leave the setting out."
        )
    if moment not in ("model", "empirical"):
        raise InputError(f"Got moment={moment!r} for fom; expected 'model' or 'empirical'.")
    return Directional(
        "fom",
        partial(score, moment=moment, n_knots=n_knots, degree=degree, delta=delta),
        {"moment": moment, "n_knots": n_knots, "degree": degree, "delta": delta, "published": published},
    )
