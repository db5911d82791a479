"""What becomes of one column where another is set: a record that words, writes and draws itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from causewise.formatting import format_number, format_signed, visible
from causewise.numerics.native import FloatArray
from causewise.pair import Record
from causewise.tables.choose import list_names

LEVEL = 0.9
"""Probability of the bounds."""

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Change(NamedTuple):
    """How far the effect's mean moves while the cause goes from its lower to its upper quartile, with bounds."""

    start: float
    end: float
    mean: float
    low: float
    high: float


class Strength(NamedTuple):
    """Which share of a column's variance a parent carries: by the mean, and by the standard deviation of the noise."""

    parent: str
    child: str
    mean: float
    spread: float


@dataclass(frozen=True)
class EffectRefusal:
    """Two columns of which no effect is told, and why.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.uniform(0, 4, 400)
    >>> graph = causewise.graph({"response": 3 * dose + np.exp(0.4 * dose) * rng.normal(size=400), "dose": dose})
    >>> refusal = graph.ask_effect("response", "dose", at=[99])
    >>> print(refusal)  # doctest: +NORMALIZE_WHITESPACE
    Got 'dose' as an effect of 'response', and the graph has it as a cause: as far as the rows tell, setting 'response'
    leaves 'dose' as it is. 99 lies beyond the observed values of 'response' (−3.63 to 19.9).
    """

    cause: str
    effect: str
    reason: str
    observed: tuple[float, float]
    """The least and the largest value of the cause in the table."""
    beyond: tuple[float, ...] = ()
    """Values to set the cause to that lie outside of it."""

    def __str__(self) -> str:
        return visible(self.sentence)

    @property
    def sentence(self) -> str:
        """The reason, and where values lie beyond the observed ones."""
        return f"{self.reason} {locate_beyond(self.cause, self.beyond, self.observed)}." if self.beyond else self.reason

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            "cause": self.cause,
            "effect": self.effect,
            "reason": self.sentence,
            "observed": list(self.observed),
            "beyond": list(self.beyond),
        }


@dataclass(frozen=True, eq=False)
class Effect(Record):
    """What becomes of one column where another is set to some values; bounds hold with probability `level`.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.uniform(0, 4, 400)
    >>> response = 3 * dose + np.exp(0.4 * dose) * rng.normal(size=400)
    >>> effect = causewise.graph({"response": response, "dose": dose}).effect("dose", "response", at=[1, 3])
    >>> print(effect.mean.round(), effect.beyond)
    [3. 9.] ()
    >>> effect.from_to.low < 6 < effect.from_to.high, bool(effect.scale[1] > 1.5 * effect.scale[0])
    (True, True)
    """

    cause: str
    effect: str
    at: FloatArray
    """Values that the cause is set to."""
    mean: FloatArray
    """Of the effect, at each of them."""
    low: FloatArray
    high: FloatArray
    scale: FloatArray
    """The effect's standard deviation, at each of them."""
    scale_low: FloatArray
    scale_high: FloatArray
    per_unit: float
    """The average change of the mean a unit of the cause, between its quartiles."""
    from_to: Change
    """The change between its quartiles."""
    probability: float
    """That the mean moves in the direction that `from_to` says; NaN where no parts of the rows were drawn."""
    beyond: tuple[float, ...]
    """Values outside the observed range, where fits keep their last value and bounds reach twice as far as a line."""
    observed: tuple[float, float]
    """The least and the largest value of the cause in the table."""
    direct: bool
    """Whether columns between them stay as they are."""
    level: float
    remarks: tuple[str, ...] = ()
    """`notes` without the one on values beyond the observed range."""

    def __str__(self) -> str:
        change = self.from_to
        way = ", other columns held as they are," if self.direct else ""
        first = (
            f"Setting {self.cause} from {short_number(change.start)} to {short_number(change.end)}{way} changes "
            f"{self.effect} by {format_signed(change.mean, 3)} on average{self._bounds(change.low, change.high)}, "
            f"{format_signed(self.per_unit, 3)} per unit."
        )
        inside = [k for k, value in enumerate(self.at) if value not in self.beyond]
        told = [f"{short_number(self.scale[k])} at {short_number(self.at[k])}" for k in inside]
        second = f" Its standard deviation is {told[0]} and {told[-1]}." if len(told) > 1 else ""
        # Rounded down, so that 0.999 does not look like certainty.
        share = "" if math.isnan(self.probability) else f"{math.floor(100 * self.probability + 1e-9) / 100:.2f}"
        sure = f" The sign is right with probability {share}." if share else ""
        return visible(first + second + sure)

    def __repr__(self) -> str:
        return f"<Effect: {self}>"

    def _bounds(self, low: float, high: float) -> str:
        return "" if math.isnan(low) else f" ({self.level:.0%}: {format_signed(low, 3)} to {format_signed(high, 3)})"

    @property
    def notes(self) -> tuple[str, ...]:
        """What to bear in mind, a sentence each."""
        kept = "there the last value is kept, and the bounds reach twice as far as its line."
        return (
            (f"{locate_beyond(self.cause, self.beyond, self.observed)}: {kept}", *self.remarks)
            if self.beyond
            else self.remarks
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """Of `cells`."""
        bounds = f"{self.level:.0%} bounds"
        return ("set to", "mean", bounds, "standard deviation", bounds, "")

    def cells(self) -> list[tuple[str, ...]]:
        """The numbers at each value as text, with a mark where it lies beyond the observed ones."""
        columns = (self.at, self.mean, self.low, self.high, self.scale, self.scale_low, self.scale_high)
        return [
            (at, mean, f"{low} to {high}", scale, f"{least} to {most}", "beyond the rows" * (value in self.beyond))
            for value, row in zip(self.at, zip(*columns, strict=True), strict=True)
            for at, mean, low, high, scale, least, most in [tuple(map(short_number, row))]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        arrays = ("at", "mean", "low", "high", "scale", "scale_low", "scale_high")
        return {
            "cause": self.cause,
            "effect": self.effect,
            **{name: [_or_none(each) for each in getattr(self, name)] for name in arrays},
            "per_unit": self.per_unit,
            "from_to": {name: _or_none(value) for name, value in self.from_to._asdict().items()},
            "probability": _or_none(self.probability),
            "beyond": list(self.beyond),
            "observed": list(self.observed),
            "direct": self.direct,
            "level": self.level,
            "notes": list(self.notes),
        }

    def plot(self, path: Any = None) -> "Figure":
        """Draw the mean with its bounds and ± 2 standard deviations of the effect, over the values of the cause."""
        from causewise.report.effect_picture import draw_effect

        return draw_effect(self, path)

    def _repr_html_(self) -> str:
        """The sentence and the numbers, for notebooks."""
        from causewise.report.effect_picture import render_effect_card

        return render_effect_card(self)


def locate_beyond(cause: str, beyond: Sequence[float], observed: tuple[float, float]) -> str:
    """Which values lie beyond the observed ones, and where these end."""
    shown = list_names([short_number(value) for value in beyond], "", "")
    low, high = map(short_number, observed)
    return f"{shown} {'lies' if len(beyond) == 1 else 'lie'} beyond the observed values of {cause!r} ({low} to {high})"


def short_number(value: float) -> str:
    """With three digits."""
    return format_number(float(value), 3)


def _or_none(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
