"""QCCD (bQCD): the direction in which the quantiles of the cause and of the effect given the cause cost less.

Tagasovska, Chavez-Demoulin and Vatter (ICML 2020): the marginal of the cause and the conditional of the effect have
the shorter description together (Kolmogorov's principle); code lengths are pinball losses averaged over quantile
levels, and the conditional quantiles come from a nonparametric copula, so that only ranks matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from causewise.decision import Decision, Evidence
from causewise.errors import ROWS, SEEDS, between
from causewise.methods.baselines.copula import (
    STEP,
    conditional_quantiles,
    copula_density,
    maximal_correlation,
    uniform_grid,
)
from causewise.numerics.ranked import mid_ranks
from causewise.pair import FloatArray, Pair, row_order
from causewise.protocol import Joint, Method, PairScore

MAX_CORRELATION = 0.95
MAX_QUANTILES = 100
MIN_WIDTH = 0.25 * STEP
"""Narrower kernels fall between the lines of the grid; the published width goes to 0 as the correlation does."""
_UNIT = 2.3283064365386963e-10
"""R's 1/(2³² − 1) to the digits in its source."""


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
    between("qccd", 1, MAX_QUANTILES, quantiles=quantiles)
    between("qccd", 0, ROWS[1], few_rows=few_rows)
    between("qccd", *SEEDS, tie_seed=tie_seed)
    method = Joint("qccd", partial(score, **settings), settings)
    return InFileOrder(method) if published else method


@dataclass(frozen=True)
class InFileOrder:
    """A method that turns a pair back before it decides, where the benchmark has turned it round (`Pair.turned`).

    The library's own scores need no such thing: exchanging the columns negates them. A published score that does not
    behave so can be repeated only in the order in which it was once computed.
    """

    method: Joint

    @property
    def name(self) -> str:
        """The name under which results are filed."""
        return self.method.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the method inside."""
        return self.method.settings

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair in the order of its file, and report in the order asked for."""
        turned = [getattr(pair, "turned", False) for pair in pairs]
        asked = [pair.swap() if back else pair for pair, back in zip(pairs, turned, strict=True)]
        decided = zip(self.method.decide_many(asked), pairs, turned, strict=True)
        return [_turn_back(decision, pair) if back else decision for decision, pair, back in decided]


def _turn_back(decision: Decision, pair: Pair) -> Decision:
    return replace(decision, pair=pair, score=-decision.score, forward=decision.backward, backward=decision.forward)


def _codes_in_file_order(x: FloatArray, y: FloatArray, quantiles: int, seed: int) -> tuple[Codes, Codes]:
    draws = uniforms(seed, 2 * len(x))
    ranks = random_tie_ranks(x, draws[: len(x)]), random_tie_ranks(y, draws[len(x) :])
    return _codes(*ranks, quantiles, published=True)


def _codes_in_own_order(x: FloatArray, y: FloatArray, quantiles: int) -> tuple[Codes, Codes]:
    """The same to the last bit for any order of rows and columns."""
    # Equal values share a rank; rows are sorted, and of the two columns the data say which one comes first. Data that
    # cannot tell, since exchanging the columns only permutes the rows, hold no direction either.
    a, b = mid_ranks(x), mid_ranks(y)
    first = comes_first(a, b)
    if first < 0:
        of_y, of_x = _codes_in_own_order(y, x, quantiles)
        return of_x, of_y
    order = row_order(a, b)
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


def random_tie_ranks(column: FloatArray, tie_breaks: FloatArray) -> FloatArray:
    """Ranks 1 … n with ties in the order of `tie_breaks`, as in R's `rank(ties.method = "random")`."""
    ranks = np.empty(len(column))
    ranks[np.lexsort((tie_breaks, column))] = np.arange(1, len(column) + 1)
    return ranks


def uniforms(seed: int, count: int) -> FloatArray:
    """What `set.seed(seed); runif(count)` gives in R."""
    twister = np.random.MT19937(0)
    state = dict(twister.state)
    state["state"] = {"key": np.array(_scrambled(seed), dtype=np.uint32), "pos": 624}
    twister.state = state  # type: ignore[assignment]  # NumPy's stub wants its private TypedDict
    drawn = twister.random_raw(count).astype(np.float64) * _UNIT
    return np.clip(drawn, 0.5 * _UNIT, 1.0 - 0.5 * _UNIT)


def _scrambled(seed: int) -> list[int]:
    """R's initial scrambling: 50 steps of a linear congruence, one more for the position, then 624 for the key."""
    value = seed % 2**32
    key = []
    for step in range(50 + 625):
        value = (69069 * value + 1) % 2**32
        if step > 50:
            key.append(value)
    return key
