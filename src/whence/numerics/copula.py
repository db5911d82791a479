"""A kernel estimate of the copula density on a grid, and conditional quantiles read off it.

The "transformation local likelihood, constant" estimator of vinecopulib: a bivariate Gaussian kernel density on the
normal scale, divided by the normal margins, whose own margins are then brought back to uniform.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

POINTS = 30
EDGE = 3.25
STEP = 2.0 * EDGE / (POINTS - 1)
FLOOR = 1e-4
"""Smallest conditional density, so that a conditional distribution can always be inverted."""
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
    """Mean of N(· ; z_t, h²[[1, r], [r, 1]]) on the grid.

    Whitened: s = (g_a − z_a)/h and w = ((g_b − z_b)/h − r s)/√(1 − r²). Along b the grid has a constant step δ in w, so
    that exp(−w²/2) follows from its neighbour by the factor exp(−δw − δ²/2), itself falling by exp(−δ²) a step: two
    exponentials for 30 values, walked outwards from the peak where nothing can overflow.
    """
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
