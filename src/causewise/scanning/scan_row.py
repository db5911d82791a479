"""One row of a scan, and what background knowledge makes of it: `apply_knowledge`.

One rule: a hard statement decides status, direction, cause and effect; every number stays the data's. The score, its
terms and the p-values are untouched, and the confidence is the probability that the data alone give to the direction
shown: below one half, they do not support what was given.

A soft statement compares the two directions. Its log-odds are added to the score as a term, and divide between the
directions anew what *neither* leaves; whether there is a direction at all it does not say, so P(neither) stays as the
data have it. The larger |score| does not lower it either: that would take what somebody believes for more rows.
"""

from dataclasses import dataclass, replace

from causewise.decision import FAINT, USABLE, Direction
from causewise.formatting import percent
from causewise.knowledge.background import PairStatement
from causewise.methods.combined.outcomes import split_probability


@dataclass(frozen=True)
class ScanRow:
    """A pair of columns, x before y in the table; fields that do not exist for it are None."""

    x: str
    y: str
    n: int
    """Complete rows."""
    dropped_rows: int
    """Rows left out for a missing value."""
    dependence: float | None = None
    """HSIC of the two columns over its mean under independence."""
    dependence_p: float | None = None
    adjusted_p: float | None = None
    """The same, adjusted over the table (Benjamini & Hochberg 1995)."""
    status: str = "failed"
    """`oriented`, `undecided`, `unrelated` or `failed`."""
    direction: str = "undecided"
    """`x->y`, `y->x` or `undecided`."""
    cause: str | None = None
    effect: str | None = None
    confidence: float | None = None
    """The larger probability of a direction; with a given direction, what the data give to that one."""
    neither: float | None = None
    """The probability of no direction: what it and both directions add up to is one."""
    score: float | None = None
    """> 0 favours x → y; a log-odds for the default method."""
    description: float | None = None
    shape: float | None = None
    recording: float | None = None
    regression: float | None = None
    given: float | None = None
    """Log-odds given as background knowledge, part of the score."""
    weight: float | None = None
    p_forward: float | None = None
    p_backward: float | None = None
    agreement: float | None = None
    """Share of random halves of the rows that lean the way all rows do, background knowledge left aside."""
    half_low: float | None = None
    half_high: float | None = None
    """Smallest and largest score of a half."""
    warnings: tuple[str, ...] = ()
    reason: str = ""
    """Why there is no answer; what background knowledge changed."""
    is_given: bool = False
    """Whether the answer, or that there is none, comes from background knowledge: the data alone do not say so."""
    seconds: float = 0.0
    rows_judged: int | None = None
    """How many of the n rows the score rests on."""
    x_kind: str | None = None
    y_kind: str | None = None
    """What each column is by how its values repeat, as in `causewise.column_types`."""

    @property
    def outcome(self) -> str:
        """The status; `given` where background knowledge alone fixed it."""
        return "given" if self.is_given else self.status

    @property
    def doubt(self) -> str:
        """What to add to the confidence of an arrow that a low threshold let through; empty for any other."""
        found = self.cause is not None and not self.is_given
        return FAINT if found and self.confidence is not None and self.confidence < USABLE else ""

    @property
    def scored_of(self) -> str:
        """`1388`, or `212 of 1388` where rows were left out."""
        scored, given = self.n if self.rows_judged is None else self.rows_judged, self.n + self.dropped_rows
        return str(scored) if scored == given else f"{scored} of {given}"


def apply_knowledge(row: ScanRow, statement: PairStatement, threshold: float) -> ScanRow:
    """The data's row of a pair once the statement about it is applied; `threshold` is the confidence to answer from."""
    # A direction says nothing about whether there is an edge, so columns without a relation stay so, and failures too.
    related = row.status in ("oriented", "undecided")
    if statement.unrelated or (statement.direction and (statement.required or related)):
        return _impose(row, statement)
    return _add_log_odds(row, statement, threshold) if statement.log_odds and related else row


def _impose(row: ScanRow, statement: PairStatement) -> ScanRow:
    direction = Direction.UNDECIDED if statement.unrelated else Direction(statement.direction or "undecided")
    scored = row.confidence is not None and row.score is not None
    confidence = split_probability(row.score or 0.0, row.neither or 0.0).get(direction.value) if scored else None
    explained = _explain(row, f"Given: {statement.why}.")
    imposed = replace(_point(explained, direction, "unrelated"), confidence=confidence)
    return replace(imposed, is_given=(imposed.status, imposed.direction) != (row.status, row.direction))


def _add_log_odds(row: ScanRow, statement: PairStatement, threshold: float) -> ScanRow:
    if row.score is None:  # a warning stops the answer
        return _explain(row, f"Given, but not used, since these rows show no direction: {statement.why}.")
    if row.confidence is None:
        return _explain(row, f"Given, but not used, since the score of this method is no log-odds: {statement.why}.")
    score = row.score + statement.log_odds
    chances = split_probability(score, row.neither or 0.0)
    confidence = max(chances[way.value] for way in (Direction.FORWARD, Direction.BACKWARD))
    direction = Direction.UNDECIDED if confidence < threshold else Direction.of(score)
    told = _explain(row, f"Given: {statement.why}, which makes the confidence {percent(confidence)}.")
    found = replace(_point(told, direction, "undecided"), score=score, given=statement.log_odds, confidence=confidence)
    if found.cause is None or found.direction == row.direction:
        return found
    # The rows alone gave no such answer: their own probability stands beside it.
    alone = split_probability(row.score, row.neither or 0.0)
    return replace(found, confidence=alone[direction.value], is_given=True)


def _point(row: ScanRow, direction: Direction, otherwise: str) -> ScanRow:
    """The row with another answer, in all the fields that hold it; `otherwise` is the status without a direction."""
    ends = {Direction.FORWARD: (row.x, row.y), Direction.BACKWARD: (row.y, row.x)}
    cause, effect = ends.get(direction, (None, None))
    status = "oriented" if direction in ends else otherwise
    return replace(row, status=status, direction=direction.value, cause=cause, effect=effect)


def _explain(row: ScanRow, fact: str) -> ScanRow:
    return replace(row, reason=f"{fact} The data alone: {row.reason}" if row.reason else fact)
