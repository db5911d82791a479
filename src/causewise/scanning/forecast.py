"""How long a scan will take and how much memory it needs, before it is begun.

Time: some pairs of this very table are screened and oriented by those who will do the rest. Memory: by the sizes below,
measured with `tracemalloc` on tables of 300 to 100 000 rows and taken at their largest over the methods.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.scanning.pair_scorer import REMEMBERED, PairScorer, Tile
from causewise.scanning.table import BLOCK, Pairs
from causewise.worker_pool import Lost, TaskPool

FEW = 10
"""Fewer pairs are done as soon as they are foreseen."""
_TRIED = 24
"""Pairs tried at most,"""
_PATIENCE = 1.0
"""and seconds spent on them, or on one pair where that takes longer."""
_clock = time.perf_counter
_NUMBER = 8
_A_ROW = 30 * _NUMBER
"""Bytes that are remembered of a column, and that a decision works on, for each row,"""
_A_SHORT_ROW = 130 * _NUMBER
"""and on top of it for each of the first rows: short columns keep their kernel's features,"""
_SHORT = 4096
"""long ones sums over boxes."""
_SHARE = 0.25
"""Of the memory that is free, for what is remembered about columns in all processes."""
_A_PAIR = 3000
"""Bytes of a row of the result, while it is made."""
_A_PROCESS = 170 << 20
"""Bytes of a process that has loaded everything and done nothing."""


@dataclass(frozen=True)
class ScanForecast:
    """What a scan will take."""

    pairs: int
    jobs: int
    screening: float
    """Seconds."""
    orienting: float
    """Seconds if every pair is related: the most it can take."""
    memory: int
    """Bytes beyond the table itself."""
    starting: float = 0.0
    """Seconds until the other processes have started, as the first one has."""
    hint: str = ""
    """How it would take less, where the method takes hours on so many rows."""

    @property
    def seconds(self) -> float:
        """The most that the whole can take."""
        return self.starting + self.screening + self.orienting


def forecast(
    pool: TaskPool, scorer: PairScorer, pairs: Pairs, processors: int, left: tuple[int, int], batch: int = 1
) -> ScanForecast:
    """Try some of the pairs, `batch` at a time; `left` are to be screened and oriented."""
    trials = _choose_trials(pairs, batch)
    screening: list[float] = []
    orienting: list[float] = []
    starting = 0.0
    # One after the other: of what is asked for and not waited for the scan would have to wait.
    for part in (trials[k : k + batch] for k in range(0, len(trials), batch)):
        begun = _clock()
        [(_, results)] = pool.map(_time_pairs, [part])
        took = [result for result in results if not isinstance(result, Lost)]
        if not screening and pool.workers > 1:
            starting = max(0.0, _clock() - begun - sum(map(sum, took)))
        screening += [result[0] for result in took]
        orienting += [seconds for result in took for seconds in result[1:]]
        if sum(screening) + sum(orienting) > _PATIENCE:
            break
    # Of a column's first pair what is done once for the column, or for the process, is the larger part.
    to_screen, to_orient = left
    at_once, memory = min(pool.workers, processors), estimate_memory(scorer, len(pairs), pool.workers)
    times = _typical(screening) * to_screen / at_once, _typical(orienting) * to_orient / at_once
    return ScanForecast(len(pairs), pool.workers, *times, memory, starting)


def _typical(seconds: Sequence[float]) -> float:
    return median_low(seconds) if seconds else 0.0


def _choose_trials(pairs: Pairs, batch: int) -> Pairs:
    """Pairs that share their columns as the scan's do: those of few columns, or all with a target."""
    first = pairs[0]
    tile = [(i, j) for i, j in pairs if max(i - first[0], j - first[1]) < BLOCK]
    most = max(batch, min(_TRIED, max(2, len(pairs) // FEW)))
    return sorted(tile, key=max)[:most]


def _time_pairs(scorer: PairScorer, pairs: Tile) -> list[Any]:
    """Seconds that screening takes each pair, and orienting where there is something to orient."""
    times, testable = [], []
    for pair in pairs:
        start = _clock()
        screened = scorer.screen(*pair)
        times.append([_clock() - start])
        if screened.p is not None:
            testable.append((times[-1], screened))
    start = _clock()
    scorer.orient_all([(screened, screened.p or 0.0) for _, screened in testable])
    took = _clock() - start
    for found, _ in testable:
        found.append(took / len(testable))
    return times


def estimate_memory(scorer: PairScorer, pairs: int, jobs: int) -> int:
    """Bytes that a scan needs beyond the table: what processes map in common, what each has of its own, the result."""
    columns, rows = scorer.values.shape
    a_column = _A_ROW * rows + _A_SHORT_ROW * min(rows, _SHORT)
    known = min(columns * a_column, scorer.remembered)
    # Columns on disk are the system's to take out of memory and to bring back.
    in_memory = scorer.values.nbytes if isinstance(scorer.values, np.ndarray) else 0
    shared, own = (in_memory, _A_PROCESS) if jobs > 1 else (0, 0)
    return shared + jobs * (own + known + a_column) + _A_PAIR * pairs


def cache_size(jobs: int, free: int | None) -> int:
    """Bytes that each of some processes may remember about columns: together a share of what is free."""
    return REMEMBERED if free is None else min(REMEMBERED, int(_SHARE * free) // jobs)


def choose_jobs(scorer: PairScorer, pairs: int, wish: Iterable[int], free: int | None) -> int:
    """The first number of processes wished for with which the scan fits in memory; refused where none does."""
    wishes = list(wish)

    def need(jobs: int) -> int:
        return estimate_memory(replace(scorer, remembered=cache_size(jobs, free)), pairs, jobs)

    fitting = [k for k in range(max(wishes), 0, -1) if free is None or need(k) <= free]
    for k in wishes:
        if k in fitting:
            return k
    columns, rows = scorer.values.shape
    fewer = f"at most {processes(fitting[0])}, " if fitting else ""
    raise InputError(
        f"Got {pairs:,} pairs of {columns:,} columns and {rows:,} rows, which need about {size(need(wishes[0]))} of "
        f"memory on {processes(wishes[0])} where {size(free or 0)} are free; expected a scan that fits: choose "
        f"{fewer}fewer columns, or a sample of the rows."
    )


def processes(count: int) -> str:
    """A number of processes in words."""
    return f"{count} process{'es' * (count > 1)}"


def size(count: int) -> str:
    """A number of bytes in words."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"
