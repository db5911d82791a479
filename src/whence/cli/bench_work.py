"""How `whence bench` does its work in view of the user: progress, forecasts, and failures as sentences."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from whence.pair import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from whence.benchmark.pool import Limits
    from whence.benchmark.runner import Plan
    from whence.benchmark.store import Store
    from whence.decision import Decision

INTERRUPTED = 130


@contextmanager
def plainly() -> Iterator[None]:
    """The outermost layer: a failure is a sentence on standard error and an exit code; SIGTERM is as good as Ctrl-C."""
    from whence.benchmark.ledger import DiskError
    from whence.benchmark.pool import PoolError

    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except InputError as problem:
        _fail(str(problem), 2)
    except (DiskError, PoolError) as problem:
        _fail(str(problem), 1)
    except KeyboardInterrupt:
        _fail("Stopped; what is finished is kept, and the same command carries on from there.", INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, previous)


def console() -> "Console":
    """Standard error, where progress and remarks go; standard output is for results."""
    from rich.console import Console

    return Console(stderr=True)


def _fail(sentence: str, code: int) -> None:
    typer.echo(sentence, err=True)
    raise typer.Exit(code)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def announce(work: "Plan", store: Path) -> None:
    """Say how many pairs there are to do."""
    there = f", {work.there} are already in {store}" if work.there else ""
    console().print(f"{work.todo} pairs to do{there}.", highlight=False, soft_wrap=True)


def foretell(work: "Plan", results: "Store", jobs: int) -> None:
    """Say how long they will take."""
    from whence.benchmark.progress import Forecast

    left = Forecast(work.todo_by_method, jobs, results.seconds()).words()
    if work.todo and left is not None:
        console().print(f"{work.todo} pairs will take {left} on {jobs} cores.", highlight=False)


def do(work: "Plan", results: "Store", jobs: int, limits: "Limits", quiet: bool = False) -> None:
    """Do it, with progress, and say how it went."""
    from whence.benchmark.progress import Forecast, Progress, duration
    from whence.benchmark.runner import run

    start = time.monotonic()
    progress = Progress(console(), Forecast(work.todo_by_method, jobs, results.seconds()))
    with progress.show() as heard:
        tally = run(work, results, jobs=jobs, limits=limits, on_rows=heard)
    if not quiet:
        failed = f", {tally.broken} failed (see: whence bench status --store {results.path})" if tally.broken else ""
        took = duration(time.monotonic() - start)
        console().print(f"{tally.made} pairs done in {took}{failed}.", highlight=False, soft_wrap=True)


def example_decisions(data: Path | None) -> "dict[str, Decision]":
    """The decisions of the paper's example pair, where its file is at hand."""
    from whence.benchmark import paper
    from whence.benchmark.sets import open_set
    from whence.catalogue import method

    where = paper.figures()["example"]
    try:
        pairs = open_set(where["dataset"], data).pairs
    except InputError as problem:
        console().print(f"The example figure is left out: {problem}", highlight=False, soft_wrap=True)
        return {}
    (known,) = [each for each in pairs if str(each.pair_id) == where["pair_id"]]
    in_order = known.pair if known.truth > 0 else known.pair.swapped()
    pair = replace(in_order, x_name="cause", y_name="effect")
    return {model: method(name).decide_many([pair])[0] for model, name in where["methods"].items()}
