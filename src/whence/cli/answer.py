"""A decision in the terminal: the verdict first, then why, then the numbers, then what weakens it."""

from typing import TYPE_CHECKING

from whence.cli.streams import paragraph, terminal
from whence.decision import LEVEL, Decision, percent
from whence.report.measures import Measure, measures
from whence.report.stance import Stance, sentence
from whence.report.wording import BRIEF, count, short, shown, signed, weighed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ROWS = ("Log-likelihood", "HSIC", "Independence test, p", "Fit converged")
_STYLES = {Stance.CLEAR: "bold green", Stance.WEIGHED: "bold green", Stance.FAILED: "bold red"}


def show(decision: Decision) -> None:
    """Print everything a reader needs to judge the answer."""
    console = terminal()
    console.print(headline(decision), style=_STYLES.get(Stance.of(decision), "bold yellow"), soft_wrap=True)
    console.print()
    paragraph(console, explanation(decision))
    console.print()
    table = evidence_table(decision, console.width)
    if table is not None:
        console.print(table)
        console.print()
    console.print(_summary(decision), style="dim")
    if weighed(decision):
        paragraph(console, f"What moves the score: {weighed(decision)}.")
    _list(console, "Warnings", decision.warnings)
    if table is not None:
        _list(console, "How to read this", _guide(decision))


def headline(decision: Decision) -> str:
    """The verdict with names made fit to print."""
    if decision.cause is None or decision.effect is None:
        return f"undecided between {shown(decision.pair.x_name)} and {shown(decision.pair.y_name)}"
    return f"{shown(decision.cause)} → {shown(decision.effect)}"


def explanation(decision: Decision) -> str:
    """The verdict in words, and what the two tests say."""
    told = shown(decision.explanation) if decision.explanation else ""
    enough = Stance.of(decision) in (Stance.CLEAR, Stance.WITHHELD)
    return told if enough else " ".join(filter(None, (sentence(decision), told)))


def evidence_table(decision: Decision, width: int) -> "Table | None":
    """Both directions side by side; None where the method gave no number."""
    found = measures(decision)
    rows = [row for row in found if row.name in _ROWS] or [row for row in found if row.name == "Score"]
    if not rows:
        return None
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("")
    for title in _directions(decision, (width - 28) // 2):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(row.name, *_marked(row))
    return table


def _directions(decision: Decision, width: int = 2 * BRIEF) -> tuple[str, str]:
    """`x → y` and `y → x`, names cut so that each fits the width; the shorter name is cut last."""
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    room = max(width - 3, 8)
    if len(x) + len(y) > room:
        least = min(len(x), len(y), room // 2)
        x, y = short(x, max(least, room - len(y))), short(y, max(least, room - len(x)))
    return f"{x} → {y}", f"{y} → {x}"


def _marked(row: Measure) -> tuple[str, str]:
    return (
        f"{row.forward}{' *' if row.favours == 'forward' else '  '}",
        f"{row.backward}{' *' if row.favours == 'backward' else '  '}",
    )


def _summary(decision: Decision) -> str:
    parts = [f"method {decision.method}", f"{count(decision.pair.n)} rows"]
    if not decision.failure:
        parts.insert(0, f"score {signed(decision.score)}")
    if decision.confidence is not None:
        parts.append(f"confidence {percent(decision.confidence)}")
    return " · ".join(parts)


def _guide(decision: Decision) -> tuple[str, ...]:
    x, y = (short(shown(name), BRIEF) for name in (decision.pair.x_name, decision.pair.y_name))
    unit = "It is not a probability." if decision.confidence is None else "Its unit is log-odds."
    lines = [
        f"* marks the direction a number favours. The score is {x} → {y} minus {y} → {x}: above 0 it favours the "
        f"former. {unit}"
    ]
    if decision.reading is not None:
        lines.append(
            f"p below {LEVEL:g} rejects a direction: its noise still depends on the presumed cause. A larger p means "
            "that the direction is not contradicted, not that it is proved."
        )
    return tuple(lines)


def _list(console: "Console", title: str, sentences: tuple[str, ...]) -> None:
    if sentences:
        console.print()
        console.print(title, style="bold")
    for text in sentences:
        paragraph(console, text, bullet=" - ")
