"""The numbers of a decision as rows of tables, each with what it means and which direction it favours."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence
from causewise.formatting import format_count, format_extreme, format_number, format_signed
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray, Pair, standard_deviation, standardise
from causewise.report.decision_wording import fits, p_value
from causewise.report.geometry import SortedColumn
from causewise.report.score_bars import round_score


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


def list_measures(decision: Decision) -> tuple[Measure, ...]:
    """Every number the method gave for the two directions, and two that follow from its fit; none of a stopped pair."""
    if decision.stopped:
        return ()
    sides = (decision.forward, decision.backward)
    rows = [
        # Of a sum, each direction's score is half of it: no number of its own.
        None if round_score(decision) else _compare("Score", _SCORE, *(e.score for e in sides), higher=True),
        _compare("Log-likelihood", _LIKELIHOOD, *(e.log_likelihood for e in sides), higher=True),
        _compare("HSIC", _HSIC, *(e.hsic for e in sides), higher=False),
        _tests(sides),
        _explain(decision),
    ]
    if any(evidence.scale is not None for evidence in sides):
        rows.append(Measure("Size of the noise", _NOISE, *(_span(evidence.scale) for evidence in sides)))
    if any(evidence.converged is not None for evidence in sides):
        rows.append(Measure("Fit converged", _CONVERGED, *map(_status, sides)))
    return tuple(row for row in rows if row is not None)


def list_terms(decision: Decision) -> tuple[Measure, ...]:
    """The terms of evidence a score is the sum of, with the cost of both directions; empty for other scores."""
    rounded = round_score(decision)
    return tuple(_term(decision, *each) for each in rounded.terms.items()) if rounded else ()


def list_factors(decision: Decision) -> tuple[Factor, ...]:
    """What the weight of a score is the product of."""
    rounded = round_score(decision)
    return (
        tuple(Factor(name, value, _FACTORS.get(name, "")) for name, value in rounded.factors.items()) if rounded else ()
    )


def list_column_facts(pair: Pair, columns: tuple[SortedColumn, SortedColumn]) -> tuple[Fact, ...]:
    """What the two columns look like."""
    rows: tuple[tuple[str, Callable[[FloatArray, SortedColumn], str]], ...] = (
        ("Distinct values", lambda v, o: format_count(len(o.starts))),
        ("Smallest", lambda v, o: format_extreme(float(o.ascending[0]))),
        ("Median", lambda v, o: format_number(o.median)),
        ("Largest", lambda v, o: format_extreme(float(o.ascending[-1]))),
        ("Mean", lambda v, o: format_number(float(v.mean()))),
        ("Standard deviation", lambda v, o: format_number(standard_deviation(v))),
        ("Skewness", lambda v, o: format_signed(_skewness(v), 2)),
    )
    with np.errstate(all="ignore"):
        return tuple(Fact(name, value(pair.x, columns[0]), value(pair.y, columns[1])) for name, value in rows)


def correlate(pair: Pair, columns: tuple[SortedColumn, SortedColumn]) -> tuple[float, float]:
    """Pearson's correlation and Spearman's, the latter with mean ranks for ties."""
    linear = float(np.mean(standardise(pair.x) * standardise(pair.y)))
    x, y = (standardise(column.mid_ranks()) for column in columns)
    return linear, float(np.mean(x * y))


def _skewness(column: FloatArray) -> float:
    z = standardise(column)
    return float(np.mean(z * z * z))  # a third power takes ten times as long


_TERMS = {
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


def _compare(name: str, meaning: str, a: float | None, b: float | None, *, higher: bool) -> Measure | None:
    if not _any_number(a, b):
        return None
    return Measure(name, meaning, format_number(a), format_number(b), _favours(a, b, higher))


def _term(decision: Decision, kind: str, term: str) -> Measure:
    a, b = decision.forward.costs.get(kind), decision.backward.costs.get(kind)
    name = KINDS.get(kind, kind)
    # Three digits, or as many more as it takes to see which is smaller.
    texts = [(format_number(a, digits), format_number(b, digits)) for digits in (3, 4, 5, 6)]
    costs = next((pair for pair in texts if a == b or pair[0] != pair[1]), texts[0])
    return Measure(name[:1].upper() + name[1:], _TERMS.get(kind, ""), *costs, _favours(a, b, False), term)


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


def _explain(decision: Decision) -> Measure | None:
    pair = decision.pair
    shares = (
        _variance_share(pair.y, decision.forward.location),
        _variance_share(pair.x, decision.backward.location),
    )
    if not _any_number(*shares):
        return None
    forward, backward = (
        "–" if share is None or not math.isfinite(share) else f"{format_number(100 * share, 3)} %" for share in shares
    )
    return Measure("Variance explained", _EXPLAINED, forward, backward)


def _variance_share(effect: FloatArray, location: FloatArray | None) -> float | None:
    if location is None or np.shape(location) != effect.shape:
        return None
    # Both sums are taken in units of the largest deviation, since squares of values near 1e200 overflow.
    width = float(np.max(np.abs(effect - effect.mean())))
    left, total = np.mean(((effect - location) / width) ** 2), np.mean(((effect - effect.mean()) / width) ** 2)
    return 1.0 - float(left / total)


def _span(scale: FloatArray | None) -> str:
    if scale is None or not np.all(np.isfinite(scale)):
        return "–"
    low, high = (format_number(float(q), 3) for q in np.quantile(scale, (0.05, 0.95)))
    return f"{low} everywhere" if low == high else f"{low} to {high}"


def _status(evidence: Evidence) -> str:
    if evidence.converged is None:
        return "–"
    steps = "" if evidence.n_iter is None else f" ({evidence.n_iter} step{'s' * (evidence.n_iter != 1)})"
    return f"{'yes' if evidence.converged else 'no'}{steps}"
