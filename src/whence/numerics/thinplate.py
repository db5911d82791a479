"""Thin plate regression splines in one dimension (Wood 2003), in linear time and memory.

The basis comes from the leading eigenvectors of E, E_ij = |u_i − u_j|³ over the distinct values u. E is never formed:
one sweep up and one sweep down the sorted values multiply by it, and Lanczos needs nothing else.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.dot import dot

FloatArray = NDArray[np.float64]

DENSE_BELOW = 80
RESIDUAL = 1e-12
RANK = 1e-14
BLOCK = 40


@njit(cache=True, nogil=True)
def cubic_distance_product(u: FloatArray, v: FloatArray, out: FloatArray) -> None:
    """out_i = Σ_j |u_i − u_j|³ v_j for increasing u.

    Each sweep carries the moments m_p = Σ_j (u_i − u_j)^p v_j of the values passed so far and moves them along by the
    binomial theorem; plain prefix sums of u^p v would cancel.
    """
    q = len(u)
    m0 = m1 = m2 = m3 = 0.0
    for i in range(q):
        d = u[i] - u[i - 1] if i > 0 else 0.0
        m3 += d * (3.0 * m2 + d * (3.0 * m1 + d * m0))
        m2 += d * (2.0 * m1 + d * m0)
        m1 += d * m0
        out[i] = m3
        m0 += v[i]
    m0 = m1 = m2 = m3 = 0.0
    for i in range(q - 1, -1, -1):
        d = u[i + 1] - u[i] if i < q - 1 else 0.0
        m3 += d * (3.0 * m2 + d * (3.0 * m1 + d * m0))
        m2 += d * (2.0 * m1 + d * m0)
        m1 += d * m0
        out[i] += m3
        m0 += v[i]


@njit(cache=True, nogil=True)
def _lanczos(u: FloatArray, basis: FloatArray, diagonal: FloatArray, off: FloatArray, start: int, stop: int) -> int:
    """Rows start … stop of the Krylov basis, fully reorthogonalised; returns how many rows are usable."""
    w = np.empty(len(u))
    for j in range(start, stop):
        cubic_distance_product(u, basis[j], w)
        diagonal[j] = dot(basis[j], w)
        for _ in range(2):
            for i in range(j, -1, -1):
                share = dot(basis[i], w)
                for k in range(len(w)):
                    w[k] -= share * basis[i, k]
        off[j] = np.sqrt(dot(w, w))
        if off[j] <= 1e-15 * off[0]:
            return j + 1
        basis[j + 1] = w / off[j]
    return stop


def leading_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The k eigenpairs of E with the largest absolute eigenvalue, largest first, for increasing u within [−1, 1].

    Fewer where E has lower rank to rounding, as when one value lies a million times further out than the others.
    """
    values, vectors = _dense_eigenpairs(u, k) if len(u) <= DENSE_BELOW else _krylov_eigenpairs(u, k)
    kept = np.abs(values) > RANK * np.abs(values[0])
    return values[kept], vectors[:, kept]


def _dense_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    values, vectors = np.linalg.eigh(np.abs(u[:, None] - u) ** 3)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def _krylov_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    from scipy.linalg import eigh_tridiagonal

    q = len(u)
    # A random start, since a symmetric one would never leave the symmetric eigenvectors of symmetric data.
    first = np.random.default_rng(0).standard_normal(q)
    basis = np.empty((BLOCK + 1, q))
    basis[0] = first / np.linalg.norm(first)
    diagonal, off = np.empty(0), np.empty(0)
    done = 0
    while True:
        stop = min(done + BLOCK, q)
        if len(basis) < stop + 1:
            basis = np.concatenate([basis, np.empty((BLOCK, q))])
        diagonal, off = (np.concatenate([old[:done], np.empty(stop - done)]) for old in (diagonal, off))
        usable = _lanczos(u, basis, diagonal, off, done, stop)
        values, inner = eigh_tridiagonal(diagonal[:usable], off[: usable - 1])
        order = np.argsort(-np.abs(values), kind="stable")[:k]
        residual = np.max(np.abs(off[usable - 1] * inner[-1, order]))
        if usable < stop or usable == q or residual <= RESIDUAL * np.abs(values[order[0]]):
            return values[order], basis[:usable].T @ inner[:, order]
        done = stop


def thin_plate_basis(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Design (q × k) at the distinct increasing values u and its penalty (k × k), null space [1, u] last.

    With E ≈ UΛUᵀ and Z spanning the null space of [1, u]ᵀU: design [UΛZ, 1, u], penalty ZᵀΛZ on the first k − 2.
    The returned k is smaller than asked for where E has lower rank.
    """
    values, vectors = leading_eigenpairs(u, k)
    k = len(values)
    plane = np.column_stack([np.ones_like(u), u])
    q, _ = np.linalg.qr(vectors.T @ plane, mode="complete")
    z = q[:, 2:]
    design = np.column_stack([(vectors * values) @ z, plane])
    penalty = np.zeros((k, k))
    penalty[: k - 2, : k - 2] = z.T @ (values[:, None] * z)
    return design, penalty
