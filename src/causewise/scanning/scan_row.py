"""One line of a scan: what is known about one pair of columns."""

from dataclasses import dataclass


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
    """The larger probability of a direction; with a direction known beforehand, what the data give to that one."""
    neither: float | None = None
    """The probability of no direction: what it and both directions add up to is one."""
    score: float | None = None
    """> 0 favours x → y; a log-odds for the default method."""
    description: float | None = None
    shape: float | None = None
    recording: float | None = None
    regression: float | None = None
    known: float | None = None
    """Log-odds that were known beforehand, part of the score."""
    weight: float | None = None
    p_forward: float | None = None
    p_backward: float | None = None
    agreement: float | None = None
    """Share of random halves of the rows that lean the way all rows do, what is known left aside."""
    half_low: float | None = None
    half_high: float | None = None
    """Smallest and largest score of a half."""
    warnings: tuple[str, ...] = ()
    reason: str = ""
    """Why there is no answer; what background knowledge changed."""
    seconds: float = 0.0
    rows_judged: int | None = None
    """How many of the n rows the score rests on."""
    x_kind: str | None = None
    y_kind: str | None = None
    """What each column is by how its values repeat, as in `causewise.column_types`."""

    @property
    def scored_of(self) -> str:
        """`1388`, or `212 of 1388` where rows were left out."""
        scored, given = self.n if self.rows_judged is None else self.rows_judged, self.n + self.dropped_rows
        return str(scored) if scored == given else f"{scored} of {given}"
