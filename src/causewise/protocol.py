"""What a method is, how one is built from its settings, and what its failure becomes."""

import io
import math
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import Signature, getsource, signature
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from causewise.decision import Decision, Direction, Evidence
from causewise.errors import ROWS, InputError, between, one_of, positive
from causewise.formatting import format_count
from causewise.numerics.row_sampling import sample_rows
from causewise.pair import MIN_ROWS, FloatArray, Pair, both_directions, one_variable

ROUNDING = 1e-10
"""Of the numbers a score is computed from; sums in another order and fits from the other end differ by less."""


@runtime_checkable
class Method(Protocol):
    """Anything with a name that decides pairs; batched methods use that they see many at once.

    A method of your own needs nothing else to work with `causewise.infer(…, method=yours)`, in scans and in the
    benchmark.

    Examples
    --------
    >>> import causewise
    >>> isinstance(causewise.method("loci-h"), causewise.Method)
    True
    """

    @property
    def name(self) -> str:
        """The name under which results are filed."""

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order. A pair that fails becomes a Decision with `failure` set."""


def batch_size(method: Method) -> int:
    """How many pairs are best handed to a method at once; 1 where it says nothing."""
    return max(1, int(getattr(method, "batch_size", 1) or 1))


class MethodPickle(NamedTuple):
    """What it takes to hand a method to another process, or to know it again."""

    content: bytes
    modules: frozenset[str]
    """Whose classes and functions it names."""

    @classmethod
    def of(cls, method: Method) -> "MethodPickle | None":
        """None where it cannot be pickled."""
        try:
            content = pickle.dumps(method)
            named = _NamedModules(io.BytesIO(content))
            named.load()
        except Exception:  # whatever an object's own way to be pickled may raise
            return None
        return cls(content, frozenset(named.modules))

    @property
    def identity(self) -> bytes:
        """With the source of what it names, since a function is pickled by its name: once changed, it is another."""
        source = b""
        for module in sorted(self.modules):
            with suppress(OSError, TypeError):  # of a notebook, or compiled
                source += getsource(sys.modules[module]).encode()
        return self.content + source


class _NamedModules(pickle.Unpickler):
    """Remembers whose objects a pickle names."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.modules: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        """As usual."""
        self.modules.add(module)
        return super().find_class(module, name)


def record_failure(pair: Pair, method: str, why: str, **fields: Any) -> Decision:
    """The decision for a pair on which a method has no answer: no number stands in for one that does not exist."""
    nothing = Evidence(score=math.nan)
    return Decision(method, pair, math.nan, nothing, nothing, failed=True, reason=why, **fields)


def attempt(pair: Pair, method: str, decide: Callable[[], Decision], **fields: Any) -> Decision:
    """What `decide` returns; where it breaks down, refuses or has no finite score, a decision that says so."""
    try:
        with np.errstate(all="ignore"):
            decision = decide()
    except InputError as refusal:
        return record_failure(pair, method, str(refusal), **fields)
    except (ArithmeticError, np.linalg.LinAlgError) as problem:
        why = f"{method} broke down on this pair ({problem}); look at the two columns for degenerate values."
        return record_failure(pair, method, why, **fields)
    if not math.isfinite(decision.score) and not decision.failed:
        return record_failure(pair, method, f"{method} has no finite score on this pair.", **fields)
    return _round_tie(decision)


def _round_tie(decision: Decision) -> Decision:
    """A tie is a tie up to rounding: the score is exactly 0 where only the last digits would tell the directions apart.

    That is so where it vanishes beside what it was computed from, and where the two columns are one variable: any
    method then compares a thing with itself.
    """
    sides, score = (decision.forward, decision.backward), decision.score
    size = max((abs(v) for side in sides for v in (side.score, *side.costs.values()) if math.isfinite(v)), default=0.0)
    if decision.failed or score == 0 or (abs(score) > ROUNDING * size and not one_variable(decision.pair)):
        return decision
    middle = 0.5 * (decision.forward.score + decision.backward.score)
    ways, probabilities = (Direction.FORWARD.value, Direction.BACKWARD.value), dict(decision.probabilities)
    if probabilities:
        probabilities |= dict.fromkeys(ways, 0.5 * sum(probabilities[way] for way in ways))
    return replace(
        decision,
        score=0.0,
        forward=replace(decision.forward, score=middle),
        backward=replace(decision.backward, score=middle),
        confidence=None if decision.confidence is None else probabilities.get(ways[0], 0.5),
        probabilities=probabilities,
        contributions=dict.fromkeys(decision.contributions, 0.0),
    )


def fit_messages(pair: Pair, forward: Evidence, backward: Evidence) -> tuple[str, ...]:
    """Why a fit stopped short, by direction; empty when both reached their optimum."""
    ways = ((f"{pair.x_name} → {pair.y_name}", forward), (f"{pair.y_name} → {pair.x_name}", backward))
    return tuple(f"{way}: {side.message}" for way, side in ways if side.message)


@dataclass(frozen=True)
class PairMethod:
    """A method given by `decide(pair)`, which returns a Decision; settings, seed and failures are filled in here."""

    name: str
    decide: Callable[[Pair], Decision]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        fields: dict[str, Any] = {"settings": self.settings, "seed": self.seed}
        decisions = (attempt(pair, self.name, partial(self.decide, pair)) for pair in pairs)
        return [replace(decision, **fields) for decision in decisions]


class PairScore(NamedTuple):
    """What a whole-pair score function returns: the score (> 0 favours x → y) and each direction's own plausibility.

    Examples
    --------
    >>> import causewise
    >>> from causewise.protocol import PairScore
    >>> PairScore(0.5, causewise.Evidence(1.5), causewise.Evidence(1.0)).score
    0.5
    """

    score: float
    forward: Evidence
    backward: Evidence


@dataclass(frozen=True)
class Directional:
    """A method given by `score(cause, effect)`, higher = more plausible; the pair's score is forward − backward.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> from causewise.protocol import Directional
    >>> scale = Directional("scale", lambda cause, effect: float(np.std(cause)))
    >>> causewise.infer([0, 5, 1, 9, 2, 8, 3, 7, 4, 6], range(0, 20, 2), method=scale).verdict
    'y → x'
    """

    name: str
    score: Callable[[FloatArray, FloatArray], float | Evidence]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return PairMethod(self.name, self._decide, self.settings, self.seed).decide_many(pairs)

    def _decide(self, pair: Pair) -> Decision:
        values = both_directions(pair, self.score)
        forward, backward = (v if isinstance(v, Evidence) else Evidence(score=float(v)) for v in values)
        return Decision(self.name, pair, forward.score - backward.score, forward, backward)


@dataclass(frozen=True)
class Joint:
    """A method given by `score(x, y) -> PairScore`, for scores that are not a plain difference of two directions.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> from causewise.protocol import Joint, PairScore
    >>> def ratio(x, y):
    ...     score = float(np.log(np.std(x) / np.std(y)))
    ...     return PairScore(score, causewise.Evidence(score), causewise.Evidence(-score))
    >>> causewise.infer([0, 5, 1, 9, 2, 8, 3, 7, 4, 6], range(0, 20, 2), method=Joint("ratio", ratio)).verdict
    'y → x'
    """

    name: str
    score: Callable[[FloatArray, FloatArray], PairScore]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return PairMethod(self.name, self._decide, self.settings, self.seed).decide_many(pairs)

    def _decide(self, pair: Pair) -> Decision:
        return Decision(self.name, pair, *self.score(pair.x, pair.y))


_M = TypeVar("_M")


def make_builder(
    kind: Callable[[str, Callable[..., Any], dict[str, Any]], _M], name: str, score: Callable[..., Any], **allowed: Any
) -> Callable[..., _M]:
    """The function that builds a method; its settings are the keywords of the score, those in `allowed` among them.

    Written out, every setting would be declared and defaulted twice. `allowed` says which values a setting may have:
    the ends of a range of whole numbers, the largest positive number, a tuple of words, or a function that raises.
    """
    parameters = (p for p in signature(score).parameters.values() if p.kind is p.KEYWORD_ONLY or p.name in allowed)
    own = Signature([each.replace(kind=each.KEYWORD_ONLY) for each in parameters])

    def build(**given: Any) -> _M:
        bound = own.bind(**given)
        bound.apply_defaults()
        settings = dict(bound.arguments)
        for key, values in allowed.items():
            if callable(values):
                values(settings[key])
            elif isinstance(values, float):
                positive(name, values, **{key: settings[key]})
            elif isinstance(values[0], str):
                one_of(name, values, **{key: settings[key]})
            else:
                between(name, *values, **{key: settings[key]})
        return kind(name, partial(score, **settings), settings)

    build.__doc__ = f"Build {name}."
    build.__signature__ = own  # type: ignore[attr-defined]  # read by the catalogue
    return build


@dataclass(frozen=True)
class Subsample:
    """Another method on at most `rows` rows of a pair, by name: `resit:rows=2000`.

    What takes hours or gigabytes on a long table is decided on a part of it, and every output says so. Rows are drawn
    without replacement by a scramble of both columns' ranks and the seed (`numerics.row_sampling`).
    """

    method: Method
    rows: int
    seed: int = 0

    def __post_init__(self) -> None:
        between(self.name, MIN_ROWS, ROWS[1], rows=self.rows)

    @property
    def name(self) -> str:
        """Of the method itself."""
        return self.method.name

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the method, and the rows."""
        return {**getattr(self.method, "settings", {}), "rows": self.rows}

    def __getattr__(self, name: str) -> Any:
        # What a method may have beside, such as `batch_size`; a copy that is being made has no method yet to ask.
        if name.startswith("__") or name == "method":
            raise AttributeError(name)
        value = getattr(self.method, name)
        return (lambda progress: replace(self, method=value(progress))) if name == "with_progress" else value

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order; a sample that is no pair any more has none."""
        samples = [self._draw(pair) for pair in pairs]
        decided = iter(self.method.decide_many([each for each in samples if isinstance(each, Pair)]))
        decisions = (
            next(decided) if isinstance(each, Pair) else record_failure(pair, self.name, each)
            for pair, each in zip(pairs, samples, strict=True)
        )
        return [self._complete(pair, decision) for pair, decision in zip(pairs, decisions, strict=True)]

    def _draw(self, pair: Pair) -> Pair | str:
        """A sample of the rows, or why it is no pair."""
        if pair.n <= self.rows:
            return pair
        kept = sample_rows(pair.x, pair.y, self.rows, self.seed)
        part = replace(pair, x=pair.x[kept], y=pair.y[kept])
        try:
            Pair.of(part.x, part.y, x_name=pair.x_name, y_name=pair.y_name)
        except InputError as refusal:
            return f"Of the {format_count(len(kept))} rows drawn: {refusal}"
        return part

    def _complete(self, pair: Pair, decision: Decision) -> Decision:
        """The decision as one about the whole pair, with the sentence that says it is of a sample."""
        decision, n = replace(decision, settings=self.settings, seed=self.seed), decision.pair.n
        if n == pair.n:
            return decision
        note = (
            f"{self.name} decided by {format_count(n)} of {format_count(pair.n)} rows (rows={self.rows}), drawn "
            f"with seed {self.seed}."
        )
        # A curve that is known at the rows drawn is not known at every row.
        forward, backward = (
            replace(side, location=None, scale=None, residual=None) for side in (decision.forward, decision.backward)
        )
        warnings = (*decision.warnings, note)
        return replace(decision, pair=pair, forward=forward, backward=backward, warnings=warnings, rows_judged=n)
