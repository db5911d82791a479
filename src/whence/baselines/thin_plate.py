"""The smooth of CAM: a thin plate regression spline (Wood 2003) whose smoothing parameter minimises GCV, as in mgcv.

In linear time and memory. The basis comes from the leading eigenvectors of E, E_ij = |u_i − u_j|³ over the distinct
values u. E is never formed: one sweep up and one sweep down the sorted values multiply by it, and SciPy's Lanczos
iteration needs nothing else.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from whence.pair import FloatArray

DENSE_BELOW = 80
RESIDUAL = 1e-12
RESTARTS = 100
RANK = 1e-14
STEP = 0.1
TOLERANCE = 1e-13
SPAN = 46.0  # e^±46 = 1e±20: beyond it the fit is unpenalised, or penalised out of existence, to rounding
NO_WIGGLE = 1e-6  # edf within this of the null space's dimension: GCV wants an infinite penalty


@njit(cache=True, nogil=True)
def cubic_distance_product(u: FloatArray, v: FloatArray, out: FloatArray) -> None:
    """out_i = Σ_j |u_i − u_j|³ v_j for increasing u."""
    # Each sweep carries the moments m_p = Σ_j (u_i − u_j)^p v_j of the values passed so far and moves them along by the
    # binomial theorem; plain prefix sums of u^p v would cancel.
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


def leading_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The k eigenpairs of E with the largest absolute eigenvalue, largest first, for increasing u within [−1, 1].

    Fewer where E has lower rank to rounding, as when one value lies a million times further out than the others.
    """
    values, vectors = _dense_eigenpairs(u, k) if len(u) <= max(DENSE_BELOW, 2 * k) else _krylov_eigenpairs(u, k)
    kept = np.abs(values) > RANK * np.abs(values[0])
    return values[kept], vectors[:, kept]


# Below some eighty values LAPACK is the faster one, and Lanczos needs more values than eigenpairs.
def _dense_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    values, vectors = np.linalg.eigh(np.abs(u[:, None] - u) ** 3)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def _krylov_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    def product(v: FloatArray) -> FloatArray:
        out = np.empty(len(u))
        cubic_distance_product(u, np.ascontiguousarray(v.ravel()), out)
        return out

    # A random start, since a symmetric one would never leave the symmetric eigenvectors of symmetric data.
    start = np.random.default_rng(0).standard_normal(len(u))
    try:
        operator = LinearOperator((len(u), len(u)), matvec=product, dtype=np.float64)
        values, vectors = eigsh(operator, k, v0=start, tol=RESIDUAL, maxiter=RESTARTS)
    except ArpackNoConvergence as short:
        # Eigenvalues that are rounding alone never converge, and are not wanted.
        values, vectors = short.eigenvalues, short.eigenvectors
    order = np.argsort(-np.abs(values), kind="stable")
    return values[order], vectors[:, order]


