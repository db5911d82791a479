"""What is drawn of one direction, thinned so that ten rows and a million cost the same to look at.

Axis ranges, drift lines and Q–Q points come from all rows; only the dots are a sample, and the page says so.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whence.decision import Evidence
from whence.pair import FloatArray, Pair

MAX_CURVE = 400
MAX_QUANTILES = 160
DRIFT_LEVELS = (0.1, 0.5, 0.9)
RESIDUAL_LIMIT = 6.0
"""Standardised residuals beyond this are drawn at the edge, so that one outlier does not flatten the rest."""

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class FittedCurve:
    """Fitted mean and the band of two standard deviations either side, in the order of the cause."""

    cause: FloatArray
    location: FloatArray
    low: FloatArray | None
    high: FloatArray | None


@dataclass(frozen=True, eq=False)
class Drift:
    """The 10, 50 and 90 % quantiles of the residual in slices of the cause: flat where the noise is independent."""

    cause: FloatArray
    levels: FloatArray
    """Shape (3, number of slices)."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything drawn of one direction, apart from words."""

    cause: FloatArray
    effect: FloatArray
    cause_range: Range
    effect_range: Range
    curve: FittedCurve | None
    residual: FloatArray | None
    """At the rows of `cause`."""
    beyond: int
    """How many residuals, of all rows, lie beyond `RESIDUAL_LIMIT`."""
    drift: Drift | None
    quantiles: tuple[FloatArray, FloatArray] | None
    """Standard normal quantiles and residual quantiles."""


def rows_to_draw(pair: Pair, limit: int) -> NDArray[np.intp]:
    """At most `limit` rows (and the four extremes), the same ones each time; all of them where they are few."""
    if pair.n <= limit:
        return np.arange(pair.n)
    # A fixed seed, so that the same decision gives the same bytes; the extremes, so that the dots fill the frame.
    drawn = np.random.default_rng(0).choice(pair.n, size=limit, replace=False, shuffle=False)
    extremes = [pick(column) for column in (pair.x, pair.y) for pick in (np.argmin, np.argmax)]
    return np.union1d(drawn, extremes)


def drawing_of(cause: FloatArray, effect: FloatArray, evidence: Evidence, rows: NDArray[np.intp]) -> Drawing:
    """Thin one direction for drawing."""
    residual = _usable(evidence.residual, len(cause))
    return Drawing(
        cause=cause[rows],
        effect=effect[rows],
        cause_range=(float(cause.min()), float(cause.max())),
        effect_range=(float(effect.min()), float(effect.max())),
        curve=_curve(cause, _usable(evidence.location, len(cause)), _usable(evidence.scale, len(cause))),
        residual=None if residual is None else residual[rows],
        beyond=0 if residual is None else int(np.count_nonzero(np.abs(residual) > RESIDUAL_LIMIT)),
        drift=None if residual is None else _drift(cause, residual),
        quantiles=None if residual is None else _normal_quantiles(residual),
    )


def coarser(drawing: Drawing, points: int) -> Drawing:
    """The same with at most so many points on the curve, for a small picture."""
    curve = drawing.curve
    if curve is None or len(curve.cause) <= points:
        return drawing
    kept = np.linspace(0, len(curve.cause) - 1, points).astype(np.intp)
    low, high = (None if edge is None else edge[kept] for edge in (curve.low, curve.high))
    return replace(drawing, curve=FittedCurve(curve.cause[kept], curve.location[kept], low, high))


def _usable(values: FloatArray | None, n: int) -> FloatArray | None:
    if values is None or np.shape(values) != (n,) or not np.all(np.isfinite(values)):
        return None
    return np.asarray(values, dtype=np.float64)


def _curve(cause: FloatArray, location: FloatArray | None, scale: FloatArray | None) -> FittedCurve | None:
    if location is None:
        return None
    order = np.argsort(cause, kind="stable")
    ascending = cause[order]
    # Half the points by rank, where the rows are, and half by value, so that sparse tails stay smooth.
    by_value = np.searchsorted(ascending, np.linspace(ascending[0], ascending[-1], MAX_CURVE // 2))
    by_rank = np.linspace(0, len(cause) - 1, MAX_CURVE // 2).astype(np.intp)
    kept = order[np.union1d(by_rank, np.minimum(by_value, len(cause) - 1))]
    middle = location[kept]
    if scale is None:
        return FittedCurve(cause[kept], middle, None, None)
    return FittedCurve(cause[kept], middle, middle - 2 * scale[kept], middle + 2 * scale[kept])


def _drift(cause: FloatArray, residual: FloatArray) -> Drift | None:
    # Below some 50 rows a slice, the 10 and 90 % quantiles wander by chance and would suggest a drift.
    slices = min(12, len(cause) // 50)
    if slices < 4:
        return None
    # Cut between values, never between rows, so that tied values share a slice whatever the order of the rows.
    inner = np.unique(np.quantile(cause, np.linspace(0, 1, slices + 1)[1:-1]))
    where = np.searchsorted(inner, cause, side="right")
    groups = [np.flatnonzero(where == k) for k in range(len(inner) + 1)]
    groups = [group for group in groups if len(group) >= 20]
    if len(groups) < 3:
        return None
    centres = np.array([np.median(cause[group]) for group in groups])
    levels = np.array([np.quantile(residual[group], DRIFT_LEVELS) for group in groups]).T
    return Drift(centres, levels)


def _normal_quantiles(residual: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtr, ndtri

    # Points evenly spaced along the normal axis rather than in probability, where nearly all would lie in the middle
    # and the tails, which the plot is for, would have few. Plotting positions (k + 1/2) / n, after Hazen.
    n = len(residual)
    ends = ndtri(0.5 / n)
    probability = ndtr(np.linspace(ends, -ends, MAX_QUANTILES))
    kept = np.unique(np.clip(np.round(probability * n - 0.5), 0, n - 1).astype(np.intp))
    return ndtri((kept + 0.5) / n), np.sort(residual)[kept]
