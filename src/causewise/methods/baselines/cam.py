"""CAM for two variables (Bühlmann, Peters & Ernest 2014): additive Gaussian noise, compared by likelihood.

Model: effect = f(cause) + N, N Gaussian of constant size, f a penalised thin plate regression spline (Wood 2003) with
ten basis functions (mgcv's default smooth), its smoothing parameter by generalised cross-validation. With Gaussian
marginals the likelihoods of the two directions differ by the shares of variance the regressions leave unexplained.

The smooth takes linear time and memory. Its basis comes from the leading eigenvectors of E, E_ij = |u_i − u_j|³ over
the distinct values u. E is never formed: one sweep up and one sweep down the sorted values multiply by it, and SciPy's
Lanczos iteration needs nothing else.
"""

import math
from typing import NamedTuple

import numpy as np

from causewise.decision import Evidence
from causewise.numerics.gaussian import HALF_LOG_2PI
from causewise.numerics.native import FloatArray, native
from causewise.pair import row_order, standardise
from causewise.protocol import Joint, PairScore, make_builder

BASIS_SIZES = (3, 500)
"""The cost grows like the cube of the size."""
TIE = 1e-12
EXACT_FIT = 1e-24  # of the variance: below this the residual is rounding, and two such fits must tie
DENSE_BELOW = 80
RESIDUAL = 1e-12
RESTARTS = 100
RANK = 1e-14
NO_WIGGLE = 1e-6  # edf within this of the null space's dimension: GCV wants an infinite penalty


def score(cause: FloatArray, effect: FloatArray, *, basis_size: int = 10) -> Evidence:
    """log(variance of the effect / variance of the residual) of the smooth of effect on cause."""
    return _fit_direction(cause, effect, basis_size)[0]


def pair_score(x: FloatArray, y: FloatArray, *, basis_size: int = 10, published: bool = False) -> PairScore:
    """Forward − backward; two straight lines explain alike, and their difference is rounding.

    `published` gives the score in the published result files, which changes with the units: the sign of the decision
    times |larger log score + 5|. The log score is −log var(cause) − log var(residual); the 5 is the published
    wrapper's, and has no meaning. On an exact tie the published sign is rounding luck; here the score is 0, undecided.
    """
    (forward, one), (backward, other) = _fit_direction(x, y, basis_size), _fit_direction(y, x, basis_size)
    difference = forward.score - backward.score
    if (one and other) or abs(difference) <= TIE:
        difference = 0.0
    if not published:
        return PairScore(difference, forward, backward)
    sd_x, sd_y = (_standard_deviation(column, standardise(np.sort(column))) for column in (x, y))
    log_variances = 2.0 * math.log(sd_x) + 2.0 * math.log(sd_y) + 2.0 * math.log(len(x) / (len(x) - 1))
    best = max(forward.score, backward.score) - log_variances
    return PairScore(float(np.sign(difference) * abs(best + 5.0)), forward, backward)


cam = make_builder(Joint, "cam", pair_score, basis_size=BASIS_SIZES)


def _fit_direction(cause: FloatArray, effect: FloatArray, basis_size: int) -> tuple[Evidence, bool]:
    """The evidence, and whether the smooth is a straight line."""
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    distinct, inverse, tally = np.unique(x, return_inverse=True, return_counts=True)
    k = min(basis_size if len(x) >= 30 else math.ceil(len(x) / 3), len(distinct))
    middle, half = 0.5 * (distinct[0] + distinct[-1]), 0.5 * (distinct[-1] - distinct[0])
    design, penalty = thin_plate_basis((distinct - middle) / half, k)
    smooth = None
    if design.shape[1] >= 3:
        counts = tally.astype(np.float64)
        mean = np.bincount(inverse, weights=y) / counts
        scatter = y - mean[inverse]
        smooth = penalised_fit(design, penalty, mean, counts, float(scatter @ scatter))
    straight = smooth is None or math.isinf(smooth.log_lambda)
    if smooth is None or straight:
        slope = float(x @ y) / len(x)
        fitted, share = slope * x, 1.0 - slope * slope
    else:
        fitted, share = smooth.fitted[inverse], smooth.rss / len(x)
    back, share = np.argsort(order), max(share, EXACT_FIT)
    y, fitted = y[back], fitted[back]
    sd = _standard_deviation(effect, y)
    evidence = Evidence(
        score=-math.log(share),
        log_likelihood=-HALF_LOG_2PI - 0.5 * math.log(share) - 0.5,
        location=float(np.mean(effect)) + sd * fitted,
        scale=np.full(len(y), sd * math.sqrt(share)),
        residual=(y - fitted) / math.sqrt(share),
    )
    return evidence, straight


def _standard_deviation(column: FloatArray, standardised: FloatArray) -> float:
    """Without the squares that overflow."""
    return float(np.ptp(column) / np.ptp(standardised))


def cubic_distance_product(u: FloatArray, v: FloatArray) -> FloatArray:
    """Σ_j |u_i − u_j|³ v_j for increasing u."""
    out = np.empty(len(u))
    _cubic_distance_product(u, v, len(u), out)
    return out


def leading_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The k eigenpairs of E with the largest absolute eigenvalue, largest first, for increasing u within [−1, 1].

    Fewer where E has lower rank to rounding, as when one value lies a million times further out than the others.
    """
    # Below some eighty values LAPACK is the faster one, and Lanczos needs more values than eigenpairs.
    if len(u) <= max(DENSE_BELOW, 2 * k):
        values, vectors = np.linalg.eigh(np.abs(u[:, None] - u) ** 3)
    else:
        values, vectors = _find_krylov_eigenpairs(u, k)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    values, vectors = values[order], vectors[:, order]
    kept = np.abs(values) > RANK * np.abs(values[0])
    return values[kept], vectors[:, kept]


def _find_krylov_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    def product(v: FloatArray) -> FloatArray:
        return cubic_distance_product(u, v.ravel())

    # A random start, since a symmetric one would never leave the symmetric eigenvectors of symmetric data.
    start = np.random.default_rng(0).standard_normal(len(u))
    operator = LinearOperator((len(u), len(u)), matvec=product, dtype=np.float64)
    try:
        values, vectors = eigsh(operator, k, v0=start, tol=RESIDUAL, maxiter=RESTARTS)
    except ArpackNoConvergence as short:
        # Eigenvalues that are rounding alone never converge, and are not wanted.
        return short.eigenvalues, short.eigenvectors
    return values, vectors


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


class SmoothFit(NamedTuple):
    """A penalised fit at its own smoothing parameter."""

    fitted: FloatArray
    rss: float
    edf: float
    log_lambda: float


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
    log_lambda = nearest_minimum(start, d, b, len(d), float(rest @ rest) + pure_error, n)
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


nearest_minimum = native(
    "double nearest_minimum(double start, double *d, double *b, int64_t size, double rss0, double n)"
)
"""The local minimum in log λ, nearest downhill from `start`, of GCV = n·RSS/(n − edf)².

In the basis that diagonalises the penalty: `size` eigenvalues d, coefficients b, RSS without penalty rss0.
"""
