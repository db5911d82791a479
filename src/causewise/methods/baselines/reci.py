"""The regression error is smaller in the causal direction: RECI (Blöbaum et al. 2018), FOM (Cai et al. 2020), and
SLOPPY (Marx & Vreeken 2019).

Model: effect = f(cause) + little noise, the cause's density unrelated to f, both columns scaled to [0, 1].

RECI    f monotone or nearly so, a polynomial by least squares: its squared error
FOM     noise of size g(cause), f and g by the library's location-scale splines: the fourth moment of the error, which
        for Gaussian noise is 3·mean g⁴
SLOPPY  the squared error plus a price on every parameter; f itself is chosen by the sum that is compared, so that no
        fixed degree has to be right
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from causewise.decision import Evidence
from causewise.errors import REALS, SPLINE_DEGREES, SPLINE_KNOTS, InputError, between
from causewise.methods.baselines.cam import penalty_axes, thin_plate_basis
from causewise.models.spline import DEGREE, DELTA, N_KNOTS, fit_location_scale
from causewise.numerics.arrays import EXACT_FIT, minmax, squared_error
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional, Joint, PairScore, make_builder

DEGREES = (1, 20)
"""Up to the highest, the powers of numbers in [0, 1] are independent to double precision, and no further."""

Terms = Literal["all", "monomial"]
Scaling = Literal["minmax", "zscore"]
Moment = Literal["model", "empirical"]


def score_reci(
    cause: FloatArray, effect: FloatArray, *, degree: int = 3, terms: Terms = "all", scaling: Scaling = "minmax"
) -> float:
    """Minus the mean squared error of the polynomial of the scaled effect on the scaled cause."""
    scale = minmax if scaling == "minmax" else standardise
    order = row_order(cause, effect)
    u, v = scale(cause[order]), scale(effect[order])
    return -squared_error(u, v, tuple(range(degree + 1)) if terms == "all" else (0, degree))


def reci(*, degree: int = 3, terms: Terms = "all", scaling: Scaling = "minmax", published: bool = False) -> Directional:
    """The method; `published=True` fits a constant and the highest power alone, as the cdt package does.

    That form changes its answer when a column is reflected; all powers together do not.
    """
    between("reci", *DEGREES, degree=degree)
    if terms not in ("all", "monomial") or scaling not in ("minmax", "zscore"):
        raise InputError(
            f"Got terms={terms!r} and scaling={scaling!r} for reci; expected terms 'all' or 'monomial', and scaling "
            "'minmax' or 'zscore'."
        )
    settings: dict[str, Any] = {"degree": degree, "terms": "monomial" if published else terms, "scaling": scaling}
    return Directional("reci", partial(score_reci, **settings), settings | {"published": published})


def score_fom(
    cause: FloatArray,
    effect: FloatArray,
    *,
    moment: Moment = "model",
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    published: bool = False,
) -> Evidence:
    """Minus the fourth moment of the regression error, the effect scaled to [0, 1].

    `moment="empirical"` averages the residuals' fourth powers instead of trusting a Gaussian. The published program
    fits a heteroscedastic Gaussian process at a cost cubic in the rows; it is not here.
    """
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    fit = fit_location_scale(u, v, n_knots, degree, delta)
    scale = fit.scale / np.ptp(v)  # from unit variance to unit range
    fourth = 3.0 * np.mean(scale**4) if moment == "model" else np.mean((fit.residual * scale) ** 4)
    return Evidence(
        score=-float(fourth),
        log_likelihood=fit.log_likelihood,
        converged=fit.converged,
        n_iter=fit.n_iter,
        kkt=fit.kkt,
        message=fit.message,
    )


def _refuse_published(published: bool) -> None:
    if published:
        raise InputError(
            "Got published=true for fom; causewise has only its own form, on splines in place of the published "
            "Gaussian process: leave the setting out."
        )


fom = make_builder(
    Directional,
    "fom",
    score_fom,
    moment=("model", "empirical"),
    n_knots=SPLINE_KNOTS,
    degree=SPLINE_DEGREES,
    delta=REALS[1],
    published=_refuse_published,
)


# ---- sloppy


MIN_DISTINCT = 5
BASIS_SIZES = (3, 200)
"""The cost grows like the square of the size."""
POWERS = 7
"""Of the terms, beside eᵘ; their columns on [0, 1] are independent to double precision."""

Curve = Literal["spline", "terms"]
Penalty = Literal["bic", "aic"]
Price = Callable[[FloatArray, FloatArray], FloatArray]
"""From a residual sum of squares and a number of parameters to bits."""


def bits(rss: FloatArray, parameters: FloatArray, n: int, penalty: Penalty) -> FloatArray:
    """n log₂(1 + mean squared error), and log₂ n (`bic`) or 2 (`aic`) for every parameter."""
    # One is added as published: the logarithm is then the error itself to first order, and a perfect fit costs nothing.
    error = np.maximum(rss / n, EXACT_FIT)
    return n * np.log1p(error) / math.log(2.0) + parameters * (math.log2(n) if penalty == "bic" else 2.0)


def spline_bits(u: FloatArray, v: FloatArray, price: Price, basis_size: int) -> float:
    """The least price of a smoothing spline over its whole degrees of freedom, 1 (the mean) to the basis size."""
    at, inverse, tally = np.unique(u, return_inverse=True, return_counts=True)
    counts = tally.astype(np.float64)
    root, mean = np.sqrt(counts), np.bincount(inverse, weights=v) / counts
    scatter = v - mean[inverse]
    design, penalty = thin_plate_basis(2.0 * at - 1.0, min(basis_size, len(at)))
    axes, d = penalty_axes(design * root[:, None], penalty)
    scaled = root * mean
    b = axes.T @ scaled
    rest = scaled - axes @ b
    unexplained = float(rest @ rest) + float(scatter @ scatter)
    edf = np.arange(2.0, len(d) + 1.0)
    lost = 1.0 - 1.0 / (1.0 + _penalties(d, edf)[:, None] * d)
    rss = unexplained + lost**2 @ b**2
    centred = v - np.mean(v)
    return float(np.min(price(np.append(centred @ centred, rss), np.append(1.0, edf))))


def _penalties(d: FloatArray, edf: FloatArray) -> FloatArray:
    """The λ at which Σ 1/(1 + λ dⱼ) is each of the degrees of freedom; they fall as λ grows, so halving finds them."""
    bent = d[d > 0.0]
    if not len(bent):
        return np.zeros(len(edf))
    low = np.full(len(edf), -math.log(float(bent[-1])) - 40.0)
    high = np.full(len(edf), -math.log(float(bent[0])) + 40.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        more = np.sum(1.0 / (1.0 + np.exp(middle)[:, None] * d), axis=1) > edf
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.exp(high)


def terms_bits(u: FloatArray, v: FloatArray, price: Price) -> float:
    """The least price of a sum of u, …, u⁷ and eᵘ: terms are added while one helps, then dropped while one does."""
    columns = np.column_stack([np.ones_like(u), *(u**k for k in range(1, POWERS + 1)), np.exp(u)])

    def cost(chosen: frozenset[int]) -> float:
        used = columns[:, [0, *sorted(chosen)]]
        coefficients, *_ = np.linalg.lstsq(used, v, rcond=None)
        wrong = v - used @ coefficients
        return float(price(np.asarray(wrong @ wrong), np.asarray(float(used.shape[1]))))

    chosen: frozenset[int] = frozenset()
    best = cost(chosen)
    for change in (frozenset.union, frozenset.difference):
        while True:
            tried = {change(chosen, {k}) for k in range(1, columns.shape[1])} - {chosen}
            least, terms = min(((cost(each), sorted(each)) for each in tried), default=(best, []))
            if least >= best:
                break
            best, chosen = least, frozenset(terms)
    return best


def direction_bits(
    cause: FloatArray, effect: FloatArray, curve: Curve = "spline", penalty: Penalty = "bic", basis_size: int = 30
) -> float:
    """The price of the effect given the cause, both on the unit interval."""
    order = row_order(cause, effect)
    u, v = minmax(cause[order]), minmax(effect[order])
    distinct = 1 + int(np.count_nonzero(u[1:] > u[:-1]))
    if distinct < MIN_DISTINCT:
        raise InputError(
            f"SLOPPY got a column with {distinct} distinct values; expected at least {MIN_DISTINCT}, since it fits a "
            "curve over each column: choose a continuous column."
        )
    price = partial(bits, n=len(u), penalty=penalty)
    return spline_bits(u, v, price, basis_size) if curve == "spline" else terms_bits(u, v, price)


def score_sloppy(
    x: FloatArray, y: FloatArray, *, curve: Curve = "spline", penalty: Penalty = "bic", basis_size: int = 30
) -> PairScore:
    """Backward − forward price as a share of the larger: the published confidence, signed.

    `basis_size` bounds the degrees of freedom of the spline.
    """
    settings = (curve, penalty, basis_size)
    forward, backward = direction_bits(x, y, *settings), direction_bits(y, x, *settings)
    larger = max(forward, backward)
    one, other = Evidence(-forward / larger), Evidence(-backward / larger)
    return PairScore(one.score - other.score, one, other)


sloppy = make_builder(
    Joint, "sloppy", score_sloppy, curve=("spline", "terms"), penalty=("bic", "aic"), basis_size=BASIS_SIZES
)
