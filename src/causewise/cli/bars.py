"""How far a long command has come: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from causewise.cli.streams import say, terminal

OnProgress = Callable[[str, int, int], None]
_QUIET = 10.0
"""Seconds between two lines."""


@contextmanager
def progress(units: Mapping[str, str]) -> Iterator[OnProgress]:
    """A bar with the time left for each thing that is done; `units` says what is counted of each."""
    console = terminal(sys.stderr)
    if not console.is_terminal:
        yield _said_now_and_then(units)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    parts = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = Progress(*parts, console=console, transient=True)
    bars: dict[str, Any] = {}

    def on_progress(what: str, done: int, of: int) -> None:
        shown.start()  # not earlier: a bar that moves would write over a question
        if what not in bars:
            bars[what] = shown.add_task(what, total=of)
        shown.update(bars[what], completed=done)
        if done == of:
            shown.stop()  # what follows may print

    try:
        yield on_progress
    finally:
        shown.stop()


def _said_now_and_then(units: Mapping[str, str]) -> OnProgress:
    last = [time.monotonic()]

    def on_progress(what: str, done: int, of: int) -> None:
        if time.monotonic() - last[0] > _QUIET:
            last[0] = time.monotonic()
            say(f"{what}: {done} of {of} {units[what]}")

    return on_progress
