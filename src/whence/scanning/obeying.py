"""What is known meets what the data say: `obeyed`.

One rule: a hard statement decides status, direction, cause and effect; every number stays the data's. The score, its
terms and the p-values are untouched, and the confidence is the one that the score gives to the direction shown: below
one half, the data contradict what is known. A soft statement is a number, and is added to the score as a term.
"""

import math
from dataclasses import replace

from whence.decision import Direction, percent
from whence.preflight import Level
from whence.scanning.known import Known
from whence.scanning.scan_row import ScanRow


def obeyed(row: ScanRow, known: Known, threshold: float) -> ScanRow:
    """The row of a pair once what is known `on(row.x, row.y)` has been heard.

    Parameters
    ----------
    row
        What the data say. Its warnings are those of the decision: a notice that stops keeps its level.
    known
        Of this pair.
    threshold
        From which confidence on an answer is given, where a method has one.
    """
    if known.unrelated:
        return _pointed(row, known, "unrelated", Direction.UNDECIDED)
    # A direction says nothing about whether there is an edge, so columns without a relation stay so, and failures too.
    related = row.status in ("oriented", "undecided")
    if known.direction and (known.required or related):
        return _pointed(row, known, "oriented", Direction(known.direction))
    if known.log_odds and related:
        return _weighed(row, known, threshold)
    return row


def _pointed(row: ScanRow, known: Known, status: str, direction: Direction) -> ScanRow:
    sign = {Direction.FORWARD: 1.0, Direction.BACKWARD: -1.0}.get(direction)
    given = None if sign is None or row.confidence is None or row.score is None else logistic(sign * row.score)
    return replace(_turned(row, status, direction), confidence=given, message=_told(row, f"Known: {known.why}."))


def _weighed(row: ScanRow, known: Known, threshold: float) -> ScanRow:
    if row.confidence is None or row.score is None:
        unused = f"Known, but not used, since the score of this method is no log-odds: {known.why}."
        return replace(row, message=_told(row, unused))
    score = row.score + known.log_odds
    confidence = logistic(abs(score))
    stopped = any(getattr(warning, "level", None) is Level.STOPS for warning in row.warnings)
    direction = Direction.UNDECIDED if stopped or confidence < threshold else Direction.of(score)
    status = "undecided" if direction is Direction.UNDECIDED else "oriented"
    added = f"Known: {known.why}, which makes the confidence {percent(confidence)}."
    return replace(
        _turned(row, status, direction),
        score=score,
        known=known.log_odds,
        confidence=confidence,
        message=_told(row, added),
    )


def _turned(row: ScanRow, status: str, direction: Direction) -> ScanRow:
    """The row with another answer, in all the fields that tell it."""
    ends = {Direction.FORWARD: (row.x, row.y), Direction.BACKWARD: (row.y, row.x)}
    cause, effect = ends.get(direction, (None, None))
    return replace(row, status=status, direction=direction.value, cause=cause, effect=effect)


def _told(row: ScanRow, fact: str) -> str:
    return f"{fact} The data alone: {row.message}" if row.message else fact


def logistic(log_odds: float) -> float:
    """The probability of log-odds; to the bit the default method's confidence where they are positive."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))
