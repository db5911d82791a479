"""The numbers along an axis: 5 000 and 10 000 in full, never an offset such as 1e4 in a corner that is cut off."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from causewise.report.wording import grouped_digits, number

if TYPE_CHECKING:
    from matplotlib.axis import Axis

MOST = 6
"""Intervals between ticks, where their numbers are short."""
_FULL = 1e-3, 1e6
"""Axes whose largest number lies between these are written out; others in powers of ten."""


def write_ticks(axis: "Axis", low: float, high: float) -> None:
    """Round ticks over a range, as few as leave room for their numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    values = _round_values(low, high, MOST)
    if max(map(len, tick_labels(values))) > 8 and axis is axis.axes.xaxis:
        values = _round_values(low, high, MOST // 2)
    labels = dict(zip(values, tick_labels(values), strict=True))
    axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter(FuncFormatter(lambda value, _: labels.get(float(value), number(float(value)))))


def widest(low: float, high: float) -> int:
    """Letters of the longest number along this range."""
    return max(map(len, tick_labels(_round_values(low, high, MOST))))


def tick_labels(values: Sequence[float]) -> list[str]:
    """As many digits as tell neighbours apart, the same number of decimals for all.

    >>> tick_labels([0.0, 5000.0, 10000.0])
    ['0', '5\u202f000', '10\u202f000']
    >>> tick_labels([1990.0, 2000.0]), tick_labels([0.0, 0.5, 1.0]), tick_labels([0.0, 2e6])
    (['1990', '2000'], ['0.0', '0.5', '1.0'], ['0', '2×10⁶'])
    """
    step = min((b - a for a, b in pairwise(values)), default=1.0)
    largest = max(map(abs, values))
    place = math.floor(math.log10(step) + 1e-6)  # of the last digit that differs
    digits = max(math.floor(math.log10(largest)) - place, 0) + 1 if largest else 1
    # A narrow range far from zero, such as seconds since 1970, has no short powers of ten.
    if _FULL[0] <= largest <= _FULL[1] or (digits > 4 and largest < 1e12 and place > -4):
        plain = [f"{value:.{max(-place, 0)}f}" for value in values]
        # Four digits stand alone, since they may be years, unless a longer neighbour is grouped.
        return [grouped_digits(text, 4 if largest >= 1e4 else 5) for text in plain]
    return [number(0.0 if abs(value) < step / 2 else value, digits) for value in values]


def _round_values(low: float, high: float, most: int) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    inside = MaxNLocator(nbins=most, steps=[1, 2, 5, 10]).tick_values(low, high)
    # The locator goes one step beyond either end.
    kept = [float(value) for value in inside if low <= value <= high]
    return kept or [low, high]
