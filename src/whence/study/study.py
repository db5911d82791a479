"""What a study is, and how one is run: cells to rows, several processes at a time, finished cells skipped.

A study is a module of this room with the names of `Study`; its work is found by the module's name, so that a process
that has just been started knows what to do.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from whence.pair import InputError
from whence.study.ledger import Cell, Ledger, Row
from whence.study.output import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Scale:
    """How much of a study is done."""

    seeds: int | None = None
    """Repetitions; None is the study's own number."""
    fast: bool = False
    """A small version that exercises everything, for continuous integration."""
    networks: bool = False
    """Also the neural variants, where the study has them; they take a second a fit."""

    def repetitions(self, full: int, fast: int) -> int:
        """The number asked for, or the default of this scale."""
        return self.seeds or (fast if self.fast else full)


class Study(Protocol):
    """The names every study module has."""

    NAME: str
    REVISION: int
    """Raised whenever a cell's rows would come out otherwise."""

    def cells(self, scale: Scale) -> list[Cell]:
        """All the work."""

    def measure(self, cell: Cell) -> list[Row]:
        """Do one piece of it."""

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """What it comes to."""

    def figures(self, rows: Sequence[Row]) -> "dict[str, Figure]":
        """The same to look at."""


def load(name: str) -> Study:
    """The study of that name."""
    return cast(Study, import_module(f"whence.study.{name}"))


def run(
    study: Study,
    scale: Scale,
    folder: Path,
    jobs: int = 1,
    heard: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Finish a study in a folder and return all its rows; `heard(done, total)` follows it."""
    if jobs < 1:
        raise InputError(f"Got {jobs} jobs; expected at least 1.")
    if scale.seeds is not None and scale.seeds < 2:
        raise InputError(f"Got {scale.seeds} seeds; expected at least 2, since spreads are estimated from them.")
    folder.mkdir(parents=True, exist_ok=True)
    cells = study.cells(scale)
    with closing(Ledger(folder / "rows.sqlite", f"{study.NAME} {study.REVISION}")) as ledger:
        todo = ledger.missing(cells)
        done = len(cells) - len(todo)
        heard(done, len(cells))
        for cell, rows in _work(study.NAME, todo, jobs):
            ledger.add(cell, rows)
            done += 1
            heard(done, len(cells))
        return ledger.rows(cells)


Finished = tuple[Cell, list[Row]]


def _work(name: str, todo: list[Cell], jobs: int) -> Iterator[Finished]:
    if jobs == 1 or len(todo) < 2:
        yield from (_measure(name, cell) for cell in todo)
        return
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        waiting: set[Future[Finished]] = set()
        # A few more than there are processes: all stay busy, and an interrupt has little to wait for.
        for cell in todo:
            waiting.add(pool.submit(_measure, name, cell))
            if len(waiting) > 2 * jobs:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        yield from (each.result() for each in waiting)
    finally:
        pool.shutdown(cancel_futures=True)


def _measure(name: str, cell: Cell) -> Finished:
    return cell, load(name).measure(cell)
