"""What is drawn of one direction, thinned so that ten rows and a million cost the same to look at.

Axis ranges, drift lines and Q–Q points come from all rows; only dots are ever a sample.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.pair import FloatArray, Pair

MAX_CURVE = 400
MAX_QUANTILES = 160
DRIFT_QUANTILES = (0.1, 0.5, 0.9)
RESIDUAL_LIMIT = 6.0
"""Standardised residuals beyond this are drawn at the edge, so that one outlier does not flatten the rest."""

REACH, SUPPORT = 1 / 24, 3
"""A curve is supported where three rows lie within this part of the range: elsewhere the model makes it up."""

SHADES = 6
"""Of a density; more could not be told apart."""
_ROW_STEP = math.sqrt(3) / 2
"""Distance of two rows of hexagons, in units of the distance of two neighbours in a row."""

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SortedColumn:
    """A column in ascending order, and the row of each value: sorting takes longer than all else on a page."""

    order: NDArray[np.intp]
    ascending: FloatArray

    @classmethod
    def of(cls, column: FloatArray) -> "SortedColumn":
        """Rows of equal value come in any order, which nothing here depends on."""
        order = np.argsort(column)
        return cls(order, column[order])

    @classmethod
    def of_both(cls, pair: Pair) -> "tuple[SortedColumn, SortedColumn]":
        """Both columns of a pair."""
        return cls.of(pair.x), cls.of(pair.y)

    @property
    def starts(self) -> NDArray[np.intp]:
        """Where each distinct value begins."""
        return np.concatenate([[0], np.flatnonzero(np.diff(self.ascending)) + 1])

    @property
    def median(self) -> float:
        """Of two middle values, their mean."""
        n = len(self.ascending)
        return float(np.mean(self.ascending[(n - 1) // 2 : n // 2 + 1]))

    def mid_ranks(self) -> FloatArray:
        """Ranks from 0 of the rows as they came; equal values share the mean of theirs."""
        starts = self.starts
        ends = np.append(starts[1:], len(self.ascending))
        ranks = np.empty(len(self.ascending))
        ranks[self.order] = np.repeat((starts + ends - 1) / 2, ends - starts)
        return ranks


@dataclass(frozen=True, eq=False)
class FittedCurve:
    """Fitted mean and the band of two standard deviations either side, in the order of the cause."""

    cause: FloatArray
    location: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    supported: NDArray[np.bool_]
    """Of every piece between two neighbouring points: whether there are rows to bear it."""


@dataclass(frozen=True, eq=False)
class Drift:
    """The 10, 50 and 90 % quantiles of the residual in slices of the cause: flat where the noise is independent."""

    cause: FloatArray
    quantiles: FloatArray
    """Shape (3, number of slices)."""
    supported: NDArray[np.bool_]
    """Of every piece between two neighbouring slices: whether no gap lies there."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything drawn of one direction, apart from words."""

    cause: FloatArray
    effect: FloatArray
    residual: FloatArray | None
    sample: NDArray[np.intp]
    """The rows that are drawn as dots."""
    cause_range: Range
    effect_range: Range
    curve: FittedCurve | None
    beyond: int
    """How many residuals, of all rows, lie beyond `RESIDUAL_LIMIT`."""
    drift: Drift | None
    quantiles: tuple[FloatArray, FloatArray] | None
    """Standard normal quantiles and residual quantiles."""


def sample_rows(pair: Pair, limit: int) -> NDArray[np.intp]:
    """At most `limit` rows (and the four extremes), the same ones each time; all of them where they are few."""
    if pair.n <= limit:
        return np.arange(pair.n)
    # A fixed seed, so that the same decision gives the same bytes; the extremes, so that the dots fill the frame.
    sample = np.random.default_rng(0).choice(pair.n, size=limit, replace=False, shuffle=False)
    extremes = [pick(column) for column in (pair.x, pair.y) for pick in (np.argmin, np.argmax)]
    return np.union1d(sample, extremes)


def thin_direction(
    cause: FloatArray,
    effect: FloatArray,
    evidence: Evidence,
    rows: NDArray[np.intp],
    scored: int | None = None,
    ordered: SortedColumn | None = None,
) -> Drawing:
    """Thin one direction for drawing.

    scored: how many rows its curve was fitted to, if not all. ordered: the cause, where it has been sorted already.
    """
    location, scale, residual = (
        _usable(each, len(cause)) for each in (evidence.location, evidence.scale, evidence.residual)
    )
    in_order = ordered or SortedColumn.of(cause)
    order, ascending = in_order.order, in_order.ascending
    return Drawing(
        cause=cause,
        effect=effect,
        residual=residual,
        sample=rows,
        cause_range=(float(ascending[0]), float(ascending[-1])),
        effect_range=(float(effect.min()), float(effect.max())),
        curve=None
        if location is None
        else _curve(order, ascending, location, scale, len(cause) / (scored or len(cause))),
        beyond=0 if residual is None else int(np.count_nonzero(np.abs(residual) > RESIDUAL_LIMIT)),
        drift=None if residual is None else _drift(ascending, residual[order]),
        quantiles=None if residual is None else _normal_quantiles(residual),
    )


