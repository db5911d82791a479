"""Cross-fitting: every row is judged by a fit that has not seen it.

Rows come sorted by the cause. Of each two neighbours one goes to either half, by a coin from a seed, so that both
halves cover the same range and neither the order of a file nor the naming of the columns matters. A model is fitted to
each half and evaluated on the other; together the two evaluations cover all rows.
"""

import numpy as np
from numpy.typing import NDArray

from whence.models.fit import Fit
from whence.models.spline import DEGREE, DELTA, MAX_ITER, N_KNOTS, not_converged
from whence.numerics import gaussian
from whence.numerics.design import Design, additive_design, predict_rows
from whence.numerics.newton import KKT_CERTIFIED, Solution, fit_natural
from whence.numerics.splines import spline_rows, uniform_knots
from whence.pair import FloatArray

SMALLEST_PRECISION = 1e-7
"""Inside a gap of its own rows a fit knows nothing and its precision falls to zero; there the scale stays finite."""


def fit_crosswise(
    cause: FloatArray,
    effect: FloatArray,
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    max_iter: int = MAX_ITER,
    split_seed: int = 0,
) -> Fit:
    """The concave location-scale fit of each half, evaluated on the other; the likelihood is that of unseen rows."""
    first = halves(len(cause), split_seed)
    location, scale = np.empty_like(effect), np.empty_like(effect)
    likelihoods = np.empty_like(effect)
    ends = []
    for seen in (first, ~first):
        if cause[seen][0] == cause[seen][-1]:
            raise FloatingPointError("one half of the rows has a constant cause, so nothing can be fitted to it")
        knots = uniform_knots(float(cause[seen][0]), float(cause[seen][-1]), n_knots, degree)
        ends.append(
            fit_natural(_design(cause[seen], knots, degree), effect[seen], np.ones(seen.sum()), delta, max_iter)
        )
        e, p = _natural(_design(cause[~seen], knots, degree), ends[-1])
        location[~seen], scale[~seen] = gaussian.location(e, p), np.sqrt(gaussian.variance(p))
        likelihoods[~seen] = gaussian.log_density(e, p, np.log(2.0 * p), effect[~seen])
    worse = max(ends, key=lambda end: end.kkt)
    converged = worse.kkt <= KKT_CERTIFIED
    return Fit(
        log_likelihood=float(np.mean(likelihoods)),
        location=location,
        scale=scale,
        residual=(effect - location) / scale,
        converged=converged,
        n_iter=worse.n_iter,
        kkt=worse.kkt,
        message="" if converged else not_converged(worse.n_iter, worse.kkt),
    )


def halves(n: int, seed: int) -> NDArray[np.bool_]:
    """Which rows, in the order of the cause, are in the first half; of an odd number the last is tossed for alone."""
    coins = np.random.default_rng(seed).integers(0, 2, (n + 1) // 2).astype(bool)
    return np.column_stack([coins, ~coins]).ravel()[:n]


def _design(cause: FloatArray, knots: FloatArray, degree: int) -> Design:
    return additive_design([spline_rows(np.ascontiguousarray(cause), knots, degree)])


def _natural(design: Design, end: Solution) -> tuple[FloatArray, FloatArray]:
    e, p = predict_rows(design.values, design.bounds, design.index, end.coefficients)
    return e, np.maximum(p, SMALLEST_PRECISION)
