"""Readings of many generated pairs as arrays, computed once by all cores and kept in a file."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from training.world import Labelled
from whence.combined.constants import TERMS
from whence.combined.method import weighing
from whence.pair import FloatArray, Pair

Draw = Callable[[int], Labelled]


class Table(NamedTuple):
    """One row a pair; contrasts in the order of `TERMS`."""

    contrasts: FloatArray
    effective_rows: FloatArray
    distinct: FloatArray
    better_log_p: FloatArray
    left: FloatArray
    relation_log_p: FloatArray
    truth: FloatArray
    family: NDArray[np.str_]
    candidates: FloatArray = np.empty((0, 0))
    """Contrasts of what is tried as a fourth term, a column each; kept in files of their own (`tried`)."""

    def where(self, chosen: NDArray[np.bool_]) -> "Table":
        """Some of the rows."""
        return Table(*(column[chosen] if len(column) else column for column in self))


def row(pair: Labelled) -> tuple[object, ...]:
    """The readings of one pair."""
    with np.errstate(all="ignore"):
        found = weighing(Pair.of(pair.x, pair.y))
    contrasts = [found.contrasts[name] for name in TERMS]
    context = (min(found.effective_rows, len(found.rows.kept)), min(found.rows.distinct))
    return contrasts, *context, found.better_log_p, found.left, found.relation_log_p, pair.truth, pair.family


def table(rows: Iterable[tuple[object, ...]]) -> Table:
    """Rows as columns."""
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Table(*(column if column.dtype.kind == "U" else column.astype(float) for column in columns))


def read_all(draw: Draw, count: int, jobs: int, kept: Path) -> Table:
    """Pairs 0 … count − 1 of a world, from the file where it is there already."""
    if not kept.exists():
        with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
            parts = pool.map(_rows, [draw] * count, [[i] for i in range(count)], chunksize=25)
            found = table(row for part in parts for row in part)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, **{name: column for name, column in found._asdict().items() if name != "candidates"})
    with np.load(kept) as stored:
        return Table(**stored)


def _rows(draw: Draw, indices: Sequence[int]) -> list[tuple[object, ...]]:
    return [row(draw(index)) for index in indices]
