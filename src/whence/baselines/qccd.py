"""QCCD (bQCD): the direction in which the quantiles of the cause and of the effect given the cause cost less.

Tagasovska, Chavez-Demoulin and Vatter (ICML 2020): the marginal of the cause and the conditional of the effect have
the shorter description together (Kolmogorov's principle); code lengths are pinball losses averaged over quantile
levels, and the conditional quantiles come from a nonparametric copula, so that only ranks matter.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from whence.baselines.file_order import InFileOrder
from whence.baselines.scored import Joint, PairScore
from whence.decision import Evidence
from whence.numerics.ace import maximal_correlation
from whence.numerics.copula import STEP, conditional_quantiles, copula_density, uniform_grid
from whence.numerics.ranks import comes_first, mid_ranks, random_tie_ranks
from whence.numerics.rstream import uniforms
from whence.pair import FloatArray
from whence.protocol import Method
from whence.ranges import at_least

MAX_CORRELATION = 0.95
MIN_WIDTH = 0.25 * STEP
"""Narrower kernels fall between the lines of the grid; the published width goes to 0 as the correlation does."""


class Codes(NamedTuple):
    """Code lengths of one column: on its own, and given the other."""

    alone: float
    given: float


def score(
    x: FloatArray,
    y: FloatArray,
    *,
    quantiles: int = 3,
    few_rows: int = 200,
    tie_seed: int = 0,
    published: bool = False,
) -> PairScore:
    """Minus the code length of each direction as a fraction of the two marginal code lengths."""
    levels = quantiles if len(x) >= few_rows else 1
    of_x, of_y = _codes_in_file_order(x, y, levels, tie_seed) if published else _codes_in_own_order(x, y, levels)
    total = of_x.alone + of_y.alone
    forward, backward = -(of_x.alone + of_y.given) / total, -(of_y.alone + of_x.given) / total
    return PairScore(forward - backward, Evidence(forward), Evidence(backward))


def qccd(quantiles: int = 3, few_rows: int = 200, tie_seed: int = 0, published: bool = False) -> Method:
    """QCCD; `published` breaks ties by R's random stream from `tie_seed` and takes columns and rows in file order."""
    settings: dict[str, Any] = {
        "quantiles": quantiles,
        "few_rows": few_rows,
        "tie_seed": tie_seed,
        "published": published,
    }
    at_least("qccd", 1, quantiles=quantiles)
    at_least("qccd", 0, few_rows=few_rows, tie_seed=tie_seed)
    method = Joint("qccd", partial(score, **settings), settings)
    return InFileOrder(method) if published else method


def _codes_in_file_order(x: FloatArray, y: FloatArray, quantiles: int, seed: int) -> tuple[Codes, Codes]:
    draws = uniforms(seed, 2 * len(x))
    ranks = random_tie_ranks(x, draws[: len(x)]), random_tie_ranks(y, draws[len(x) :])
    return _codes(*ranks, quantiles, published=True)


def _codes_in_own_order(x: FloatArray, y: FloatArray, quantiles: int) -> tuple[Codes, Codes]:
    """The same to the last bit for any order of rows and columns.

    Equal values share a rank; rows are sorted, and of the two columns the data say which one comes first. Data that
    cannot tell, since exchanging the columns only permutes the rows, hold no direction either.
    """
    a, b = mid_ranks(x), mid_ranks(y)
    first = comes_first(a, b)
    if first < 0:
        of_y, of_x = _codes_in_own_order(y, x, quantiles)
        return of_x, of_y
    order = np.lexsort((b, a))
    codes = _codes(a[order], b[order], quantiles, published=False)
    return codes if first > 0 else (codes[0], codes[0])


def _codes(a: FloatArray, b: FloatArray, quantiles: int, published: bool) -> tuple[Codes, Codes]:
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
    return _column_codes(z_u, u_given_v, levels, weights), _column_codes(z_v, v_given_u, levels, weights)


def _kernel(a: FloatArray, b: FloatArray, z_a: FloatArray, z_b: FloatArray) -> tuple[float, float]:
    """Correlation and width of the copula's kernel; the less of the dependence is linear, the narrower."""
    linear = float(np.clip(np.corrcoef(z_a, z_b)[0, 1], -MAX_CORRELATION, MAX_CORRELATION))
    maximal = maximal_correlation(a, b)
    share = abs(linear / maximal) ** (0.5 * maximal) if maximal > 0 else 1.0
    return linear, float(np.sqrt(len(a) ** (-1 / 3) * share))


def _column_codes(z: FloatArray, conditional: FloatArray, levels: FloatArray, weights: FloatArray) -> Codes:
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
