"""LOCI = a conditional model × a criterion, and `infer`, which answers for one pair.

The steps of the paper: standardise, fit each direction, judge each direction, subtract. The standardising, the order of
the rows and the turning round of a pair happen here and nowhere else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from whence.catalogue import DEFAULT, accepts, seeded_method
from whence.criteria import Criterion, independence, independence_p_value, likelihood, marginal_rule
from whence.decision import Decision, Evidence, Method, undecided
from whence.models.fgls import ALPHA, MAX_PASSES, fit_fgls
from whence.models.fit import Fit
from whence.models.spline import DEGREE, DELTA, MAX_ITER, N_KNOTS, fit_crosswise, fit_location, fit_location_scale
from whence.numerics.hsic import hsic_test
from whence.pair import FloatArray, InputError, NanPolicy, Pair, both_directions, row_order, spread, standardise
from whence.preflight import Level, Notice, check
from whence.ranges import SPLINE_DEGREES, SPLINE_KNOTS, at_least, between, positive
from whence.threads import one_thread

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
        try:
            forward, backward = both_directions(pair, partial(evidence, model=self.model))
        except (ArithmeticError, np.linalg.LinAlgError) as problem:
            why = f"{self.name} broke down on this pair ({problem}); look at the two columns for degenerate values."
            return undecided(pair, self.name, why, settings=self.settings)
        forward, backward = (replace(side, score=self.criterion(side)) for side in (forward, backward))
        warnings = tuple(f"{way}: {side.message}" for way, side in _named(pair, forward, backward) if side.message)
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
    u, v = standardise(cause[order]), standardise(effect[order])
    fit = model(u, v)
    test = hsic_test(u, fit.residual)
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
    if decide_by not in _INDEPENDENCE:
        raise InputError(f"Got decide_by={decide_by!r} for loci-h; expected 'statistic' or 'p-value'.")
    at_least("loci-h", 0, split_seed=split_seed)
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


def infer(
    data: Any,
    x: Any = None,
    y: Any = None,
    *,
    method: str | Method = DEFAULT,
    nan_policy: NanPolicy = "raise",
    threshold: float | None = None,
    seed: int = 0,
    **settings: Any,
) -> Decision:
    """Which of two columns causes the other?

    Parameters
    ----------
    data
        A pandas, polars or Arrow table (then `x` and `y` name two of its columns), or the first column itself
        (then `x` is the second): `infer(df, "altitude", "temperature")` or `infer(altitude, temperature)`.
    method
        A name from `whence methods`, with settings if need be (`"loci-h:n_knots=15"`), or a Method object.
    nan_policy
        "raise" refuses missing values; "omit" leaves such rows out and says how many.
    threshold
        From which confidence on an answer is given (0.8 unless told otherwise), for methods that have a confidence.
    seed
        Used by methods that draw random numbers; the same seed gives the same bytes.
    **settings
        Further settings of the method, as `whence methods NAME` lists them.

    Examples
    --------
    >>> import numpy as np, whence
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2, 2, 500)
    >>> y = np.tanh(2 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=500)
    >>> whence.infer(x, y).verdict
    'x → y'
    """
    from whence.tables import pair_from

    pair = data if isinstance(data, Pair) else pair_from(data, x, y, nan_policy=nan_policy)
    method = _built_method(method, seed, settings | _threshold(method, threshold))
    with one_thread():
        (decision,) = method.decide_many([pair])
        return warned(decision, check(pair))


def warned(decision: Decision, notices: Sequence[Notice]) -> Decision:
    """The decision with what a look at the rows tells; a notice that stops withholds an answer that has a confidence.

    Methods without a confidence keep their published answer, beside the notice.
    """
    stops = [notice for notice in notices if notice.level is Level.STOPS]
    withhold = stops and decision.confidence is not None and not decision.abstention and not decision.failure
    why = f"Undecided: {stops[0]}" if withhold else decision.abstention
    return replace(decision, warnings=(*notices, *decision.warnings), abstention=why)


def _threshold(method: str | Method, threshold: float | None) -> dict[str, float]:
    if threshold is None:
        return {}
    if isinstance(method, str) and not accepts(method, "threshold"):
        raise InputError(
            f"Got threshold={threshold!r} for {method}, which gives no confidence to hold against it; expected a "
            f"method that does, such as {DEFAULT}: leave the threshold out, or choose that one."
        )
    return {"threshold": threshold}


def _built_method(method: str | Method, seed: int, settings: Mapping[str, Any]) -> Method:
    if isinstance(method, str):
        return seeded_method(method, seed, **settings)
    if not isinstance(method, Method):
        raise InputError(
            f"Got {method!r} for the method; expected a name from `whence methods`, or an object with a name and "
            "decide_many(pairs)."
        )
    if settings:
        raise InputError(
            f"Got the setting{'s' * (len(settings) > 1)} {', '.join(map(repr, settings))} beside a method that is "
            "built already; expected settings with a method's name only: give them where the method is built."
        )
    return method


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
    at_least(name, 1, **{key: settings[key] for key in ("max_iter", "max_passes") if key in settings})
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


def _named(pair: Pair, forward: Evidence, backward: Evidence) -> tuple[tuple[str, Evidence], tuple[str, Evidence]]:
    return (f"{pair.x_name} → {pair.y_name}", forward), (f"{pair.y_name} → {pair.x_name}", backward)
