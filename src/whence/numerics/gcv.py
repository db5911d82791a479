"""Penalised least squares with one smoothing parameter, chosen by generalised cross-validation as mgcv does."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

STEP = 0.1
TOLERANCE = 1e-13
SPAN = 46.0  # e^±46 = 1e±20: beyond it the fit is unpenalised, or penalised out of existence, to rounding
NO_WIGGLE = 1e-6  # edf within this of the null space's dimension: GCV wants an infinite penalty


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
    """Walk downhill from `start` to the nearest local minimum of GCV in log λ, then halve the interval by its slope.

    GCV may have several minima; mgcv's Newton iteration ends in the one below its starting value, so ours must too.
    Values alone, as in golden sections, place a minimum to half the digits only.
    """
    here = gcv(start, d, b, rss0, n)
    step = STEP if gcv(start + STEP, d, b, rss0, n) < gcv(start - STEP, d, b, rss0, n) else -STEP
    middle = start
    while abs(middle - start) < SPAN:
        ahead = gcv(middle + step, d, b, rss0, n)
        if not ahead < here:
            break
        middle, here = middle + step, ahead
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
    q = np.ascontiguousarray(design.T)
    r = orthonormalise(q)
    inverse = np.linalg.inv(r)
    d, rotation = np.linalg.eigh(inverse.T @ penalty @ inverse)
    d[:2] = 0.0
    return (rotation.T @ q).T, np.maximum(d, 0.0)


@njit(cache=True, nogil=True)
def orthonormalise(rows: FloatArray) -> FloatArray:
    """Make the rows orthonormal in place by Gram–Schmidt, done twice; returns R with (rows before)ᵀ = (rows after)ᵀ R.

    LAPACK's QR of so few columns spends its time starting threads.
    """
    k = len(rows)
    r = np.zeros((k, k))
    for j in range(k):
        for _ in range(2):
            for i in range(j):
                share = (rows[i] * rows[j]).sum()
                r[i, j] += share
                rows[j] -= share * rows[i]
        r[j, j] = np.sqrt((rows[j] * rows[j]).sum())
        rows[j] /= r[j, j]
    return r
