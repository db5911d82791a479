"""Linear algebra in compiled loops: banded Cholesky, and least squares row by row with Givens rotations.

Kernels call these thousands of times on matrices of a few dozen entries, from inside compiled code: a call of LAPACK
through Python would cost more than the work. Larger products and factorisations go to NumPy.

Band storage of a symmetric matrix: entry (i, c), i − width ≤ c ≤ i, lies at `band[i, width + c − i]`; the diagonal is
the last column and a row reads left to right. A full matrix is the case width = size − 1, and needs no code of its own.
Band storage of an upper triangle: entry (j, j + m) lies at `triangle[j, m]`.
"""

import numpy as np
from numba import njit

from whence.numerics.arrays import FloatArray


# The order of a sum is free, so the compiler may use vector registers, and nothing else.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def dot(u: FloatArray, v: FloatArray) -> float:
    """Σ uᵢ vᵢ."""
    total = 0.0
    for i in range(len(u)):
        total += u[i] * v[i]
    return total


@njit(cache=True, nogil=True)
def cholesky(band: FloatArray, factor: FloatArray) -> bool:
    """Write the lower Cholesky factor in the same storage; False when the matrix is not positive definite."""
    size, width = band.shape[0], band.shape[1] - 1
    for i in range(size):
        start = max(0, i - width)
        for c in range(start, i + 1):
            # Both rows have entries from column `start` on, since c ≤ i.
            known = dot(factor[i, width + start - i : width + c - i], factor[c, width + start - c : width])
            rest = band[i, width + c - i] - known
            if c < i:
                factor[i, width + c - i] = rest / factor[c, width]
            elif rest > 0.0:
                factor[i, width] = np.sqrt(rest)
            else:
                return False
    return True


@njit(cache=True, nogil=True)
def damped_cholesky(band: FloatArray, factor: FloatArray) -> bool:
    """Cholesky of a matrix that only rounding can make indefinite: a relative ridge, grown tenfold, restores it.

    False when even a ridge of the matrix's own size does not help, which means that it holds NaN.
    """
    ridge = 1e-13
    while not cholesky(band, factor):
        if ridge > 1.0:
            return False
        for i in range(len(band)):
            band[i, -1] *= 1.0 + ridge
        ridge *= 10.0
    return True


@njit(cache=True, nogil=True)
def solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L Lᵀ x = right."""
    size, width = factor.shape[0], factor.shape[1] - 1
    x = right.copy()
    for i in range(size):
        start = max(0, i - width)
        x[i] = (x[i] - dot(factor[i, width + start - i : width], x[start:i])) / factor[i, width]
    for i in range(size - 1, -1, -1):
        x[i] /= factor[i, width]
        start = max(0, i - width)
        row = factor[i, width + start - i : width]
        for k in range(len(row)):
            x[start + k] -= row[k] * x[i]
    return x


@njit(cache=True, nogil=True)
def rotate_in(triangle: FloatArray, right: FloatArray, start: int, row: FloatArray, target: float) -> float:
    """Bring the equation row · x[start:] = target into the triangular system; `row` is used up.

    Returns what is left of the target: the root of what the equation adds to the sum of squared errors.
    """
    width = triangle.shape[1]
    for j in range(start, len(triangle)):
        above = triangle[j]
        if row[0] == 0.0:
            for t in range(1, width):
                row[t - 1] = row[t]
        else:
            # hypot, not the root of a sum of squares, which loses rows whose entries are below 1e-154.
            length = np.hypot(above[0], row[0])
            cos, sin = above[0] / length, row[0] / length
            above[0] = length
            for t in range(1, width):
                up, down = above[t], row[t]
                above[t] = cos * up + sin * down
                row[t - 1] = cos * down - sin * up
            up = right[j]
            right[j] = cos * up + sin * target
            target = cos * target - sin * up
        row[width - 1] = 0.0
        # Where the triangle fills in, the row goes on beyond its own width.
        if j >= start + width - 1 and not np.any(row):
            break
    return target


@njit(cache=True, nogil=True)
def back_substitution(triangle: FloatArray, right: FloatArray) -> FloatArray:
    """Solve R x = right for an upper triangle in band storage."""
    size, width = triangle.shape
    x = np.zeros(size)
    for j in range(size - 1, -1, -1):
        rest = right[j]
        for m in range(1, min(width, size - j)):
            rest -= triangle[j, m] * x[j + m]
        x[j] = rest / triangle[j, 0]
    return x
