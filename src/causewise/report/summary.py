"""Everything a page or a picture shows, worked out before anything is rendered; the renderers only render."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from causewise.column_types import ColumnType
from causewise.consensus import Answer, consensus, in_words
from causewise.decision import Decision, Direction, Evidence, percent
from causewise.report import provenance
from causewise.report.geometry import Drawing, drawing_of, rows_to_draw
from causewise.report.measures import Fact, Factor, Measure, correlations, data_facts, factors, measures, terms
from causewise.report.ordered import Ordered
from causewise.report.outcome_bar import OutcomeBar, outcome_bar
from causewise.report.printed_sum import PrintedSum, printed_sum
from causewise.report.sparks import HalvesOnALine, SumOfBars, halves_on_a_line, sum_of_bars
from causewise.report.stance import ReadingCell, Stance, badge, brief_lean, confidence, explanation, readings, sentence
from causewise.report.wording import (
    BRIEF,
    LEVELS,
    count,
    fits,
    halves,
    how_sure,
    leans_anywhere,
    level_of,
    number,
    outcome,
    short,
    shown,
    signed,
)


class Said(NamedTuple):
    """What one method says, in a row of a table."""

    method: str
    answer: str
    score: str
    sure: str
    halves: str
    seconds: str


class Warned(NamedTuple):
    """A warning with how much it weighs."""

    level: str
    text: str


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
    drawing: Drawing

    @property
    def arrow(self) -> str:
        """`cause → effect`."""
        return f"{self.cause} → {self.effect}"

    @property
    def brief(self) -> str:
        """The same for narrow places."""
        return f"{short(self.cause, BRIEF)} → {short(self.effect, BRIEF)}"


@dataclass(frozen=True, eq=False)
class PageSummary:
    """One decision, ready to be rendered."""

    verdict: str
    badge: str
    sentence: str
    stance: Stance
    explanation: str
    confidence: str
    leans: str
    """Which direction the confidence is for, where the answer is withheld."""
    relation: str
    """p of the test whether the columns are related at all."""
    halves: str
    """What random halves of the rows say, where that was asked."""
    line: HalvesOnALine | None
    others: tuple[Said, ...]
    """Every method that was asked, this one first; empty where no other was."""
    agreement: str
    """What most of them say."""
    outcomes: OutcomeBar | None
    prior: str
    """Of neither, in per cent, where the method has one."""
    sum: PrintedSum | None
    bars: SumOfBars | None
    terms: tuple[Measure, ...]
    factors: tuple[Factor, ...]
    x: str
    y: str
    score: str
    method: str
    version: str
    rows: str
    """`600`, or on how many of them the answer rests."""
    thinned: bool
    drawn: str
    """How the rows are shown, and what the lines rest on."""
    sides: tuple[Side, Side]
    cells: tuple[ReadingCell, ...]
    measures: tuple[Measure, ...]
    kinds: tuple[tuple[str, str], ...]
    """The columns that are not continuous, and what they are."""
    columns: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    warnings: tuple[Warned, ...]
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
    def unrelated(self) -> bool:
        """Whether there is no direction to find."""
        return self.stance is Stance.UNRELATED

    @property
    def stopped(self) -> bool:
        """Whether a data check left nothing to show but its reason."""
        return self.stance is Stance.STOPPED

    @property
    def fitted(self) -> bool:
        """Whether there is a curve to see."""
        return any(side.drawing.curve is not None for side in self.sides)

    @property
    def residuals(self) -> bool:
        """Whether there are residuals to see."""
        return any(side.drawing.residual is not None for side in self.sides)


def summarise(decision: Decision, max_points: int, answers: Sequence[Answer] = ()) -> PageSummary:
    """Work out what a page shows; `max_points` bounds the dots of a panel, `answers` are those of other methods."""
    mine = () if any(each.decision is decision for each in answers) else (_own(decision),)
    asked = (*mine, *answers) if answers else ()
    found = printed_sum(decision)
    columns = Ordered.both(decision.pair)
    sides = sides_of(decision, max_points, columns)
    entry = provenance.catalogue_entry(decision)
    return PageSummary(
        verdict=shown(decision.verdict).replace("undecided", "Undecided", decision.cause is None),
        badge=badge(decision),
        sentence=sentence(decision),
        stance=Stance.of(decision),
        explanation=explanation(decision),
        confidence=confidence(decision),
        leans=brief_lean(decision),
        relation=number(decision.dependence_p, 2) if decision.dependence_p is not None else "",
        halves=halves(decision.half_samples) if decision.half_samples else "",
        line=halves_on_a_line(decision),
        others=tuple(map(_said, asked)),
        agreement=shown(consensus(asked).sentence) if asked else "",
        outcomes=outcome_bar(decision),
        prior=provenance.prior(decision),
        sum=found,
        bars=sum_of_bars([decision.contributions[kind] for kind in found.terms], decision.weight or 0.0)
        if found
        else None,
        terms=terms(decision),
        factors=factors(decision),
        x=shown(decision.pair.x_name),
        y=shown(decision.pair.y_name),
        score=score(decision),
        method=provenance.specification(decision),
        version=decision.version,
        rows=decision.thinned or count(decision.pair.n),
        thinned=bool(decision.thinned),
        drawn=" ".join(filter(None, (unborne(sides), drawn_rows(decision, max_points)))),
        sides=sides,
        cells=readings(decision),
        measures=measures(decision),
        kinds=_kinds(decision),
        columns=(Fact("Kind", *map(str, decision.kinds.values())), *data_facts(decision.pair, columns)),
        facts=_facts(decision, columns),
        warnings=_warnings(decision),
        assumes=entry.assumes if entry else "",
        fails=entry.fails if entry else "",
        settings=provenance.settings(decision),
        command=provenance.command(decision),
        python=provenance.python(decision),
        paragraph=provenance.paragraph(decision),
        bibtex=provenance.bibtex(decision),
    )


def sides_of(decision: Decision, max_points: int, columns: tuple[Ordered, Ordered] | None = None) -> tuple[Side, Side]:
    """Both directions with what is drawn of them."""
    pair = decision.pair
    in_x, in_y = columns or Ordered.both(decision.pair)
    rows = rows_to_draw(pair, max_points)
    x, y = shown(pair.x_name), shown(pair.y_name)
    judged = decision.rows_judged or pair.n
    forward = drawing_of(pair.x, pair.y, decision.forward, rows, judged, in_x)
    backward = drawing_of(pair.y, pair.x, decision.backward, rows, judged, in_y)
    return _side(decision, Direction.FORWARD, x, y, forward), _side(decision, Direction.BACKWARD, y, x, backward)


def score(decision: Decision) -> str:
    """With the digits of its sum, where it is one."""
    found = printed_sum(decision)
    return found.score if found else signed(decision.score)


def drawn_rows(decision: Decision, most_dots: int) -> str:
    """How all rows are shown, and on how many the curves and tests rest; empty when each is a dot and is judged."""
    n, judged = decision.pair.n, decision.rows_judged
    rest = "all rows" if judged == n else f"{count(judged or 0)} of {count(n)} rows"
    if n <= most_dots:
        return f"The curves and tests rest on {rest}." if decision.sampled else ""
    drawn = f"Shades: how many of all {count(n)} rows lie in a cell, by the logarithm"
    return f"{drawn}." if judged is None else f"{drawn}; the curves and tests rest on {rest}."


def unborne(sides: tuple[Side, Side]) -> str:
    """What thin lines are, where there are any."""
    curves = [side.drawing.curve for side in sides if side.drawing.curve is not None]
    return "Thin and pale: hardly any rows bear the curve." if not all(c.borne.all() for c in curves) else ""


def _side(decision: Decision, direction: Direction, cause: str, effect: str, drawing: Drawing) -> Side:
    forward = direction is Direction.FORWARD
    evidence = decision.forward if forward else decision.backward
    return Side(
        key="forward" if forward else "backward",
        cause=cause,
        effect=effect,
        outcome="not scored" if decision.stopped else outcome(evidence),
        fits=None if decision.stopped else fits(evidence),
        chosen=decision.direction is direction,
        contested=decision.direction is not Direction.UNDECIDED,
        evidence=evidence,
        drawing=drawing,
    )


def _own(decision: Decision) -> Answer:
    return Answer(provenance.specification(decision), decision, math.nan)


def _said(answer: Answer) -> Said:
    decision, halves_said = answer.decision, answer.decision.half_samples
    return Said(
        method=shown(answer.asked),
        answer=shown(in_words(decision)),
        score=signed(decision.score if leans_anywhere(decision) else None),
        sure=how_sure(decision),
        halves=percent(halves_said.agreement) if halves_said else "–",
        seconds=number(answer.seconds, 2),
    )


def _kinds(decision: Decision) -> tuple[tuple[str, str], ...]:
    names = {"x": decision.pair.x_name, "y": decision.pair.y_name}
    stepped = {key: kind for key, kind in decision.kinds.items() if kind is not ColumnType.CONTINUOUS}
    return tuple((short(shown(names[key]), BRIEF), str(kind)) for key, kind in stepped.items())


def _facts(decision: Decision, columns: tuple[Ordered, Ordered]) -> tuple[Fact, ...]:
    linear, ranks = correlations(decision.pair, columns)
    return (
        Fact("Rows", count(decision.pair.n)),
        *((Fact("Rows judged, a fixed sample", count(decision.rows_judged or 0)),) if decision.sampled else ()),
        Fact("Left out for a missing value", count(decision.pair.dropped)),
        Fact("Correlation (Pearson)", signed(linear, 3)),
        Fact("Correlation of ranks (Spearman)", signed(ranks, 3)),
        Fact("Fingerprint (SHA-256)", provenance.fingerprint(decision.pair)),
    )


def _warnings(decision: Decision) -> tuple[Warned, ...]:
    # A fit that stopped short is often among the method's own warnings already, inside a longer sentence.
    listed = [Warned(level_of(text), shown(text)) for text in decision.warnings]
    listed += [Warned("note", text) for text in _stopped_short(decision) if not any(text in w.text for w in listed)]
    return tuple(dict.fromkeys(sorted(listed, key=lambda warned: LEVELS.index(warned.level))))


def _stopped_short(decision: Decision) -> list[str]:
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    ways = ((decision.forward, f"{x} → {y}"), (decision.backward, f"{y} → {x}"))
    return [
        f"{arrow}: {shown(evidence.message) if evidence.message else 'the fit did not converge.'}"
        for evidence, arrow in ways
        if evidence.converged is False
    ]
