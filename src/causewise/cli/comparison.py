"""Several methods in the terminal: a row each, what most of them say, and why some give no direction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from causewise.cli.answer import bullets, directions, guide_to_p, plain_table, warn
from causewise.cli.streams import paragraph, terminal
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Direction
from causewise.formatting import format_count, percent, single_line
from causewise.inference import Answer, consensus, in_words
from causewise.report.decision_wording import confidence_or_p, rests_on_p, score_of_lean, severity

if TYPE_CHECKING:
    from rich.table import Table

_NARROW = 60
"""Below this many columns scores and seconds are left out."""


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
    bullets(console, "How to read this", _guide(answers, console.width >= _NARROW))


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
    told: list[str] = []
    for text in dict.fromkeys(text for answer in answers for text in answer.decision.warnings):
        by = [answer.asked for answer in answers if text in answer.decision.warnings]
        some = f"{', '.join(by)}: {text}"
        told.append(
            text if len(by) == len(answers) else DataWarning(some, Severity(severity(text)), getattr(text, "kind", ""))
        )
    return tuple(told)


def _guide(answers: Sequence[Answer], scored: bool) -> tuple[str, ...]:
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
