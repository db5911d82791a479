"""A kernel estimate of the copula density on a grid, and conditional quantiles read off it.

The "transformation local likelihood, constant" estimator of the vinecopulib library (Nagler and Vatter): a bivariate
Gaussian kernel density on the normal scale, divided by the normal margins, whose own margins are then brought back to
uniform. Its bandwidth comes from the maximal correlation of the ranks, by alternating conditional expectations (Breiman
and Friedman 1985): a moving average over ranks stands for the conditional expectation. Constants, zero padding and
start are those of the library.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from whence.pair import FloatArray

IntArray = NDArray[np.int64]


POINTS = 30
EDGE = 3.25
STEP = 2.0 * EDGE / (POINTS - 1)
FLOOR = 1e-4
"""Smallest conditional density, so that a conditional distribution can always be inverted."""
TOLERANCE, MAX_ITERATIONS = 2e-15, 100
FLAT = 1e-12
"""A transform of a unit column that varies less than this is constant but for rounding."""
FAINT = 1e-40
"""Kernel values below this add nothing to a double."""


def normal_grid() -> FloatArray:
    """The grid on the normal scale."""
    return -EDGE + STEP * np.arange(POINTS, dtype=np.float64)


def uniform_grid() -> FloatArray:
    """The grid on the copula scale, with its ends moved out to 0 and 1."""
    inner = [0.5 * math.erfc(-g / math.sqrt(2.0)) for g in normal_grid()[1:-1]]
    return np.array([0.0, *inner, 1.0])


def copula_density(
    z_a: FloatArray, z_b: FloatArray, correlation: float, width: float, symmetric: bool = True
) -> FloatArray:
    """Density on the grid, first index a, from a Gaussian kernel with one standard deviation `width` for both.

    Three sweeps bring the margins near to uniform, first index first: exchanging the columns then changes the result.
    `symmetric` averages it with the sweeps in the other order.
    """
    g = normal_grid()
    margin = np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi)
    density = _kernel_sum(z_a, z_b, correlation, width) / np.outer(margin, margin)
    swept = _swept(density)
    return 0.5 * (swept + _swept(density.T).T) if symmetric else swept


def _swept(density: FloatArray) -> FloatArray:
    p = uniform_grid()
    for _ in range(3):
        density = density / np.maximum(_trapezoid(density, p), 1e-20)[:, None]
        density = density / np.maximum(_trapezoid(density.T, p), 1e-20)[None, :]
    return density


def _trapezoid(rows: FloatArray, p: FloatArray) -> FloatArray:
    return 0.5 * (rows[:, 1:] + rows[:, :-1]) @ np.diff(p)


@njit(cache=True, nogil=True)
def _kernel_sum(z_a: FloatArray, z_b: FloatArray, r: float, h: float) -> FloatArray:
    """Mean of N(· ; z_t, h²[[1, r], [r, 1]]) on the grid."""
    # Whitened: s = (g_a − z_a)/h and w = ((g_b − z_b)/h − r s)/√(1 − r²). Along b the grid has a constant step δ in w,
    # so that exp(−w²/2) follows from its neighbour by the factor exp(−δw − δ²/2), itself falling by exp(−δ²) a step:
    # two exponentials for 30 values, walked outwards from the peak where nothing can overflow.
    root = np.sqrt(1.0 - r * r)
    delta = STEP / (h * root)
    fall = np.exp(-delta * delta)
    out = np.zeros((POINTS, POINTS))
    for t in range(len(z_a)):
        for i in range(POINTS):
            s = (-EDGE + STEP * i - z_a[t]) / h
            w0 = ((-EDGE - z_b[t]) / h - r * s) / root
            peak = min(max(int(np.rint(-w0 / delta)), 0), POINTS - 1)
            w = w0 + delta * peak
            start = np.exp(-0.5 * (s * s + w * w))
            if start < FAINT:
                continue
            ahead = np.exp(-delta * (w + 0.5 * delta))
            _walk(out[i], start, ahead, fall, peak, 1)
            _walk(out[i], start, fall / ahead, fall, peak, -1)
            out[i, peak] += start
    return out / (len(z_a) * 2.0 * np.pi * h * h * root)


@njit(cache=True, nogil=True)
def _walk(row: FloatArray, value: float, factor: float, fall: float, j: int, side: int) -> None:
    j += side
    while 0 <= j < POINTS:
        value *= factor
        factor *= fall
        if value < FAINT:
            return
        row[j] += value
        j += side


@njit(cache=True, nogil=True)
def conditional_quantiles(density: FloatArray, p: FloatArray, given: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles of the second variable given values of the first (both on the copula scale): rows × levels.

    The density between grid lines is linear, so the distribution is piecewise quadratic and inverted in closed form.
    """
    out = np.empty((len(given), len(levels)))
    cumulated = np.zeros(POINTS)
    for t in range(len(given)):
        i = _cell(p, given[t])
        w = (given[t] - p[i]) / (p[i + 1] - p[i])
        f = np.maximum((1.0 - w) * density[i] + w * density[i + 1], FLOOR)
        for j in range(1, POINTS):
            cumulated[j] = cumulated[j - 1] + 0.5 * (f[j] + f[j - 1]) * (p[j] - p[j - 1])
        for k in range(len(levels)):
            out[t, k] = _inverse(f, p, cumulated, levels[k] * cumulated[-1])
    return out


