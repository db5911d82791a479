"""LOCI = a conditional model × a criterion.

The steps of the paper: standardise, fit each direction, judge each direction, subtract.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from causewise.criteria import Criterion, independence, independence_p_value, likelihood, marginal_rule
from causewise.decision import Decision, Evidence
from causewise.errors import ITERATIONS, SEEDS, SPLINE_DEGREES, SPLINE_KNOTS, between, one_of, positive
from causewise.models import Fit
from causewise.models.spline import (
    ALPHA,
    DEGREE,
    DELTA,
    MAX_ITER,
    MAX_PASSES,
    N_KNOTS,
    fit_crosswise,
    fit_fgls,
    fit_location,
    fit_location_scale,
)
from causewise.numerics.columns import freeze, once
from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.pair import FloatArray, Pair, both_directions, row_order, spread, standardise
from causewise.protocol import Method, attempted, fit_messages

Model = Callable[[FloatArray, FloatArray], Fit]
Doubts = Callable[[Pair, Evidence, Evidence], tuple[str, ...]]
"""Reasons, in sentences, to doubt what a criterion says of this pair."""


@dataclass(frozen=True)
class Loci:
    """Fit a model in both directions and compare them by a criterion."""

    name: str
    model: Model
    criterion: Criterion
    settings: Mapping[str, Any] = field(default_factory=dict)
    doubts: Doubts | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [self._decide(pair) for pair in pairs]

    def _decide(self, pair: Pair) -> Decision:
        return attempted(pair, self.name, lambda: self._judged(pair), settings=self.settings)

    def _judged(self, pair: Pair) -> Decision:
        sides = both_directions(pair, partial(evidence, model=self.model))
        forward, backward = (replace(side, score=self.criterion(side)) for side in sides)
        warnings = fit_messages(pair, forward, backward)
        if self.doubts is not None:
            warnings += self.doubts(pair, forward, backward)
        score = forward.score - backward.score
        return Decision(self.name, pair, score, forward, backward, settings=self.settings, warnings=warnings)


def evidence(cause: FloatArray, effect: FloatArray, model: Model) -> Evidence:
    """Everything known about one direction.

    Rows are brought into one order, by cause and then effect, before anything is summed: the order in which a file
    lists them cannot change a single bit of the answer.
    """
    order = row_order(cause, effect)
    u, v = freeze(standardise(cause[order])), standardise(effect[order])
    fit = model(u, v)
    del v
    test = hsic_test(once(kernel_column, u), fit.residual)
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
        **_in_file_order(fit, order, effect),
    )


def loci_h(
    n_knots: int = N_KNOTS,
    degree: int = DEGREE,
    delta: float = DELTA,
    max_iter: int = MAX_ITER,
    decide_by: str = "statistic",
    split: bool = False,
    split_seed: int = 0,
) -> Method:
    """Location-scale spline model, judged by the independence of its residual.

    `decide_by` compares the test's statistics or its p-values; `split` judges each row by a fit to the half of the rows
    it is not in (see `models.spline`).
    """
    one_of("loci-h", tuple(_INDEPENDENCE), decide_by=decide_by)
    between("loci-h", *SEEDS, split_seed=split_seed)
    settings: dict[str, Any] = {"n_knots": n_knots, "degree": degree, "delta": delta, "max_iter": max_iter}
    extra: dict[str, Any] = {} if decide_by == "statistic" else {"decide_by": decide_by}
    if not split:
        return _built("loci-h", fit_location_scale, _INDEPENDENCE[decide_by], settings, extra)
    return _built(
        "loci-h",
        fit_crosswise,
        _INDEPENDENCE[decide_by],
        settings | {"split_seed": split_seed},
        extra | {"split": True},
    )


def loci_m(n_knots: int = N_KNOTS, degree: int = DEGREE, delta: float = DELTA, max_iter: int = MAX_ITER) -> Method:
    """Location-scale spline model, judged by its likelihood."""
    settings = {"n_knots": n_knots, "degree": degree, "delta": delta, "max_iter": max_iter}
    return _built("loci-m", fit_location_scale, likelihood, settings, doubts=marginal_rule)


def ifgls_h(n_knots: int = N_KNOTS, degree: int = DEGREE, alpha: float = ALPHA, max_passes: int = MAX_PASSES) -> Method:
    """Location and scale by iterated least squares, judged by the independence of the residual."""
    settings = {"n_knots": n_knots, "degree": degree, "alpha": alpha, "max_passes": max_passes}
    return _built("ifgls-h", fit_fgls, independence, settings)


def ifgls_m(n_knots: int = N_KNOTS, degree: int = DEGREE, alpha: float = ALPHA, max_passes: int = MAX_PASSES) -> Method:
    """Location and scale by iterated least squares, judged by the likelihood."""
    settings = {"n_knots": n_knots, "degree": degree, "alpha": alpha, "max_passes": max_passes}
    return _built("ifgls-m", fit_fgls, likelihood, settings, doubts=marginal_rule)


def anm_h(n_knots: int = N_KNOTS, degree: int = DEGREE) -> Method:
    """Additive noise: least squares, judged by the independence of its residual."""
    return _built("anm-h", fit_location, independence, {"n_knots": n_knots, "degree": degree})


def anm_m(n_knots: int = N_KNOTS, degree: int = DEGREE) -> Method:
    """Additive noise: least squares, judged by a Gaussian likelihood of unit scale."""
    return _built("anm-m", fit_location, likelihood, {"n_knots": n_knots, "degree": degree})


def _built(
    name: str,
    fit: Callable[..., Fit],
    criterion: Criterion,
    settings: dict[str, Any],
    extra: Mapping[str, Any] = MappingProxyType({}),
    doubts: Doubts | None = None,
) -> Method:
    """`settings` are those of the fit, `extra` what else the decision's record must say."""
    _check_spline_settings(name, settings)
    return Loci(name, partial(fit, **settings), criterion, {**settings, **extra}, doubts)


_INDEPENDENCE: dict[str, Criterion] = {"statistic": independence, "p-value": independence_p_value}


def _check_spline_settings(name: str, settings: Mapping[str, Any]) -> None:
    between(name, *SPLINE_KNOTS, n_knots=settings["n_knots"])
    between(name, *SPLINE_DEGREES, degree=settings["degree"])
    between(name, *ITERATIONS, **{key: settings[key] for key in ("max_iter", "max_passes") if key in settings})
    positive(name, **{key: settings[key] for key in ("delta", "alpha") if key in settings})


def _in_file_order(fit: Fit, order: np.ndarray, effect: FloatArray) -> dict[str, Any]:
    """Per-row results back in the rows' own order, location and scale in the effect's own units."""
    centre, unit = np.mean(effect), spread(effect)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return {
        "location": centre + unit * fit.location[back],
        "scale": unit * fit.scale[back],
        "residual": fit.residual[back],
    }
