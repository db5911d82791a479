"""The score of a pair as bars, in digits that add up: its terms, its random halves, the three outcomes.

The bar of outcomes is the same in terminal, report, card and page: the more probable direction comes first, so that its
part reaches the threshold's mark exactly where an answer is given.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from causewise.decision import Decision
from causewise.formatting import shorten, single_line
from causewise.methods.combined.outcomes import BACKWARD, FORWARD, NO_DIRECTION, in_units

BRIEF = 26
"""Letters of a name where both names share a narrow place, such as the head of a table."""
REACH = 9.0
"""Of the axis of a sum to either side, the same for every pair, so that a small score looks small. No sum of the
default method is larger; where one of another method is, its bar ends at the edge."""
WIDTH = 100.0
"""Of the bars of a sum and of the line of halves, in their own units."""
FILLS = {"leading": "█", "other": "▒", "neither": "░"}
"""Letters of the outcomes in a terminal."""
_TICKS = (-6.0, -3.0, 3.0, 6.0)
_BINS = 60
"""Places along the line of halves; scores that share one are stacked."""
_MARK = "│"
_CELLS = 20
"""Of a bar in a list, five per cent each."""
_IN_ONE_LINE = {"description": "description length"}
"""Terms with a name of their own where a whole sum stands in one line."""


class RoundedSum(NamedTuple):
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


def round_score(decision: Decision) -> RoundedSum | None:
    """The terms, the weight and the score of a decision that is such a sum; None for any other."""
    # A term that is exactly 0, such as the coarseness of two columns without a repeated value, says nothing.
    terms, weight = {kind: term for kind, term in decision.contributions.items() if term}, decision.weight
    if not terms or weight is None or not 0 < weight <= 1 or not all(map(math.isfinite, terms.values())):
        return None
    if not math.isclose(decision.score, weight * sum(terms.values()), rel_tol=1e-6, abs_tol=1e-9):
        return None
    return round_together(terms, weight, decision.weight_parts)


def round_together(terms: Mapping[str, float], weight: float, factors: Mapping[str, float]) -> RoundedSum | None:
    """Digits that add up; None where four digits of the weight cannot do it, as with sums beyond a hundred.

    All numbers have two decimals, and none is further than one in its last digit from the truth.
    """
    # Rounding each number on its own would print sums that are off by a hundredth. Instead the score is rounded as
    # usual, the total goes up or down so that its product with the weight meets the score, and the terms with the
    # largest remainders go up so that they meet the total. Fractions, since in floats 100 × 0.285 falls short of 28.5.
    exact = [Fraction(term) for term in terms.values()]
    score = round(100 * Fraction(weight) * sum(exact))
    for total, digits in _totals_and_weights(100 * sum(exact, Fraction()), weight, score):
        below = [math.floor(100 * term) for term in exact]
        by_remainder = sorted(range(len(exact)), key=lambda k: below[k] - 100 * exact[k])
        raised = by_remainder[: total - sum(below)]
        hundredths = [n + (k in raised) for k, n in enumerate(below)]
        printed = dict(zip(terms, map(_decimal, hundredths), strict=True))
        return RoundedSum(printed, _decimal(total), digits, _round_factors(factors, digits), _decimal(score))
    return None


def _totals_and_weights(total: Fraction, weight: float, score: int) -> Iterator[tuple[int, str]]:
    """Totals in hundredths and digits of the weight whose product rounds to the score, the closest first."""
    totals = sorted({math.floor(total), math.ceil(total)}, key=lambda hundredths: abs(hundredths - total))
    rounded = [f"{weight:.{digits}f}" for digits in (2, 3, 4)]
    # One of these always does while the total is at most a hundred: the totals that round to the score make an
    # interval no shorter than one hundredth around the true one, and a step of the fourth digit moves it by less.
    either_way = [f"{way(10_000 * weight) / 10_000:.4f}" for way in (math.floor, math.ceil)]
    for digits in (rounded, either_way):
        yield from ((t, text) for t in totals for text in digits if abs(Fraction(text) * t - score) <= Fraction(1, 2))


def _round_factors(factors: Mapping[str, float], weight: str) -> dict[str, str]:
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


class Bar(NamedTuple):
    """From `x` to `x + width`, towards `kind`: "for" or "against" the way the score leans."""

    x: float
    width: float
    end: float
    """Where the next one starts."""
    kind: str


class SumOfBars(NamedTuple):
    """Terms laid end to end: each bar starts where the one before ends, and the last ends at the sum."""

    zero: float
    ticks: tuple[float, ...]
    reach: str
    terms: tuple[Bar, ...]
    total: Bar
    score: Bar


def stack_terms(terms: Sequence[float], weight: float) -> SumOfBars:
    """Where the bars of a score lie that is weight · Σ terms."""
    running = [0.0]
    for term in terms:
        running.append(running[-1] + term)
    total, score = running[-1], weight * running[-1]

    def place(value: float) -> float:
        return round(WIDTH * (min(max(value, -REACH), REACH) + REACH) / (2 * REACH), 2)

    def bar(start: float, end: float) -> Bar:
        a, b = sorted((place(start), place(end)))
        return Bar(a, round(b - a, 2), place(end), "for" if (end - start) * total >= 0 else "against")

    laid = tuple(bar(start, start + term) for start, term in zip(running, terms, strict=False))
    return SumOfBars(place(0.0), tuple(map(place, _TICKS)), f"{REACH:g}", laid, bar(0.0, total), bar(0.0, score))


class Dot(NamedTuple):
    """One half: where its score lies, and how many lie below it in the same place."""

    x: float
    height: int


class HalvesOnALine(NamedTuple):
    """The scores of random halves, zero, and the score of all rows."""

    zero: float
    score: float
    dots: tuple[Dot, ...]
    highest: int
    """Dots on top of one another, at most."""


def place_halves(decision: Decision) -> HalvesOnALine | None:
    """Where the halves lie; None where they were not asked for."""
    halves = decision.half_samples
    if halves is None or not halves.scores:
        return None
    low, high = min(*halves.scores, 0.0, decision.score), max(*halves.scores, 0.0, decision.score)

    def place(value: float) -> float:
        return 8 + (WIDTH - 16) * (value - low) / ((high - low) or 1.0)

    stacked: Counter[int] = Counter()
    dots = []
    for score in sorted(halves.scores):
        where = round(place(score) * _BINS / WIDTH)
        dots.append(Dot(round(where * WIDTH / _BINS, 2), stacked[where]))
        stacked[where] += 1
    return HalvesOnALine(round(place(0.0), 2), round(place(decision.score), 2), tuple(dots), max(stacked.values()))


class BarPart(NamedTuple):
    """One outcome: `kind` is "leading", "other" or "neither"."""

    kind: str
    name: str
    value: float
    text: str
    """In per cent; the three add up to 100, and the leading one's is the confidence."""


