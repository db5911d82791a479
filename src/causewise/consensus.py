"""Several methods on one pair: what each says, and what more than half of them say."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from causewise.decision import Decision, Direction
from causewise.inference import infer
from causewise.pair import Pair


class Answer(NamedTuple):
    """What one method says of the pair."""

    asked: str
    """The method with its settings, as it was asked for."""
    decision: Decision
    seconds: float
    """NaN where nobody took the time."""


@dataclass(frozen=True)
class Consensus:
    """What more than half of the methods say. A count, no probability: methods that share assumptions err together."""

    direction: str
    cause: str | None
    effect: str | None
    status: str
    """Of the methods that agree; undecided where no answer has more than half of them."""
    agree: tuple[str, ...]
    """The methods that say so."""
    of: int
    """All methods."""
    sentence: str


def ask(pair: Pair, method: str) -> Answer:
    """One more method's answer, and how long it took."""
    start = time.perf_counter()
    decision = infer(pair, method=method)
    return Answer(method, decision, time.perf_counter() - start)


def consensus(answers: Sequence[Answer]) -> Consensus:
    """The answer that more than half of the methods give, and what the others say."""
    of = len(answers)
    top, most = Counter(map(_outcome, answers)).most_common(1)[0]
    if 2 * most <= of:
        undecided = Direction.UNDECIDED.value
        return Consensus(undecided, None, None, undecided, (), of, f"No consensus: {_list_answers(answers)}.")
    agree = [answer for answer in answers if _outcome(answer) == top]
    others = [answer for answer in answers if _outcome(answer) != top]
    one, names = agree[0].decision, tuple(answer.asked for answer in agree)
    sentence = f"{most} of {of} methods: {in_words(one)}{'; ' if others else ''}{_list_answers(others)}."
    return Consensus(one.direction.value, one.cause, one.effect, one.status, names, of, sentence)


def in_words(decision: Decision) -> str:
    """`rain → river`, `undecided`, `unrelated` or `no answer`."""
    if decision.cause is not None:
        return decision.verdict
    return "no answer" if decision.failed else decision.status


def _outcome(answer: Answer) -> tuple[str, str]:
    return answer.decision.status, answer.decision.direction.value


def _list_answers(answers: Sequence[Answer]) -> str:
    return "; ".join(f"{answer.asked}: {in_words(answer.decision)}" for answer in answers)
