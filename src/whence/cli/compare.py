"""Several methods on one pair: a row each, and what more than half of them say."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from whence.decision import Decision, Direction, percent
from whence.pair import InputError
from whence.preflight import Level, Notice
from whence.report.wording import count, level_of, p_value, shown, signed

if TYPE_CHECKING:
    from rich.table import Table

_NARROW = 60
"""Below this many columns scores and seconds are left out."""


class Answer(NamedTuple):
    """What one method says of the pair."""

    asked: str
    """The method with its settings, as it was asked for."""
    decision: Decision
    seconds: float


@dataclass(frozen=True)
class Consensus:
    """What more than half of the methods say. A count, no probability: methods that share assumptions err together."""

    direction: str
    cause: str | None
    effect: str | None
    status: str
    """Of the methods that agree; undecided where no answer has more than half of them."""
    agree: tuple[str, ...]
    """The methods that say so."""
    of: int
    """All methods."""
    sentence: str


def method_names(methods: str) -> list[str]:
    """The methods asked for: names with a comma between."""
    names = [name.strip() for name in methods.split(",")] if "," in methods else [methods]
    if len(names) > 1 and ("" in names or len(set(names)) < len(names)):
        raise InputError(
            f"Got --method {methods!r}; expected different names with a comma between, for instance whence,mdl,loci-h."
        )
    return names


def consensus(answers: Sequence[Answer]) -> Consensus:
    """The answer that more than half of the methods give, and what the others say."""
    ((status, direction), most), *_ = Counter(map(_said, answers)).most_common(1)
    if 2 * most <= len(answers):
        each = "; ".join(f"{answer.asked}: {_words(answer.decision)}" for answer in answers)
        undecided = Direction.UNDECIDED.value
        return Consensus(undecided, None, None, undecided, (), len(answers), f"No consensus: {each}.")
    agree = [answer for answer in answers if _said(answer) == (status, direction)]
    one = agree[0].decision
    parts = [f"{most} of {len(answers)} methods: {_words(one)}"]
    parts += [f"{answer.asked}: {_words(answer.decision)}" for answer in answers if answer not in agree]
    names = tuple(answer.asked for answer in agree)
    return Consensus(direction, one.cause, one.effect, status, names, len(answers), f"{'; '.join(parts)}.")


def record(answers: Sequence[Answer]) -> dict[str, Any]:
    """Every method's own record, and the consensus; no seconds, so that the same question has the same bytes."""
    return {"methods": [answer.decision.to_dict() for answer in answers], "consensus": asdict(consensus(answers))}


def show_all(answers: Sequence[Answer]) -> None:
    """Print a row a method, the consensus, why some gave no direction, and what weakens all of it."""
    from whence.cli.answer import bullets, warn
    from whence.cli.streams import paragraph, terminal

    console = terminal()
    console.print(_table(answers, console.width))
    console.print()
    paragraph(console, shown(consensus(answers).sentence), style="bold")
    silent = [answer for answer in answers if answer.decision.cause is None and answer.decision.explanation]
    for answer in silent:
        paragraph(console, f"{answer.asked}: {shown(answer.decision.explanation)}", bullet=" - ")
    paragraph(console, f"{count(answers[0].decision.pair.n)} rows", style="dim")
    warn(console, _warnings(answers))
    bullets(console, "How to read this", _guide(answers, console.width >= _NARROW))


def _said(answer: Answer) -> tuple[str, str]:
    return answer.decision.status, answer.decision.direction.value


def _words(decision: Decision) -> str:
    """`rain → river`, `undecided`, `unrelated` or `no answer`."""
    if decision.cause is not None:
        return decision.verdict
    return "no answer" if decision.failure else decision.status


def _table(answers: Sequence[Answer], width: int) -> "Table":
    from whence.cli.answer import directions, plain_table

    wide = width >= _NARROW
    halves = any(answer.decision.half_samples for answer in answers)
    table = plain_table(
        ["method", "answer", *["score"] * wide, "confidence or p", *["halves"] * halves, *["seconds"] * wide]
    )
    for words in table.columns[:2]:
        words.justify = "left"
    for asked, decision, seconds in answers:
        # The other columns take some 50 in a wide terminal, and 30 in a narrow one.
        forward, backward = directions(decision, width - (50 if wide else 30))
        arrows = {Direction.FORWARD: forward, Direction.BACKWARD: backward}
        found = decision.half_samples
        table.add_row(
            asked,
            arrows.get(decision.direction, _words(decision)),
            *[signed(decision.score if _leans(decision) else None)] * wide,
            _how_sure(decision),
            *[percent(found.agreement) if found else "–"] * halves,
            *[f"{seconds:.2f}"] * wide,
        )
    return table


def _how_sure(decision: Decision) -> str:
    if decision.confidence is not None and _leans(decision):
        return percent(decision.confidence)
    return f"{p_value(decision.forward)}, {p_value(decision.backward)}" if _has_p(decision) else "–"


def _leans(decision: Decision) -> bool:
    """Whether its numbers mean anything: neither a failure nor unrelated columns have a direction."""
    return not (decision.failure or decision.unrelated)


def _has_p(decision: Decision) -> bool:
    return decision.confidence is None and decision.reading is not None


def _warnings(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Every warning once; behind the methods that give it where not all of them do."""
    told: list[str] = []
    for text in dict.fromkeys(text for answer in answers for text in answer.decision.warnings):
        by = [answer.asked for answer in answers if text in answer.decision.warnings]
        some = f"{', '.join(by)}: {text}"
        told.append(text if len(by) == len(answers) else Notice(some, Level(level_of(text)), getattr(text, "kind", "")))
    return tuple(told)


def _guide(answers: Sequence[Answer], scored: bool) -> tuple[str, ...]:
    from whence.cli.answer import directions, guide_to_p

    forward, backward = directions(answers[0].decision)
    lines = ["Methods that share assumptions err together: how many agree is no measure of how sure the answer is."]
    if scored:
        lines += [
            f"A score above 0 favours {forward}; scores of different methods have different units.",
            "The first method's seconds include the loading of what all of them use.",
        ]
    if any(_has_p(answer.decision) for answer in answers):
        lines.append(f"Two numbers are the p-values of {forward} and of {backward}. {guide_to_p()}")
    return tuple(lines)
