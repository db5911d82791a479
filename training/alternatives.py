"""What could stand in the place of the regression error, and controls that see one column at a time.

Methods of the catalogue with their own settings, and the regression error with a line in the place of the cubic, all of
the columns as they were recorded and of at most 2500 rows. Contrasts are > 0 for x → y.
"""

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from causewise.catalogue import method
from causewise.numerics.arrays import minmax, squared_error
from causewise.numerics.row_sampling import sample_rows
from causewise.pair import FloatArray, Pair, standardise
from training.recorded import Case
from training.sets import SETS

MAX_ROWS = 2500
METHODS = ("slope", "sloppy", "qccd", "heci", "reci", "loci-h")


def _method(name: str) -> Callable[[Pair], float]:
    def contrast(pair: Pair) -> float:
        (found,) = method(f"{name}:level=1" if name == "slope" else name).decide_many([pair])
        return 0.0 if found.failed else found.score

    return contrast


def line(pair: Pair) -> float:
    """Log ratio of the errors of a line in units of the range.

    A line explains the same share of either variance, so this compares how evenly the two columns fill their ranges.
    """
    x, y = minmax(pair.x), minmax(pair.y)
    return 0.5 * (math.log(squared_error(y, x, (0, 1))) - math.log(squared_error(x, y, (0, 1))))


def kurtosis(pair: Pair) -> float:
    """The column of lower kurtosis is called the cause."""
    return float(np.mean(standardise(pair.y) ** 4) - np.mean(standardise(pair.x) ** 4))


def distinct(pair: Pair) -> float:
    """The column of fewer distinct values is called the cause."""
    return float(len(np.unique(pair.y)) - len(np.unique(pair.x)))


ALTERNATIVES: dict[str, Callable[[Pair], float]] = {
    **{name: _method(name) for name in METHODS},
    "line": line,
    "kurtosis": kurtosis,
    "distinct": distinct,
}


def contrasts_of(case: Case) -> list[float]:
    """Of every alternative."""
    kept = sample_rows(case.x, case.y, MAX_ROWS)
    pair = Pair.of(case.x[kept], case.y[kept])
    with np.errstate(all="ignore"):
        return [contrast(pair) for contrast in ALTERNATIVES.values()]


def read_alternatives(where: str, folder: Path, jobs: int) -> FloatArray:
    """A row a pair and a column an alternative, from the file where it is there already."""
    kept = folder / "alternatives" / f"{where.replace(' ', '-')}.npy"
    if not kept.exists():
        with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
            found = np.array(list(pool.map(contrasts_of, SETS[where](), chunksize=25)))
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, found)
    return np.asarray(np.load(kept))
