"""Small pictures of a few numbers, which the page's template draws itself: a sum in bars, and halves on a line."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from causewise.decision import Decision

WIDTH = 100.0
"""Of both pictures, in their own units."""
REACH = 9.0
"""Of the axis of a sum to either side, the same for every pair, so that a small score looks small. No sum of the
default method is larger; where one of another method is, its bar ends at the edge."""
TICKS = (-6.0, -3.0, 3.0, 6.0)
_BINS = 60
"""Places along a line; scores that share one are stacked."""


class Bar(NamedTuple):
    """From `x` to `x + width`; `end` is where the next one starts."""

    x: float
    width: float
    end: float
    kind: str
    """"for" or "against" the way the score leans."""


class SumOfBars(NamedTuple):
    """Terms laid end to end: each bar starts where the one before ends, and the last ends at the sum."""

    zero: float
    ticks: tuple[float, ...]
    reach: str
    terms: tuple[Bar, ...]
    total: Bar
    score: Bar


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


def sum_of_bars(terms: Sequence[float], weight: float) -> SumOfBars:
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
    return SumOfBars(place(0.0), tuple(map(place, TICKS)), f"{REACH:g}", laid, bar(0.0, total), bar(0.0, score))


def halves_on_a_line(decision: Decision) -> HalvesOnALine | None:
    """Where the halves lie; None where they were not asked for."""
    found = decision.half_samples
    if found is None or not found.scores:
        return None
    low, high = min(*found.scores, 0.0, decision.score), max(*found.scores, 0.0, decision.score)

    def place(value: float) -> float:
        return 8 + (WIDTH - 16) * (value - low) / ((high - low) or 1.0)

    stacked: Counter[int] = Counter()
    dots = []
    for score in sorted(found.scores):
        where = round(place(score) * _BINS / WIDTH)
        dots.append(Dot(round(where * WIDTH / _BINS, 2), stacked[where]))
        stacked[where] += 1
    return HalvesOnALine(round(place(0.0), 2), round(place(decision.score), 2), tuple(dots), max(stacked.values()))
