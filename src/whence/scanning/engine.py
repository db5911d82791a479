"""Tiles of pairs, in this process or on several: what is done does not depend on where, or in which order.

Processes, not threads: the Python between the compiled loops holds the interpreter's lock (`benchmarks/parallel.py`).
The columns lie in one file that every process maps into its memory. A process that dies takes the tiles at hand with
it; these are done again, each alone and then in halves, until the pair that kills is found and gets a row that says so.
"""

import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from whence.scanning.judging import Judge
from whence.signals import deaf_children, follow_parent
from whence.threads import one_thread

Tile = Sequence[Any]
Work = Callable[[Judge, Any], Any]
"""What is done with one item of a tile."""
Run = Callable[[Work, Sequence[Tile]], Iterator[tuple[int, list[Any]]]]
"""An engine with its judge: each tile's number and results, in any order."""
AT_HAND = 2
"""Tiles given to each process at a time."""


@dataclass(frozen=True)
class Died:
    """What stands for the result of an item that killed its process."""

    item: Any


def in_process(judge: Judge, work: Work, tiles: Sequence[Tile]) -> Iterator[tuple[int, list[Any]]]:
    """Each tile's number and results, one after the other."""
    with one_thread(), judge.shared():
        for k, tile in enumerate(tiles):
            yield k, [work(judge, item) for item in tile]


def on_processes(judge: Judge, work: Work, tiles: Sequence[Tile], jobs: int) -> Iterator[tuple[int, list[Any]]]:
    """The same on `jobs` processes, in the order in which they finish."""
    with _columns_in_a_file(judge) as (bare, place):
        waiting = iter(enumerate(tiles))
        while suspects := (yield from _until_one_dies(bare, place, work, waiting, jobs)):
            for k, tile in suspects:
                yield k, _bisected(bare, place, work, tile)


def alone(judge: Judge, work: Work, tile: Tile) -> list[Any]:
    """The results of one tile that may kill, worked on in processes of its own."""
    with _columns_in_a_file(judge) as (bare, place):
        return _bisected(bare, place, work, tile)


@contextmanager
def _columns_in_a_file(judge: Judge) -> Iterator[tuple[Judge, Path]]:
    """The judge without its columns, and where they lie."""
    with tempfile.TemporaryDirectory(prefix="whence-") as folder:
        place = Path(folder) / "columns.npy"
        np.save(place, judge.values)
        yield replace(judge, values=np.empty((0, 0))), place


def _until_one_dies(
    judge: Judge, place: Path, work: Work, waiting: Iterator[tuple[int, Tile]], jobs: int
) -> Generator[tuple[int, list[Any]], None, list[tuple[int, Tile]]]:
    """Results until all tiles are done or a process has died; returns the tiles that were at hand then."""
    pool = _pool(judge, place, jobs)
    at_hand: dict[Future[list[Any]], tuple[int, Tile]] = {}
    try:
        while True:
            with deaf_children():
                for k, tile in islice(waiting, AT_HAND * jobs - len(at_hand)):
                    at_hand[pool.submit(_tile, work, tile)] = (k, tile)
            if not at_hand:
                return []
            done, _ = wait(at_hand, return_when=FIRST_COMPLETED)
            for future in done:
                if isinstance(future.exception(), BrokenProcessPool):
                    return sorted(at_hand.values(), key=lambda each: each[0])
                yield at_hand.pop(future)[0], future.result()
    finally:
        _end(pool)


def _bisected(judge: Judge, place: Path, work: Work, tile: Tile) -> list[Any]:
    """A tile in a process of its own; where that dies too, its halves."""
    pool = _pool(judge, place, 1)
    try:
        with deaf_children():
            future = pool.submit(_tile, work, tile)
        return future.result()
    except BrokenProcessPool:
        if len(tile) == 1:
            return [Died(tile[0])]
        middle = len(tile) // 2
        return [each for half in (tile[:middle], tile[middle:]) for each in _bisected(judge, place, work, half)]
    finally:
        _end(pool)


def _pool(judge: Judge, place: Path, jobs: int) -> ProcessPoolExecutor:
    # Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will ever release.
    return ProcessPoolExecutor(jobs, get_context("spawn"), _enter, (judge, place))


def _end(pool: ProcessPoolExecutor) -> None:
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:  # what is still at work has nobody left to report to
        process.kill()
    for process in processes:
        process.join()


_here: tuple[Judge, ExitStack] | None = None
"""In a worker: the judge, and the contexts that last as long as the process."""


def _enter(judge: Judge, place: Path) -> None:
    global _here
    follow_parent()
    whole, lasting = replace(judge, values=np.load(place, mmap_mode="r")), ExitStack()
    lasting.enter_context(one_thread())
    lasting.enter_context(whole.shared())
    _here = whole, lasting


def _tile(work: Work, tile: Tile) -> list[Any]:
    assert _here is not None
    return [work(_here[0], item) for item in tile]
