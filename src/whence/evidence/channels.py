"""All readings of a pair: what each channel says of each direction, and the context that is the same both ways."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from whence.evidence.convolution import Pictures
from whence.evidence.description import conditional_length, marginal_length
from whence.evidence.fits import Ladder, ladder, location_only, location_scale
from whence.evidence.independence import dependence, kernel
from whence.evidence.picture import judge, pictures
from whence.evidence.resolution import Columns
from whence.evidence.shape import shape_divergence, surface_residuals
from whence.numerics.hsic import KernelColumn
from whence.pair import FloatArray, row_order, standardise

CHANNELS: dict[str, tuple[str, ...]] = {
    "description": ("mdl", "mdl_total", "mdl_ranks"),
    "independence": ("h_scale", "h_additive", "h_ranks"),
    "shape": ("surface_1", "surface_2", "surface_1_ranks", "kolmogorov_ranks"),
    "error": ("error",),
    "marginals": ("non_gaussian",),
    "picture": ("picture",),
}
"""Channel -> the readings it consists of; each is a cost of one direction, and enters as backward − forward.

Left out because the combination did worse on unseen families with them: the size of the error in normal scores (it
stays in the context), and the likelihood with the marginals left free (`criteria.parts().relation`). Left out because
no tree asked for them: GRCI's nearest-neighbour information, p-values as readings, the code length under additive
noise, the Kullback divergence of binned conditional laws.
"""
READINGS: tuple[str, ...] = tuple(name for names in CHANNELS.values() for name in names)
CONTEXT: tuple[str, ...] = ("log_n", "ties_max", "ties_min", "error_ranks_mean", "p_min", "p_ranks_max")

Look = Callable[[Sequence[Pictures]], FloatArray]


class Readings(NamedTuple):
    """One pair: `costs[0]` of x → y, `costs[1]` of y → x (in the order of READINGS), and the context."""

    costs: FloatArray
    context: FloatArray

    @property
    def differences(self) -> FloatArray:
        """Backward − forward: > 0 speaks for x → y."""
        return np.asarray(self.costs[1] - self.costs[0])


def direction_costs(cause: FloatArray, effect: FloatArray) -> tuple[dict[str, float], Pictures]:
    """What every channel but the picture says against one direction, and what the picture sees of it.

    Columns without ties, in any units and order of rows.
    """
    order = row_order(cause, effect)
    u, v = standardise(cause[order]), standardise(effect[order])
    designs = ladder(u)
    scale, additive = location_scale(designs, v), location_only(designs, v)
    own = marginal_length(u)
    mdl = own + conditional_length(scale)
    u_ranks, rank_designs, rank_kernel = _cause_in_ranks(len(u))
    v_ranks = _in_normal_scores(v)
    ranks = location_scale(rank_designs, v_ranks)
    kernel_u = kernel(u)
    by_scale, by_additive = dependence(kernel_u, scale.residual), dependence(kernel_u, additive.residual)
    by_ranks = dependence(rank_kernel, ranks.residual)
    surface_1, surface_2 = surface_residuals(v)
    costs = {
        "mdl": mdl,
        "mdl_total": mdl * len(u),
        "mdl_ranks": conditional_length(ranks),
        "h_scale": by_scale.log_statistic,
        "p_scale": -by_scale.log_p,
        "h_additive": by_additive.log_statistic,
        "h_ranks": by_ranks.log_statistic,
        "p_ranks": -by_ranks.log_p,
        "surface_1": _log(surface_1),
        "surface_2": _log(surface_2),
        "surface_1_ranks": _log(surface_residuals(v_ranks)[0]),
        "kolmogorov_ranks": _log(shape_divergence(u_ranks, v_ranks)),
        "error": float(np.log(additive.scale[0])),
        "error_ranks": float(0.5 * np.log(np.mean((v_ranks - ranks.location) ** 2))),
        "non_gaussian": -own,
    }
    return costs, pictures(u, v, v_ranks)


def read(columns: Columns, look: Look = judge) -> Readings:
    """All readings of a pair; `look` gives the value of each direction's pictures."""
    forward, seen_forward = direction_costs(columns.x, columns.y)
    backward, seen_backward = direction_costs(columns.y, columns.x)
    values = look((seen_forward, seen_backward))
    sides = [side | {"picture": -float(value)} for side, value in zip((forward, backward), values, strict=True)]
    table = np.array([[side[name] for name in READINGS] for side in sides])
    return Readings(_finite(table), _context(columns, sides))


def _log(value: float) -> float:
    return float(np.log(value + 1e-4))


@lru_cache(maxsize=4)
def _cause_in_ranks(n: int) -> tuple[FloatArray, Ladder, KernelColumn]:
    """A sorted cause in normal scores, with its designs and kernel: the same for every pair of n rows."""
    scores = normal_scores(n)
    return scores, ladder(scores), kernel(scores)


def normal_scores(n: int) -> FloatArray:
    """Quantiles of the normal at (i + ½) / n, standardised."""
    from scipy.special import ndtri

    return standardise(ndtri((np.arange(n) + 0.5) / n))


def _in_normal_scores(column: FloatArray) -> FloatArray:
    out = np.empty_like(column)
    out[np.argsort(column, kind="stable")] = normal_scores(len(column))
    return out


def _context(columns: Columns, sides: list[dict[str, float]]) -> FloatArray:
    error_ranks, p_scale, p_ranks = (
        _finite(np.array([side[name] for side in sides])) for name in ("error_ranks", "p_scale", "p_ranks")
    )
    ties = sorted(1.0 - d / columns.n for d in columns.distinct)
    return np.array(
        [
            np.log(columns.n),
            ties[1],
            ties[0],
            error_ranks[0] + error_ranks[1],
            p_scale.min(),
            p_ranks.min(),
        ]
    )


def _finite(values: FloatArray) -> FloatArray:
    return np.nan_to_num(values, nan=0.0, posinf=50.0, neginf=-50.0)
