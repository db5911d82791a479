"""One row of results: what one method said on one pair, in file orientation, and how it went; rows as CSV."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum

from causewise.decision import Decision, Direction
from causewise.formatting import csv_text


class Status(Enum):
    """How the work on one pair ended."""

    OK = "ok"
    UNDECIDED = "undecided"
    """The two directions tie exactly."""
    NOT_CONVERGED = "not-converged"
    """There is an answer, and it counts, but a fit stopped short."""
    FAILED = "failed"
    """The method raised, refused the pair, or gave NaN."""
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    """The process died."""

    @property
    def answered(self) -> bool:
        """Whether there is a direction to compare with the truth."""
        return self in (Status.OK, Status.NOT_CONVERGED)

    @property
    def broken(self) -> bool:
        """Whether the pair is listed as failed."""
        return self in (Status.FAILED, Status.TIMEOUT, Status.CRASHED)


@dataclass(frozen=True)
class Outcome:
    """What comes back from a worker for one pair, in the orientation the method saw."""

    score: float
    forward: float
    backward: float
    status: Status
    message: str
    seconds: float
    confidence: float = math.nan
    withheld: bool = False


@dataclass(frozen=True)
class Row:
    """One row of the store; the first six fields are its key."""

    dataset: str
    pair_id: str
    method: str
    seed: int
    settings_hash: str
    version: str
    score: float
    """Positive = the file's first column causes the second, whatever flip the run used."""
    forward: float
    backward: float
    confidence: float
    """How sure the method says it is; NaN where it says nothing."""
    decision: str
    """Which way the score leans, also where the answer is withheld."""
    withheld: bool
    """The method leans but gives no answer; `message` says why. Metrics count the leaning all the same."""
    truth: int
    weight: float
    correct: bool
    flipped: bool
    seconds: float
    status: str
    message: str
    n: int
    settings: str
    """JSON of everything the method was set to."""

    @property
    def answered(self) -> bool:
        """Whether a user would have been given a direction."""
        return Status(self.status).answered and not self.withheld


def outcome_of(decision: Decision, seconds: float) -> Outcome:
    """Read a decision: a failure and a score that is not finite are failed, an exact tie is undecided."""
    forward, backward = decision.forward, decision.backward
    short = forward.converged is False or backward.converged is False
    if decision.failure:
        status, message = Status.FAILED, decision.failure
    elif not math.isfinite(decision.score):
        status, message = Status.FAILED, f"{decision.method} returned {decision.score} as its score."
    elif Direction.of(decision.score) is Direction.UNDECIDED:
        status, message = Status.UNDECIDED, "The two directions tie exactly."
    elif short:
        reasons = (decision.abstention, forward.message or backward.message)
        status, message = Status.NOT_CONVERGED, " ".join(filter(None, reasons))
    else:
        status, message = Status.OK, decision.abstention
    numbers = (float(decision.score), float(forward.score), float(backward.score))
    confidence = math.nan if decision.confidence is None else float(decision.confidence)
    return Outcome(*numbers, status, message, seconds, confidence, status.answered and bool(decision.abstention))


def no_answer(status: Status, message: str, seconds: float) -> Outcome:
    """The outcome of a pair without an answer: no number stands in for it."""
    return Outcome(math.nan, math.nan, math.nan, status, message, seconds)


# What readers of the file rely on comes first; columns that join later come after.
_FIRST = ("dataset", "pair_id", "method", "score", "truth", "correct", "seconds", "status")
COLUMNS = (*_FIRST, *(field.name for field in fields(Row) if field.name not in _FIRST))


def export_rows(rows: Sequence[Row], raw: bool = False) -> str:
    """CSV text, one line per row; NaN is an empty cell, `correct` and `flipped` are 1 or 0."""
    return csv_text([COLUMNS, *([_cell(getattr(row, name)) for name in COLUMNS] for row in rows)], raw)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value
