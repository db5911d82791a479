"""PNL, the post-nonlinear model (Zhang & Hyvärinen 2009): a nonlinear, increasing sensor on top of additive noise.

Model: h(effect) = g(cause) + N with h increasing and N independent of the cause. h and g are splines fitted together by
Gaussian maximum likelihood, i.e. minimising the mean of ½(h(y) − g(x))² − log h′(y). For fixed h the best g is a
projection, and in what remains the objective is convex in h's non-negative coefficients: one optimum, no random starts.
The direction whose residual is more independent of the cause (HSIC) wins.
"""

from functools import partial
from typing import Any

import numpy as np

from whence.baselines.scored import Directional
from whence.decision import Evidence
from whence.numerics.hsic import hsic_test
from whence.numerics.monotone import dense, increasing_basis, quadratic_minus_log
from whence.numerics.splines import spline_rows, uniform_knots
from whence.numerics.tall import combinations, crossproduct
from whence.pair import FloatArray, InputError, row_order, standardise
from whence.ranges import SPLINE_DEGREES, between, positive

MAX_KNOTS = 1000
"""Matrices here are dense: a fit costs the cube of the knots."""


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    n_knots: int = 25,
    degree: int = 5,
    h_knots: int = 25,
    ridge: float = 1e-3,
) -> Evidence:
    """Minus the HSIC of cause and residual h(effect) − g(cause)."""
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    features = dense(spline_rows(x, uniform_knots(np.min(x), np.max(x), n_knots, degree), degree))
    h = increasing_basis(y, h_knots)
    gram = crossproduct(features, features) + ridge * np.eye(features.shape[1])
    weights = np.asarray(np.linalg.solve(gram, crossproduct(features, h.values)), dtype=np.float64)
    left_over = h.values - combinations(features, weights)
    # min over g of ‖h − g‖² + ridge ‖w‖² is a quadratic form in h's coefficients; a ridge on those keeps noiseless data
    # finite.
    quadratic = (crossproduct(left_over, left_over) + ridge * crossproduct(weights, weights)) / len(x)
    quadratic += ridge / len(x) * np.diag(np.mean(h.values**2, axis=0))
    fit = quadratic_minus_log(quadratic, h.derivatives)
    residual = combinations(left_over, fit.weights[:, None])[:, 0]
    test = hsic_test(x, residual)
    return Evidence(
        -test.statistic,
        hsic=test.statistic,
        p_value=test.p_value,
        log_p_value=test.log_p_value,
        converged=fit.converged,
        n_iter=fit.n_iter,
        message="" if fit.converged else f"The fit of h stopped short of its optimum after {fit.n_iter} Newton steps.",
    )


def pnl(
    *, n_knots: int = 25, degree: int = 5, h_knots: int = 25, ridge: float = 1e-3, published: bool = False
) -> Directional:
    """The method: g has `n_knots` equally spaced knots of the given degree, h is cubic with `h_knots` quantile knots.

    No published program gives a score worth reproducing: the one in use replaces the independence test by a t-test.
    """
    between("pnl", 2, MAX_KNOTS, n_knots=n_knots, h_knots=h_knots)
    between("pnl", *SPLINE_DEGREES, degree=degree)
    positive("pnl", ridge=ridge)
    if published:
        raise InputError(
            "Got published=true for pnl; whence has only its own form, since the published program tests equal means "
            "in place of independence: leave the setting out."
        )
    settings: dict[str, Any] = {"n_knots": n_knots, "degree": degree, "h_knots": h_knots, "ridge": ridge}
    return Directional("pnl", partial(score, **settings), settings | {"published": published})
