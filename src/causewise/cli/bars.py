"""How far a long command has come: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from causewise.cli.streams import say, terminal
from causewise.parallel import OnProgress

_QUIET = 10.0
"""Seconds between two lines."""


@contextmanager
def progress(units: Mapping[str, str], remark: Callable[[], str] | None = None) -> Iterator[OnProgress]:
    """A bar for each thing that is done; `units` says what is counted of each.

    The time left is what the work so far took, unless there is a `remark` that knows better.
    """
    console = terminal(sys.stderr)
    if not console.is_terminal:
        yield _say_now_and_then(units, remark)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    last = TimeRemainingColumn() if remark is None else TextColumn("{task.fields[remark]}", markup=False)
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        last,
        console=console,
        transient=True,
    )
    tasks: dict[str, Any] = {}

    def on_progress(what: str, done: int, of: int) -> None:
        bars.start()  # not earlier: a bar that moves would write over a question
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=of, remark="")
        bars.update(tasks[what], completed=done, remark="" if remark is None else remark())
        if done == of:
            bars.stop()  # what follows may print

    try:
        yield on_progress
    finally:
        bars.stop()


def _say_now_and_then(units: Mapping[str, str], remark: Callable[[], str] | None) -> OnProgress:
    last = time.monotonic()

    def on_progress(what: str, done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > _QUIET:
            last = time.monotonic()
            name = f"{what}: " if what else ""
            say(f"{name}{done} of {of} {units[what]}" + ("" if remark is None else f", {remark()}"))

    return on_progress
