"""What a method is and what its failure becomes: decided here, once, for every method."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from causewise.decision import Decision, Direction, Evidence
from causewise.errors import InputError
from causewise.pair import FloatArray, Pair, both_directions, one_variable

ROUNDING = 1e-10
"""Of the numbers a score is computed from; sums in another order and fits from the other end differ by less."""


@runtime_checkable
class Method(Protocol):
    """Anything with a name that decides pairs; batched methods use that they see many at once.

    A method of your own needs nothing else to work with `causewise.infer(…, method=yours)` and in the benchmark.

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


# What a failure becomes. A failure is a value: no number stands in for an answer that does not exist, and no method
# returns NaN, an infinity or an exception where a decision is due.


def undecided(pair: Pair, method: str, why: str, **carried: Any) -> Decision:
    """The decision for a pair on which a method has no answer."""
    nothing = Evidence(score=math.nan)
    return Decision(method, pair, math.nan, nothing, nothing, failed=True, reason=why, **carried)


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
    if not math.isfinite(found.score) and not found.failed:
        return undecided(pair, method, f"{method} has no finite score on this pair.", **carried)
    return _settled(found)


def _settled(found: Decision) -> Decision:
    """A tie is a tie up to rounding: the score is exactly 0 where only the last digits would tell the directions apart.

    That is so where it vanishes beside what it was computed from, and where the two columns are one variable: any
    method then compares a thing with itself.
    """
    sides = (found.forward, found.backward)
    size = max((abs(v) for side in sides for v in (side.score, *side.costs.values()) if math.isfinite(v)), default=0.0)
    if found.failed or found.score == 0 or (abs(found.score) > ROUNDING * size and not one_variable(found.pair)):
        return found
    middle = 0.5 * (found.forward.score + found.backward.score)
    ways, chances = (Direction.FORWARD.value, Direction.BACKWARD.value), dict(found.probabilities)
    if chances:
        chances |= dict.fromkeys(ways, 0.5 * sum(chances[way] for way in ways))
    return replace(
        found,
        score=0.0,
        forward=replace(found.forward, score=middle),
        backward=replace(found.backward, score=middle),
        confidence=None if found.confidence is None else chances.get(ways[0], 0.5),
        probabilities=chances,
        contributions=dict.fromkeys(found.contributions, 0.0),
    )


def fit_messages(pair: Pair, forward: Evidence, backward: Evidence) -> tuple[str, ...]:
    """Why a fit stopped short, by direction; empty when both reached their optimum."""
    ways = ((f"{pair.x_name} → {pair.y_name}", forward), (f"{pair.y_name} → {pair.x_name}", backward))
    return tuple(f"{way}: {side.message}" for way, side in ways if side.message)


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
    >>> spread = Directional("spread", lambda cause, effect: float(np.std(cause)))
    >>> causewise.infer([0, 5, 1, 9, 2, 8, 3, 7, 4, 6], range(0, 20, 2), method=spread).verdict
    'y → x'
    """

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
        return [_scored(self, pair, lambda p: self.score(p.x, p.y)) for pair in pairs]


def _scored(method: Directional | Joint, pair: Pair, score: Callable[[Pair], PairScore]) -> Decision:
    carried: dict[str, Any] = {"settings": method.settings, "seed": method.seed}
    return attempted(pair, method.name, lambda: Decision(method.name, pair, *score(pair), **carried), **carried)


def _evidence(value: float | Evidence) -> Evidence:
    return value if isinstance(value, Evidence) else Evidence(score=float(value))
