"""LOCI = a conditional model × a criterion.

The steps of the paper: standardise, fit each direction, score each direction, subtract.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from causewise.criteria import Criterion, independence, independence_p_value, likelihood, marginal_rule
from causewise.decision import Decision, Evidence
from causewise.errors import ITERATIONS, REALS, SEEDS, SPLINE_DEGREES, SPLINE_KNOTS, between, one_of
from causewise.models import Fit
from causewise.models.spline import (
    DEGREE,
    DELTA,
    MAX_ITER,
    N_KNOTS,
    fit_crosswise,
    fit_fgls,
    fit_location,
    fit_location_scale,
)
from causewise.numerics.columns import freeze, once
from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.pair import FloatArray, Pair, both_directions, row_order, standard_deviation, standardise
from causewise.protocol import PairMethod, fit_messages, make_builder

Model = Callable[[FloatArray, FloatArray], Fit]
Caveats = Callable[[Pair, Evidence, Evidence], tuple[str, ...]]
"""Reasons, in sentences, to doubt what a criterion says of this pair."""


@dataclass(frozen=True)
class Loci:
    """Fit a model in both directions and compare them by a criterion."""

    name: str
    model: Model
    criterion: Criterion
    settings: Mapping[str, Any] = field(default_factory=dict)
    caveats: Caveats | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return PairMethod(self.name, self._decide, self.settings).decide_many(pairs)

    def _decide(self, pair: Pair) -> Decision:
        sides = both_directions(pair, partial(fit_direction, model=self.model))
        decision = compare_directions(self.name, pair, sides, self.criterion)
        if self.caveats is None:
            return decision
        caveats = self.caveats(pair, decision.forward, decision.backward)
        return replace(decision, warnings=decision.warnings + caveats)


def compare_directions(name: str, pair: Pair, sides: tuple[Evidence, Evidence], criterion: Criterion) -> Decision:
    """Forward − backward by a criterion."""
    forward, backward = (replace(side, score=criterion(side)) for side in sides)
    score, warnings = forward.score - backward.score, fit_messages(pair, forward, backward)
    return Decision(name, pair, score, forward, backward, warnings=warnings)


def fit_direction(cause: FloatArray, effect: FloatArray, model: Model) -> Evidence:
    """Everything known about one direction.

    Rows are brought into one order, by cause and then effect, before anything is summed: the order in which a file
    lists them cannot change a single bit of the answer.
    """
    order = row_order(cause, effect)
    u, v = freeze(standardise(cause[order])), standardise(effect[order])
    fit = model(u, v)
    del v
    test = hsic_test(once(kernel_column, u), fit.residual)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    centre, unit = np.mean(effect), standard_deviation(effect)
    return Evidence(
        score=float("nan"),
        log_likelihood=fit.log_likelihood,
        hsic=test.statistic,
        p_value=test.p_value,
        log_p_value=test.log_p_value,
        converged=fit.converged,
        n_iter=fit.n_iter,
        kkt=fit.kkt,
        message=fit.message,
        location=centre + unit * fit.location[back],  # in the rows' own order and in the effect's own units
        scale=unit * fit.scale[back],
        residual=fit.residual[back],
    )


def _compare_by(criterion: Criterion, caveats: Caveats | None = None) -> Callable[..., Loci]:
    return lambda name, model, settings: Loci(name, model, criterion, settings, caveats)


_INDEPENDENCE: dict[str, Criterion] = {"statistic": independence, "p-value": independence_p_value}
_SPLINE: dict[str, Any] = {"n_knots": SPLINE_KNOTS, "degree": SPLINE_DEGREES}
_CONCAVE = _SPLINE | {"delta": REALS[1], "max_iter": ITERATIONS}
_ALTERNATING = _SPLINE | {"alpha": REALS[1], "max_passes": ITERATIONS}

loci_m = make_builder(_compare_by(likelihood, marginal_rule), "loci-m", fit_location_scale, **_CONCAVE)
"""Location-scale spline model, compared by its likelihood."""
ifgls_h = make_builder(_compare_by(independence), "ifgls-h", fit_fgls, **_ALTERNATING)
"""Location and scale by iterated least squares, compared by the independence of the residual."""
ifgls_m = make_builder(_compare_by(likelihood, marginal_rule), "ifgls-m", fit_fgls, **_ALTERNATING)
"""Location and scale by iterated least squares, compared by the likelihood."""
anm_h = make_builder(_compare_by(independence), "anm-h", fit_location, **_SPLINE)
"""Additive noise: least squares, compared by the independence of its residual."""
anm_m = make_builder(_compare_by(likelihood), "anm-m", fit_location, **_SPLINE)
"""Additive noise: least squares, compared by a Gaussian likelihood of unit scale."""


def loci_h(
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    max_iter: int = MAX_ITER,
    decide_by: str = "statistic",
    split: bool = False,
    split_seed: int = 0,
) -> Loci:
    """Location-scale spline model, compared by the independence of its residual.

    `decide_by` compares the test's statistics or its p-values; `split` scores each row by a fit to the half of the rows
    it is not in (see `models.spline`).
    """
    one_of("loci-h", tuple(_INDEPENDENCE), decide_by=decide_by)
    between("loci-h", *SEEDS, split_seed=split_seed)
    fit = partial(fit_crosswise, split_seed=split_seed) if split else fit_location_scale
    build = make_builder(_compare_by(_INDEPENDENCE[decide_by]), "loci-h", fit, **_CONCAVE)
    method = build(n_knots=n_knots, degree=degree, delta=delta, max_iter=max_iter)
    extra = ({} if decide_by == "statistic" else {"decide_by": decide_by}) | ({"split": True} if split else {})
    return replace(method, settings={**method.settings, **extra})