class OutcomeBar(NamedTuple):
    """Three parts that add up to 1, and how far the first has to reach."""

    parts: tuple[BarPart, BarPart, BarPart]
    threshold: float | None

    @property
    def needed(self) -> str:
        """`80 % needed for an answer`."""
        return "" if self.threshold is None else state_threshold(self.threshold)

    @property
    def description(self) -> str:
        """The whole bar in words."""
        listed = ", ".join(f"{part.name} {part.text}" for part in self.parts)
        return "; ".join(filter(None, (listed, self.needed)))

    def cells(self, width: int) -> tuple[int, int, int]:
        """How many of so many cells each part takes."""
        lead, other, neither = (part.value for part in self.parts)
        return in_units(lead, other, neither, width)


def outcome_bar(decision: Decision) -> OutcomeBar | None:
    """The bar of a decision; None where its method has no such outcomes, or no relation was found."""
    shares = decision.probabilities
    if not shares:
        return None
    x, y = brief_names(decision)
    names = {FORWARD: f"{x} → {y}", BACKWARD: f"{y} → {x}"}
    lead, other = sorted(names, key=lambda way: -shares[way])
    values = (shares[lead], shares[other], shares[NO_DIRECTION])
    labels = (("leading", names[lead]), ("other", names[other]), ("neither", "neither"))
    first, second, third = (
        BarPart(*label, value, f"{whole} %")
        for label, value, whole in zip(labels, values, in_units(*values), strict=True)
    )
    asked = decision.settings.get("threshold")
    return OutcomeBar((first, second, third), float(asked) if isinstance(asked, int | float) else None)


def draw_line_bar(lead: float, neither: float, threshold: float) -> str:
    """The bar of outcomes in one line of a list, the mark inside it.

    Examples
    --------
    >>> draw_line_bar(0.85, 0.1, 0.8)
    '████████████████│█▒░░'
    """
    cells = in_units(lead, 1.0 - lead - neither, neither, _CELLS)
    bar = "".join(fill * count for fill, count in zip(FILLS.values(), cells, strict=True))
    mark = round(_CELLS * threshold)
    return bar[:mark] + _MARK + bar[mark:]


def explain_line_bar(threshold: float) -> str:
    """What the letters of such bars mean."""
    lead, other, neither = FILLS.values()
    parts = (
        f"{lead} this direction",
        f"{other} the other",
        f"{neither} neither",
        f"{_MARK} {state_threshold(threshold)}",
    )
    return "  ".join(["", *parts])


def state_threshold(threshold: float) -> str:
    """`80 % needed for an answer`."""
    return f"{100 * threshold:g} % needed for an answer"


def brief_names(decision: Decision) -> tuple[str, str]:
    """The names of x and y for narrow places."""
    x, y = (shorten(single_line(name), BRIEF) for name in (decision.pair.x_name, decision.pair.y_name))
    return x, y
