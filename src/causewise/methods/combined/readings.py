"""Evidence about one direction from one fit of columns without ties; each term is a cost: smaller speaks for it.

description    code length in nats a row: log densities of the cause and of the residual r = (v − μ(u)) / σ(u), each
               under a mixture of normals chosen by BIC, plus log σ(u) and ½ log n for every parameter. Cause and noise
               are coded by the same rule, so that a simple law is cheap wherever it occurs and neither needs to be
               Gaussian
shape          what rank 1 leaves over of the surface of conditional quantiles (rows: groups of equal count along the
               cause; columns: levels; rows centred; no fit). If v = f(u) + g(u)·noise, the surface is g(u) times the
               quantiles of the noise, of rank 1 exactly

What enters the decision is backward against forward: the difference of the code lengths in units of its standard error,
and the logarithm of the ratio of the shapes (`contrasts`). The difference in nats a row was rejected: it does not know
how many rows it rests on, and weighs a handful of rows in a tail like a shift of all. The independence of the residual
was a third term and never exceeded a fiftieth of the score; its test says whether a direction fits (`outcomes`).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.methods.combined.curve import Curve, fit_curve
from causewise.numerics.columns import freeze, once
from causewise.numerics.density import fit_mixture, log_density
from causewise.numerics.hsic import HsicTest, KernelColumn, hsic_test, kernel_column
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Directional

LEVELS = 8
GROUPS = (3, 10)
ROWS_PER_GROUP = 12
SMALLEST_REST = 1e-4
"""Of the quantile surface, in standard deviations of the effect: below, it is rounding."""
SMALLEST_ERROR = 1e-9


class ReadDirection(NamedTuple):
    """One direction as it was read."""

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
        """What each kind of evidence says against this direction."""
        return {
            "description": self.price - math.fsum(self.log_density) / len(self.log_density),
            "shape": self.rest,
        }

    def relation(self, other: "ReadDirection") -> HsicTest:
        """Cause and effect, which is the other direction's cause: are the columns related at all?"""
        place = np.empty_like(other.order)
        place[other.order] = np.arange(len(place))
        return hsic_test(self.kernel, other.kernel.reorder(place[self.order]))


def read_direction(cause: FloatArray, effect: FloatArray) -> ReadDirection:
    """Columns without ties, in any units and order of rows."""
    order = row_order(cause, effect)
    u, v = freeze(standardise(cause[order])), standardise(effect[order])
    curve = fit_curve(u, v)
    kernel_u = once(kernel_column, u)
    density, price = _code(u, curve)
    in_table = np.empty_like(density)
    in_table[order] = density
    return ReadDirection(
        order,
        curve,
        hsic_test(kernel_u, kernel_column(curve.residual)),
        kernel_u,
        in_table,
        price,
        surface_rest(v),
    )


def contrasts(forward: ReadDirection, backward: ReadDirection) -> dict[str, float]:
    """What speaks for x → y: backward against forward, by kind. Exchanging the two negates every number exactly."""
    return {
        "description": _in_standard_errors(forward, backward),
        "shape": _log(backward.rest, SMALLEST_REST) - _log(forward.rest, SMALLEST_REST),
    }


def _in_standard_errors(forward: ReadDirection, backward: ReadDirection) -> float:
    """Difference of the code lengths over its standard error; exact sums, so that no order of rows shows in a bit."""
    gain = forward.log_density - backward.log_density
    n = len(gain)
    mean = math.fsum(gain) / n
    error = math.sqrt(math.fsum((gain - mean) ** 2)) / n
    return ((backward.price - forward.price) + mean) / max(error, SMALLEST_ERROR)


def _log(value: float, smallest: float) -> float:
    return math.log(value + smallest)


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


def quantile_surface(v: FloatArray, groups: int, levels: int = LEVELS) -> FloatArray:
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
