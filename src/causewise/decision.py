"""What an answer is: Direction, Evidence, Decision. Records only: nothing here computes.

One convention, stated once: a *score* is higher when a direction is more plausible, and the score of a pair is
forward − backward, so that > 0 favours x → y.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from causewise.column_types import ColumnType, classify_columns
from causewise.criteria import ModelCheck
from causewise.formatting import format_count, percent, visible
from causewise.pair import FloatArray, Pair, Record
from causewise.version import VERSION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from causewise.graphs.effect import Effect
    from causewise.inference import Stability
    from causewise.protocol import Method


class Direction(Enum):
    """Which way the arrow points between the first column x and the second column y.

    Examples
    --------
    >>> import causewise
    >>> causewise.Direction.of(-0.3)
    <Direction.BACKWARD: 'y->x'>
    >>> causewise.Direction("undecided") is causewise.Direction.of(0.0)
    True
    """

    FORWARD = "x->y"
    BACKWARD = "y->x"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, score: float) -> "Direction":
        """The sign of a score; a tie or NaN is undecided, never a silent zero."""
        if not math.isfinite(score) or score == 0:
            return cls.UNDECIDED
        return cls.FORWARD if score > 0 else cls.BACKWARD


USABLE = 0.6
"""Below this confidence a lean is not worth a number."""
FAINT = ", little better than a coin"
"""What follows the confidence of an answer that a low threshold let through all the same."""


@dataclass(frozen=True, eq=False)
class Evidence(Record):
    """What speaks for one direction. Fields a method does not compute are None, never a placeholder number.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> causewise.infer(x, x**2 + rng.normal(size=200), method="loci-h").forward.p_value > 0.05
    True
    """

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
        names = ["score", "log_likelihood", "hsic", "p_value", "log_p_value", "converged", "n_iter", "kkt", "message"]
        costs = {"costs": {kind: _json_safe(value) for kind, value in self.costs.items()}} if self.costs else {}
        return {name: _json_safe(getattr(self, name)) for name in names} | costs


@dataclass(frozen=True, eq=False)
class Decision(Record):
    """The answer for one pair, with the evidence for both directions and everything needed to repeat it.

    Decisions are made by `causewise.infer` and by methods; they compare equal when everything in them is, and pickle.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2, 2, 500)
    >>> decision = causewise.infer(x, np.sin(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=500))
    >>> decision.cause, decision.direction.value
    ('x', 'x->y')
    >>> abs(decision.score - decision.weight * sum(decision.contributions.values())) < 1e-12
    True
    """

    method: str
    pair: Pair = field(repr=False)
    score: float
    """Forward − backward; > 0 favours x → y."""
    forward: Evidence
    backward: Evidence
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    warnings: tuple[str, ...] = ()
    failed: bool = False
    """Whether the method broke down on this pair; `reason` says how."""
    confidence: float | None = None
    """The larger probability of a direction, where the method has one; None where no direction could be told."""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    """Of `x->y`, `y->x` and `neither`, adding up to 1, where the method has them."""
    contributions: Mapping[str, float] = field(default_factory=dict)
    """The terms of the score by kind of evidence, where a method weighs several: score = weight · Σ contributions."""
    weight: float | None = None
    """How much these rows can say, between 0 and 1."""
    weight_parts: Mapping[str, float] = field(default_factory=dict)
    """The factors of the weight."""
    rows_judged: int | None = None
    """How many of the rows the score rests on; None where a method does not say."""
    dependence_p: float | None = None
    """Of the test whether the columns are related at all, where a method makes one."""
    unrelated: bool = False
    """Whether that test finds no relation: then there is no direction to find."""
    carried_by: str = ""
    """What carries the score, in words; empty where the two tests tell all."""
    reason: str = ""
    """The sentence that says why there is no answer; empty when there is one."""
    half_samples: "Stability | None" = None
    """What `stability` found, once it was asked for."""
    version: str = VERSION
    given_kinds: Mapping[str, ColumnType] | None = field(default=None, repr=False)
    """Of the columns as they were given, where only the rows beside a point mass are scored."""
    given_rows: int | None = field(default=None, repr=False)
    """How many complete rows were given, where only those beside a point mass are scored."""
    asked: str = field(default="", repr=False)
    """How a method that causewise does not have was asked for: `package.module:object`, or an entry point's name."""
    built: "Method | None" = field(default=None, repr=False, compare=False)
    """Such a method itself, to ask it again; pickling leaves it out."""

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"built": None}

    @cached_property
    def kinds(self) -> Mapping[str, ColumnType]:
        """The column types of `x` and of `y`, continuous or not."""
        return self.given_kinds or classify_columns(self.pair)

    @property
    def direction(self) -> Direction:
        """The verdict."""
        return Direction.UNDECIDED if self.reason else self.leaning

    @property
    def leaning(self) -> Direction:
        """Which way the evidence points, whether or not the answer is withheld; none for unrelated columns."""
        return Direction.UNDECIDED if self.failed or self.unrelated else Direction.of(self.score)

    @property
    def stopped(self) -> bool:
        """Whether a data check leaves no number to show: neither a lean nor a confidence nor a sum."""
        return bool(self.reason) and not (self.failed or self.unrelated or math.isfinite(self.score))

    @property
    def status(self) -> str:
        """One of `oriented`, `undecided`, `unrelated` and `failed`."""
        if self.failed:
            return "failed"
        if self.unrelated:
            return "unrelated"
        return "undecided" if self.direction is Direction.UNDECIDED else "oriented"

    @property
    def n(self) -> int:
        """How many complete rows the pair has; where only those beside a point mass are scored, these."""
        return self.pair.n

    @property
    def rows_given(self) -> int:
        """All rows that were handed in, those too that lack a value or share a point mass."""
        return (self.given_rows or self.pair.n) + self.pair.dropped

    @property
    def sampled(self) -> bool:
        """Whether a sample of the pair's rows is scored, since they are too many."""
        return self.rows_judged is not None and self.rows_judged < self.pair.n

    @property
    def thinned(self) -> str:
        """`scored on 212 of 1 388 rows`, whatever the others were left out for; empty when every row was scored."""
        scored = self.pair.n if self.rows_judged is None else self.rows_judged
        return (
            f"scored on {format_count(scored)} of {format_count(self.rows_given)} rows"
            if scored < self.rows_given
            else ""
        )

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
    def reading(self) -> ModelCheck | None:
        """What the two independence tests say together; None for a stopped pair."""
        return None if self.stopped else ModelCheck.of(self.forward.p_value, self.backward.p_value)

    @property
    def explanation(self) -> str:
        """What decides, in words, with the columns' names; or why there is no answer."""
        if why := self.reason or self.carried_by:
            return why
        return self.reading.value.format(x=self.pair.x_name, y=self.pair.y_name) if self.reading else ""

    @property
    def verdict(self) -> str:
        """One line: `rain → river`, `undecided between rain and river`, or `rain and river are unrelated`."""
        if self.unrelated:
            return f"{self.pair.x_name} and {self.pair.y_name} are unrelated"
        if self.cause is None:
            return f"undecided between {self.pair.x_name} and {self.pair.y_name}"
        return f"{self.cause} → {self.effect}"

    @property
    def leaning_names(self) -> tuple[str, str] | None:
        """Cause and effect as the evidence has them, answered or not; None where it points nowhere or hardly."""
        if self.reason and self.confidence is not None and self.confidence < USABLE:
            return None
        x, y = self.pair.x_name, self.pair.y_name
        return {Direction.FORWARD: (x, y), Direction.BACKWARD: (y, x)}.get(self.leaning)

    @property
    def doubt(self) -> str:
        """What to add to the confidence of an answer that a low threshold let through; empty for any other."""
        faint = not self.reason and self.confidence is not None and self.confidence < USABLE
        return FAINT if faint else ""

    def __str__(self) -> str:
        parts = (self.method, self._strength, self.thinned or f"n = {self.pair.n}")
        count = len(self.warnings)
        warned = f"; {count} warning{'s' * (count > 1)}" if count else ""
        return f"{visible(self.verdict)} ({', '.join(filter(None, parts))}{warned})"

    @property
    def _strength(self) -> str:
        """Confidence and score, where there is a direction or a lean that they are of."""
        if self.failed:
            return "no answer"
        if self.unrelated or self.stopped:
            return ""
        if self.confidence is not None and not self.leaning_names:
            return "no usable lean"
        towards = f" for {visible(' → '.join(self.leaning_names))}" if self.reason and self.leaning_names else ""
        sure = "" if self.confidence is None else f"confidence {percent(self.confidence)}{towards}{self.doubt}, "
        return f"{sure}score {self.score:+.4g}"

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
            "probabilities": dict(self.probabilities) or None,
            "contributions": dict(self.contributions),
            "weight": self.weight,
            "weight_parts": dict(self.weight_parts),
            "leaning": self.leaning.value,
            "status": self.status,
            "method": self.method,
            "n": self.n,
            "x": self.pair.x_name,
            "y": self.pair.y_name,
            "kinds": {column: str(kind) for column, kind in self.kinds.items()},
            "rows_judged": self.rows_judged,
            "rows_given": self.rows_given,
            "dropped_rows": self.pair.dropped,
            "dependence_p": _json_safe(self.dependence_p),
            "forward": self.forward.to_dict(),
            "backward": self.backward.to_dict(),
            "reading": self.reading.name.lower() if self.reading else None,
            "explanation": self.explanation,
            "warnings": [str(text) for text in self.warnings],
            "warning_levels": [str(getattr(text, "severity", "note")) for text in self.warnings],
            "reason": self.reason,
            "settings": dict(self.settings),
            "seed": self.seed,
            "version": self.version,
        } | ({} if self.half_samples is None else {"stability": self.half_samples.to_dict()})

    # Drawing, reporting and repeating lie above this module: local imports, so that the records load no matplotlib.
    def stability(self, draws: int = 20, seed: int = 0) -> "Stability":
        """Decide random halves of the rows anew; whole blocks of rows where neighbours resemble each other.

        Parameters
        ----------
        draws
            How many halves.
        seed
            Which halves; the same seed gives the same ones.
        """
        from causewise.inference import half_samples

        return half_samples(self, draws, seed)

    def estimate_effect(self, at: Any = None, *, level: float = 0.9, draws: int = 8, seed: int = 0) -> "Effect":
        """What becomes of the effect where the cause is set: mean and standard deviation, with bounds.

        Parameters
        ----------
        at
            Values to set the cause to; quantiles of it unless given.
        level
            Probability of the bounds.
        draws
            How many halves of the rows the bounds come from, the effect estimated anew on each.
        seed
            Which halves.

        Examples
        --------
        >>> import numpy as np, causewise
        >>> rng = np.random.default_rng(0)
        >>> x = rng.uniform(-2, 2, 400)
        >>> effect = causewise.infer(x, np.exp(x) + 0.3 * rng.normal(size=400)).estimate_effect(at=[0.0, 1.0])
        >>> print(effect.mean.round(1))
        [1.  2.7]
        """
        from causewise.graphs.finder import estimate_pair_effect

        return estimate_pair_effect(self, at, level, draws, seed)

    def plot(self, path: Any = None, *, ax: Any = None) -> "Figure":
        """Draw both directions: the rows with mean and ±2σ band, and the residual against the presumed cause.

        Parameters
        ----------
        path
            Where to write the picture (png, svg or pdf); nowhere by default.
        ax
            Axes of your own to draw into.
        """
        from causewise.report.decision_picture import draw

        return draw(self, path, ax)

    def report(self, path: Any, *, stability: bool = False, methods: Sequence[Any] = ()) -> None:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path
            Where to write it.
        stability
            Also show what random halves of the rows say, and decide them if that was not asked for yet.
        methods
            Other methods to ask, by name or as objects, each with its time (or answers that were had already).

        Examples
        --------
        >>> import numpy as np, tempfile, pathlib, causewise
        >>> x = np.random.default_rng(0).uniform(-1, 1, 200)
        >>> decision = causewise.infer(x, np.exp(2 * x) + 0.1 * np.sin(9 * x))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     decision.report(pathlib.Path(folder) / "page.html", stability=True, methods=["mdl", "loci-h"])
        """
        from causewise.report.html_pages import write_decision

        write_decision(self, path, stability, methods)

    def _repr_html_(self) -> str:
        """The head of that page and a small picture, for notebooks."""
        from causewise.report.html_pages import render_card

        return render_card(self)


def _json_safe(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
