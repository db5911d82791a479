"""The reasons in words: which terms decide and what they mean; why an answer is withheld, and what to do next.

Numbers of terms are given towards the direction that the sentence names: what speaks for it is positive.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from causewise.criteria import ModelCheck
from causewise.decision import USABLE, Evidence
from causewise.formatting import percent
from causewise.methods.combined.outcomes import BACKWARD, FORWARD, NO_DIRECTION, ReliabilityWeight, in_units
from causewise.pair import FloatArray, Pair, standardise

KINDS = {
    "description": "description length",
    "shape": "shape along the cause",
    "recording": "recording",
    "regression": "regression error",
}
"""What a reader calls the terms."""
_MEANING = {
    "description": "it takes the shorter code for the same rows",
    "shape": "the effect keeps more of one shape along the cause",
    "recording": "what people set or count is recorded more coarsely, and in recorded tables is more often the cause",
    "regression": "a cubic errs less, in units of the range",
}
_SMALL = 0.1
"""Terms below this share of the largest are not named in the sentence."""
_LOWERED = 0.75
"""Factors of λ below this are named among the reasons."""
_NEARLY_ALL = 0.98
"""Dependent rows are not worth a word where thousands of effective ones are left."""
_SKEWED = 1.0
"""From this skewness on, logarithms of positive columns are worth a try."""
_FEW = 300
"""Below this many rows, more of them are the most promising step."""


class Account(NamedTuple):
    """What the sentences are made of."""

    pair: Pair
    sides: tuple[Evidence, Evidence]
    terms: Mapping[str, float]
    weight: ReliabilityWeight
    score: float
    probabilities: Mapping[str, float]
    threshold: float
    distinct: tuple[int, int]
    effective_rows: float

    @property
    def confidence(self) -> float:
        """The larger probability of a direction."""
        return max(self.probabilities[FORWARD], self.probabilities[BACKWARD])

    @property
    def lean(self) -> str:
        """The direction the score favours."""
        x, y = self.pair.x_name, self.pair.y_name
        return f"{x} → {y}" if self.score > 0 else f"{y} → {x}"

    @property
    def towards_lean(self) -> dict[str, float]:
        """The terms, those that speak for the lean positive."""
        return {name: math.copysign(1.0, self.score) * term for name, term in self.terms.items()}

    @property
    def if_direct(self) -> float:
        """The confidence, did one of the two columns surely cause the other."""
        return self.confidence / (1.0 - self.probabilities[NO_DIRECTION])


def explain_score(account: Account) -> str:
    """The terms that carry the score, the largest first, and those against it."""
    favour, against = _rank_terms(account)
    if not favour or account.score == 0:
        return ""
    terms = account.towards_lean
    carried = "; ".join(f"{KINDS[name]} ({terms[name]:+.2f}: {_MEANING[name]})" for name in favour)
    opposed = f" Against it: {_list_terms(account, against)}." if against else ""
    return f"What speaks for {account.lean}: {carried}.{opposed}{_say_limits(account)}"


def say_unrelated(pair: Pair, relation_log_p: float) -> str:
    """That there is no direction to find."""
    return (
        f"Unrelated: an independence test finds no relation between {pair.x_name} and {pair.y_name} "
        f"(p = {_p(relation_log_p)}), so there is no direction to find."
    )


def explain_abstention(account: Account) -> str:
    """Why no answer is given, and one thing to do about it; empty when one is given."""
    if account.score == 0 or account.confidence >= account.threshold:
        return ""
    sentences = [_say_lean(account), _say_disagreement(account), _say_tests(account) + _say_limits(account)]
    return f"Undecided: {' '.join(filter(None, [*sentences, _next_step(account)]))}"


def _say_lean(account: Account) -> str:
    """How far the evidence leans, and what stands beside it."""
    if account.confidence < USABLE:
        return "there is no usable lean to either side."
    forward, backward = account.probabilities[FORWARD], account.probabilities[BACKWARD]
    _, _, beside = in_units(account.confidence, min(forward, backward), account.probabilities[NO_DIRECTION])
    neither = f", with {beside} % for neither" if beside else ""
    return (
        f"the evidence leans towards {account.lean} with a confidence of {percent(account.confidence)}{neither}, below "
        f"the {100 * account.threshold:g} % asked for."
    )


def _say_disagreement(account: Account) -> str:
    """Which terms point the other way."""
    favour, against = _rank_terms(account)
    if not favour or not against:
        return ""
    speak = "speaks" if len(favour) == 1 else "speak"
    return (
        f"The terms disagree: {_list_terms(account, favour)} {speak} for {account.lean}, "
        f"{_list_terms(account, against)} against it."
    )


def _rank_terms(account: Account) -> tuple[list[str], list[str]]:
    """Terms worth a word: for the lean and against it, the largest first."""
    terms = account.towards_lean
    largest = max(map(abs, terms.values()))
    by_size = sorted((k for k, v in terms.items() if v and abs(v) >= _SMALL * largest), key=lambda k: -abs(terms[k]))
    return [k for k in by_size if terms[k] > 0], [k for k in by_size if terms[k] < 0]


def _list_terms(account: Account, names: Sequence[str]) -> str:
    return " and ".join(f"{KINDS[name]} ({account.towards_lean[name]:+.2f})" for name in names)


def _say_tests(account: Account) -> str:
    """What the two independence tests reject."""
    forward, backward = account.sides
    x, y = account.pair.x_name, account.pair.y_name
    p, q = _p(forward.log_p_value), _p(backward.log_p_value)
    return {
        ModelCheck.FORWARD_FITS: f"The tests leave {x} → {y} standing alone (p = {p} against {q}).",
        ModelCheck.BACKWARD_FITS: f"The tests leave {y} → {x} standing alone (p = {q} against {p}).",
        ModelCheck.BOTH_FIT: f"Both directions are compatible with the data (p = {p} and {q}).",
        ModelCheck.NEITHER_FITS: f"The tests reject both directions (p = {p} and {q}).",
        None: "",
    }[ModelCheck.of(forward.p_value, backward.p_value)]


def _say_limits(account: Account) -> str:
    """What keeps the reliability weight of these rows low."""
    weight, n, effective = account.weight, account.pair.n, account.effective_rows
    dependent = f"the {n} rows resemble their neighbours and count as about {max(round(effective), 1)} independent ones"
    values, name = min(zip(account.distinct, (account.pair.x_name, account.pair.y_name), strict=True))
    reasons = (
        (effective < 0.5 * n and weight.rows < _NEARLY_ALL, dependent),
        (effective >= 0.5 * n and weight.rows < _LOWERED, f"{n} rows are few"),
        (weight.values < _LOWERED, f"{name} has only {values} distinct values"),
    )
    lowered = "; ".join(text for applies, text in reasons if applies)
    return f" What lowers it: {lowered}." if lowered else ""


def _next_step(account: Account) -> str:
    """The most promising thing to do, in the order of how often it helps."""
    if account.if_direct >= max(account.threshold, USABLE):
        return (
            "Next step: if you know that one of the two causes the other, say so (direct, --direct); the answer is "
            f"then {account.lean} with {percent(account.if_direct)}."
        )
    forward, backward = account.sides
    both_rejected = ModelCheck.of(forward.p_value, backward.p_value) is ModelCheck.NEITHER_FITS
    if both_rejected and all(_is_long_tailed(column) for column in (account.pair.x, account.pair.y)):
        return "Next step: both columns are positive and long-tailed; take logarithms of both."
    if account.pair.n < _FEW:
        return f"Next step: {account.pair.n} rows are few; collect more."
    if both_rejected:
        return (
            "Next step: neither direction fits, as under a hidden common cause or a mixture; split the rows by a third "
            "column, or adjust for one."
        )
    return "Next step: give background knowledge to a scan, such as which column comes first in time (first: NAME)."


def _is_long_tailed(column: FloatArray) -> bool:
    return bool(column.min() > 0) and float(np.mean(standardise(column) ** 3)) > _SKEWED


def _p(log_p: float | None) -> str:
    """A p-value from its logarithm, also where it is too small to be a float."""
    if log_p is None:
        return "–"
    if log_p > -600:
        return f"{math.exp(log_p):.2g}"
    return f"1e{math.floor(log_p / math.log(10))}"