def coarsen_curve(drawing: Drawing, points: int) -> Drawing:
    """The same with at most so many points on the curve, for a small picture."""
    curve = drawing.curve
    if curve is None or len(curve.cause) <= points:
        return drawing
    kept = np.linspace(0, len(curve.cause) - 1, points).astype(np.intp)
    low, high = (None if edge is None else edge[kept] for edge in (curve.low, curve.high))
    supported = np.logical_and.reduceat(curve.supported, kept[:-1])
    return replace(drawing, curve=FittedCurve(curve.cause[kept], curve.location[kept], low, high, supported))


def split_pieces(supported: NDArray[np.bool_]) -> list[tuple[slice, bool]]:
    """The points of every longest run of pieces that are alike, neighbours sharing their end; and whether rows bear it.

    >>> split_pieces(np.array([True, True, False]))
    [(slice(0, 3, None), True), (slice(2, 4, None), False)]
    """
    edges = [0, *(np.flatnonzero(np.diff(supported)) + 1).tolist(), len(supported)]
    return [(slice(a, b + 1), bool(supported[a])) for a, b in pairwise(edges) if a < b]


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
    supported = _gapless(ascending, ranks) & _among_rows(ascending, kept, thinning * SUPPORT)
    # A few rows that happen to lie together in a tail make no island of their own.
    for part, alike in split_pieces(supported):
        if alike and ranks[part][-1] - ranks[part][0] < min(5 * thinning * SUPPORT, n / 4):
            supported[part.start : part.stop - 1] = False
    if scale is None:
        return FittedCurve(kept, middle, None, None, supported)
    width = 2 * scale[order[ranks]]
    return FittedCurve(kept, middle, middle - width, middle + width, supported)


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
    quantiles = np.array([np.quantile(residual[a:b], DRIFT_QUANTILES) for a, b in groups]).T
    middles = np.array([(a + b) // 2 for a, b in groups])
    return Drift(centres, quantiles, _gapless(ascending, middles))


def _normal_quantiles(residual: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtr, ndtri

    # Points evenly spaced along the normal axis rather than in probability, where nearly all would lie in the middle
    # and the tails, which the plot is for, would have few. Plotting positions (k + 1/2) / n, after Hazen.
    n = len(residual)
    ends = ndtri(0.5 / n)
    probability = ndtr(np.linspace(ends, -ends, MAX_QUANTILES))
    kept = np.unique(np.clip(np.round(probability * n - 0.5), 0, n - 1).astype(np.intp))
    return ndtri((kept + 0.5) / n), np.sort(residual)[kept]


class Shade(NamedTuple):
    """The centres of all hexagons of one shade."""

    x: FloatArray
    y: FloatArray
    depth: int
    """From 1, the fewest rows, to `SHADES`."""


def bin_hexagons(
    x: FloatArray, y: FloatArray, x_range: Range, y_range: Range, across: float, down: float
) -> list[Shade]:
    """The occupied hexagons by shade: where the rows are, when they are too many for dots.

    across, down: the size of the panel over these ranges, in distances of two hexagons side by side.

    Shades go by the logarithm of the count: on a plain scale a million rows would hide all but their centre.
    """
    u = (x - x_range[0]) * (across / (x_range[1] - x_range[0]))
    v = (y - y_range[0]) * (down / _ROW_STEP / (y_range[1] - y_range[0]))
    # Hexagons are the nearest centres of two rectangular lattices, the second half a step further in both directions.
    row, between = np.rint(v / 2) * 2, np.floor(v / 2) * 2 + 1
    column, beside = np.rint(u), np.floor(u) + 0.5
    near = (u - column) ** 2 + ((v - row) * _ROW_STEP) ** 2 <= (u - beside) ** 2 + ((v - between) * _ROW_STEP) ** 2
    half_columns = np.where(near, 2 * column, 2 * beside).astype(np.int64)
    rows = np.where(near, row, between).astype(np.int64)
    width = 2 * math.ceil(across) + 2
    counts = np.bincount(rows * width + half_columns)
    code = np.flatnonzero(counts)
    count = counts[code]
    at_x = x_range[0] + code % width / 2 * ((x_range[1] - x_range[0]) / across)
    at_y = y_range[0] + code // width * (_ROW_STEP * (y_range[1] - y_range[0]) / down)
    depth = 1 + np.minimum(SHADES * np.log(count) / math.log(int(count.max()) + 1), SHADES - 1).astype(np.int64)
    members = [(depth == k, k) for k in range(1, SHADES + 1)]
    return [Shade(at_x[these], at_y[these], k) for these, k in members if these.any()]
