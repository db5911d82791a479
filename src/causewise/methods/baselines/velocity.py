"""Causal velocity (Xi, Dance, Orbanz & Bloem-Reddy 2025): the field along which the effect's quantiles move.

Read the cause x as time: a row's effect y moves as dy/dx = v(y, x), and the conditional density is carried along,
∂ₓ p(y|x) + ∂_y (p(y|x) v) = 0. Divided by p, with s the gradients of the log densities,

    s₁(x, y) − s(x) + v s₂(x, y) + ∂_y v = 0.

s is estimated from the rows alone, without any law of the noise; what a restricted v leaves of the first two terms says
how badly a direction fits. Restricted is how v depends on y: not at all (additive noise), as a line (location and
scale), or v is a cubic in both. All three are linear in their coefficients: the paper descends by gradients, here it is
one least-squares problem.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causewise.decision import Evidence
from causewise.errors import REALS
from causewise.methods.baselines.pnl import dense
from causewise.numerics.kernel import BLOCK, pivoted_cholesky
from causewise.numerics.splines import spline_rows, uniform_knots
from causewise.pair import FloatArray, row_order, standardise
from causewise.protocol import Joint, PairScore, make_builder

TOLERANCE = 1e-6
"""Of the kernel; the ridge is a hundred thousand times as large."""
REPRESENTATIVES = 1000
"""Rows among which bandwidth and pivots are chosen; all of them where there are no more."""
ALIKE = 1e-14
KNOTS = (2, 100)
SMALL = 1e-4
"""Ridge on the coefficients of v, as in the authors' program."""
CUBIC = [(j, k) for j in range(4) for k in range(4 - j)]


def score(
    cause: FloatArray,
    effect: FloatArray,
    *,
    form: str = "location-scale",
    n_knots: int = 6,
    bandwidth: float = 0.1,
    ridge: float = 0.1,
    trim: float = 0.05,
    relative: bool = True,
) -> float:
    """Minus the mean square of what v leaves over, as a share of what there was when `relative`.

    `bandwidth` is a multiple of the median squared distance of rows, `trim` the share of rows left out. The paper's
    default is `relative=False, bandwidth=1`: the size of the equation's error rather than its share.
    """
    order = row_order(cause, effect)
    x, y = standardise(cause[order]), standardise(effect[order])
    joint = density_gradient(np.stack([x, y]), bandwidth, ridge)
    change = joint[0] - density_gradient(x[None], bandwidth, ridge)[0]
    kept = _inside(x, trim) & _inside(y, trim)
    x, y, change, along = x[kept], y[kept], change[kept], joint[1][kept]
    terms = FORMS[form](x, y, along, n_knots)
    gram = terms.T @ terms / len(x) + SMALL * np.eye(terms.shape[1])
    left = change - terms @ np.linalg.solve(gram, terms.T @ change / len(x))
    unit = float(np.mean(change * change)) if relative else 1.0
    return -float(np.mean(left * left)) / unit


def pair_score(x: FloatArray, y: FloatArray, **settings: Any) -> PairScore:
    """Difference of the two; one that the kernel's tolerance could have made is a tie."""
    forward, backward = score(x, y, **settings), score(y, x, **settings)
    if abs(forward - backward) <= TOLERANCE * abs(forward + backward):
        forward = backward = 0.5 * (forward + backward)
    return PairScore(forward - backward, Evidence(forward), Evidence(backward))


