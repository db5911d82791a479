"""Asymptotic standard errors of a fitted location and scale, by the delta method on the inverse Fisher information.

In natural parameters the Hessian of the negative log-likelihood does not depend on the targets: it *is* the Fisher
information (plus the prior's precision). Coefficients held at zero are treated as known.
"""

import numpy as np
from numba import njit

from whence.numerics import gaussian
from whence.numerics.design import Design, block, predict_rows
from whence.numerics.linear import damped_cholesky, solve
from whence.pair import FloatArray

_HELD = 1e300


def information_factor(hessian: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Cholesky factor (band storage) of the information of the free coefficients."""
    band = hessian.copy()
    # An enormous information on the diagonal says: known exactly. Band storage keeps its shape.
    held = np.flatnonzero(coefficients[1::2] <= 0.0) * 2 + 1
    band[held, -1] = _HELD
    factor = np.zeros_like(band)
    damped_cholesky(band, factor)
    return factor


def standard_errors(design: Design, coefficients: FloatArray, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the location and of the scale at every row of a design."""
    e, p = predict_rows(design.values, design.bounds, design.index, coefficients)
    mu, sigma = gaussian.location(e, p), np.sqrt(gaussian.variance(p))
    # μ = e/2p and σ = (2p)^−½, so dμ = de/2p − μ dp/p and dσ = −σ dp/2p.
    rows = (design.values, design.bounds, design.index)
    of_mean = _quadratic_forms(*rows, factor, 0.5 / p, -mu / p)
    of_std = _quadratic_forms(*rows, factor, np.zeros_like(p), -0.5 * sigma / p)
    return np.sqrt(of_mean), np.sqrt(of_std)


@njit(cache=True, nogil=True)
def _quadratic_forms(
    values: FloatArray,
    bounds: np.ndarray,
    index: np.ndarray,
    factor: FloatArray,
    per_location: FloatArray,
    per_precision: FloatArray,
) -> FloatArray:
    """gᵀ H⁻¹ g per row, where g = (per_location, per_precision) spread over the row's features."""
    out = np.empty(len(per_location))
    for r in range(len(index)):
        here = block(values, bounds, r, index.shape[1])
        for i in range(bounds[r], bounds[r + 1]):
            g = np.zeros(len(factor))
            for k in range(len(here)):
                g[2 * index[r, k]] += here[k, i - bounds[r]] * per_location[i]
                g[2 * index[r, k] + 1] += here[k, i - bounds[r]] * per_precision[i]
            out[i] = (g * solve(factor, g)).sum()
    return out
