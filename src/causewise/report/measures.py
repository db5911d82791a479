"""The numbers of a decision as table rows, each with what it means and which direction it favours."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray, Pair, standard_deviation, standardise
from causewise.report.ordered import Ordered
from causewise.report.printed_sum import printed_sum
from causewise.report.wording import count, extreme, fits, number, p_value, signed


@dataclass(frozen=True)
class Measure:
    """One row of the evidence table."""

    name: str
    meaning: str
    forward: str
    backward: str
    favours: str = ""
    """"forward", "backward", or empty where the number favours neither."""
    term: str = ""
    """What the number adds to the score, where the score is a sum."""


@dataclass(frozen=True)
class Fact:
    """One row of the data table: a name, then the value for x and for y (or one value for both)."""

    name: str
    x: str
    y: str = ""


class Factor(NamedTuple):
    """One factor of the weight."""

    name: str
    value: str
    meaning: str


def measures(decision: Decision) -> tuple[Measure, ...]:
    """Every number the method gave for the two directions, and two that follow from its fit; none of a stopped pair."""
    if decision.stopped:
        return ()
    sides = (decision.forward, decision.backward)
    rows = [
        # Of a sum, each direction's score is half of it: no number of its own.
        None if printed_sum(decision) else _row("Score", _SCORE, sides, lambda e: e.score, number, higher=True),
        _row("Log-likelihood", _LIKELIHOOD, sides, lambda e: e.log_likelihood, number, higher=True),
        _row("HSIC", _HSIC, sides, lambda e: e.hsic, number, higher=False),
        _tests(sides),
        _explained(decision),
        _noise(decision),
        _convergence(sides),
    ]
    return tuple(row for row in rows if row is not None)


def terms(decision: Decision) -> tuple[Measure, ...]:
    """The kinds of evidence a score is the sum of, with what each found both ways; empty for other scores."""
    found = printed_sum(decision)
    return tuple(_term(decision, kind, term) for kind, term in found.terms.items()) if found else ()


def factors(decision: Decision) -> tuple[Factor, ...]:
    """What the weight of a score is the product of."""
    found = printed_sum(decision)
    return tuple(Factor(name, value, _FACTORS.get(name, "")) for name, value in found.factors.items()) if found else ()


def data_facts(pair: Pair, columns: tuple[Ordered, Ordered]) -> tuple[Fact, ...]:
    """What the two columns look like."""
    rows: tuple[tuple[str, Callable[[FloatArray, Ordered], str]], ...] = (
        ("Distinct values", lambda v, o: count(len(o.starts))),
        ("Smallest", lambda v, o: extreme(float(o.ascending[0]))),
        ("Median", lambda v, o: number(o.median)),
        ("Largest", lambda v, o: extreme(float(o.ascending[-1]))),
        ("Mean", lambda v, o: number(float(v.mean()))),
        ("Standard deviation", lambda v, o: number(standard_deviation(v))),
        ("Skewness", lambda v, o: signed(_skewness(v), 2)),
    )
    with np.errstate(all="ignore"):
        return tuple(Fact(name, value(pair.x, columns[0]), value(pair.y, columns[1])) for name, value in rows)


def correlations(pair: Pair, columns: tuple[Ordered, Ordered]) -> tuple[float, float]:
    """Pearson's correlation and Spearman's, the latter with mean ranks for ties."""
    linear = float(np.mean(standardise(pair.x) * standardise(pair.y)))
    x, y = (standardise(column.mid_ranks()) for column in columns)
    return linear, float(np.mean(x * y))


def _skewness(column: FloatArray) -> float:
    z = standardise(column)
    return float(np.mean(z * z * z))  # a third power takes ten times as long


_KINDS = {
    "description": "Nats a row needed to write down the cause and then the effect given the cause.",
    "shape": "How far the effect changes its shape, beyond place and size, along the cause; in standard deviations.",
    "recording": "Distinct values of the presumed cause: what people set or count is recorded more coarsely.",
    "regression": "Error of a cubic fitted to the recorded values, root mean square in units of the range.",
}
_FACTORS = {
    "rows": "effective sample size",
    "values": "distinct values of the coarser column",
}
_SCORE = "The method's own criterion. The direction with the higher score is the more plausible one."
_LIKELIHOOD = "Average log density of a row under the fit, in nats, on standardised columns. Higher is better."
_HSIC = "Dependence left between presumed cause and residual. Smaller is better; 0 would be full independence."
_TEST = (
    "How often independent noise would look at least this dependent by chance. Below "
    f"{LEVEL} the direction is rejected; above, it fits, which is not a proof."
)
_EXPLAINED = "Share of the effect's variance that the fitted mean accounts for. It says nothing about direction."
_NOISE = "Fitted standard deviation of the effect around its mean, from the quiet to the noisy rows (5–95 %)."
_CONVERGED = "Whether the fit reached its optimum; a fit that stopped short is weak evidence."


def _row(
    name: str,
    meaning: str,
    sides: tuple[Evidence, Evidence],
    value: Callable[[Evidence], float | None],
    text: Callable[[float | None], str],
    higher: bool,
) -> Measure | None:
    a, b = (value(evidence) for evidence in sides)
    if not _any_number(a, b):
        return None
    return Measure(name, meaning, text(a), text(b), _favours(a, b, higher))


def _term(decision: Decision, kind: str, term: str) -> Measure:
    a, b = decision.forward.costs.get(kind), decision.backward.costs.get(kind)
    name = KINDS.get(kind, kind)
    forward, backward = _distinguishable(a, b)
    return Measure(name[:1].upper() + name[1:], _KINDS.get(kind, ""), forward, backward, _favours(a, b, False), term)


def _distinguishable(a: float | None, b: float | None) -> tuple[str, str]:
    """Three digits, or as many more as it takes to see which is smaller."""
    texts = [(number(a, digits), number(b, digits)) for digits in (3, 4, 5, 6)]
    return next((pair for pair in texts if a == b or pair[0] != pair[1]), texts[0])


def _any_number(*values: float | None) -> bool:
    return any(value is not None and math.isfinite(value) for value in values)


def _favours(a: float | None, b: float | None, higher: bool) -> str:
    if a is None or b is None or not (math.isfinite(a) and math.isfinite(b)) or a == b:
        return ""
    return "forward" if (a > b) is higher else "backward"


def _tests(sides: tuple[Evidence, Evidence]) -> Measure | None:
    standing = [fits(evidence) for evidence in sides]
    if standing == [None, None]:
        return None
    texts = [
        p_value(evidence) if stands is None else f"{p_value(evidence)} ({'fits' if stands else 'rejected'})"
        for evidence, stands in zip(sides, standing, strict=True)
    ]
    favours = {(True, False): "forward", (False, True): "backward"}.get((bool(standing[0]), bool(standing[1])), "")
    return Measure("Independence test, p", _TEST, texts[0], texts[1], "" if None in standing else favours)


def _explained(decision: Decision) -> Measure | None:
    pair = decision.pair
    a = _variance_share(pair.y, decision.forward.location)
    b = _variance_share(pair.x, decision.backward.location)
    if not _any_number(a, b):
        return None
    return Measure("Variance explained", _EXPLAINED, _percent(a), _percent(b))


def _variance_share(effect: FloatArray, location: FloatArray | None) -> float | None:
    if location is None or np.shape(location) != effect.shape:
        return None
    # Both sums are taken in units of the largest deviation, since squares of values near 1e200 overflow.
    width = float(np.max(np.abs(effect - effect.mean())))
    left, total = np.mean(((effect - location) / width) ** 2), np.mean(((effect - effect.mean()) / width) ** 2)
    return 1.0 - float(left / total)


def _percent(share: float | None) -> str:
    return "–" if share is None or not math.isfinite(share) else f"{number(100 * share, 3)} %"


def _noise(decision: Decision) -> Measure | None:
    scales = (decision.forward.scale, decision.backward.scale)
    if all(scale is None for scale in scales):
        return None
    return Measure("Size of the noise", _NOISE, _span(scales[0]), _span(scales[1]))


def _span(scale: FloatArray | None) -> str:
    if scale is None or not np.all(np.isfinite(scale)):
        return "–"
    low, high = (number(float(q), 3) for q in np.quantile(scale, (0.05, 0.95)))
    return f"{low} everywhere" if low == high else f"{low} to {high}"


def _convergence(sides: tuple[Evidence, Evidence]) -> Measure | None:
    if all(evidence.converged is None for evidence in sides):
        return None
    texts = [_status(evidence) for evidence in sides]
    return Measure("Fit converged", _CONVERGED, texts[0], texts[1])


def _status(evidence: Evidence) -> str:
    if evidence.converged is None:
        return "–"
    steps = "" if evidence.n_iter is None else f" ({evidence.n_iter} step{'s' * (evidence.n_iter != 1)})"
    return f"{'yes' if evidence.converged else 'no'}{steps}"
