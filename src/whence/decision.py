"""What an answer is: Direction, Evidence, Decision; and what a method is.

One convention, stated once: a *score* is higher when a direction is more plausible, and the score of a pair is
forward − backward, so that > 0 favours x → y.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from whence import __version__
from whence.pair import FloatArray, InputError, Pair

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVEL = 0.05
"""A direction's model is called rejected when its independence test has p below this."""


class Direction(Enum):
    """Which way the arrow points between the first column x and the second column y."""

    FORWARD = "x->y"
    BACKWARD = "y->x"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, score: float) -> "Direction":
        """The sign of a score; a tie or a number that is none is undecided, never a silent zero."""
        if not math.isfinite(score) or score == 0:
            return cls.UNDECIDED
        return cls.FORWARD if score > 0 else cls.BACKWARD


class Reading(Enum):
    """The four ways two independence tests can turn out; the value is the sentence for the user."""

    FORWARD_FITS = "Only {x} → {y} fits: its residual looks independent of {x}, and the reverse model is rejected."
    BACKWARD_FITS = "Only {y} → {x} fits: its residual looks independent of {y}, and the reverse model is rejected."
    BOTH_FIT = (
        "Both directions fit: neither residual depends visibly on its presumed cause, so these rows cannot tell the "
        "directions apart well (too few rows, or a relation that is the same both ways, such as a linear Gaussian one)."
    )
    NEITHER_FITS = (
        "Neither direction fits: both residuals still depend on their presumed cause, which points to a hidden common "
        "cause, a mixture of mechanisms, dependent rows, or a model family that is too small; if a direction is "
        "given all the same, it is only the less bad one."
    )

    @classmethod
    def of(cls, p_forward: float | None, p_backward: float | None) -> "Reading | None":
        """Read two p-values; None where a method gives none."""
        if p_forward is None or p_backward is None or math.isnan(p_forward) or math.isnan(p_backward):
            return None
        fits = (p_forward >= LEVEL, p_backward >= LEVEL)
        return {
            (True, False): cls.FORWARD_FITS,
            (False, True): cls.BACKWARD_FITS,
            (True, True): cls.BOTH_FIT,
            (False, False): cls.NEITHER_FITS,
        }[fits]

    def beside(self, leaning: Direction) -> str:
        """The sentence where the two tests are only a part of the evidence that was weighed."""
        other = {Reading.FORWARD_FITS: Direction.BACKWARD, Reading.BACKWARD_FITS: Direction.FORWARD}
        if other.get(self) is leaning:
            only = "{x} → {y}" if self is Reading.FORWARD_FITS else "{y} → {x}"
            return f"The independence test alone points the other way (only {only} fits); the rest outweighs it."
        return {
            Reading.BOTH_FIT: "The independence test alone cannot tell (both directions fit); the rest does.",
            Reading.NEITHER_FITS: "A location-scale model fits neither way, so a hidden common cause or a mixture is "
            "possible; the answer rests on the other evidence.",
        }.get(self, self.value)


