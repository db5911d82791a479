"""The smooth of CAM: a thin plate regression spline (Wood 2003) whose smoothing parameter minimises GCV, as in mgcv.

In linear time and memory. The basis comes from the leading eigenvectors of E, E_ij = |u_i − u_j|³ over the distinct
values u. E is never formed: one sweep up and one sweep down the sorted values multiply by it, and SciPy's Lanczos
iteration needs nothing else.
"""

from dataclasses import dataclass

import numpy as np

from causewise.numerics.native import FloatArray, native

DENSE_BELOW = 80
RESIDUAL = 1e-12
RESTARTS = 100
RANK = 1e-14
NO_WIGGLE = 1e-6  # edf within this of the null space's dimension: GCV wants an infinite penalty


def cubic_distance_product(u: FloatArray, v: FloatArray) -> FloatArray:
    """Σ_j |u_i − u_j|³ v_j for increasing u."""
    out = np.empty(len(u))
    _cubic_distance_product(u, v, len(u), out)
    return out


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
        return cubic_distance_product(u, v.ravel())

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


def nearest_minimum(start: float, d: FloatArray, b: FloatArray, rss0: float, n: float) -> float:
    """The local minimum in log λ, nearest downhill from `start`, of GCV = n·RSS/(n − edf)².

    In the basis that diagonalises the penalty: eigenvalues d, coefficients b, RSS without penalty rss0.
    """
    return _nearest_minimum(start, d, b, len(d), rss0, n)


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
    axes, d = penalty_axes(design * root[:, None], penalty)
    scaled = target * root
    b = axes.T @ scaled
    rest = scaled - axes @ b
    start = float(np.log(starting_lambda(design, penalty, counts)))
    log_lambda = nearest_minimum(start, d, b, float(rest @ rest) + pure_error, n)
    kept = 1.0 / (1.0 + np.exp(log_lambda) * d)
    if np.sum(kept) < 2.0 + NO_WIGGLE:
        kept, log_lambda = np.where(d > 0.0, 0.0, 1.0), np.inf
    fitted = axes @ (kept * b)
    wrong = scaled - fitted
    return SmoothFit(fitted / root, float(wrong @ wrong) + pure_error, float(np.sum(kept)), log_lambda)


def penalty_axes(design: FloatArray, penalty: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Orthonormal columns spanning the design in which the penalty is diagonal, and that diagonal."""
    q, r = np.linalg.qr(design)
    inverse = np.linalg.inv(r)
    d, rotation = np.linalg.eigh(inverse.T @ penalty @ inverse)
    d[:2] = 0.0
    return q @ rotation, np.maximum(d, 0.0)


_cubic_distance_product = native("void cubic_distance_product(double *u, double *v, int64_t n, double *out)")
_nearest_minimum = native(
    "double nearest_minimum(double start, double *d, double *b, int64_t size, double rss0, double n)"
)
