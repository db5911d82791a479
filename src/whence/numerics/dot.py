"""The inner product of two short vectors inside compiled loops."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


# The order of a sum is free, so the compiler may use vector registers; BLAS would start threads for these few numbers,
# and their number could change the last bit.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def dot(u: FloatArray, v: FloatArray) -> float:
    """Σ uᵢ vᵢ."""
    total = 0.0
    for i in range(len(u)):
        total += u[i] * v[i]
    return total
