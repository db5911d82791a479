"""Cross-fitting: every row is judged by a fit that has not seen it.

A model is fitted to each half of the rows and evaluated on the other; together the two evaluations cover all rows.
"""

import numpy as np
from numpy.typing import NDArray

from whence.models.fit import Fit
from whence.models.spline import DEGREE, DELTA, MAX_ITER, N_KNOTS, natural_fit
from whence.numerics.design import Design, additive_design, predict_rows
from whence.numerics.newton import fit_natural
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
    e, p = np.empty_like(effect), np.empty_like(effect)
    solutions = []
    for seen in (first, ~first):
        u = cause[seen]
        if u[0] == u[-1]:
            raise FloatingPointError("one half of the rows has a constant cause, so nothing can be fitted to it")
        # Knots span the rows a half is fitted to; rows of the other half beyond them get the value at the end.
        knots = uniform_knots(float(u[0]), float(u[-1]), n_knots, degree)
        solutions.append(fit_natural(_design(u, knots, degree), effect[seen], np.ones(len(u)), delta, max_iter))
        unseen = _design(cause[~seen], knots, degree)
        e[~seen], p[~seen] = predict_rows(unseen.values, unseen.bounds, unseen.index, solutions[-1].coefficients)
    p = np.maximum(p, SMALLEST_PRECISION)
    worse = max(solutions, key=lambda solution: solution.kkt)
    return natural_fit(e, p, effect, np.ones(len(effect)), worse)


def halves(n: int, seed: int) -> NDArray[np.bool_]:
    """Which rows, in the order of the cause, are in the first half; of an odd number the last is tossed for alone."""
    # Of each two neighbours one goes to either half, by a coin from a seed, so that both halves cover the same range
    # and neither the order of a file nor the naming of the columns matters.
    coins = np.random.default_rng(seed).integers(0, 2, (n + 1) // 2).astype(bool)
    return np.column_stack([coins, ~coins]).ravel()[:n]


def _design(cause: FloatArray, knots: FloatArray, degree: int) -> Design:
    return additive_design([spline_rows(np.ascontiguousarray(cause), knots, degree)])
