"""Subjects to be fuzzed, and how they are tried: a hand-made corpus first, then what hypothesis draws.

A subject is one function of one example that raises where something is wrong:

    @subject(st.floats(), corpus=lambda: [math.nan])
    def halves(value: float) -> None:
        assert value / 2 * 2 == value
"""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Subject:
    """What is tried, on what."""

    name: str
    check: Callable[[Any], None]
    drawn: SearchStrategy[Any]
    corpus: Callable[[], Iterable[Any]]


@dataclass
class Tally:
    """How a subject did."""

    tried: int = 0
    failures: list[str] = field(default_factory=list)


SUBJECTS: dict[str, Subject] = {}


def subject(drawn: SearchStrategy[Any], corpus: Callable[[], Iterable[Any]] = list) -> Callable[..., Any]:
    """Enter a function under its name; `corpus` makes the examples that are always tried."""

    def enter(check: Callable[[Any], None]) -> Callable[[Any], None]:
        SUBJECTS[check.__name__] = Subject(check.__name__, check, drawn, corpus)
        return check

    return enter


def try_corpus(what: Subject, tally: Tally) -> None:
    """Every hand-made example, whatever the others do."""
    for example in what.corpus():
        tally.tried += 1
        try:
            what.check(example)
        except Exception as problem:
            tally.failures.append(f"{example!r:.300}: {_words(problem)}")


def try_drawn(what: Subject, tally: Tally, examples: int, number: int) -> None:
    """So many drawn examples, the same ones for the same number; the smallest that fails is kept."""
    last: list[Any] = []

    def counted(example: Any) -> None:
        tally.tried += 1
        last[:] = [example]
        what.check(example)

    quiet = list(HealthCheck)
    steps = (Phase.generate, Phase.shrink)
    options = settings(max_examples=examples, deadline=None, database=None, suppress_health_check=quiet, phases=steps)
    try:
        seed(number)(options(given(what.drawn)(counted)))()
    except Exception as problem:  # also hypothesis's own words on an example that fails now and then
        tally.failures.append(f"{last!r:.300}: {_words(problem)}")


def fuzz(names: Sequence[str], seconds: float, number: int, examples: int = 25) -> dict[str, Tally]:
    """Round after round of all subjects until the time is spent; the corpus once."""
    found = {name: Tally() for name in names}
    end = time.monotonic() + seconds
    draws = random.Random(number)
    for name, tally in found.items():
        try_corpus(SUBJECTS[name], tally)
    while True:
        for name, tally in found.items():
            # One failure of a subject is enough to know: the time goes to the others.
            if not tally.failures:
                try_drawn(SUBJECTS[name], tally, examples, draws.getrandbits(64))
            if time.monotonic() > end:
                return found


def table(found: dict[str, Tally]) -> str:
    """Tried and failed, a line each, and the failures below."""
    lines = ["| subject | tried | failed |", "|---|---:|---:|"]
    lines += [f"| {name} | {tally.tried} | {len(tally.failures)} |" for name, tally in found.items()]
    lines += [f"\n{name}: {failure}" for name, tally in found.items() for failure in tally.failures]
    return "\n".join(lines)


def _words(problem: Exception) -> str:
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
