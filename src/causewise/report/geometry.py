"""What is drawn of one direction, thinned so that ten rows and a million cost the same to look at.

Axis ranges, drift lines and Q–Q points come from all rows; only dots are ever a sample.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.pair import FloatArray, Pair
from causewise.report.ordered import Ordered

MAX_CURVE = 400
MAX_QUANTILES = 160
DRIFT_LEVELS = (0.1, 0.5, 0.9)
RESIDUAL_LIMIT = 6.0
"""Standardised residuals beyond this are drawn at the edge, so that one outlier does not flatten the rest."""

REACH, BEARING = 1 / 24, 3
"""A curve is borne where three rows lie within this part of the range: elsewhere the model makes it up."""

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class FittedCurve:
    """Fitted mean and the band of two standard deviations either side, in the order of the cause."""

    cause: FloatArray
    location: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    borne: NDArray[np.bool_]
    """Of every piece between two neighbouring points: whether there are rows to bear it."""


@dataclass(frozen=True, eq=False)
class Drift:
    """The 10, 50 and 90 % quantiles of the residual in slices of the cause: flat where the noise is independent."""

    cause: FloatArray
    levels: FloatArray
    """Shape (3, number of slices)."""
    borne: NDArray[np.bool_]
    """Of every piece between two neighbouring slices: whether no gap lies there."""


class DrawnRows(NamedTuple):
    """Every row, for pictures of where they are many."""

    cause: FloatArray
    effect: FloatArray
    residual: FloatArray | None


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
    rows: DrawnRows
    """All of them, of which `cause`, `effect` and `residual` may be a sample."""


def rows_to_draw(pair: Pair, limit: int) -> NDArray[np.intp]:
    """At most `limit` rows (and the four extremes), the same ones each time; all of them where they are few."""
    if pair.n <= limit:
        return np.arange(pair.n)
    # A fixed seed, so that the same decision gives the same bytes; the extremes, so that the dots fill the frame.
    drawn = np.random.default_rng(0).choice(pair.n, size=limit, replace=False, shuffle=False)
    extremes = [pick(column) for column in (pair.x, pair.y) for pick in (np.argmin, np.argmax)]
    return np.union1d(drawn, extremes)


def drawing_of(
    cause: FloatArray,
    effect: FloatArray,
    evidence: Evidence,
    rows: NDArray[np.intp],
    judged: int | None = None,
    ordered: Ordered | None = None,
) -> Drawing:
    """Thin one direction for drawing.

    judged: how many rows its curve was fitted to, if not all. ordered: the cause, where it has been sorted already.
    """
    location, scale, residual = (
        _usable(each, len(cause)) for each in (evidence.location, evidence.scale, evidence.residual)
    )
    known = ordered or Ordered.of(cause)
    order, ascending = known.order, known.ascending
    return Drawing(
        cause=cause[rows],
        effect=effect[rows],
        cause_range=(float(ascending[0]), float(ascending[-1])),
        effect_range=(float(effect.min()), float(effect.max())),
        curve=None
        if location is None
        else _curve(order, ascending, location, scale, len(cause) / (judged or len(cause))),
        residual=None if residual is None else residual[rows],
        beyond=0 if residual is None else int(np.count_nonzero(np.abs(residual) > RESIDUAL_LIMIT)),
        drift=None if residual is None else _drift(ascending, residual[order]),
        quantiles=None if residual is None else _normal_quantiles(residual),
        rows=DrawnRows(cause, effect, residual),
    )


def coarser(drawing: Drawing, points: int) -> Drawing:
    """The same with at most so many points on the curve, for a small picture."""
    curve = drawing.curve
    if curve is None or len(curve.cause) <= points:
        return drawing
    kept = np.linspace(0, len(curve.cause) - 1, points).astype(np.intp)
    low, high = (None if edge is None else edge[kept] for edge in (curve.low, curve.high))
    borne = np.logical_and.reduceat(curve.borne, kept[:-1])
    return replace(drawing, curve=FittedCurve(curve.cause[kept], curve.location[kept], low, high, borne))


def pieces(borne: NDArray[np.bool_]) -> list[tuple[slice, bool]]:
    """The points of every longest run of pieces that are alike, neighbours sharing their end; and whether it is borne.

    >>> pieces(np.array([True, True, False]))
    [(slice(0, 3, None), True), (slice(2, 4, None), False)]
    """
    edges = [0, *(np.flatnonzero(np.diff(borne)) + 1).tolist(), len(borne)]
    return [(slice(a, b + 1), bool(borne[a])) for a, b in pairwise(edges) if a < b]


def _usable(values: FloatArray | None, n: int) -> FloatArray | None:
    if values is None or np.shape(values) != (n,) or not np.all(np.isfinite(values)):
        return None
    return np.asarray(values, dtype=np.float64)


def _curve(
    order: NDArray[np.intp], ascending: FloatArray, location: FloatArray, scale: FloatArray | None, thinning: float
) -> FittedCurve:
    n = len(ascending)
    # Half the points by rank, where the rows are, and half by value, so that sparse tails stay smooth.
    by_value = np.searchsorted(ascending, np.linspace(ascending[0], ascending[-1], MAX_CURVE // 2))
    by_rank = np.linspace(0, n - 1, MAX_CURVE // 2).astype(np.intp)
    ranks = np.union1d(by_rank, np.minimum(by_value, n - 1))
    kept, middle = ascending[ranks], location[order[ranks]]
    borne = _gapless(ascending, ranks) & _among_rows(ascending, kept, thinning * BEARING)
    # A few rows that happen to lie together in a tail make no island of their own.
    for part, alike in pieces(borne):
        if alike and ranks[part][-1] - ranks[part][0] < min(5 * thinning * BEARING, n / 4):
            borne[part.start : part.stop - 1] = False
    if scale is None:
        return FittedCurve(kept, middle, None, None, borne)
    spread = 2 * scale[order[ranks]]
    return FittedCurve(kept, middle, middle - spread, middle + spread, borne)


def _reach(ascending: FloatArray) -> float:
    # Where values are few, such as counts or grades, the space between neighbours is no gap.
    distinct = 1 + int(np.count_nonzero(np.diff(ascending)))
    # Of all but one in a hundred either side, or one far value would make every gap look small.
    low, high = ascending[len(ascending) // 100], ascending[-1 - len(ascending) // 100]
    return float(max(REACH, 2 / distinct) * ((high - low) or (ascending[-1] - ascending[0])))


def _gapless(ascending: FloatArray, ranks: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Of every stretch between two ranks: whether rows follow one another closely all along."""
    gaps = np.concatenate([[0], np.cumsum(np.diff(ascending) > 2 * _reach(ascending))])
    return np.diff(gaps[ranks]) == 0


