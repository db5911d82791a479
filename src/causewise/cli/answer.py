"""A decision in the terminal: the verdict first, then why, then the numbers, then what weakens it.

Of several methods: a row each, what most of them say, and why some give no direction.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from causewise.cli.streams import paragraph, terminal
from causewise.criteria import LEVEL
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Decision, Direction
from causewise.formatting import format_count, format_signed, percent, shorten, single_line, text_width
from causewise.inference import Answer, consensus, in_words
from causewise.report import decision_wording as wording
from causewise.report.decision_wording import (
    Stance,
    confidence,
    confidence_or_p,
    rests_on_p,
    rows_text,
    score_of_lean,
    severity,
)
from causewise.report.measures import Measure, list_factors, list_measures, list_terms
from causewise.report.provenance import prior
from causewise.report.score_bars import BRIEF, FILLS, brief_names, outcome_bar, round_score

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_ROWS = ("Log-likelihood", "HSIC", "Independence test, p", "Fit converged")
_TEST = ("Independence test, p",)
_NARROW = 60
"""Below this many columns the terms are left to the sum, and of several methods scores and seconds are left out."""
_STYLES = {
    Stance.CLEAR: "bold green",
    Stance.WEIGHED: "bold green",
    Stance.UNRELATED: "bold",
    Stance.FAILED: "bold red",
}
_BAR = 50
"""Cells of the bar of outcomes, two per cent each, where there is room."""
_LEVEL_STYLES = {"stops": "red", "lowers confidence": "yellow", "note": "dim"}


def show(decision: Decision) -> None:
    """Print everything a reader needs to judge the answer, all of it or, where Ctrl-C comes in between, nothing."""
    console = terminal()
    with console.capture() as page:
        _show(console, decision)
    console.file.write(page.get())
    console.file.flush()


def _show(console: "Console", decision: Decision) -> None:
    console.print(headline(decision), style=_STYLES.get(Stance.of(decision), "bold yellow"), soft_wrap=True)
    console.print()
    paragraph(console, explanation(decision))
    console.print()
    outcomes(console, decision)
    numbers(console, decision)
    paragraph(console, _summary(decision), style="dim")
    if decision.half_samples:
        paragraph(console, wording.halves(decision.half_samples))
    warn(console, decision.warnings)
    if evidence_table(decision, console.width) is not None:
        bullets(console, "How to read this", _guide(decision))


def headline(decision: Decision) -> str:
    """The verdict with names made fit to print; with its confidence where that is hardly more than a half."""
    verdict = single_line(decision.verdict)
    return f"{verdict}: {wording.badge(decision)}" if decision.doubt else verdict


def explanation(decision: Decision) -> str:
    """The verdict in words, and what the two tests say where it rests on them."""
    tests = wording.explanation(decision)
    # Where one direction alone fits, what the tests say is the whole verdict, and the sentence would repeat it.
    return tests if Stance.of(decision) is Stance.CLEAR else " ".join(filter(None, (wording.sentence(decision), tests)))


def outcomes(console: "Console", decision: Decision) -> None:
    """One bar of three parts, with a mark where an answer begins; nothing where there are no such outcomes."""
    from rich.text import Text

    bar = outcome_bar(decision)
    if bar is None:
        return
    width = min(_BAR, console.width)
    styles = {"leading": _STYLES.get(Stance.of(decision), "bold yellow"), "other": "magenta", "neither": "dim"}
    drawn = Text(end="\n")
    for part, cells in zip(bar.parts, bar.cells(width), strict=True):
        drawn.append(FILLS[part.kind] * cells, style=styles[part.kind])
    console.print(drawn, soft_wrap=True)
    if bar.threshold is not None:
        # Below the last cell that the lead has to fill.
        mark = max(int(width * bar.threshold + 1e-9) - 1, 0)
        label = f"▲ {bar.needed}"
        fits = mark + len(label) <= console.width
        console.print(f"{' ' * mark}{label}" if fits else f"{' ' * mark}▲\n{bar.needed:>{mark + 1}}", soft_wrap=True)
    legend = [f"{FILLS[part.kind]} {part.name} {part.text}" for part in bar.parts]
    one_line = "   ".join(legend)
    console.print(one_line if text_width(one_line) <= console.width else "\n".join(legend), soft_wrap=True)
    console.print()


def numbers(console: "Console", decision: Decision) -> None:
    """Both directions side by side, and how the score adds up; nothing where there is no direction to find."""
    table = evidence_table(decision, console.width)
    if table is None:
        return
    console.print(table)
    console.print()
    rounded, sure = round_score(decision), confidence(decision)
    if rounded:
        towards, _ = directions(decision)
        strength = (
            f"confidence {sure}{decision.doubt}" if sure else "" if decision.confidence is None else "no usable lean"
        )
        paragraph(console, f"Towards {towards}: {'; '.join(filter(None, (str(rounded), strength)))}.")


def evidence_table(decision: Decision, width: int) -> "Table | None":
    """Both directions side by side; None where the method gave no number, or none that matters."""
    added = list_terms(decision)
    rows = [*added, *_select_measures(decision, _TEST if added else _ROWS)]
    if not rows or decision.unrelated:
        return None
    # Row titles take some 28 columns and the terms another 12; the two directions share the rest.
    last = ["in score"] if added and width >= _NARROW else []
    table = plain_table(["", *directions(decision, (width - 28) // 2 - 6 * len(last)), *last])
    for row in rows:
        cells = (_title(row), row.forward, row.backward, row.term) if added else (row.name, *_mark_favoured(row))
        table.add_row(*cells[: len(table.columns)])
    return table


def plain_table(titles: list[str]) -> "Table":
    """A table without a frame; what has a title stands to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in titles:
        table.add_column(title, justify="right" if title else "left")
    return table


