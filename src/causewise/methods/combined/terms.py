"""Evidence terms: what speaks for a direction and what against it; each is a cost, and the smaller speaks for it.

From one fit of columns without ties:

description    code length in nats a row: log densities of the cause and of the residual r = (v − μ(u)) / σ(u), each
               under a mixture of normals chosen by BIC, plus log σ(u) and ½ log n for every parameter. Cause and noise
               are coded by the same rule, so that a simple law is cheap wherever it occurs and neither needs to be
               Gaussian
shape          what rank 1 leaves over of the surface of conditional quantiles (rows: groups of equal count along the
               cause; columns: quantile levels; rows centred; no fit). If v = f(u) + g(u)·noise, the surface is g(u)
               times the quantiles of the noise, of rank 1 exactly

From the columns as they were recorded, rounded, counted or set on a grid, so that values repeat, which generated pairs
do not have:

recording      what people set or count (an age, a year, a dose, rooms) is recorded more coarsely than what they
               measure, and is more often the cause: the number of distinct values. It is knowledge about tables, not
               about mechanisms, so its height is bounded: it never gives an answer alone
regression     error of a cubic fitted to the recorded values, each column in units of its range (RECI, Blöbaum et al.
               2018); no density, no spline and no tie has to be broken for it. It counts by the root of the share of
               rows that repeat a value in *both* columns: one column that somebody rounded does not call it in, and of
               a short table few rows repeat however it was recorded

What enters the decision is a contrast of backward against forward: the difference of the code lengths in units of its
standard error, and the logarithms of the ratios of the other three. The difference in nats a row was rejected: it does
not know how many rows it rests on, and weighs a handful of rows in a tail like a shift of all. The independence of the
residual was a further term and never exceeded a fiftieth of the score; its test says whether a direction fits
(`outcomes`).

The terms of recorded columns came out of taking `slope` apart on the Tübingen pairs (docs: the ablation page). Its
global fit is `regression`: a line in the place of the cubic, by which both directions explain the same share of a
variance, already gives most of it, so what counts is how evenly a column fills its range. Its local fits at repeated
values draw each value's *sorted* effects and pay nothing for the order: they follow the coarser column whatever the
relation, as `recording` does openly.
"""

import math
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.methods.combined.curve import Curve, fit_curve
from causewise.numerics.arrays import minmax, squared_error
from causewise.numerics.columns import freeze, once
from causewise.numerics.density import fit_mixture, log_density
from causewise.numerics.hsic import HsicTest, KernelColumn, hsic_test, kernel_column
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional


class Term(NamedTuple):
    """a(d) = height · tanh(d / width): odd, rising, at most ± height."""

    height: float
    width: float


_STORED = tomllib.loads((files("causewise.methods.combined") / "constants.toml").read_text(encoding="utf-8"))
TERMS: dict[str, Term] = {name: Term(**constants) for name, constants in _STORED["terms"].items()}
FOLDS: tuple[dict[str, Term], ...] = tuple(
    TERMS | {name: Term(**fold[name]) for name in ("recording", "regression")} for fold in _STORED["folds"]
)
"""The terms as they were fitted without the sources of one fold of the Tübingen pairs."""
CROSS_FITTED = "Tue"
"""The data set whose labels set constants."""
_FOLD_OF = {pair: k for k, fold in enumerate(_STORED["folds"]) for pair in fold["tuebingen"]}

QUANTILE_LEVELS = 8
GROUPS = (3, 10)
ROWS_PER_GROUP = 12
SMALLEST_REST = 1e-4
"""Of the quantile surface, in standard deviations of the effect: below, it is rounding."""
SMALLEST_ERROR = 1e-9
POWERS = (0, 1, 2, 3)


def fold_of(dataset: str, pair_id: str) -> int | None:
    """The fold whose constants know nothing of a labelled pair's source; None where no constant knows of any."""
    return _FOLD_OF[int(pair_id)] if dataset == CROSS_FITTED else None


def compute_terms(
    contrasts: Mapping[str, float], share: float, recording: bool = True, curves: Mapping[str, Term] = TERMS
) -> dict[str, float]:
    """The terms of the score: > 0 speaks for x → y.

    `share` is that of the regression error: it counts where values repeat in both columns.
    """
    shares = {"regression": share, "recording": float(recording)}
    terms = {name: term.height * math.tanh(contrasts[name] / term.width) for name, term in curves.items()}
    return {name: shares.get(name, 1.0) * term + 0.0 for name, term in terms.items()}  # never -0.0


class DirectionFit(NamedTuple):
    """One direction's fit, its test and its costs."""

    order: NDArray[np.intp]
    """Rows in the order of the cause."""
    curve: Curve
    test: HsicTest
    """Cause and residual."""
    kernel: KernelColumn
    """Of the cause, for the test of the relation."""
    log_density: FloatArray
    """Of every row, in the order of the table, without the price of the parameters."""
    price: float
    """Nats a row for all parameters."""
    rest: float
    """Of the quantile surface, root mean square."""

    @property
    def costs(self) -> dict[str, float]:
        """What the terms say against this direction."""
        return {
            "description": self.price - math.fsum(self.log_density) / len(self.log_density),
            "shape": self.rest,
        }

    def relation(self, other: "DirectionFit") -> HsicTest:
        """Cause and effect, which is the other direction's cause: are the columns related at all?"""
        place = np.empty_like(other.order)
        place[other.order] = np.arange(len(place))
        return hsic_test(self.kernel, other.kernel.reorder(place[self.order]))


