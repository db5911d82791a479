"""What the default method weighs about many pairs, as arrays, computed once by all cores and kept in a file."""

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from causewise.methods.combined.method import gather_evidence
from causewise.methods.combined.terms import TERMS
from causewise.pair import FloatArray, Pair
from training.recorded import Case
from training.sets import SETS


class Table(NamedTuple):
    """One row a pair; contrasts in the order of `TERMS`."""

    contrasts: FloatArray
    recorded: FloatArray
    """The share of the regression error."""
    effective_rows: FloatArray
    distinct: FloatArray
    """Of the coarser column."""
    left: FloatArray
    relation_log_p: FloatArray
    truth: FloatArray
    share: FloatArray
    family: NDArray[np.str_]
    fold: FloatArray

    def where(self, chosen: NDArray[np.bool_]) -> "Table":
        """Some of the rows."""
        return Table(*(column[chosen] for column in self))


def row(case: Case) -> tuple[object, ...]:
    """What is weighed about one pair."""
    with np.errstate(all="ignore"):
        found = gather_evidence(Pair.of(case.x, case.y))
    return (
        [found.contrasts[name] for name in TERMS],
        found.recording.share,
        min(found.effective_rows, len(found.rows.kept)),
        min(found.rows.distinct),
        found.left,
        found.relation_log_p,
        case.truth,
        case.share,
        case.family,
        case.fold,
    )


def table(rows: Iterable[tuple[object, ...]]) -> Table:
    """Rows as columns."""
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Table(*(column if column.dtype.kind == "U" else column.astype(float) for column in columns))


def read(where: str, folder: Path, jobs: int) -> Table:
    """The table of a set, from the file where it is there already."""
    kept = folder / "weighed" / f"{where.replace(' ', '-')}.npz"
    if not kept.exists():
        with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
            found = table(pool.map(row, SETS[where](), chunksize=25))
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, **found._asdict())
    with np.load(kept) as stored:
        return Table(**stored)
