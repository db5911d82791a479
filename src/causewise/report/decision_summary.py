"""Everything a page shows of a decision, computed before anything is rendered; the renderers only render."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from causewise.catalogue import Entry
from causewise.column_types import ColumnType
from causewise.decision import Decision, Direction
from causewise.formatting import format_count, format_number, format_signed, percent, shorten, single_line
from causewise.inference import Answer, consensus, in_words
from causewise.report import decision_wording as wording
from causewise.report import provenance
from causewise.report.geometry import Drawing, SortedColumn, sample_rows, thin_direction
from causewise.report.measures import (
    Fact,
    Factor,
    Measure,
    correlate,
    list_column_facts,
    list_factors,
    list_measures,
    list_terms,
)
from causewise.report.score_bars import (
    BRIEF,
    HalvesOnALine,
    OutcomeBar,
    RoundedSum,
    SumOfBars,
    brief_names,
    outcome_bar,
    place_halves,
    round_score,
    stack_terms,
)


class MethodRow(NamedTuple):
    """What one method says, in a row of a table."""

    method: str
    answer: str
    score: str
    sure: str
    halves: str
    seconds: str


class RatedWarning(NamedTuple):
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
    drawing: Drawing

    @property
    def arrow(self) -> str:
        """`cause → effect`."""
        return f"{self.cause} → {self.effect}"

    @property
    def brief(self) -> str:
        """The same for narrow places."""
        return f"{shorten(self.cause, BRIEF)} → {shorten(self.effect, BRIEF)}"


@dataclass(frozen=True, eq=False)
class DecisionSummary:
    """One decision, ready to be rendered; what stands in the decision itself is not repeated."""

    entry: Entry | None
    """The catalogue's line on the method."""
    verdict: str
    badge: str
    sentence: str
    stance: wording.Stance
    explanation: str
    confidence: str
    leans: str
    """Which direction the confidence is for, where the answer is withheld."""
    relation: str
    """p of the test whether the columns are related at all."""
    halves: str
    """What random halves of the rows say, where that was asked."""
    line: HalvesOnALine | None
    others: tuple[MethodRow, ...]
    """Every method that was asked, this one first; empty where no other was."""
    agreement: str
    """What most of them say."""
    outcomes: OutcomeBar | None
    prior: str
    """Of neither, in per cent, where the method has one."""
    sum: RoundedSum | None
    bars: SumOfBars | None
    terms: tuple[Measure, ...]
    factors: tuple[Factor, ...]
    score: str
    method: str
    rows: str
    """`600`, or on how many of them the answer rests."""
    drawn: str
    """How the rows are shown, and what the lines rest on."""
    sides: tuple[Side, Side]
    cells: tuple[wording.ReadingCell, ...]
    measures: tuple[Measure, ...]
    types: tuple[tuple[str, str], ...]
    """The columns that are not continuous, and what they are."""
    columns: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    warnings: tuple[RatedWarning, ...]
    settings: tuple[tuple[str, str], ...]
    command: str
    python: str
    paragraph: str
    bibtex: str


