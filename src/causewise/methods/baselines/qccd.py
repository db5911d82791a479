"""QCCD (bQCD): the direction in which the quantiles of the cause and of the effect given the cause cost less.

Tagasovska, Chavez-Demoulin and Vatter (ICML 2020): the marginal of the cause and the conditional of the effect have
the shorter description together (Kolmogorov's principle); code lengths are pinball losses averaged over quantile
levels, and the conditional quantiles come from a nonparametric copula, so that only ranks matter.

The copula is the "transformation local likelihood, constant" estimator of the vinecopulib library (Nagler and Vatter):
a bivariate Gaussian kernel density on the normal scale, divided by the normal margins, whose own margins are then
brought back to uniform. Its bandwidth comes from the maximal correlation of the ranks, by alternating conditional
expectations (Breiman and Friedman 1985): a moving average over ranks stands for the conditional expectation. Constants,
zero padding and start are those of the library.
"""

import math
from typing import NamedTuple

import numpy as np

from causewise.decision import Decision, Evidence
from causewise.errors import ROWS, SEEDS
from causewise.numerics.native import FloatArray, native
from causewise.numerics.ranked import mid_ranks
from causewise.pair import Pair, row_order
from causewise.protocol import PairMethod, make_builder

POINTS = 30
EDGE = 3.25
STEP = 2.0 * EDGE / (POINTS - 1)
"""Grid points a line, the outermost and the step between two; `copula.c` has them too."""
TOLERANCE, MAX_ITERATIONS = 2e-15, 100
_LINE = 40
"""Places that `copula.c` keeps for a line of the grid, since it writes eight at a time."""
_ROWS_AT_ONCE = 100_000
"""So many in one call, a tenth of a second; between calls Python may stop."""
MAX_CORRELATION = 0.95
QUANTILES = (1, 100)
MIN_WIDTH = 0.25 * STEP
"""Narrower kernels fall between the lines of the grid; the published width goes to 0 as the correlation does."""
_UNIT = 2.3283064365386963e-10
"""R's 1/(2³² − 1) to the digits in its source."""


class Codes(NamedTuple):
    """Code lengths of one column: on its own, and given the other."""

    alone: float
    given: float


def decide(
    pair: Pair, *, quantiles: int = 3, few_rows: int = 200, tie_seed: int = 0, published: bool = False
) -> Decision:
    """Minus the code length of each direction as a fraction of the two marginal code lengths.

    `published` breaks ties by R's random stream from `tie_seed` and takes rows and columns in the order of the file
    (`Pair.turned`): a score that does not just change its sign when the columns are exchanged can be repeated only in
    the order in which it was once computed.
    """
    turned = published and pair.turned
    x, y = (pair.y, pair.x) if turned else (pair.x, pair.y)
    levels = quantiles if pair.n >= few_rows else 1
    of_x, of_y = _code_in_file_order(x, y, levels, tie_seed) if published else _code_in_own_order(x, y, levels)
    total = of_x.alone + of_y.alone
    forward, backward = -(of_x.alone + of_y.given) / total, -(of_y.alone + of_x.given) / total
    sides, score = (Evidence(forward), Evidence(backward)), forward - backward
    return Decision("qccd", pair, -score, *sides[::-1]) if turned else Decision("qccd", pair, score, *sides)


qccd = make_builder(PairMethod, "qccd", decide, quantiles=QUANTILES, few_rows=(0, ROWS[1]), tie_seed=SEEDS)


def _code_in_file_order(x: FloatArray, y: FloatArray, quantiles: int, seed: int) -> tuple[Codes, Codes]:
    draws = draw_uniforms(seed, 2 * len(x))
    ranks = rank_with_random_ties(x, draws[: len(x)]), rank_with_random_ties(y, draws[len(x) :])
    return _code_ranks(*ranks, quantiles, published=True)


def _code_in_own_order(x: FloatArray, y: FloatArray, quantiles: int) -> tuple[Codes, Codes]:
    """The same to the last bit for any order of rows and columns."""
    # Equal values share a rank; rows are sorted, and of the two columns the data say which one comes first. Data that
    # cannot tell, since exchanging the columns only permutes the rows, hold no direction either.
    a, b = mid_ranks(x), mid_ranks(y)
    first = comes_first(a, b)
    if first < 0:
        of_y, of_x = _code_in_own_order(y, x, quantiles)
        return of_x, of_y
    order = row_order(a, b)
    codes = _code_ranks(a[order], b[order], quantiles, published=False)
    return codes if first > 0 else (codes[0], codes[0])