def percent(confidence: float) -> str:
    """Rounded down, so that 79.8 % does not look like 80 %, nor 99.9 % like certainty."""
    return f"{math.floor(100 * confidence)} %"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What speaks for one direction. Fields a method does not compute are None, never a placeholder number."""

    score: float
    """The method's own criterion for this direction; higher is more plausible."""
    log_likelihood: float | None = None
    """Mean per row in nats, columns standardised, without prior terms."""
    hsic: float | None = None
    """Biased HSIC statistic of presumed cause and residual; smaller is more independent."""
    p_value: float | None = None
    log_p_value: float | None = None
    converged: bool | None = None
    n_iter: int | None = None
    kkt: float | None = None
    message: str = ""
    """Why the fit stopped, when it stopped short."""
    location: FloatArray | None = field(default=None, repr=False)
    """Fitted mean of the effect at every row, in the effect's own units."""
    scale: FloatArray | None = field(default=None, repr=False)
    """Fitted standard deviation at every row, in the effect's own units."""
    residual: FloatArray | None = field(default=None, repr=False)
    """Standardised residual (effect − location) / scale, in the order of the rows."""

    def to_dict(self) -> dict[str, Any]:
        """The numbers, without the per-row arrays; NaN becomes None so that the result is valid JSON."""
        names = (
            "score",
            "log_likelihood",
            "hsic",
            "p_value",
            "log_p_value",
            "converged",
            "n_iter",
            "kkt",
            "message",
        )
        return {name: _json_safe(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False)
class Decision:
    """The answer for one pair, with the evidence for both directions and everything needed to repeat it."""

    method: str
    pair: Pair = field(repr=False)
    score: float
    """Forward − backward; > 0 favours x → y."""
    forward: Evidence
    backward: Evidence
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    warnings: tuple[str, ...] = ()
    failure: str = ""
    """The sentence that says why there is no answer; empty when there is one."""
    confidence: float | None = None
    """Calibrated probability that the direction is right, where the method has one."""
    contributions: Mapping[str, float] = field(default_factory=dict)
    """How far the score would fall if a kind of evidence were silent, where a method weighs several."""
    abstention: str = ""
    """The sentence that says why the answer is withheld although the score leans one way; empty when it is given."""
    version: str = __version__

    @property
    def direction(self) -> Direction:
        """The verdict."""
        return Direction.UNDECIDED if self.abstention else self.leaning

    @property
    def leaning(self) -> Direction:
        """Which way the score points, whether or not the answer is withheld; benchmarks rank by it."""
        return Direction.UNDECIDED if self.failure else Direction.of(self.score)

    @property
    def cause(self) -> str | None:
        """Name of the cause, or None when undecided."""
        names = {Direction.FORWARD: self.pair.x_name, Direction.BACKWARD: self.pair.y_name}
        return names.get(self.direction)

    @property
    def effect(self) -> str | None:
        """Name of the effect, or None when undecided."""
        names = {Direction.FORWARD: self.pair.y_name, Direction.BACKWARD: self.pair.x_name}
        return names.get(self.direction)

    @property
    def reading(self) -> Reading | None:
        """What the two independence tests say together."""
        return Reading.of(self.forward.p_value, self.backward.p_value)

    @property
    def explanation(self) -> str:
        """The reading in words, with the columns' names; or why there is no answer."""
        if self.failure or self.abstention:
            return self.failure or self.abstention
        if self.reading is None:
            return ""
        alone = self.confidence is None or self.leaning is Direction.UNDECIDED
        said = self.reading.value if alone else self.reading.beside(self.leaning)
        return said.format(x=self.pair.x_name, y=self.pair.y_name)

    @property
    def verdict(self) -> str:
        """One line: `rain → river`, or `undecided between rain and river`."""
        if self.cause is None:
            return f"undecided between {self.pair.x_name} and {self.pair.y_name}"
        return f"{self.cause} → {self.effect}"

    def __str__(self) -> str:
        sure = "" if self.confidence is None else f"confidence {percent(self.confidence)}, "
        score = "no answer" if self.failure else f"score {self.score:+.4g}"
        return f"{self.verdict} ({self.method}, {sure}{score}, n = {self.pair.n})"

    def __repr__(self) -> str:
        return f"<Decision: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record of the decision."""
        return {
            "direction": self.direction.value,
            "cause": self.cause,
            "effect": self.effect,
            "score": _json_safe(self.score),
            "confidence": _json_safe(self.confidence),
            "contributions": dict(self.contributions),
            "leaning": self.leaning.value,
            "method": self.method,
            "n": self.pair.n,
            "x": self.pair.x_name,
            "y": self.pair.y_name,
            "dropped_rows": self.pair.dropped,
            "forward": self.forward.to_dict(),
            "backward": self.backward.to_dict(),
            "reading": self.reading.name.lower() if self.reading else None,
            "explanation": self.explanation,
            "warnings": list(self.warnings),
            "failure": self.failure,
            "abstention": self.abstention,
            "settings": dict(self.settings),
            "seed": self.seed,
            "version": self.version,
        }

    # The report room draws decisions; these two doors to it are opened on use, so that deciding never loads matplotlib.
    def plot(self) -> "Figure":
        """Both directions: scatter with mean and ±2σ band, and the standardised residual against the presumed cause."""
        from whence.report.picture import draw

        return draw(self)

    def report(self, path: str) -> None:
        """Write one self-contained HTML page."""
        from whence.report.page import write

        write(self, path)


@runtime_checkable
class Method(Protocol):
    """Anything with a name that decides pairs; batched methods use that they see many at once."""

    @property
    def name(self) -> str:
        """The name under which results are filed."""

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order. A pair that fails becomes a Decision with `failure` set."""


def undecided(pair: Pair, method: str, why: str, **extra: Any) -> Decision:
    """The decision for a pair on which a method has no answer: no number stands in for it."""
    nothing = Evidence(score=math.nan)
    return Decision(method, pair, math.nan, nothing, nothing, failure=why, **extra)


def _json_safe(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


__all__ = ["LEVEL", "Decision", "Direction", "Evidence", "InputError", "Method", "Reading", "percent", "undecided"]
