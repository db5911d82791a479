"""Contrasts of the candidates over whole sets: `python -m training.tried`.

A file a set and candidate, so that a candidate is added later, or read on another machine, without reading the rest
anew; `training.judge` reads what is missing. Slow methods read a part of the larger sets and are compared on that part.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from training.candidates import CANDIDATES, contrasts_of
from training.sets import SETS, Case
from whence.pair import FloatArray, Pair

WHERE = Path("out/training/tried")
PART = {"first": 6, "second": 4, "shuffled": 5, "recorded": 0}
SLOW = {"gpi": PART, "anm-mm": PART, "cure": PART | {"foreign": 5}}
"""Methods of half a second a pair read one in so many pairs of a set; 0: none."""


def file_of(folder: Path, where: str, name: str) -> Path:
    """One set, one candidate."""
    plain = name.replace("'", "").replace(" ", "-")
    return folder / f"{where}.{plain}.npz"


def read(folder: Path, where: str, names: Sequence[str], jobs: int) -> FloatArray:
    """A column a candidate, a row a pair of the set; NaN where a slow method did not read it."""
    missing = [name for name in names if not file_of(folder, where, name).exists()]
    for together in ([n for n in missing if n not in SLOW], *([n] for n in missing if n in SLOW)):
        if together:
            _read_missing(folder, where, together, jobs)
    return np.column_stack([_stored(file_of(folder, where, name)) for name in names])


def _read_missing(folder: Path, where: str, names: Sequence[str], jobs: int) -> None:
    cases = SETS[where]()
    slow = SLOW.get(names[0], {})
    step = slow.get(where, 1)
    numbers = np.arange(0, len(cases), step) if step else np.empty(0, int)
    with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
        rows = list(pool.map(partial(_contrasts, names=names), [cases[k] for k in numbers], chunksize=1 if slow else 8))
    folder.mkdir(parents=True, exist_ok=True)
    for name, contrasts in zip(names, np.reshape(rows, (len(numbers), len(names))).T, strict=True):
        np.savez(file_of(folder, where, name), numbers=numbers, contrasts=contrasts, pairs=len(cases))


def _contrasts(case: Case, names: Sequence[str]) -> list[float]:
    return contrasts_of(Pair.of(case.x, case.y), names)


def _stored(kept: Path) -> FloatArray:
    with np.load(kept) as stored:
        column = np.full(int(stored["pairs"]), np.nan)
        column[stored["numbers"]] = stored["contrasts"]
    return column


def main() -> None:
    """Read candidates over sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default=",".join(CANDIDATES), help="candidates, with commas between")
    parser.add_argument("--sets", default="foreign,shuffled,first,second,recorded")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=WHERE)
    given = parser.parse_args()
    for where in given.sets.split(","):
        read(given.out, where, given.names.split(","), given.jobs)


if __name__ == "__main__":
    main()
