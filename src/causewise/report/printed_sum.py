"""A score that is a sum, printed in digits that add up: the terms, the weight, its factors, the score."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from causewise.decision import Decision
from causewise.methods.combined.words import KINDS
from causewise.report.wording import power, shown

_IN_ONE_LINE = {"description": "description length"}
"""Terms with a name of their own where a whole sum stands in one line."""
_OTHER_SIGN = str.maketrans("+−", "−+")
_SMALL_P = re.compile(r"(=|and|against) (\d(?:\.\d+)?)e-(\d+)\b")


class PrintedSum(NamedTuple):
    """The score as it is printed: the terms add up to the total, and weight × total rounds to the score."""

    terms: dict[str, str]
    total: str
    weight: str
    factors: dict[str, str]
    """Of the weight; their product rounds to it."""
    score: str

    def __str__(self) -> str:
        listed = ", ".join(f"{_IN_ONE_LINE.get(kind, kind)} {term}" for kind, term in self.terms.items())
        return f"{listed}; sum {self.total} × weight {self.weight} = score {self.score}"


def printed_sum(decision: Decision) -> PrintedSum | None:
    """The terms, the weight and the score of a decision that is such a sum; None for any other."""
    # A term that is exactly 0, such as the coarseness of two columns without a repeated value, says nothing.
    terms, weight = {kind: term for kind, term in decision.contributions.items() if term}, decision.weight
    if not terms or weight is None or not 0 < weight <= 1 or not all(map(math.isfinite, terms.values())):
        return None
    if not math.isclose(decision.score, weight * sum(terms.values()), rel_tol=1e-6, abs_tol=1e-9):
        return None
    return round_together(terms, weight, decision.weight_parts)


def round_together(terms: Mapping[str, float], weight: float, factors: Mapping[str, float]) -> PrintedSum | None:
    """Digits that add up; None where four digits of the weight cannot do it, as with sums beyond a hundred.

    All numbers have two decimals, and none is further than one in its last digit from the truth.
    """
    # Rounding each number on its own would print sums that are off by a hundredth. Instead the score is rounded as
    # usual, the total goes up or down so that its product with the weight meets the score, and the terms with the
    # largest remainders go up so that they meet the total. Fractions, since in floats 100 × 0.285 falls short of 28.5.
    exact = [Fraction(term) for term in terms.values()]
    score = round(100 * Fraction(weight) * sum(exact))
    found = next(_totals_and_weights(100 * sum(exact, Fraction()), weight, score), None)
    if found is None:
        return None
    total, digits = found
    shares = map(_decimal, _largest_remainders(exact, total))
    return PrintedSum(
        dict(zip(terms, shares, strict=True)), _decimal(total), digits, _factors(factors, digits), _decimal(score)
    )


def with_printed_digits(text: str, decision: Decision) -> str:
    """A sentence about the decision with its terms in the digits of the printed sum and small p-values as powers.

    Sentences give terms towards the direction that the score favours, the sum towards x → y.
    """
    text = _SMALL_P.sub(lambda p: f"{p[1]} {power(p[2], -int(p[3]))}", shown(text)) if text else ""
    found, backward = printed_sum(decision), decision.score < 0
    for kind, term in found.terms.items() if found else ():
        name, value = KINDS.get(kind, kind), decision.contributions[kind]
        printed = term.translate(_OTHER_SIGN) if backward else term
        text = text.replace(f"{name} ({-value if backward else value:+.2f}", f"{name} ({printed}")
    return text


def _totals_and_weights(total: Fraction, weight: float, score: int) -> Iterator[tuple[int, str]]:
    """Totals in hundredths and digits of the weight whose product rounds to the score, the closest first."""
    totals = sorted({math.floor(total), math.ceil(total)}, key=lambda hundredths: abs(hundredths - total))
    rounded = [f"{weight:.{digits}f}" for digits in (2, 3, 4)]
    # One of these always does while the total is at most a hundred: the totals that round to the score make an
    # interval no shorter than one hundredth around the true one, and a step of the fourth digit moves it by less.
    either_way = [f"{way(10_000 * weight) / 10_000:.4f}" for way in (math.floor, math.ceil)]
    for digits in (rounded, either_way):
        yield from ((t, text) for t in totals for text in digits if abs(Fraction(text) * t - score) <= Fraction(1, 2))


def _largest_remainders(terms: Sequence[Fraction], total: int) -> list[int]:
    """Hundredths, every term rounded down or up so that they add up to the total."""
    below = [math.floor(100 * term) for term in terms]
    by_remainder = sorted(range(len(terms)), key=lambda k: below[k] - 100 * terms[k])
    raised = by_remainder[: total - sum(below)]
    return [hundredths + (k in raised) for k, hundredths in enumerate(below)]


def _factors(factors: Mapping[str, float], weight: str) -> dict[str, str]:
    """As many digits as it takes for the product to round to the printed weight."""
    half = Fraction(1, 2 * 10 ** len(weight.split(".")[1]))
    for digits in range(2, 8):
        printed = {name: f"{factor:.{digits}f}" for name, factor in factors.items()}
        if abs(math.prod(map(Fraction, printed.values())) - Fraction(weight)) <= half:
            return printed
    return {name: f"{factor:.4f}" for name, factor in factors.items()}


def _decimal(hundredths: int) -> str:
    sign = "+" if hundredths > 0 else "−" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02d}"