@njit(cache=True, nogil=True)
def _inverse(f: FloatArray, p: FloatArray, cumulated: FloatArray, mass: float) -> float:
    """Where a piecewise linear density has `mass` to its left."""
    j = _cell(cumulated, mass)
    width = p[j + 1] - p[j]
    rest = mass - cumulated[j]
    slope = (f[j + 1] - f[j]) / width
    # The root of f x + slope x²/2 = rest in the form that does not cancel for small slopes.
    return float(p[j] + 2.0 * rest / (f[j] + np.sqrt(max(f[j] * f[j] + 2.0 * slope * rest, 0.0))))


@njit(cache=True, nogil=True)
def _cell(edges: FloatArray, value: float) -> int:
    """Index of the cell that holds a value; the outer ones hold what lies beyond."""
    j = int(np.searchsorted(edges, value, side="right")) - 1
    return min(max(j, 0), POINTS - 2)


@njit(cache=True, nogil=True)
def maximal_correlation(ranks_a: FloatArray, ranks_b: FloatArray) -> float:
    """Correlation of the best transforms of a and b; ranks are 1 … n, and equal ranks mean equal values."""
    n = len(ranks_a)
    order_a, order_b = np.argsort(ranks_a, kind="mergesort"), np.argsort(ranks_b, kind="mergesort")
    sorted_a, sorted_b = ranks_a[order_a], ranks_b[order_b]
    phi_a = (ranks_a - 1.0 - ((n - 1) / 2.0 - 1.0)) / np.sqrt(n * (n - 1) / 12.0)
    phi_b = phi_a
    distance, change, iteration = 1.0, 1.0, 0
    while iteration < MAX_ITERATIONS and change > TOLERANCE:
        # The published inner loop repeats this line until φ_b stands still, which one step achieves since φ_a is fixed.
        phi_b = _standardised(_expectation(phi_a, order_b, sorted_b))
        phi_a = _standardised(_expectation(phi_b, order_a, sorted_a))
        if not (np.any(phi_a) and np.any(phi_b)):
            return 0.0
        now = float(np.mean((phi_a - phi_b) ** 2))
        change, distance = abs(now - distance), now
        iteration += 1
    return float(_correlation(phi_a, phi_b))


@njit(cache=True, nogil=True)
def _expectation(values: FloatArray, order: IntArray, ranks: FloatArray) -> FloatArray:
    """Moving average of `values` in the given order, a fifth of the rows to each side, flat at the ends.

    Rows of equal rank get the same expectation, and enter it through their mean, whatever their order.
    """
    n = len(values)
    half = -(-n // 5)
    total = np.zeros(n + 1)
    total[1:] = np.cumsum(_tied_means(values[order], ranks))
    smooth = np.empty(n)
    for i in range(half, n - half):
        smooth[i] = (total[i + half + 1] - total[i - half]) / (2 * half + 1)
    smooth[:half] = smooth[half]
    smooth[n - half :] = smooth[n - half - 1]
    out = np.empty(n)
    out[order] = _tied_means(smooth, ranks)
    return out


@njit(cache=True, nogil=True)
def _tied_means(values: FloatArray, ranks: FloatArray) -> FloatArray:
    out = values.copy()
    first = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or ranks[i] != ranks[first]:
            if i - first > 1:
                out[first:i] = np.mean(values[first:i])
            first = i
    return out


@njit(cache=True, nogil=True)
def _standardised(values: FloatArray) -> FloatArray:
    """Mean 0 and standard deviation 1; a flat column becomes zero."""
    centred = values - np.mean(values)
    spread = np.sqrt(np.sum(centred * centred) / (len(values) - 1))
    return centred / spread if spread > FLAT else np.zeros(len(values))


@njit(cache=True, nogil=True)
def _correlation(a: FloatArray, b: FloatArray) -> float:
    a, b = a - np.mean(a), b - np.mean(b)
    return float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))
