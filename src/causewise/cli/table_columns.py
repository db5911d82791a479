"""What is said of a table's columns beside its answer: those left out, those that are not continuous, what was read."""

from collections.abc import Iterable, Mapping

from causewise.cli.streams import say
from causewise.formatting import visible

_NAMED = 5
"""Columns named in a sentence; the file has them all."""


def say_columns(left_out: Mapping[str, str], kinds: Mapping[str, str], notes: Iterable[str] = ()) -> None:
    """One sentence each, on the error stream; nothing where there is nothing to say."""
    for note in notes:
        say(visible(note))
    for title, told in (("Not continuous", _stepped(kinds)), ("Left out", left_out)):
        if told:
            some = [f"{visible(name)} ({visible(what)})" for name, what in list(told.items())[:_NAMED]]
            more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
            say(f"{title}: {'; '.join(some)}{more}.")


def _stepped(kinds: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for name, kind in kinds.items() if kind != "continuous"}