def _code_ranks(a: FloatArray, b: FloatArray, quantiles: int, published: bool) -> tuple[Codes, Codes]:
    """Code lengths of two columns of ranks."""
    from scipy.special import ndtri

    n = len(a)
    u, v = a / (n + 1), b / (n + 1)
    z_u, z_v = ndtri(u), ndtri(v)
    correlation, width = _kernel(a, b, z_u, z_v)
    width = width if published else max(width, MIN_WIDTH)
    density = copula_density(z_u, z_v, correlation, width, symmetric=not published)
    nodes, weights = np.polynomial.legendre.leggauss(quantiles)
    levels, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    u_given_v = conditional_quantiles(density.T.copy(), uniform_grid(), v, levels)
    v_given_u = conditional_quantiles(density, uniform_grid(), u, levels)
    return _code_column(z_u, u_given_v, levels, weights), _code_column(z_v, v_given_u, levels, weights)


def _kernel(a: FloatArray, b: FloatArray, z_a: FloatArray, z_b: FloatArray) -> tuple[float, float]:
    """Correlation and width of the copula's kernel; the less of the dependence is linear, the narrower."""
    linear = float(np.clip(np.corrcoef(z_a, z_b)[0, 1], -MAX_CORRELATION, MAX_CORRELATION))
    maximal = maximal_correlation(a, b)
    share = abs(linear / maximal) ** (0.5 * maximal) if maximal > 0 else 1.0
    return linear, float(np.sqrt(len(a) ** (-1 / 3) * share))


def _code_column(z: FloatArray, conditional: FloatArray, levels: FloatArray, weights: FloatArray) -> Codes:
    ordered = np.sort(z)
    alone = _pinball(z, _quantile(ordered, levels), levels)
    given = _pinball(z, _quantile(ordered, conditional), levels)
    return Codes(float(alone @ weights), float(given @ weights))


def _pinball(z: FloatArray, predicted: FloatArray, levels: FloatArray) -> FloatArray:
    above = predicted - z[:, None]
    return np.mean(((above >= 0) - levels) * above, axis=0)


def _quantile(ordered: FloatArray, p: FloatArray) -> FloatArray:
    """Sample quantiles of a sorted column, linear between the order statistics (R's type 7)."""
    return np.interp(p * (len(ordered) - 1), np.arange(len(ordered)), ordered)


def comes_first(a: FloatArray, b: FloatArray) -> int:
    """An order of two columns of ranks that depends on neither argument nor row order: 1, −1, or 0 if alike.

    Exchanging the columns flips the sign.
    """
    # First by two moments that do not change when a column is reflected; if they are the same both ways, as words: the
    # rows sorted by (a, b) against the same with the columns exchanged.
    moments = _moments(a, b), _moments(b, a)
    if moments[0] != moments[1]:
        return 1 if moments[0] < moments[1] else -1
    one, other = np.lexsort((b, a)), np.lexsort((a, b))
    for left, right in ((a[one], b[other]), (b[one], a[other])):
        differs = np.flatnonzero(left != right)
        if len(differs):
            return 1 if left[differs[0]] < right[differs[0]] else -1
    return 0


def _moments(a: FloatArray, b: FloatArray) -> tuple[int, int]:
    """|Σ A²B| and |Σ A³B| for ranks doubled and counted from the middle: whole numbers, whose order cannot matter."""
    u, v = ((2.0 * column - (len(column) + 1)).astype(np.int64) for column in (a, b))
    term = u * u * v
    return abs(int(np.sum(term))), abs(int(np.sum(u * term)))


def rank_with_random_ties(column: FloatArray, tie_breaks: FloatArray) -> FloatArray:
    """Ranks 1 … n with ties in the order of `tie_breaks`, as in R's `rank(ties.method = "random")`."""
    ranks = np.empty(len(column))
    ranks[np.lexsort((tie_breaks, column))] = np.arange(1, len(column) + 1)
    return ranks


def draw_uniforms(seed: int, count: int) -> FloatArray:
    """What `set.seed(seed); runif(count)` gives in R."""
    twister = np.random.MT19937(0)
    state = dict(twister.state)
    state["state"] = {"key": np.array(_scramble_seed(seed), dtype=np.uint32), "pos": 624}
    twister.state = state  # type: ignore[assignment]  # NumPy's stub wants its private TypedDict
    drawn = twister.random_raw(count).astype(np.float64) * _UNIT
    return np.clip(drawn, 0.5 * _UNIT, 1.0 - 0.5 * _UNIT)


def _scramble_seed(seed: int) -> list[int]:
    """R's initial scrambling: 50 steps of a linear congruence, one more for the position, then 624 for the key."""
    value = seed % 2**32
    key = []
    for step in range(50 + 625):
        value = (69069 * value + 1) % 2**32
        if step > 50:
            key.append(value)
    return key


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
    swept = _sweep_margins(density)
    return 0.5 * (swept + _sweep_margins(density.T).T) if symmetric else swept


def _sweep_margins(density: FloatArray) -> FloatArray:
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
    "void conditional_quantiles(double *density, double *p, double *given, int64_t n, double *levels, int64_t "
    "n_levels, double *out)"
)
_alternate_expectations = native(
    "bool alternate_expectations(int64_t *order_a, int64_t *order_b, double *sorted_a, double *sorted_b, int64_t n, "
    "int64_t steps, double tolerance, double *phi_a, double *phi_b, double *state, double *scratch)"
)
