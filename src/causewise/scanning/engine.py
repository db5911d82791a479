"""Tiles of pairs, in this process or on several: what is done does not depend on where, or in which order.

Processes, not threads: the Python between the compiled loops holds the interpreter's lock (`benchmarks/parallel.py`).
The columns lie in one file that every process maps into its memory. A process that dies takes the tiles at hand with
it; these are done again, each alone and then in halves, until the pair that kills is found and gets a row that says so.
"""

import tempfile
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from causewise.parallel import deaf_children, follow_parent, limit_processors, one_thread, processors, without_script
from causewise.scanning.pair_scorer import PairScorer
from causewise.scanning.tasks import Died, Tile, Work

AT_HAND = 2
"""Tiles given to each process at a time."""


class Run(Protocol):
    """An engine with its judge, at work."""

    @property
    def workers(self) -> int:
        """Tiles that are worked on at the same time."""

    @property
    def gpu(self) -> bool:
        """Whether networks are trained on GPUs, wherever the scan was asked for."""

    def __call__(self, work: Work, tiles: Sequence[Tile]) -> Iterator[tuple[int, list[Any]]]:
        """Each tile's number and results, in any order."""


class InProcess:
    """Tiles one after the other, here."""

    workers, gpu = 1, False

    def __init__(self, judge: PairScorer) -> None:
        self._judge, self._lasting = judge, ExitStack()

    def __enter__(self) -> Run:
        self._lasting.enter_context(one_thread())
        self._lasting.enter_context(self._judge.share_columns())
        return self

    def __exit__(self, *problem: object) -> None:
        self._lasting.close()

    def __call__(self, work: Work, tiles: Sequence[Tile]) -> Iterator[tuple[int, list[Any]]]:
        """Each tile's number and results."""
        for k, tile in enumerate(tiles):
            yield k, work(self._judge, tile)


class Processes:
    """Tiles on several processes, which are started once and live as long as the scan."""

    gpu = False

    def __init__(self, judge: PairScorer, jobs: int) -> None:
        self._judge, self.workers, self._pool = judge, jobs, None
        self._folder = tempfile.TemporaryDirectory(prefix="causewise-")

    _pool: ProcessPoolExecutor | None

    def __enter__(self) -> Run:
        if isinstance(self._judge.values, np.ndarray):
            np.save(self._place, self._judge.values)
            self._judge = replace(self._judge, values=np.empty((0, 0)))
        return self

    def __exit__(self, *problem: object) -> None:
        self._end()
        self._folder.cleanup()

    @property
    def _place(self) -> Path:
        return Path(self._folder.name) / "columns.npy"

    def __call__(self, work: Work, tiles: Sequence[Tile]) -> Iterator[tuple[int, list[Any]]]:
        """Each tile's number and results, in the order in which they finish."""
        waiting = iter(enumerate(tiles))
        while suspects := (yield from self._until_one_dies(work, waiting)):
            for k, tile in suspects:
                yield k, self.bisected(work, tile)

    def _until_one_dies(
        self, work: Work, waiting: Iterator[tuple[int, Tile]]
    ) -> Generator[tuple[int, list[Any]], None, list[tuple[int, Tile]]]:
        """Results until all tiles are done or a process has died; returns the tiles that were at hand then."""
        at_hand: dict[Future[list[Any]], tuple[int, Tile]] = {}
        while True:
            for k, tile in islice(waiting, AT_HAND * self.workers - len(at_hand)):
                at_hand[self._submit(work, tile, self.workers)] = (k, tile)
            if not at_hand:
                return []
            done, _ = wait(at_hand, return_when=FIRST_COMPLETED)
            for future in done:
                if isinstance(future.exception(), BrokenProcessPool):
                    self._end()
                    return sorted(at_hand.values(), key=lambda each: each[0])
                yield at_hand.pop(future)[0], future.result()

    def bisected(self, work: Work, tile: Tile) -> list[Any]:
        """A tile in a process of its own; where that dies too, its halves."""
        try:
            return self._submit(work, tile, 1).result()
        except BrokenProcessPool:
            if len(tile) == 1:
                return [Died(tile[0])]
            self._end()
            middle = len(tile) // 2
            return [each for half in (tile[:middle], tile[middle:]) for each in self.bisected(work, half)]
        finally:
            self._end()

    def _submit(self, work: Work, tile: Tile, jobs: int) -> Future[list[Any]]:
        with deaf_children(), without_script():
            if self._pool is None:
                # Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will release.
                given = (self._judge, self._place, self.workers)
                self._pool = ProcessPoolExecutor(jobs, get_context("spawn"), _enter, given)
            try:
                return self._pool.submit(_tile, work, tile)
            except BrokenProcessPool as broken:  # it died since the last look
                failed: Future[list[Any]] = Future()
                failed.set_exception(broken)
                return failed

    def _end(self) -> None:
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:  # what is still at work has nobody left to report to
            process.kill()
        for process in processes:
            process.join()
        self._pool = None


def alone(judge: PairScorer, work: Work, tile: Tile) -> list[Any]:
    """The results of one tile that may kill, worked on in processes of its own."""
    own = Processes(judge, 1)
    with own:
        return own.bisected(work, tile)


_here: tuple[PairScorer, ExitStack] | None = None
"""In a worker: the judge, and the contexts that last as long as the process."""


def _enter(judge: PairScorer, place: Path, jobs: int) -> None:
    global _here
    follow_parent()
    limit_processors(processors() // jobs)
    whole, lasting = replace(judge, values=np.load(place, mmap_mode="r")) if place.exists() else judge, ExitStack()
    lasting.enter_context(one_thread())
    lasting.enter_context(whole.share_columns())
    _here = whole, lasting


def _tile(work: Work, tile: Tile) -> list[Any]:
    assert _here is not None
    return work(_here[0], tile)
