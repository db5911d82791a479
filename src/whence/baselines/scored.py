"""Turns a score function into a Method; what a failure becomes is decided here, once, for every baseline."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from whence.decision import Decision, Evidence, undecided
from whence.pair import FloatArray, InputError, Pair, both_directions


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
        return [_decide(self, pair, self._pair_score) for pair in pairs]

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
        return [_decide(self, pair, lambda p: self.score(p.x, p.y)) for pair in pairs]


def _decide(method: Directional | Joint, pair: Pair, score: Callable[[Pair], PairScore]) -> Decision:
    carried: dict[str, Any] = {"settings": method.settings, "seed": method.seed}
    try:
        with np.errstate(all="ignore"):
            result = score(pair)
    except InputError as refusal:
        return undecided(pair, method.name, str(refusal), **carried)
    except (ArithmeticError, np.linalg.LinAlgError) as problem:
        return undecided(pair, method.name, f"{method.name} broke down on this pair ({problem}).", **carried)
    if not math.isfinite(result.score):
        return undecided(pair, method.name, f"{method.name} has no finite score on this pair.", **carried)
    return Decision(method.name, pair, result.score, result.forward, result.backward, **carried)


def _evidence(value: float | Evidence) -> Evidence:
    return value if isinstance(value, Evidence) else Evidence(score=float(value))
