"""Everything a page or a picture shows, worked out before anything is rendered; the renderers only render."""

from dataclasses import dataclass

from whence.decision import Decision, Direction, Evidence, percent
from whence.report import provenance
from whence.report.geometry import Shape, rows_to_draw, shape_of
from whence.report.measures import Fact, Measure, correlations, data_facts, measures
from whence.report.stance import Cell, Stance, readings, sentence
from whence.report.wording import BRIEF, count, fits, outcome, short, shown, signed, weighed


@dataclass(frozen=True, eq=False)
class Side:
    """One direction: its names, what became of it, and what is drawn of it."""

    key: str
    """"forward" or "backward"."""
    cause: str
    effect: str
    outcome: str
    fits: bool | None
    chosen: bool
    contested: bool
    """Whether some direction was chosen at all; if not, neither side is marked."""
    evidence: Evidence
    shape: Shape

    @property
    def arrow(self) -> str:
        """`cause → effect`."""
        return f"{self.cause} → {self.effect}"

    @property
    def brief(self) -> str:
        """The same for narrow places."""
        return f"{short(self.cause, BRIEF)} → {short(self.effect, BRIEF)}"


@dataclass(frozen=True, eq=False)
class Summary:
    """One decision, ready to be rendered."""

    verdict: str
    sentence: str
    stance: Stance
    explanation: str
    confidence: str
    weighed: str
    """What moves the score, where several kinds of evidence do."""
    x: str
    y: str
    score: str
    method: str
    version: str
    rows: str
    drawn: str
    """Which rows the dots show."""
    sides: tuple[Side, Side]
    cells: tuple[Cell, ...]
    measures: tuple[Measure, ...]
    columns: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    assumes: str
    fails: str
    settings: tuple[tuple[str, str], ...]
    command: str
    python: str
    paragraph: str
    bibtex: str

    @property
    def tested(self) -> bool:
        """Whether the four readings apply."""
        return any(cell.current for cell in self.cells)

    @property
    def failed(self) -> bool:
        """Whether the method gave no answer."""
        return self.stance is Stance.FAILED

    @property
    def fitted(self) -> bool:
        """Whether there is a curve to see."""
        return any(side.shape.curve is not None for side in self.sides)

    @property
    def residuals(self) -> bool:
        """Whether there are residuals to see."""
        return any(side.shape.residual is not None for side in self.sides)


def summarise(decision: Decision, max_points: int) -> Summary:
    """Work out what a page shows; `max_points` bounds the dots of a panel."""
    entry = provenance.catalogue_entry(decision)
    return Summary(
        verdict=shown(decision.verdict).replace("undecided", "Undecided", decision.cause is None),
        sentence=sentence(decision),
        stance=Stance.of(decision),
        explanation=shown(decision.explanation) if decision.explanation else "",
        confidence="" if decision.confidence is None else percent(decision.confidence),
        weighed=weighed(decision),
        x=shown(decision.pair.x_name),
        y=shown(decision.pair.y_name),
        score=signed(decision.score),
        method=provenance.specification(decision),
        version=decision.version,
        rows=count(decision.pair.n),
        drawn=drawn_rows(decision, max_points),
        sides=sides_of(decision, max_points),
        cells=readings(decision),
        measures=measures(decision),
        columns=data_facts(decision.pair),
        facts=_facts(decision),
        warnings=_warnings(decision),
        assumes=entry.assumes if entry else "",
        fails=entry.fails if entry else "",
        settings=provenance.settings(decision),
        command=provenance.command(decision),
        python=provenance.python(decision),
        paragraph=provenance.paragraph(decision),
        bibtex=provenance.bibtex(decision),
    )


def sides_of(decision: Decision, max_points: int) -> tuple[Side, Side]:
    """Both directions with what is drawn of them."""
    pair = decision.pair
    rows = rows_to_draw(pair, max_points)
    x, y = shown(pair.x_name), shown(pair.y_name)
    forward = shape_of(pair.x, pair.y, decision.forward, rows)
    backward = shape_of(pair.y, pair.x, decision.backward, rows)
    return _side(decision, Direction.FORWARD, x, y, forward), _side(decision, Direction.BACKWARD, y, x, backward)


def drawn_rows(decision: Decision, max_points: int) -> str:
    """How many of the rows are dots; empty when all are."""
    n = decision.pair.n
    if n <= max_points:
        return ""
    kept = len(rows_to_draw(decision.pair, max_points))
    return f"{count(kept)} of {count(n)} rows drawn, a fixed random sample; the curves and tests use all rows."


def _side(decision: Decision, direction: Direction, cause: str, effect: str, shape: Shape) -> Side:
    forward = direction is Direction.FORWARD
    evidence = decision.forward if forward else decision.backward
    return Side(
        key="forward" if forward else "backward",
        cause=cause,
        effect=effect,
        outcome=outcome(evidence),
        fits=fits(evidence),
        chosen=decision.direction is direction,
        contested=decision.direction is not Direction.UNDECIDED,
        evidence=evidence,
        shape=shape,
    )


def _facts(decision: Decision) -> tuple[Fact, ...]:
    linear, ranks = correlations(decision.pair)
    return (
        Fact("Rows", count(decision.pair.n)),
        Fact("Left out for a missing value", count(decision.pair.dropped)),
        Fact("Correlation (Pearson)", signed(linear, 3)),
        Fact("Correlation of ranks (Spearman)", signed(ranks, 3)),
        Fact("Fingerprint (SHA-256)", provenance.fingerprint(decision.pair)),
    )


def _warnings(decision: Decision) -> tuple[str, ...]:
    listed = [shown(text) for text in decision.warnings]
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    for evidence, arrow in ((decision.forward, f"{x} → {y}"), (decision.backward, f"{y} → {x}")):
        message = shown(evidence.message) if evidence.message else "the fit did not converge."
        if evidence.converged is False and not any(message in text for text in listed):
            listed.append(f"{arrow}: {message}")
    return tuple(dict.fromkeys(listed))
