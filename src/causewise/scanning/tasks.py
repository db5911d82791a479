"""What is done with a tile of pairs and who does it; results are plain lists and mappings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from causewise.parallel import limit_processors, processors
from causewise.scanning.mapped import map_columns
from causewise.scanning.pair_scorer import PairScorer, Screening, blank_row
from causewise.worker_pool import InProcess, WorkerPool

Tile = Sequence[Any]


def pool_of_workers(judge: PairScorer, jobs: int) -> WorkerPool:
    """Workers that map the columns into their memory from one file."""
    if isinstance(judge.values, np.ndarray):
        judge = replace(judge, values=map_columns(judge.values))
    return WorkerPool(jobs, _share_columns, (judge, jobs))


def this_process(judge: PairScorer) -> InProcess:
    """The tiles one after the other, here."""
    return InProcess(_share_columns, (judge, 1))


@contextmanager
def _share_columns(judge: PairScorer, jobs: int) -> Iterator[PairScorer]:
    if jobs > 1:
        limit_processors(processors() // jobs)
    with judge.share_columns():
        yield judge


def screen_pairs(judge: PairScorer, pairs: Tile) -> list[Any]:
    """Of each pair (i, j), the fields of `Screening`."""
    return [list(judge.screen(*pair)) for pair in pairs]


def orient_pairs(judge: PairScorer, related: Tile) -> list[Any]:
    """Of each related pair, given as those fields and its adjusted p-value, the fields of its row."""
    return [asdict(row) for row in judge.orient_all([(Screening(*fields), p) for *fields, p in related])]


def describe_crash(judge: PairScorer, item: Any) -> Any:
    """What is said of a pair that crashed its worker, in the form of either kind of work."""
    why = "The process that judged this pair died; look at the two columns for degenerate values."
    if len(item) == 2:
        i, j = item
        missing = judge.count_missing(i, j)
        return list(Screening(i, j, judge.values.shape[1] - missing, missing, None, None, why, 0.0))
    *fields, adjusted = item
    row = replace(blank_row(judge.names, Screening(*fields), adjusted), status="failed", reason=why)
    return asdict(judge.apply_knowledge(row))