def thin_plate_basis(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Design (q × k) at the distinct increasing values u and its penalty (k × k), null space [1, u] last.

    The returned k is smaller than asked for where E has lower rank.
    """
    # With E ≈ UΛUᵀ and Z spanning the null space of [1, u]ᵀU: design [UΛZ, 1, u], penalty ZᵀΛZ on the first k − 2.
    values, vectors = leading_eigenpairs(u, k)
    k = len(values)
    plane = np.column_stack([np.ones_like(u), u])
    q, _ = np.linalg.qr(vectors.T @ plane, mode="complete")
    z = q[:, 2:]
    design = np.column_stack([(vectors * values) @ z, plane])
    penalty = np.zeros((k, k))
    penalty[: k - 2, : k - 2] = z.T @ (values[:, None] * z)
    return design, penalty


@dataclass(frozen=True, eq=False)
class SmoothFit:
    """A penalised fit at its own smoothing parameter."""

    fitted: FloatArray
    rss: float
    edf: float
    log_lambda: float


@njit(cache=True, nogil=True)
def gcv(log_lambda: float, d: FloatArray, b: FloatArray, rss0: float, n: float) -> float:
    """n·RSS/(n − edf)² in the basis that diagonalises the penalty (eigenvalues d, coefficients b)."""
    rss, edf = rss0, 0.0
    for j in range(len(d)):
        t = np.exp(log_lambda) * d[j]
        r = t / (1.0 + t) * b[j]
        rss += r * r
        edf += 1.0 / (1.0 + t)
    return n * rss / ((n - edf) * (n - edf))


@njit(cache=True, nogil=True)
def gcv_slope(log_lambda: float, d: FloatArray, b: FloatArray, rss0: float, n: float) -> float:
    """Derivative of log GCV in log λ, up to the positive factor RSS·(n − edf)/2."""
    rss, edf, rss_slope, edf_slope = rss0, 0.0, 0.0, 0.0
    factor = np.exp(log_lambda)
    for j in range(len(d)):
        kept = 1.0 / (1.0 + factor * d[j])
        lost = factor * d[j] * kept
        square = (lost * b[j]) ** 2
        rss += square
        edf += kept
        rss_slope += kept * square
        edf_slope += kept * lost
    return rss_slope * (n - edf) - edf_slope * rss


@njit(cache=True, nogil=True)
def nearest_minimum(start: float, d: FloatArray, b: FloatArray, rss0: float, n: float) -> float:
    """Walk downhill from `start` to the nearest local minimum of GCV in log λ, then halve the interval by its slope."""
    # GCV may have several minima; mgcv's Newton iteration ends in the one below its starting value, so ours must too.
    here = gcv(start, d, b, rss0, n)
    step = STEP if gcv(start + STEP, d, b, rss0, n) < gcv(start - STEP, d, b, rss0, n) else -STEP
    middle = start
    while abs(middle - start) < SPAN:
        ahead = gcv(middle + step, d, b, rss0, n)
        if not ahead < here:
            break
        middle, here = middle + step, ahead
    # By its slope, since values alone, as in golden sections, place a minimum to half the digits only.
    low, high = middle - STEP, middle + STEP
    while high - low > TOLERANCE:
        middle = 0.5 * (low + high)
        if gcv_slope(middle, d, b, rss0, n) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def starting_lambda(design: FloatArray, penalty: FloatArray, counts: FloatArray) -> float:
    """mgcv's first guess: data and penalty of equal size once the sum-to-zero constraint is absorbed."""
    q, _ = np.linalg.qr((counts @ design)[:, None], mode="complete")
    z = q[:, 1:]
    a = counts @ (design @ z) ** 2
    s = np.sum(z * (penalty @ z), axis=0)
    penalised = s > 1e-12 * np.max(s)
    a, s = a[penalised], s[penalised]
    start = float(np.mean(a) / np.mean(s))
    while np.mean(a / (a + start * s)) > 0.4:
        start *= 10.0
    while np.mean(a / (a + start * s)) < 0.4:
        start /= 10.0
    return start


def penalised_fit(
    design: FloatArray, penalty: FloatArray, target: FloatArray, counts: FloatArray, pure_error: float
) -> SmoothFit:
    """Fit `target`, the mean of `counts` observations at each row, whose scatter about it sums to `pure_error`.

    The penalty's null space is spanned by the last two columns of the design.
    """
    n, root = float(np.sum(counts)), np.sqrt(counts)
    size = np.sqrt(counts @ design**2 / n)
    design, penalty = design / size, penalty / np.outer(size, size)
    axes, d = _penalty_axes(design * root[:, None], penalty)
    scaled = target * root
    b = axes.T @ scaled
    rest = scaled - axes @ b
    start = float(np.log(starting_lambda(design, penalty, counts)))
    log_lambda = float(nearest_minimum(start, d, b, float(rest @ rest) + pure_error, n))
    kept = 1.0 / (1.0 + np.exp(log_lambda) * d)
    if np.sum(kept) < 2.0 + NO_WIGGLE:
        kept, log_lambda = np.where(d > 0.0, 0.0, 1.0), np.inf
    fitted = axes @ (kept * b)
    wrong = scaled - fitted
    return SmoothFit(fitted / root, float(wrong @ wrong) + pure_error, float(np.sum(kept)), log_lambda)


def _penalty_axes(design: FloatArray, penalty: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Orthonormal columns spanning the design in which the penalty is diagonal, and that diagonal."""
    q, r = np.linalg.qr(design)
    inverse = np.linalg.inv(r)
    d, rotation = np.linalg.eigh(inverse.T @ penalty @ inverse)
    d[:2] = 0.0
    return q @ rotation, np.maximum(d, 0.0)
