"""Linear algebra of small systems: banded Cholesky, and least squares row by row with Givens rotations.

Other compiled loops call these thousands of times on matrices of a few dozen entries; larger products and
factorisations go to NumPy.

Band storage of a symmetric matrix: entry (i, c), i − width ≤ c ≤ i, lies at `band[i, width + c − i]`; the diagonal is
the last column and a row reads left to right. A full matrix is the case width = size − 1, and needs no code of its own.
Band storage of an upper triangle: entry (j, j + m) lies at `triangle[j, m]`.
"""

import numpy as np

from causewise.numerics.native import FloatArray, native


def cholesky(band: FloatArray) -> FloatArray | None:
    """The lower Cholesky factor in the same storage; None when the matrix is not positive definite."""
    factor = np.empty_like(band)
    return factor if _cholesky(band, len(band), band.shape[1], factor) else None


def damped_cholesky(band: FloatArray) -> FloatArray | None:
    """Cholesky of a matrix that only rounding can make indefinite: a relative ridge, grown tenfold, restores it.

    None when even a ridge of the matrix's own size does not help, which means that it holds NaN.
    """
    factor = np.empty_like(band)
    return factor if _damped_cholesky(band.copy(), len(band), band.shape[1], factor) else None


def solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L Lᵀ x = right."""
    x = right.copy()
    _solve(factor, len(factor), factor.shape[1], x)
    return x


def rotate_in(triangle: FloatArray, right: FloatArray, start: int, row: FloatArray, target: float) -> float:
    """Bring the equation row · x[start:] = target into the triangular system; `row` is used up.

    Returns what is left of the target: the root of what the equation adds to the sum of squared errors.
    """
    return _rotate_in(triangle, right, len(triangle), triangle.shape[1], start, row, target)


def back_substitution(triangle: FloatArray, right: FloatArray) -> FloatArray:
    """Solve R x = right for an upper triangle in band storage."""
    x = np.empty(len(triangle))
    _back_substitution(triangle, right, len(triangle), triangle.shape[1], x)
    return x


_cholesky = native("bool cholesky(double *band, int64_t size, int64_t width, double *factor)")
_damped_cholesky = native("bool damped_cholesky(double *band, int64_t size, int64_t width, double *factor)")
_solve = native("void solve(double *factor, int64_t size, int64_t width, double *x)")
_rotate_in = native(
    "double rotate_in(double *triangle, double *right, int64_t size, int64_t width, int64_t start, double *row, "
    "double target)"
)
_back_substitution = native(
    "void back_substitution(double *triangle, double *right, int64_t size, int64_t width, double *x)"
)
