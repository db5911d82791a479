"""CAM for two variables (Bühlmann, Peters & Ernest 2014): additive Gaussian noise, compared by likelihood.

Model: effect = f(cause) + N, N Gaussian of constant size, f a penalised thin plate regression spline with ten basis
functions (mgcv's default smooth), its smoothing parameter by generalised cross-validation. With Gaussian marginals
the likelihoods of the two directions differ by the shares of variance the regressions leave unexplained.
"""

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.errors import between
from causewise.methods.baselines.thin_plate import SmoothFit, penalised_fit, thin_plate_basis
from causewise.numerics.gaussian import HALF_LOG_2PI
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Joint, PairScore

BASIS_SIZES = (3, 500)
"""The cost grows like the cube of the size."""
TIE = 1e-12
EXACT_FIT = 1e-24  # of the variance: below this the residual is rounding, and two such fits must tie


def score(cause: FloatArray, effect: FloatArray, *, basis_size: int = 10) -> Evidence:
    """log(variance of the effect / variance of the residual) of the smooth of effect on cause."""
    return _direction(cause, effect, basis_size)[0]


def pair_score(x: FloatArray, y: FloatArray, *, basis_size: int = 10) -> PairScore:
    """Forward − backward; two straight lines explain alike, and their difference is rounding."""
    (forward, one), (backward, other) = _direction(x, y, basis_size), _direction(y, x, basis_size)
    difference = forward.score - backward.score
    tie = (one and other) or abs(difference) <= TIE
    return PairScore(0.0 if tie else difference, forward, backward)


def published_score(x: FloatArray, y: FloatArray, *, basis_size: int = 10) -> PairScore:
    """The score in the published result files: sign of the decision times |larger log score + 5|, in raw units.

    The log score is −log var(cause) − log var(residual); the 5 is the published wrapper's, and has no meaning.
    On an exact tie the published sign is rounding luck; here the score is 0, undecided.
    """
    decision, forward, backward = pair_score(x, y, basis_size=basis_size)
    z, w = standardise(np.sort(x)), standardise(np.sort(y))
    log_variances = 2.0 * math.log(_sd(x, z)) + 2.0 * math.log(_sd(y, w)) + 2.0 * math.log(len(x) / (len(x) - 1))
    best = max(forward.score, backward.score) - log_variances
    return PairScore(float(np.sign(decision) * abs(best + 5.0)), forward, backward)


def cam(*, basis_size: int = 10, published: bool = False) -> Joint:
    """The method; `published=True` gives the score of the published files, which changes with the units."""
    between("cam", *BASIS_SIZES, basis_size=basis_size)
    settings = {"basis_size": basis_size, "published": published}
    form = published_score if published else pair_score
    return Joint("cam", partial(form, basis_size=basis_size), settings)


def _direction(cause: FloatArray, effect: FloatArray, basis_size: int) -> tuple[Evidence, bool]:
    """The evidence, and whether the smooth is a straight line."""
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    distinct, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    k = min(basis_size if len(x) >= 30 else math.ceil(len(x) / 3), len(distinct))
    smooth = _smooth(distinct, inverse, counts.astype(np.float64), y, k)
    if smooth is None or math.isinf(smooth.log_lambda):
        slope = float(x @ y) / len(x)
        fitted, share, straight = slope * x, 1.0 - slope * slope, True
    else:
        fitted, share, straight = smooth.fitted[inverse], smooth.rss / len(x), False
    back = np.argsort(order)
    return _evidence(effect, y[back], fitted[back], max(share, EXACT_FIT)), straight


def _smooth(
    distinct: FloatArray, inverse: NDArray[np.intp], counts: FloatArray, y: FloatArray, k: int
) -> SmoothFit | None:
    middle, half = 0.5 * (distinct[0] + distinct[-1]), 0.5 * (distinct[-1] - distinct[0])
    design, penalty = thin_plate_basis((distinct - middle) / half, k)
    if design.shape[1] < 3:
        return None
    mean = np.bincount(inverse, weights=y) / counts
    scatter = y - mean[inverse]
    return penalised_fit(design, penalty, mean, counts, float(scatter @ scatter))


def _evidence(effect: FloatArray, y: FloatArray, fitted: FloatArray, share: float) -> Evidence:
    sd = _sd(effect, y)
    return Evidence(
        score=-math.log(share),
        log_likelihood=-HALF_LOG_2PI - 0.5 * math.log(share) - 0.5,
        location=float(np.mean(effect)) + sd * fitted,
        scale=np.full(len(y), sd * math.sqrt(share)),
        residual=(y - fitted) / math.sqrt(share),
    )


def _sd(column: FloatArray, standardised: FloatArray) -> float:
    """Standard deviation, without the squares that overflow."""
    return float(np.ptp(column) / np.ptp(standardised))
