"""Description length of one direction: the cause by its own mixture of normals, the effect by a curve and its noise.

    L(u → v) = L_mix(u) + L_mix(r) + mean log σ(u) + ½ k log n / n,   r = (v − μ(u)) / σ(u),

in nats a row. Cause and noise are coded by the same rule, so a simple law is cheap wherever it occurs, and neither
needs to be Gaussian.
"""

import numpy as np

from whence.baselines.scored import Directional
from whence.evidence.fits import Curve, ladder, location_scale
from whence.numerics.mixture import fit_mixture
from whence.pair import FloatArray, row_order, standardise


def marginal_length(u: FloatArray) -> float:
    """Nats a row for a column on its own."""
    return fit_mixture(u).cost


def conditional_length(curve: Curve) -> float:
    """Nats a row for the effect, given the cause: noise, scale and the curve's coefficients."""
    price = 0.5 * curve.size * np.log(len(curve.residual)) / len(curve.residual)
    return fit_mixture(curve.residual).cost + float(np.mean(np.log(curve.scale)) + price)


def score(cause: FloatArray, effect: FloatArray) -> float:
    """Minus the description length of one direction, in nats a row."""
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    return -marginal_length(u) - conditional_length(location_scale(ladder(u), v))


def mdl() -> Directional:
    """Mixture description length as a method of its own."""
    return Directional("mdl", score)
