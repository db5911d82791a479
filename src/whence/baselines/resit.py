"""RESIT for two variables (Peters, Mooij, Janzing & Schölkopf 2014): regress, then test the residual's independence.

Model: effect = f(cause) + N with N independent of the cause, of any law but constant size. f is the mean of a Gaussian
process whose kernel is never tuned: length scale 1 and noise variance e⁻² on standardised columns. The effect is the
column whose residual passes the independence test (HSIC) better.
"""

import math

import numpy as np

from whence.baselines.scored import Directional, Joint, PairScore
from whence.decision import LEVEL, Evidence
from whence.numerics.distances import median_sq_distance
from whence.numerics.gaussian_process import residual
from whence.numerics.hsic import HsicTest, KernelColumn, hsic_test, kernel_column
from whence.numerics.hsic_gamma import GammaTest, hsic_gamma_test
from whence.numerics.scaling import zscore
from whence.pair import FloatArray

NOISE_VARIANCE = math.exp(-2.0)


def regression_residual(
    cause: FloatArray, effect: FloatArray, length_scale: float = 1.0, noise_variance: float = NOISE_VARIANCE
) -> FloatArray:
    """Effect minus the posterior mean of the Gaussian process, at the rows."""
    return residual(cause, effect, 2.0 * length_scale**2, noise_variance)


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    length_scale: float = 1.0,
    noise_variance: float = NOISE_VARIANCE,
    standardised: bool = True,
) -> Evidence:
    """Log p-value of the independence of cause and residual; finite where the p-value itself underflows."""
    x, y = (zscore(v, ddof=1) if standardised else v for v in (cause, effect))
    left_over = regression_residual(x, y, length_scale, noise_variance)
    return _evidence(hsic_test(x, left_over), effect, y, left_over)


def published_score(
    x: FloatArray,
    y: FloatArray,
    *,
    length_scale: float = 1.0,
    noise_variance: float = NOISE_VARIANCE,
    level: float = LEVEL,
    standardised: bool = True,
) -> PairScore:
    """The published score: the larger p-value with the sign of the decision, or 0 if x and y pass as independent."""
    z, w = (zscore(v, ddof=1) if standardised else v for v in (x, y))
    column_z, column_w = published_column(z), published_column(w)
    forward_residual = regression_residual(z, w, length_scale, noise_variance)
    backward_residual = regression_residual(w, z, length_scale, noise_variance)
    forward = _evidence(hsic_gamma_test(column_z, published_column(forward_residual)), y, w, forward_residual)
    backward = _evidence(hsic_gamma_test(column_w, published_column(backward_residual)), x, z, backward_residual)
    related = hsic_gamma_test(column_z, column_w).p_value <= level
    sign = float(np.sign(forward.score - backward.score)) if related else 0.0
    return PairScore(sign * math.exp(max(forward.score, backward.score)), forward, backward)


def published_column(column: FloatArray) -> KernelColumn:
    """Bandwidth by the median over all pairs of rows, ties included, unless most pairs are ties."""
    return kernel_column(column, median_sq_distance(column, zeros=True) or None)


def resit(
    *,
    length_scale: float = 1.0,
    noise_variance: float = NOISE_VARIANCE,
    level: float = LEVEL,
    standardised: bool = True,
    published: bool = False,
) -> Directional | Joint:
    """The method; `standardised=False` takes the columns in their own units, as one published variant does.

    `published=True` gives the published score, with 0 where the columns pass as independent at `level`; the library's
    own score is the difference of log p-values, which stays informative where both p-values underflow.
    """
    regression = {"length_scale": length_scale, "noise_variance": noise_variance}
    settings = regression | {"level": level, "standardised": standardised, "published": published}
    if published:
        return Joint(
            "resit",
            lambda x, y: published_score(x, y, **regression, level=level, standardised=standardised),
            settings,
        )
    return Directional(
        "resit", lambda cause, effect: score(cause, effect, **regression, standardised=standardised), settings
    )


def _evidence(test: HsicTest | GammaTest, effect: FloatArray, scaled: FloatArray, left_over: FloatArray) -> Evidence:
    unit = float(np.ptp(effect) / np.ptp(scaled))
    sd = float(np.std(left_over))
    return Evidence(
        score=test.log_p_value,
        hsic=test.statistic,
        p_value=test.p_value,
        log_p_value=test.log_p_value,
        location=effect - unit * left_over,
        scale=np.full(len(effect), unit * sd),
        residual=left_over / sd,
    )
