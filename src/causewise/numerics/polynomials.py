"""Least squares of one column on the powers of another."""

import numpy as np

from causewise.numerics.native import FloatArray

EXACT_FIT = 1e-24
"""Of a squared error on columns of unit size: below, it is rounding, and two such fits must tie."""


def squared_error(u: FloatArray, v: FloatArray, powers: tuple[int, ...]) -> float:
    """Mean squared error of v given these powers of u."""
    design = u[:, None] ** np.array(powers)
    coefficients, *_ = np.linalg.lstsq(design, v, rcond=None)
    wrong = v - design @ coefficients
    return max(float(wrong @ wrong) / len(v), EXACT_FIT)
