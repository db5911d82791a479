"""What a method is, what its failure becomes, the ranges of its settings: decided here, once, for every method."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from whence.decision import Decision, Evidence
from whence.pair import FloatArray, InputError, Pair, both_directions


@runtime_checkable
class Method(Protocol):
    """Anything with a name that decides pairs; batched methods use that they see many at once.

    A method of your own needs nothing else to work with `whence.infer(…, method=yours)` and in the benchmark.

    Examples
    --------
    >>> import whence
    >>> isinstance(whence.method("loci-h"), whence.Method)
    True
    """

    @property
    def name(self) -> str:
        """The name under which results are filed."""

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order. A pair that fails becomes a Decision with `failure` set."""


# What a failure becomes. A failure is a value: no number stands in for an answer that does not exist, and no method
# returns NaN, an infinity or an exception where a decision is due.


def undecided(pair: Pair, method: str, why: str, **carried: Any) -> Decision:
    """The decision for a pair on which a method has no answer."""
    nothing = Evidence(score=math.nan)
    return Decision(method, pair, math.nan, nothing, nothing, failure=why, **carried)


def attempted(pair: Pair, method: str, decide: Callable[[], Decision], **carried: Any) -> Decision:
    """What `decide` says; where it breaks down, refuses or has no finite score, a decision that says so."""
    try:
        with np.errstate(all="ignore"):
            found = decide()
    except InputError as refusal:
        return undecided(pair, method, str(refusal), **carried)
    except (ArithmeticError, np.linalg.LinAlgError) as problem:
        why = f"{method} broke down on this pair ({problem}); look at the two columns for degenerate values."
        return undecided(pair, method, why, **carried)
    if not math.isfinite(found.score) and not found.failure:
        return undecided(pair, method, f"{method} has no finite score on this pair.", **carried)
    return found


def fit_messages(pair: Pair, forward: Evidence, backward: Evidence) -> tuple[str, ...]:
    """Why a fit stopped short, by direction; empty when both reached their optimum."""
    ways = ((f"{pair.x_name} → {pair.y_name}", forward), (f"{pair.y_name} → {pair.x_name}", backward))
    return tuple(f"{way}: {side.message}" for way, side in ways if side.message)


class PairScore(NamedTuple):
    """What a whole-pair score function returns: the score (> 0 favours x → y) and each direction's own plausibility."""

    score: float
    forward: Evidence
    backward: Evidence


@dataclass(frozen=True)
class Directional:
    """A method given by `score(cause, effect)`, higher = more plausible; the pair's score is forward − backward."""

    name: str
    score: Callable[[FloatArray, FloatArray], float | Evidence]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [_scored(self, pair, self._pair_score) for pair in pairs]

    def _pair_score(self, pair: Pair) -> PairScore:
        forward, backward = (_evidence(value) for value in both_directions(pair, self.score))
        return PairScore(forward.score - backward.score, forward, backward)


@dataclass(frozen=True)
class Joint:
    """A method given by `score(x, y) -> PairScore`, for scores that are not a plain difference of two directions."""

    name: str
    score: Callable[[FloatArray, FloatArray], PairScore]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair on its own."""
        return [_scored(self, pair, lambda p: self.score(p.x, p.y)) for pair in pairs]


def _scored(method: Directional | Joint, pair: Pair, score: Callable[[Pair], PairScore]) -> Decision:
    carried: dict[str, Any] = {"settings": method.settings, "seed": method.seed}
    return attempted(pair, method.name, lambda: Decision(method.name, pair, *score(pair), **carried), **carried)


def _evidence(value: float | Evidence) -> Evidence:
    return value if isinstance(value, Evidence) else Evidence(score=float(value))


# The ranges of settings, refused in one wording.

SPLINE_DEGREES = (0, 20)
"""The cost of every row grows like the square of the degree."""
SPLINE_KNOTS = (2, 10_000)
"""Matrices are banded: the cost is linear in the knots."""


def at_least(method: str, least: int, **settings: int) -> None:
    """Refuse a setting below its least sensible value."""
    for name, value in settings.items():
        if value < least:
            raise InputError(f"Got {name}={value!r} for {method}; expected a whole number of at least {least}.")


def between(method: str, least: int, most: int, **settings: int) -> None:
    """Refuse a setting outside its sensible values."""
    for name, value in settings.items():
        if not least <= value <= most:
            raise InputError(f"Got {name}={value!r} for {method}; expected a whole number from {least} to {most}.")


def positive(method: str, **settings: float) -> None:
    """Refuse a setting that is not a finite number above zero."""
    for name, value in settings.items():
        if not 0 < value < math.inf:
            raise InputError(f"Got {name}={value!r} for {method}; expected a number above 0.")


def one_of(method: str, allowed: Sequence[str], **settings: str) -> None:
    """Refuse a setting that is none of the words it may be."""
    for name, value in settings.items():
        if value not in allowed:
            raise InputError(f"Got {name}={value!r} for {method}; expected one of: {', '.join(allowed)}.")