def fit_direction(cause: FloatArray, effect: FloatArray) -> DirectionFit:
    """Columns without ties, in any units and order of rows."""
    order = row_order(cause, effect)
    u, v = freeze(standardise(cause[order])), standardise(effect[order])
    curve = fit_curve(u, v)
    kernel_u = once(kernel_column, u)
    density, price = _code(u, curve)
    in_table = np.empty_like(density)
    in_table[order] = density
    return DirectionFit(
        order,
        curve,
        hsic_test(kernel_u, kernel_column(curve.residual)),
        kernel_u,
        in_table,
        price,
        surface_rest(v),
    )


def contrast_directions(forward: DirectionFit, backward: DirectionFit) -> dict[str, float]:
    """What speaks for x → y: backward against forward, by term. Exchanging the two negates every number exactly."""
    gain = forward.log_density - backward.log_density
    n = len(gain)
    mean = math.fsum(gain) / n  # exact sums, so that no order of rows shows in a bit
    error = math.sqrt(math.fsum((gain - mean) ** 2)) / n
    return {
        "description": ((backward.price - forward.price) + mean) / max(error, SMALLEST_ERROR),
        "shape": math.log(backward.rest + SMALLEST_REST) - math.log(forward.rest + SMALLEST_REST),
    }


def _code(u: FloatArray, curve: Curve) -> tuple[FloatArray, float]:
    """Log density of every row, and the price of the parameters."""
    cause, noise = once(fit_mixture, u), fit_mixture(curve.residual)
    density = log_density(cause, u) + log_density(noise, curve.residual) - np.log(curve.scale)
    return density, cause.parameter_cost + noise.parameter_cost + curve.price


def description_length(cause: FloatArray, effect: FloatArray) -> float:
    """Nats a row for one direction."""
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    density, price = _code(u, fit_curve(u, v))
    return price - float(np.mean(density))


def mdl() -> Directional:
    """Description length as a method of its own."""
    return Directional("mdl", lambda cause, effect: -description_length(cause, effect))


def quantile_surface(v: FloatArray, groups: int, levels: int = QUANTILE_LEVELS) -> FloatArray:
    """Quantiles of the effect in groups of equal count; v in the order of the cause.

    Groups are rounded outwards and may share a row, so that reversing the cause reverses the rows of the matrix.
    """
    share, n = (np.arange(levels) + 0.5) / levels, len(v)
    out = np.empty((groups, levels))
    for g in range(groups):
        part = np.sort(v[g * n // groups : -(-(g + 1) * n // groups)])
        out[g] = np.interp(share, (np.arange(len(part)) + 0.5) / len(part), part)
    return out


def surface_rest(v: FloatArray) -> float:
    """Root mean square that rank 1 leaves over of the row-centred quantile surface."""
    groups = int(np.clip(len(v) // ROWS_PER_GROUP, *GROUPS))
    surface = quantile_surface(v, groups)
    surface -= surface.mean(axis=1, keepdims=True)
    power = np.linalg.svd(surface, compute_uv=False) ** 2
    return float(np.sqrt(power[1:].sum() / surface.size))


class Recording(NamedTuple):
    """How two columns were recorded, and what a cubic leaves over of each given the other."""

    distinct: tuple[int, int]
    """Distinct values of x and of y."""
    n: int
    errors: tuple[float, float] | None
    """Of y given x and of x given y, root mean square in units of the range; None where no weight is left for them."""

    @property
    def share(self) -> float:
        """Of the regression error in the score: the root of the share of rows that repeat in the finer column."""
        return math.sqrt(1.0 - max(self.distinct) / self.n)

    @property
    def contrasts(self) -> dict[str, float]:
        """What speaks for x → y; exchanging the columns negates every number exactly."""
        (in_x, in_y), (forward, backward) = self.distinct, self.errors or (1.0, 1.0)
        return {
            "recording": math.log(in_y) - math.log(in_x),
            "regression": math.log(backward) - math.log(forward),
        }

    @property
    def costs(self) -> tuple[dict[str, float], dict[str, float]]:
        """What each term says against x → y and against y → x."""
        coarse = [{"recording": float(distinct)} for distinct in self.distinct]
        errors = [{"regression": error} for error in self.errors] if self.errors else [{}, {}]
        return coarse[0] | errors[0], coarse[1] | errors[1]


def measure_recording(x: FloatArray, y: FloatArray, distinct: tuple[int, int]) -> Recording:
    """The columns as they were recorded, in any units and order of rows, with their distinct values."""
    finer_repeats = max(distinct) < len(x)
    return Recording(distinct, len(x), (_range_error(x, y), _range_error(y, x)) if finer_repeats else None)


def _range_error(cause: FloatArray, effect: FloatArray) -> float:
    order = row_order(cause, effect)
    return math.sqrt(squared_error(minmax(cause[order]), minmax(effect[order]), POWERS))
