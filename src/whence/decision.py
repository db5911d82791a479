"""What an answer is: Direction, Evidence, Decision; and what a method is.

One convention, stated once: a *score* is higher when a direction is more plausible, and the score of a pair is
forward − backward, so that > 0 favours x → y.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

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


def grouped(count: int) -> str:
    """A count in groups of three, with narrow spaces."""
    return f"{count:,}".replace(",", "\u202f")


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
    costs: Mapping[str, float] = field(default_factory=dict)
    """What each kind of evidence says against this direction, where a method weighs several."""
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
        costs = {"costs": {kind: _json_safe(value) for kind, value in self.costs.items()}} if self.costs else {}
        return {name: _json_safe(getattr(self, name)) for name in names} | costs


class Stability(NamedTuple):
    """What halves of the rows say."""

    agreement: float
    """Share of the halves that lean the way all rows do."""
    low: float
    high: float
    """Smallest and largest score of a half."""
    draws: int
    seed: int = 0


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
    """The terms of the score by kind of evidence, where a method weighs several: score = weight · Σ contributions."""
    weight: float | None = None
    """How much these rows can say, between 0 and 1."""
    weight_parts: Mapping[str, float] = field(default_factory=dict)
    """The factors of the weight."""
    rows_judged: int | None = None
    """How many of the rows the score rests on; None where a method does not say."""
    relation_p_value: float | None = None
    """Of the test whether the columns are related at all, where a method makes one."""
    unrelated: bool = False
    """Whether that test finds no relation: then there is no direction to find."""
    reason: str = ""
    """What carries the score, in words; empty where the two tests tell all."""
    abstention: str = ""
    """The sentence that says why the answer is withheld although the score leans one way; empty when it is given."""
    half_samples: "Stability | None" = None
    """What `stability` found, once it was asked for."""
    version: str = __version__

    @property
    def direction(self) -> Direction:
        """The verdict."""
        return Direction.UNDECIDED if self.abstention else self.leaning

    @property
    def leaning(self) -> Direction:
        """Which way the evidence points, whether or not the answer is withheld; none for unrelated columns."""
        return Direction.UNDECIDED if self.failure or self.unrelated else Direction.of(self.score)

    @property
    def status(self) -> str:
        """ "oriented", "undecided", "unrelated" or "failed"."""
        if self.failure:
            return "failed"
        if self.unrelated:
            return "unrelated"
        return "undecided" if self.direction is Direction.UNDECIDED else "oriented"

    @property
    def thinned(self) -> str:
        """`judged on 20 000 of 53 940 rows`; empty when every row was judged."""
        if self.rows_judged is None or self.rows_judged >= self.pair.n:
            return ""
        return f"judged on {grouped(self.rows_judged)} of {grouped(self.pair.n)} rows"

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
        """What decides, in words, with the columns' names; or why there is no answer."""
        if told := self.failure or self.abstention or self.reason:
            return told
        return self.reading.value.format(x=self.pair.x_name, y=self.pair.y_name) if self.reading else ""

    @property
    def verdict(self) -> str:
        """One line: `rain → river`, `undecided between rain and river`, or `rain and river are unrelated`."""
        if self.unrelated:
            return f"{self.pair.x_name} and {self.pair.y_name} are unrelated"
        if self.cause is None:
            return f"undecided between {self.pair.x_name} and {self.pair.y_name}"
        return f"{self.cause} → {self.effect}"

    def __str__(self) -> str:
        sure = "" if self.confidence is None or self.unrelated else f"confidence {percent(self.confidence)}, "
        score = "no answer" if self.failure else f"score {self.score:+.4g}"
        rows = self.thinned or f"n = {self.pair.n}"
        told = len(self.warnings)
        warned = f"; {told} warning{'s' * (told > 1)}" if told else ""
        return f"{self.verdict} ({self.method}, {sure}{score}, {rows}{warned})"

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
            "weight": self.weight,
            "weight_parts": dict(self.weight_parts),
            "leaning": self.leaning.value,
            "status": self.status,
            "method": self.method,
            "n": self.pair.n,
            "x": self.pair.x_name,
            "y": self.pair.y_name,
            "rows_judged": self.rows_judged,
            "dropped_rows": self.pair.dropped,
            "relation_p_value": _json_safe(self.relation_p_value),
            "forward": self.forward.to_dict(),
            "backward": self.backward.to_dict(),
            "reading": self.reading.name.lower() if self.reading else None,
            "explanation": self.explanation,
            "warnings": [str(text) for text in self.warnings],
            "warning_levels": [str(getattr(text, "level", "note")) for text in self.warnings],
            "failure": self.failure,
            "abstention": self.abstention,
            "settings": dict(self.settings),
            "seed": self.seed,
            "version": self.version,
        } | ({} if self.half_samples is None else {"stability": self.half_samples._asdict()})

    def stability(self, draws: int = 20, seed: int = 0) -> "Stability":
        """Decide `draws` random halves of the rows anew: which share leans the same way, and the range of the score.

        Where rows resemble their neighbours, whole blocks of them are drawn.
        """
        from whence.stability import half_samples

        return half_samples(self, draws, seed)

    # The report room draws decisions; these doors to it are opened on use, so that deciding never loads matplotlib.
    def plot(self) -> "Figure":
        """Both directions: scatter with mean and ±2σ band, and the standardised residual against the presumed cause."""
        from whence.report.picture import draw

        return draw(self)

    def report(self, path: str) -> None:
        """Write one self-contained HTML page."""
        from whence.report.page import write

        write(self, path)

    def _repr_html_(self) -> str:
        """The head of that page and a small picture, for notebooks."""
        from whence.report.card import card

        return card(self)


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


__all__ = [
    "LEVEL",
    "Decision",
    "Direction",
    "Evidence",
    "InputError",
    "Method",
    "Reading",
    "Stability",
    "grouped",
    "percent",
    "undecided",
]
