"""Residuals of Gaussian process regression with fixed squared exponential kernel, without an n × n matrix.

For the kernel exp(−d²/bandwidth) plus white noise of variance w, the in-sample residual of a centred target v is
w (K + wI)⁻¹ v. Two structures serve: where the column is short against the bandwidth, K has low rank; where it is long,
K is banded once sorted.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.numerics.kernel import BLOCK, KernelPivots, choose_pivots, features

FloatArray = NDArray[np.float64]

REACH = 6.5  # exp(−6.5²) = 4e-19: beyond this many √bandwidth the kernel is zero to rounding


def residual(column: FloatArray, target: FloatArray, bandwidth: float, noise: float) -> FloatArray:
    """w (K + wI)⁻¹ (target − mean), in the order of the rows.

    Rows that share a value of the column count as one observation of their mean, with noise w / count.
    """
    v = target - np.mean(target)
    distinct, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    mean, count = np.bincount(inverse, weights=v) / counts, counts.astype(np.float64)
    scaled = distinct / np.sqrt(bandwidth)
    width, rank = _widest_window(scaled, REACH), 20 + 3 * _occupied_cells(scaled)
    if width < rank:
        return v - banded_mean(scaled, mean, count, width, noise)[inverse]
    return v - low_rank_mean(distinct, mean, count, choose_pivots(distinct, bandwidth), noise)[inverse]


def low_rank_mean(
    column: FloatArray, mean: FloatArray, count: FloatArray, pivots: KernelPivots, noise: float
) -> FloatArray:
    """Fᵀ(wI + F C Fᵀ)⁻¹F C m with K = FᵀF (Woodbury), the features F made twice in blocks rather than kept."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(column), BLOCK)]
    gram, along = noise * np.eye(len(pivots.points)), np.zeros(len(pivots.points))
    for rows in blocks:
        f = features(column[rows], pivots)
        weighted = f * count[rows]
        gram += weighted @ f.T
        along += weighted @ mean[rows]
    weights = np.linalg.solve(gram, along)
    return np.concatenate([weights @ features(column[rows], pivots) for rows in blocks])


def banded_mean(scaled: FloatArray, mean: FloatArray, count: FloatArray, width: int, noise: float) -> FloatArray:
    """m − w C⁻¹(K + w C⁻¹)⁻¹m for an increasing column in units of √bandwidth, `width` places being out of reach."""
    from scipy.linalg import solveh_banded

    bands = np.zeros((width + 1, len(scaled)))
    bands[0] = 1.0 + noise / count
    for k in range(1, width + 1):
        gap = scaled[k:] - scaled[:-k]
        bands[k, : len(gap)] = np.exp(-gap * gap)
    return mean - noise / count * np.asarray(solveh_banded(bands, mean, lower=True))


@njit(cache=True, nogil=True)
def _widest_window(s: FloatArray, reach: float) -> int:
    """The largest number of places between two entries of the increasing s that lie within reach."""
    widest, i = 0, 0
    for j in range(len(s)):
        while s[j] - s[i] > reach:
            i += 1
        widest = max(widest, j - i)
    return widest


@njit(cache=True, nogil=True)
def _occupied_cells(s: FloatArray) -> int:
    """How many intervals of length one are needed to cover the increasing s, which bounds the kernel's rank."""
    count, edge = 1, s[0] + 1.0
    for value in s:
        if value > edge:
            count, edge = count + 1, value + 1.0
    return count