def _select_measures(decision: Decision, names: tuple[str, ...]) -> list[Measure]:
    # A method with none of these numbers has its score at least.
    found = list_measures(decision)
    return [row for row in found if row.name in names] or [row for row in found if row.name == "Score"]


def _title(row: Measure) -> str:
    """`Shape` for `Shape along the cause`."""
    return row.name.split(" of ")[0].split(" along ")[0]


def directions(decision: Decision, width: int = 2 * BRIEF) -> tuple[str, str]:
    """`x → y` and `y → x`, names cut so that each fits the width; the shorter name is cut last."""
    x, y = single_line(decision.pair.x_name), single_line(decision.pair.y_name)
    room = max(width - 3, 8)
    if len(x) + len(y) > room:
        least = min(len(x), len(y), room // 2)
        x, y = shorten(x, max(least, room - len(y))), shorten(y, max(least, room - len(x)))
    return f"{x} → {y}", f"{y} → {x}"


def _mark_favoured(row: Measure) -> tuple[str, str]:
    return (
        f"{row.forward}{' *' if row.favours == 'forward' else '  '}",
        f"{row.backward}{' *' if row.favours == 'backward' else '  '}",
    )


def _summary(decision: Decision) -> str:
    scored = not (decision.failed or decision.unrelated or decision.stopped or round_score(decision))
    sure = confidence(decision) if scored else ""
    parts = (
        f"score {format_signed(decision.score)}" if scored else "",
        f"confidence {sure}{decision.doubt}" if sure else "",
        f"method {decision.method}",
        rows_text(decision),
    )
    return " · ".join(filter(None, parts))


def _guide(decision: Decision) -> tuple[str, ...]:
    lines = _sum_guide(decision) if round_score(decision) else (_score_guide(decision),)
    return lines if decision.reading is None else (*lines, guide_to_p())


def _sum_guide(decision: Decision) -> tuple[str, ...]:
    forward, backward = directions(decision)
    weight = " × ".join(f"{factor.name} {factor.value} ({factor.meaning})" for factor in list_factors(decision))
    return (
        f"Each kind of evidence is a cost, so the smaller number speaks for its direction; in the score + speaks for "
        f"{forward}, − for {backward}.",
        f"The reliability weight is how far these rows can be relied on: {weight}.",
        _confidence_guide(decision),
    )


def _confidence_guide(decision: Decision) -> str:
    """How the three outcomes follow from the score."""
    stated = prior(decision)
    if not stated or not decision.probabilities:
        return "Confidence = 1/(1 + e^−|score|), rounded down."
    neither = {"0 %": "0, as --direct or --neither 0 says"}.get(
        stated, f"a hidden common cause or a mixture, {stated} before a look at the rows (--neither, --direct)"
    )
    return f"Confidence = (1 − neither)/(1 + e^−|score|), rounded down; neither is {neither}."


def _score_guide(decision: Decision) -> str:
    x, y = brief_names(decision)
    unit = "It is not a probability." if decision.confidence is None else "Its unit is log-odds."
    return (
        f"* marks the direction a number favours. The score is {x} → {y} minus {y} → {x}: above 0 it favours the "
        f"former. {unit}"
    )


def guide_to_p() -> str:
    """What a p-value says, and what it does not."""
    return (
        f"p below {LEVEL:g} rejects a direction: its noise still depends on the presumed cause. A larger p means "
        "that the direction is not contradicted, not that it is proved."
    )


def warn(console: "Console", warnings: tuple[str, ...]) -> None:
    """The warnings, those that weigh most first."""
    groups = wording.group_by_severity(warnings)
    if groups:
        console.print("\nWarnings", style="bold")
    for level, texts in groups.items():
        console.print(f" {level}", style=_LEVEL_STYLES[level])
        for text in texts:
            paragraph(console, single_line(text), bullet="  - ")


def bullets(console: "Console", title: str, sentences: tuple[str, ...]) -> None:
    """Sentences under a title."""
    console.print()
    console.print(title, style="bold")
    for text in sentences:
        paragraph(console, text, bullet=" - ")


def show_all(answers: Sequence[Answer]) -> None:
    """Print a row a method, the consensus, why some gave no direction, and what weakens all of it."""
    console = terminal()
    console.print(_table(answers, console.width))
    console.print()
    paragraph(console, single_line(consensus(answers).sentence), style="bold")
    silent = [answer for answer in answers if answer.decision.cause is None and answer.decision.explanation]
    for answer in silent:
        paragraph(console, f"{answer.asked}: {single_line(answer.decision.explanation)}", bullet=" - ")
    paragraph(console, f"{format_count(answers[0].decision.pair.n)} rows", style="dim")
    warn(console, _warnings(answers))
    bullets(console, "How to read this", _guide_to_all(answers, console.width >= _NARROW))


def _table(answers: Sequence[Answer], width: int) -> "Table":
    wide = width >= _NARROW
    halves = any(answer.decision.half_samples for answer in answers)
    last = ["confidence or p", *["halves"] * halves, *["seconds"] * wide]
    table = plain_table(["method", "answer", *["score"] * wide, *last])
    for words in table.columns[:2]:
        words.justify = "left"
    for asked, decision, seconds in answers:
        # The other columns take some 50 in a wide terminal, and 30 in a narrow one.
        forward, backward = directions(decision, width - (50 if wide else 30))
        arrows = {Direction.FORWARD: forward, Direction.BACKWARD: backward}
        found = decision.half_samples
        table.add_row(
            asked,
            arrows.get(decision.direction, in_words(decision)),
            *[score_of_lean(decision)] * wide,
            confidence_or_p(decision),
            *[percent(found.agreement) if found else "–"] * halves,
            *[f"{seconds:.2f}"] * wide,
        )
    return table


def _warnings(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Every warning once; behind the methods that give it where not all of them do."""
    lines: list[str] = []
    for text in dict.fromkeys(text for answer in answers for text in answer.decision.warnings):
        by = [answer.asked for answer in answers if text in answer.decision.warnings]
        some = f"{', '.join(by)}: {text}"
        lines.append(
            text if len(by) == len(answers) else DataWarning(some, Severity(severity(text)), getattr(text, "kind", ""))
        )
    return tuple(lines)


def _guide_to_all(answers: Sequence[Answer], scored: bool) -> tuple[str, ...]:
    forward, backward = directions(answers[0].decision)
    lines = ["Methods that share assumptions err together: how many agree is no measure of how sure the answer is."]
    if scored:
        lines += [
            f"A score above 0 favours {forward}; scores of different methods have different units.",
            "The first method's seconds include the loading of what all of them use.",
        ]
    if any(rests_on_p(answer.decision) for answer in answers):
        lines.append(f"Two numbers are the p-values of {forward} and of {backward}. {guide_to_p()}")
    return tuple(lines)
