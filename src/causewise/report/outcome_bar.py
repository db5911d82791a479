"""The three outcomes of a pair as one bar, the same in terminal, report, card and page.

The direction that is the more probable comes first, so that its part reaches the threshold's mark exactly where an
answer is given.
"""

from typing import NamedTuple

from causewise.decision import Decision
from causewise.methods.combined.outcomes import BACKWARD, FORWARD, NO_DIRECTION, in_units
from causewise.report.wording import BRIEF, short, shown

FILLS = {"leading": "█", "other": "▒", "neither": "░"}
"""Letters of the parts in a terminal."""
_MARK = "│"
_CELLS = 20
"""Of a bar in a list, five per cent each."""


class BarPart(NamedTuple):
    """One part of the bar."""

    kind: str
    """"leading", "other" or "neither"."""
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
        return "" if self.threshold is None else needed(self.threshold)

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
    x, y = (short(shown(name), BRIEF) for name in (decision.pair.x_name, decision.pair.y_name))
    names = {FORWARD: f"{x} → {y}", BACKWARD: f"{y} → {x}"}
    lead, other = sorted(names, key=lambda way: -shares[way])
    values = (shares[lead], shares[other], shares[NO_DIRECTION])
    percents = in_units(*values)
    labels = (("leading", names[lead]), ("other", names[other]), ("neither", "neither"))
    first, second, third = (
        BarPart(*label, value, f"{whole} %") for label, value, whole in zip(labels, values, percents, strict=True)
    )
    asked = decision.settings.get("threshold")
    return OutcomeBar((first, second, third), float(asked) if isinstance(asked, int | float) else None)


def line_bar(lead: float, neither: float, threshold: float) -> str:
    """The bar in one line of a list, the mark inside it.

    Examples
    --------
    >>> line_bar(0.85, 0.1, 0.8)
    '████████████████│█▒░░'
    """
    cells = in_units(lead, 1.0 - lead - neither, neither, _CELLS)
    bar = "".join(fill * count for fill, count in zip(FILLS.values(), cells, strict=True))
    mark = round(_CELLS * threshold)
    return bar[:mark] + _MARK + bar[mark:]


def line_key(threshold: float) -> str:
    """What the letters of such bars mean."""
    lead, other, neither = FILLS.values()
    parts = (f"{lead} this direction", f"{other} the other", f"{neither} neither", f"{_MARK} {needed(threshold)}")
    return "  ".join(["", *parts])


def needed(threshold: float) -> str:
    """`80 % needed for an answer`."""
    return f"{100 * threshold:g} % needed for an answer"
