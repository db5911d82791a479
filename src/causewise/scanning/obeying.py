"""What is known meets what the data say: `obeyed`.

One rule: a hard statement decides status, direction, cause and effect; every number stays the data's. The score, its
terms and the p-values are untouched, and the confidence is the probability that the data alone give to the direction
shown: below one half, they do not bear out what is known.

A soft statement compares the two directions. Its log-odds are added to the score as a term, and divide between the
directions anew what *neither* leaves; whether there is a direction at all it does not say, so P(neither) stays as the
data have it. The larger |score| does not lower it either: that would take what somebody believes for more rows.
"""

from dataclasses import replace

from causewise.decision import Direction, percent
from causewise.knowledge.knowledge import Known
from causewise.methods.combined.outcomes import split_probability
from causewise.scanning.scan_row import ScanRow


def obeyed(row: ScanRow, known: Known, threshold: float) -> ScanRow:
    """The row of a pair once what is known `on(row.x, row.y)` has been heard.

    Parameters
    ----------
    row
        What the data say.
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
    scored = row.confidence is not None and row.score is not None
    given = split_probability(row.score or 0.0, row.neither or 0.0).get(direction.value) if scored else None
    return replace(_turned(row, status, direction), confidence=given, reason=_told(row, f"Known: {known.why}."))


def _weighed(row: ScanRow, known: Known, threshold: float) -> ScanRow:
    if row.score is None:  # a warning stops the answer
        unused = f"Known, but not used, since these rows show no direction: {known.why}."
        return replace(row, reason=_told(row, unused))
    if row.confidence is None:
        unused = f"Known, but not used, since the score of this method is no log-odds: {known.why}."
        return replace(row, reason=_told(row, unused))
    score = row.score + known.log_odds
    chances = split_probability(score, row.neither or 0.0)
    confidence = max(chances[way.value] for way in (Direction.FORWARD, Direction.BACKWARD))
    direction = Direction.UNDECIDED if confidence < threshold else Direction.of(score)
    status = "undecided" if direction is Direction.UNDECIDED else "oriented"
    added = f"Known: {known.why}, which makes the confidence {percent(confidence)}."
    return replace(
        _turned(row, status, direction),
        score=score,
        known=known.log_odds,
        confidence=confidence,
        reason=_told(row, added),
    )


def _turned(row: ScanRow, status: str, direction: Direction) -> ScanRow:
    """The row with another answer, in all the fields that tell it."""
    ends = {Direction.FORWARD: (row.x, row.y), Direction.BACKWARD: (row.y, row.x)}
    cause, effect = ends.get(direction, (None, None))
    return replace(row, status=status, direction=direction.value, cause=cause, effect=effect)


def _told(row: ScanRow, fact: str) -> str:
    return f"{fact} The data alone: {row.reason}" if row.reason else fact
