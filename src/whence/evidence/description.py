"""Description length of one direction: the cause by its own mixture of normals, the effect by a curve and its noise.

    L(u → v) = L_mix(u) + L_mix(r) + mean log σ(u) + ½ k log n / n,   r = (v − μ(u)) / σ(u),

in nats a row. Cause and noise are coded by the same rule, so a simple law is cheap wherever it occurs, and neither
needs to be Gaussian.
"""

import numpy as np

from whence.evidence.fits import Curve
from whence.numerics.mixture import fit_mixture
from whence.pair import FloatArray


def marginal_length(u: FloatArray) -> float:
    """Nats a row for a column on its own."""
    return fit_mixture(u).cost


def conditional_length(curve: Curve) -> float:
    """Nats a row for the effect, given the cause: noise, scale and the curve's coefficients."""
    price = 0.5 * curve.size * np.log(len(curve.residual)) / len(curve.residual)
    return fit_mixture(curve.residual).cost + float(np.mean(np.log(curve.scale)) + price)