def summarise(decision: Decision, max_points: int, answers: Sequence[Answer] = ()) -> DecisionSummary:
    """Work out what a page shows; `max_points` bounds the dots of a panel, `answers` are those of other methods."""
    if answers and not any(each.decision is decision for each in answers):
        answers = (Answer(provenance.specification(decision), decision, math.nan), *answers)
    rounded = round_score(decision)
    columns = SortedColumn.of_both(decision.pair)
    sides = build_sides(decision, max_points, columns)
    return DecisionSummary(
        entry=provenance.find_entry(decision.method),
        verdict=single_line(decision.verdict).replace("undecided", "Undecided", decision.cause is None),
        badge=wording.badge(decision),
        sentence=wording.sentence(decision),
        stance=wording.Stance.of(decision),
        explanation=wording.explanation(decision),
        confidence=wording.confidence(decision),
        leans=wording.brief_lean(decision),
        relation=format_number(decision.dependence_p, 2) if decision.dependence_p is not None else "",
        halves=wording.halves(decision.half_samples) if decision.half_samples else "",
        line=place_halves(decision),
        others=tuple(map(_method_row, answers)),
        agreement=single_line(consensus(answers).sentence) if answers else "",
        outcomes=outcome_bar(decision),
        prior=provenance.prior(decision),
        sum=rounded,
        bars=stack_terms([decision.contributions[kind] for kind in rounded.terms], decision.weight or 0.0)
        if rounded
        else None,
        terms=list_terms(decision),
        factors=list_factors(decision),
        score=wording.score(decision),
        method=provenance.specification(decision),
        rows=decision.thinned or format_count(decision.pair.n),
        drawn=wording.remarks(decision, [side.drawing for side in sides], max_points),
        sides=sides,
        cells=wording.readings(decision),
        measures=list_measures(decision),
        types=tuple(
            (name, str(kind))
            for name, kind in zip(brief_names(decision), decision.kinds.values(), strict=True)
            if kind is not ColumnType.CONTINUOUS
        ),
        columns=(Fact("Column type", *map(str, decision.kinds.values())), *list_column_facts(decision.pair, columns)),
        facts=_facts(decision, columns),
        warnings=_warnings(decision),
        settings=provenance.settings(decision),
        command=provenance.command(decision, answers),
        python=provenance.python(decision, answers),
        paragraph=provenance.paragraph(decision),
        bibtex=provenance.bibtex(decision),
    )


def build_sides(
    decision: Decision, max_points: int, columns: tuple[SortedColumn, SortedColumn] | None = None
) -> tuple[Side, Side]:
    """Both directions with what is drawn of them."""
    pair, rows = decision.pair, sample_rows(decision.pair, max_points)
    in_x, in_y = columns or SortedColumn.of_both(pair)
    x, y = single_line(pair.x_name), single_line(pair.y_name)
    scored = decision.rows_judged or pair.n
    forward = thin_direction(pair.x, pair.y, decision.forward, rows, scored, in_x)
    backward = thin_direction(pair.y, pair.x, decision.backward, rows, scored, in_y)
    return _side(decision, Direction.FORWARD, x, y, forward), _side(decision, Direction.BACKWARD, y, x, backward)


def _side(decision: Decision, direction: Direction, cause: str, effect: str, drawing: Drawing) -> Side:
    forward = direction is Direction.FORWARD
    evidence = decision.forward if forward else decision.backward
    return Side(
        key="forward" if forward else "backward",
        cause=cause,
        effect=effect,
        outcome="not scored" if decision.stopped else wording.outcome(evidence),
        fits=None if decision.stopped else wording.fits(evidence),
        chosen=decision.direction is direction,
        contested=decision.direction is not Direction.UNDECIDED,
        drawing=drawing,
    )


def _method_row(answer: Answer) -> MethodRow:
    decision, halves = answer.decision, answer.decision.half_samples
    return MethodRow(
        method=single_line(answer.asked),
        answer=single_line(in_words(decision)),
        score=wording.score_of_lean(decision),
        sure=wording.confidence_or_p(decision),
        halves=percent(halves.agreement) if halves else "–",
        seconds=format_number(answer.seconds, 2),
    )


def _facts(decision: Decision, columns: tuple[SortedColumn, SortedColumn]) -> tuple[Fact, ...]:
    linear, ranks = correlate(decision.pair, columns)
    return (
        Fact("Rows", format_count(decision.pair.n)),
        *((Fact("Rows scored, a fixed sample", format_count(decision.rows_judged or 0)),) if decision.sampled else ()),
        Fact("Left out for a missing value", format_count(decision.pair.dropped)),
        Fact("Correlation (Pearson)", format_signed(linear, 3)),
        Fact("Correlation of ranks (Spearman)", format_signed(ranks, 3)),
        Fact("Fingerprint (SHA-256)", provenance.fingerprint(decision.pair)),
    )


def _warnings(decision: Decision) -> tuple[RatedWarning, ...]:
    # A fit that stopped short is often among the method's own warnings already, inside a longer sentence.
    rated = [RatedWarning(wording.severity(text), single_line(text)) for text in decision.warnings]
    notes = wording.convergence_notes(decision)
    rated += [RatedWarning("note", note) for note in notes if not any(note in each.text for each in rated)]
    return tuple(dict.fromkeys(sorted(rated, key=lambda each: wording.SEVERITIES.index(each.level))))
