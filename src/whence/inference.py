"""`infer`: which of two columns causes the other? A table in, a decision with its warnings out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from whence.catalogue import DEFAULT, FOR_LEVELS, seeded_method, stated_settings
from whence.decision import Decision
from whence.heaps import judgeable
from whence.numerics.columns import remembering
from whence.pair import InputError, NanPolicy, Pair
from whence.preflight import ABOUT_LEVELS, Level, Notice, check
from whence.protocol import Method
from whence.tables import pair_from
from whence.threads import one_thread


def infer(
    data: Any,
    x: Any = None,
    y: Any = None,
    *,
    method: str | Method = DEFAULT,
    nan_policy: NanPolicy = "raise",
    threshold: float | None = None,
    seed: int = 0,
    **settings: Any,
) -> Decision:
    """Which of two columns causes the other?

    Parameters
    ----------
    data
        A table: pandas, polars, Arrow, or a dict of columns. Or the first column itself: a list, array or series.
    x, y
        With a table, the names of two of its columns; without them it must have exactly two columns of numbers. With a
        first column, `x` is the second.
    method
        A name from `whence.methods()`, with settings if need be (`"loci-h:n_knots=15"`), or an object with a `name` and
        `decide_many(pairs)`.
    nan_policy
        "raise" refuses missing values; "omit" leaves such rows out and counts them.
    threshold
        From which confidence on an answer is given (0.8 unless told otherwise), for methods that have a confidence.
    seed
        Used by methods that draw random numbers; the same seed gives the same bytes.
    **settings
        Further settings of the method by name, as `whence methods NAME` lists them. Of the default: `neither=0.3`, the
        prior probability that two related columns have no direction; `direct=True`, which makes it 0; and
        `recording=False`, which leaves out how coarsely the columns are recorded.

    Returns
    -------
    Decision
        Direction, score, both directions' evidence, warnings, and everything needed to repeat it.

    Raises
    ------
    InputError
        If the columns are no pair (missing, constant, of unequal length …) or a setting is out of range.

    Examples
    --------
    >>> import numpy as np, whence
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.uniform(-2, 2, 500)
    >>> response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=500)
    >>> whence.infer({"dose": dose, "response": response}, "dose", "response").verdict
    'dose → response'
    >>> whence.infer(dose, response, method="loci-h").direction
    <Direction.FORWARD: 'x->y'>
    """
    pair = data if isinstance(data, Pair) else pair_from(data, x, y, nan_policy=nan_policy)
    method = _built_method(method, seed, settings | threshold_setting(method, threshold))
    (decision,) = decided([pair], method, seed)
    return decision


def decided(pairs: Sequence[Pair], method: Method, seed: int) -> list[Decision]:
    """What a method says of pairs, which one that is batched sees all at once, with what a look at their rows tells."""
    with one_thread(), remembering([column for pair in pairs for column in (pair.x, pair.y)]):
        notices = [check(pair) for pair in pairs]  # before the decisions hold their curves at every row
        found = zip(_seeded(method, pairs, seed), notices, strict=True)
        return [_beside_heaps(*each, method, seed) for each in found]


def _seeded(method: Method, pairs: Sequence[Pair], seed: int) -> list[Decision]:
    found = method.decide_many(pairs)
    return [replace(each, seed=seed if each.seed is None else each.seed) for each in found]


def _beside_heaps(decision: Decision, notices: Sequence[Notice], method: Method, seed: int) -> Decision:
    """The decision with its warnings; where a heap alone withholds it, that of the rows beside the heap.

    Where these are unrelated, the heap is all that relates the columns, and the answer stays withheld.
    """
    answered = decision.confidence is not None and not decision.failure and not decision.unrelated
    rest = judgeable(decision.pair, notices) if answered else None
    if rest is None:
        return warned(decision, notices)
    told = warned(_seeded(method, [rest[0]], seed)[0], rest[1])
    return warned(decision, notices) if told.failure or told.unrelated else replace(told, given_kinds=decision.kinds)


def warned(decision: Decision, notices: Sequence[Notice]) -> Decision:
    """The decision with what a look at the rows tells; a notice that stops takes away an answer that has a confidence.

    Such rows show no direction or a wrong one, so that no lean, no confidence and no score is left of it. Methods
    without a confidence keep their published answer, beside the notice.
    """
    if decision.method in FOR_LEVELS:
        notices = [notice for notice in notices if notice.kind not in ABOUT_LEVELS]
    stops = [notice for notice in notices if notice.level is Level.STOPS]
    withhold = stops and decision.confidence is not None and not decision.unrelated and not decision.failure
    told = replace(decision, warnings=(*notices, *decision.warnings))
    return _stopped(told, f"Undecided: {stops[0]}") if withhold else told


def _stopped(decision: Decision, why: str) -> Decision:
    forward, backward = (replace(side, score=math.nan) for side in (decision.forward, decision.backward))
    nothing: dict[str, Any] = {"confidence": None, "probabilities": {}, "contributions": {}, "reason": ""}
    return replace(decision, score=math.nan, forward=forward, backward=backward, abstention=why, **nothing)


def threshold_setting(method: str | Method, threshold: float | None) -> dict[str, float]:
    """The setting that a threshold is, refused for methods without a confidence."""
    stated = {} if threshold is None else {"threshold": threshold}
    if not isinstance(method, str):
        return stated
    return stated_settings([method], stated, {"threshold": f"threshold={threshold!r}"})[method]


def _built_method(method: str | Method, seed: int, settings: Mapping[str, Any]) -> Method:
    if isinstance(method, str):
        return seeded_method(method, seed, **settings)
    if not isinstance(method, Method):
        raise InputError(
            f"Got {method!r} for the method; expected a name from `whence methods`, or an object with a name and "
            "decide_many(pairs)."
        )
    if settings:
        raise InputError(
            f"Got the setting{'s' * (len(settings) > 1)} {', '.join(map(repr, settings))} beside a method that is "
            "built already; expected settings with a method's name only: give them where the method is built."
        )
    return method