def density_gradient(points: FloatArray, bandwidth: float, ridge: float) -> FloatArray:
    """∇ log p at every one of the points (dimensions × n), by Stein's identity (Li & Turner 2018).

    E[k(·, X) s(X) + ∇k(·, X)] = 0 for every k; ridge regression with a Gaussian kernel of variance b gives
    s = −(K + wI)⁻¹ d with dᵢ = Σⱼ ∇ⱼ k(i, j) = (xᵢ (K1)ᵢ − (Kx)ᵢ) / b. K = FᵀF has low rank: F is made twice, in
    blocks, and never kept.
    """
    chosen = _representatives(points)
    b = bandwidth * _median_sq_distance(chosen)
    scaled = np.ascontiguousarray(chosen / np.sqrt(b))
    # Of rows represented alike the one nearest the middle comes first: the sign of a column has no say.
    pivots, factor = pivoted_cholesky(scaled, 2.0, TOLERANCE, np.sum(scaled * scaled, axis=0), ALIKE)
    corner = scaled[:, pivots]
    inverse = np.linalg.inv(factor[:, pivots].T)

    def features() -> Iterator[tuple[slice, FloatArray]]:
        for start in range(0, points.shape[1], BLOCK):
            rows = slice(start, start + BLOCK)
            apart = corner[:, :, None] - points[:, None, rows] / np.sqrt(b)
            yield rows, inverse @ np.exp(-0.5 * np.sum(apart * apart, axis=0))

    gram, sums = ridge * np.eye(len(pivots)), np.zeros((len(pivots), 1 + len(points)))
    for rows, f in features():
        gram += f @ f.T
        sums += f @ np.vstack([np.ones(f.shape[1]), points[:, rows]]).T
    drift = np.empty_like(points)
    across = np.zeros((len(pivots), len(points)))
    for rows, f in features():
        smooth = sums.T @ f
        drift[:, rows] = (points[:, rows] * smooth[0] - smooth[1:]) / b
        across += f @ drift[:, rows].T
    weights = np.linalg.solve(gram, across)
    for rows, f in features():
        drift[:, rows] -= weights.T @ f
    return -drift / ridge


def _additive(x: FloatArray, y: FloatArray, along: FloatArray, n_knots: int) -> FloatArray:
    """Of v = a(x): a s₂."""
    return _basis(x, n_knots) * along[:, None]


def _location_scale(x: FloatArray, y: FloatArray, along: FloatArray, n_knots: int) -> FloatArray:
    """Of v = a(x) + b(x) y: a s₂ and b (y s₂ + 1)."""
    basis = _basis(x, n_knots)
    return np.hstack([basis * along[:, None], basis * (y * along + 1.0)[:, None]])


def _polynomial(x: FloatArray, y: FloatArray, along: FloatArray, n_knots: int) -> FloatArray:
    """Of v = Σ c xʲ yᵏ, j + k ≤ 3: xʲ (yᵏ s₂ + k yᵏ⁻¹)."""
    return np.stack([x**j * (y**k * along + k * y ** max(k - 1, 0)) for j, k in CUBIC], axis=1)


FORMS: dict[str, Callable[[FloatArray, FloatArray, FloatArray, int], FloatArray]] = {
    "location-scale": _location_scale,
    "additive": _additive,
    "polynomial": _polynomial,
}


velocity = make_builder(
    lambda name, _, settings: Joint(name, partial(pair_score, **settings), settings),
    "velocity",
    score,
    form=tuple(FORMS),
    n_knots=KNOTS,
    bandwidth=REALS[1],
    ridge=REALS[1],
    trim=0.5,
)


def _basis(x: FloatArray, n_knots: int) -> FloatArray:
    return dense(spline_rows(x, uniform_knots(np.min(x), np.max(x), n_knots, 3), 3))


def _inside(column: FloatArray, trim: float) -> NDArray[np.bool_]:
    """Whether a row lies between the outer quantiles; beyond them gradients are poorly known."""
    low, high = np.quantile(column, [trim / 2, 1.0 - trim / 2])
    return np.asarray((low <= column) & (column <= high))


def _representatives(points: FloatArray) -> FloatArray:
    """Of more rows, which are sorted by the cause, those at even places: as many from either end."""
    n = points.shape[1]
    if n <= REPRESENTATIVES:
        return points
    lower = (2 * np.arange(REPRESENTATIVES // 2) + 1) * n // (2 * REPRESENTATIVES)
    return points[:, np.concatenate([lower, n - 1 - lower[::-1]])]


def _median_sq_distance(points: FloatArray) -> float:
    """Over all pairs at a distance."""
    square = sum(np.subtract.outer(p, p) ** 2 for p in points)[np.triu_indices(points.shape[1], 1)]
    return float(np.median(square[square > 0.0]))
