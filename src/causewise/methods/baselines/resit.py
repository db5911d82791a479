"""RESIT for two variables (Peters, Mooij, Janzing & Schölkopf 2014): regress, then test the residual's independence.

Model: effect = f(cause) + N with N independent of the cause, of any law but constant size. f is the mean of a Gaussian
process whose kernel is never tuned: length scale 1 and noise variance e⁻² on standardised columns. The effect is the
column whose residual passes the independence test (HSIC) better.
"""

import math
from dataclasses import replace

import numpy as np

from causewise.criteria import LEVEL
from causewise.decision import Evidence
from causewise.errors import REALS
from causewise.numerics.hsic import GammaTest, hsic_gamma_test, hsic_test, kernel_column
from causewise.numerics.kernel import BLOCK, KernelPivots, choose_pivots, features, median_sq_distance
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Joint, PairScore, make_builder

NOISE_VARIANCE = math.exp(-2.0)
TIE = 1e-10
REACH = 6.5  # exp(−6.5²) = 4e-19: beyond this many √bandwidth the kernel is zero to rounding


def score(
    cause: FloatArray,
    effect: FloatArray,
    length_scale: float = 1.0,
    noise_variance: float = NOISE_VARIANCE,
    standardised: bool = True,
    published: bool = False,
) -> Evidence:
    """Log p-value of the independence of cause and residual; finite where the p-value itself underflows."""
    order = row_order(cause, effect)
    x, y = (_scale(column[order], standardised) for column in (cause, effect))
    left_over = residual(x, y, 2.0 * length_scale**2, noise_variance)
    test = published_test(x, left_over) if published else hsic_test(x, left_over)
    unit, sd = float(np.ptp(effect) / np.ptp(y)), float(np.std(left_over))
    left_over = left_over[np.argsort(order)]
    return Evidence(
        score=test.log_p_value,
        hsic=test.statistic,
        p_value=test.p_value,
        log_p_value=test.log_p_value,
        location=effect - unit * left_over,
        scale=np.full(len(effect), unit * sd),
        residual=left_over / sd,
    )


def pair_score(
    x: FloatArray,
    y: FloatArray,
    *,
    length_scale: float = 1.0,
    noise_variance: float = NOISE_VARIANCE,
    level: float = LEVEL,
    standardised: bool = True,
    published: bool = False,
) -> PairScore:
    """Difference of the log p-values; on noiseless lines both are the same number up to rounding, which is a tie.

    `standardised=False` takes the columns in their own units, as one published variant does. `published` gives the
    published score, the larger p-value with the sign of the decision, or 0 where the columns pass as independent at
    `level`; the difference of log p-values stays informative where both p-values underflow.
    """
    settings = (length_scale, noise_variance, standardised, published)
    forward, backward = score(x, y, *settings), score(y, x, *settings)
    difference = forward.score - backward.score
    if abs(difference) <= TIE * abs(forward.score + backward.score):
        difference = 0.0
    if not published:
        return PairScore(difference, forward, backward)
    related = published_test(_scale(x, standardised), _scale(y, standardised)).p_value <= level
    sign = float(np.sign(difference)) if related else 0.0
    # In p-values like the score itself: beside its own logarithm a p-value of 1e-13 would pass for a rounding error.
    forward, backward = (replace(side, score=math.exp(side.score)) for side in (forward, backward))
    return PairScore(sign * max(forward.score, backward.score) or 0.0, forward, backward)  # never −0.0


resit = make_builder(Joint, "resit", pair_score, length_scale=REALS[1], noise_variance=REALS[1], level=1.0)


def published_test(a: FloatArray, b: FloatArray) -> GammaTest:
    """Bandwidths by the median over all pairs of rows, ties included unless most pairs are ties; 2008 gamma law."""
    left, right = (kernel_column(v, median_sq_distance(v, zeros=True) or None) for v in (a, b))
    return hsic_gamma_test(left, right)


def _scale(column: FloatArray, standardised: bool) -> FloatArray:
    return standardise(column) * math.sqrt(1.0 - 1.0 / len(column)) if standardised else column


def residual(column: FloatArray, target: FloatArray, bandwidth: float, noise: float) -> FloatArray:
    """In-sample residual w (K + wI)⁻¹ (target − mean) for the kernel exp(−d²/bandwidth) and noise of variance w.

    No n × n matrix: where the column is short against the bandwidth, K has low rank; where it is long, it is banded
    once sorted.
    """
    v = target - np.mean(target)
    distinct, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    mean, count = np.bincount(inverse, weights=v) / counts, counts.astype(np.float64)
    # Rows that share a value of the column count as one observation of their mean, with noise w / count.
    scaled = distinct / np.sqrt(bandwidth)
    # The rank of K is bounded by the cells: three each, and twenty.
    width = _widest_window(scaled, REACH)
    if width < 20 + 3 * _occupied_cells(scaled, most=width // 3):
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


def _widest_window(s: FloatArray, reach: float) -> int:
    """The largest number of places between two entries of the increasing s that lie within reach."""
    return int(np.max(np.arange(len(s)) - np.searchsorted(s, s - reach)))


def _occupied_cells(s: FloatArray, most: int) -> int:
    """How many intervals of length one are needed to cover the increasing s, counted up to `most`."""
    count, covered = 0, 0
    while covered < len(s) and count < most:
        count, covered = count + 1, int(np.searchsorted(s, s[covered] + 1.0, side="right"))
    return count
