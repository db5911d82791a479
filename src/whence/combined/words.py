"""The reasons in words: which terms decide and what they mean; why an answer is withheld and where the lean is."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from whence.combined.weight import Weight
from whence.criteria import Reading
from whence.decision import Evidence, percent
from whence.pair import Pair

KINDS = {
    "description": "description length",
    "independence": "independence of the residual",
    "shape": "shape along the cause",
}
"""What a reader calls the terms."""
_MEANING = {
    "description": "it takes the shorter code for the same rows",
    "independence": "less of the presumed cause is left in its residual",
    "shape": "the effect keeps more of one shape along the cause",
}
_SMALL = 0.1
"""Terms below this share of the largest are not named in the sentence."""
_LOWERED = 0.75
"""Factors of λ below this are named among the reasons."""
_NEARLY_ALL = 0.98
"""Dependent rows are not worth a word where thousands of effective ones are left."""


class Account(NamedTuple):
    """What the sentences are made of."""

    pair: Pair
    sides: tuple[Evidence, Evidence]
    terms: Mapping[str, float]
    weight: Weight
    score: float
    confidence: float
    distinct: tuple[int, int]
    effective_rows: float

    @property
    def lean(self) -> str:
        """The direction the score favours."""
        x, y = self.pair.x_name, self.pair.y_name
        return f"{x} → {y}" if self.score > 0 else f"{y} → {x}"


def reason(account: Account) -> str:
    """The terms that carry the score, the largest first, and those against it."""
    sign = math.copysign(1.0, account.score)
    largest = max(map(abs, account.terms.values()))
    weighty = (k for k, v in account.terms.items() if abs(v) >= _SMALL * largest)
    named = sorted(weighty, key=lambda k: -sign * account.terms[k])
    favour = [k for k in named if sign * account.terms[k] > 0]
    against = [k for k in reversed(named) if sign * account.terms[k] < 0]
    if not favour or account.score == 0:
        return ""
    carried = "; ".join(f"{KINDS[k]} ({account.terms[k]:+.2f}: {_MEANING[k]})" for k in favour)
    listed = " and ".join(f"{KINDS[k]} ({account.terms[k]:+.2f})" for k in against)
    opposed = f" Against it: {listed}." if against else ""
    return f"What speaks for {account.lean}: {carried}.{opposed}{_limits(account)}"


def withheld(account: Account, threshold: float, relation_log_p: float, unrelated: bool) -> str:
    """Why no answer is given; empty when one is."""
    x, y = account.pair.x_name, account.pair.y_name
    if unrelated:
        return (
            f"Unrelated: an independence test finds no relation between {x} and {y} (p = {_p(relation_log_p)}), so "
            "there is no direction to find."
        )
    if account.score == 0 or account.confidence >= threshold:
        return ""
    return (
        f"Undecided: the evidence leans towards {account.lean} with a confidence of {percent(account.confidence)}, "
        f"below the {100 * threshold:g} % asked for. {_tests(account)}{_limits(account)}"
    )


def _tests(account: Account) -> str:
    """What the two independence tests found."""
    forward, backward = account.sides
    found = Reading.of(forward.p_value, backward.p_value)
    x, y = account.pair.x_name, account.pair.y_name
    p, q = _p(forward.log_p_value), _p(backward.log_p_value)
    return {
        Reading.FORWARD_FITS: f"The tests leave {x} → {y} standing alone (p = {p} against {q}).",
        Reading.BACKWARD_FITS: f"The tests leave {y} → {x} standing alone (p = {q} against {p}).",
        Reading.BOTH_FIT: f"The tests refuse neither direction (p = {p} and {q}).",
        Reading.NEITHER_FITS: f"The tests refuse both directions (p = {p} and {q}).",
        None: "",
    }[found]


def _limits(account: Account) -> str:
    """What keeps the weight of these rows low."""
    weight, pair = account.weight, account.pair
    few = weight.rows < _LOWERED
    reasons = (
        (account.effective_rows < 0.5 * pair.n and weight.rows < _NEARLY_ALL, _dependent(account)),
        (account.effective_rows >= 0.5 * pair.n and few, f"{pair.n} rows are few"),
        (weight.values < _LOWERED, _coarse(account)),
        (weight.fit < _LOWERED, "neither direction fits, as under a hidden common cause, a mixture or dependent rows"),
    )
    told = "; ".join(text for applies, text in reasons if applies)
    return f" What lowers it: {told}." if told else ""


def _dependent(account: Account) -> str:
    worth = max(round(account.effective_rows), 1)
    return f"the {account.pair.n} rows resemble their neighbours and are worth about {worth}"


def _coarse(account: Account) -> str:
    values, name = min(zip(account.distinct, (account.pair.x_name, account.pair.y_name), strict=True))
    return f"{name} has only {values} distinct values"


def _p(log_p: float | None) -> str:
    """A p-value from its logarithm, also where it is too small to be a float."""
    if log_p is None:
        return "–"
    if log_p > -600:
        return f"{math.exp(log_p):.2g}"
    return f"1e{math.floor(log_p / math.log(10))}"
