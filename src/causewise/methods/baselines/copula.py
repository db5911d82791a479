"""A kernel estimate of the copula density on a grid, and conditional quantiles read off it.

The "transformation local likelihood, constant" estimator of the vinecopulib library (Nagler and Vatter): a bivariate
Gaussian kernel density on the normal scale, divided by the normal margins, whose own margins are then brought back to
uniform. Its bandwidth comes from the maximal correlation of the ranks, by alternating conditional expectations (Breiman
and Friedman 1985): a moving average over ranks stands for the conditional expectation. Constants, zero padding and
start are those of the library.
"""

import math

import numpy as np

from causewise.numerics.native import FloatArray, native

POINTS = 30
EDGE = 3.25
STEP = 2.0 * EDGE / (POINTS - 1)
"""Grid points a line, the outermost and the step between two; `copula.c` has them too."""
TOLERANCE, MAX_ITERATIONS = 2e-15, 100
_LINE = 40
"""Places that `copula.c` keeps for a line of the grid, since it writes eight at a time."""
_ROWS_AT_ONCE = 100_000
"""So many in one call, a tenth of a second; between calls Python may stop."""


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


def _kernel_sum(z_a: FloatArray, z_b: FloatArray, r: float, h: float) -> FloatArray:
    """Mean of N(· ; z_t, h²[[1, r], [r, 1]]) on the grid."""
    z_a, z_b = np.ascontiguousarray(z_a), np.ascontiguousarray(z_b)
    up, down = np.zeros((2, POINTS, _LINE))
    for start in range(0, len(z_a), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        _add_kernels(z_a[rows], z_b[rows], len(z_a[rows]), r, h, up, down)
    total = up[:, :POINTS] + down[:, POINTS - 1 :: -1]
    return np.asarray(total / (len(z_a) * 2.0 * np.pi * h * h * np.sqrt(1.0 - r * r)))


def conditional_quantiles(density: FloatArray, p: FloatArray, given: FloatArray, levels: FloatArray) -> FloatArray:
    """Quantiles of the second variable given values of the first (both on the copula scale): rows × levels.

    The density between grid lines is linear, so the distribution is piecewise quadratic and inverted in closed form.
    """
    density, given = np.ascontiguousarray(density), np.ascontiguousarray(given)
    out = np.empty((len(given), len(levels)))
    at_once = max(1, _ROWS_AT_ONCE * POINTS // (POINTS + len(levels)))
    for start in range(0, len(given), at_once):
        rows = slice(start, start + at_once)
        _conditional_quantiles(density, p, given[rows], len(given[rows]), levels, len(levels), out[rows])
    return out


def maximal_correlation(ranks_a: FloatArray, ranks_b: FloatArray) -> float:
    """Correlation of the best transforms of a and b; ranks are 1 … n, and equal ranks mean equal values."""
    n = len(ranks_a)
    order_a, order_b = (np.argsort(ranks, kind="stable").astype(np.int64, copy=False) for ranks in (ranks_a, ranks_b))
    columns = order_a, order_b, ranks_a[order_a], ranks_b[order_b], n
    phi_a = (ranks_a - 1.0 - ((n - 1) / 2.0 - 1.0)) / np.sqrt(n * (n - 1) / 12.0)
    phi_b, state, scratch = np.empty(n), np.ones(2), np.empty(2 * n + 1)
    at_once = max(1, _ROWS_AT_ONCE // n)
    for done in range(0, MAX_ITERATIONS, at_once):
        steps = min(at_once, MAX_ITERATIONS - done)
        if not _alternate_expectations(*columns, steps, TOLERANCE, phi_a, phi_b, state, scratch):
            return 0.0  # one of them is flat, and nothing is left to correlate
        if not state[1] > TOLERANCE:
            break
    return float(np.corrcoef(phi_a, phi_b)[0, 1])


_add_kernels = native(
    "void kernel_sum(double *z_a, double *z_b, int64_t n, double r, double h, double *up, double *down)"
)
_conditional_quantiles = native(
    "void conditional_quantiles(double *density, double *p, double *given, int64_t n, double *levels, "
    "int64_t n_levels, double *out)"
)
_alternate_expectations = native(
    "bool alternate_expectations(int64_t *order_a, int64_t *order_b, double *sorted_a, double *sorted_b, int64_t n, "
    "int64_t steps, double tolerance, double *phi_a, double *phi_b, double *state, double *scratch)"
)