def _among_rows(ascending: FloatArray, places: FloatArray, least: float) -> NDArray[np.bool_]:
    """Of every stretch between two places: whether both ends have so many rows around them."""
    reach = _reach(ascending)
    upto = np.searchsorted(ascending, places + reach, side="right")
    near = upto - np.searchsorted(ascending, places - reach, side="left") >= min(least, len(ascending))
    return near[1:] & near[:-1]


def _drift(ascending: FloatArray, residual: FloatArray) -> Drift | None:
    """`residual` is in the order of the cause."""
    # Below some 50 rows a slice, the 10 and 90 % quantiles wander by chance and would suggest a drift.
    slices = min(12, len(ascending) // 50)
    if slices < 4:
        return None
    # Cut between values, never between rows, so that tied values share a slice whatever the order of the rows.
    inner = np.unique(np.quantile(ascending, np.linspace(0, 1, slices + 1)[1:-1]))
    cuts = [0, *np.searchsorted(ascending, inner).tolist(), len(ascending)]
    groups = [(a, b) for a, b in pairwise(cuts) if b - a >= 20]
    if len(groups) < 3:
        return None
    centres = np.array([np.median(ascending[a:b]) for a, b in groups])
    levels = np.array([np.quantile(residual[a:b], DRIFT_LEVELS) for a, b in groups]).T
    middles = np.array([(a + b) // 2 for a, b in groups])
    return Drift(centres, levels, _gapless(ascending, middles))


def _normal_quantiles(residual: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtr, ndtri

    # Points evenly spaced along the normal axis rather than in probability, where nearly all would lie in the middle
    # and the tails, which the plot is for, would have few. Plotting positions (k + 1/2) / n, after Hazen.
    n = len(residual)
    ends = ndtri(0.5 / n)
    probability = ndtr(np.linspace(ends, -ends, MAX_QUANTILES))
    kept = np.unique(np.clip(np.round(probability * n - 0.5), 0, n - 1).astype(np.intp))
    return ndtri((kept + 0.5) / n), np.sort(residual)[kept]
