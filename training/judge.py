"""Judge the default method on what nothing was fitted to, and write docs/whence-ablation.md with its two figures.

    python -m training.judge        reads foreign, doubtful and recorded pairs once (out/training), then writes

Recorded sets are read where `WHENCE_DATA` names their folder, and left out of the page where it does not.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from training import tried
from training.candidates import CANDIDATES
from training.sets import SETS, Case
from whence.catalogue import method
from whence.combined.constants import TERMS
from whence.combined.method import THRESHOLD, terms_of, weighing, weight_in
from whence.inference import infer
from whence.pair import FloatArray, Pair

SINGLE = ("loci-h", "loci-m", "anm-h", "igci-g", "qccd")
"""Methods of one idea each, for comparison on the foreign families."""


class Judged(NamedTuple):
    """One row a pair: contrasts, terms, λ and what it comes from, other methods' scores, what `infer` tells."""

    contrasts: FloatArray
    terms: FloatArray
    weight: FloatArray
    effective_rows: FloatArray
    distinct: FloatArray
    better_log_p: FloatArray
    left: FloatArray
    others: FloatArray
    told: FloatArray
    """The score that `infer` gives; of a heaped column, that of the other rows."""
    stopped: NDArray[np.bool_]
    """No answer at any threshold: unrelated, or a look at the rows stops it."""
    unrelated: NDArray[np.bool_]
    truth: FloatArray
    share: FloatArray
    family: NDArray[np.str_]
    candidates: FloatArray = np.empty((0, 0))
    """Contrasts of what is tried as a fourth term, a column each (`tried`)."""
    shuffled: FloatArray = np.empty((0, 0))
    """The same, read from the columns with their rows shuffled."""
    shuffled_terms: FloatArray = np.empty((0, 0))
    """Contrasts of the method's own terms, read likewise."""

    @property
    def score(self) -> FloatArray:
        """Of the default method."""
        return np.asarray(self.weight * self.terms.sum(axis=1))

    @property
    def confidence(self) -> FloatArray:
        """1 / (1 + exp(−|told|))."""
        return np.asarray(1 / (1 + np.exp(-np.abs(self.told))))

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """No answer at the threshold in use."""
        return self.stopped | (self.confidence < THRESHOLD)

    def where(self, chosen: NDArray[np.bool_]) -> "Judged":
        """Some of the rows."""
        return Judged(*(column[chosen] if len(column) else column for column in self))


def judged(case: Case) -> tuple[object, ...]:
    """Everything that is asked of one pair."""
    both = Pair.of(case.x, case.y)
    with np.errstate(all="ignore"):
        found, told = weighing(both), infer(both, threshold=0.5)
        others = [method(name).decide_many([both])[0].score for name in SINGLE]
    terms, contrasts = list(terms_of(found.contrasts).values()), list(found.contrasts.values())
    context = (
        min(found.effective_rows, len(found.rows.kept)),
        min(found.rows.distinct),
        found.better_log_p,
        found.left,
    )
    stopped = bool(told.abstention or told.failure)
    labels = (case.truth, case.share, case.family)
    return contrasts, terms, weight_in(found).product, *context, others, told.score, stopped, told.unrelated, *labels


def read_all(where: str, jobs: int, kept: Path) -> Judged:
    """Judge the pairs of a set, or take what was judged before from the file."""
    if not kept.exists():
        with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
            columns = zip(*pool.map(judged, SETS[where](), chunksize=20), strict=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, **dict(zip(Judged._fields, map(np.array, columns), strict=False)))
    with np.load(kept) as stored:
        return Judged(**stored)


def read_everything(folder: Path, jobs: int) -> tuple[Judged, Judged, Judged | None]:
    """Foreign, doubtful, and recorded where they are at hand; candidates for the first and the last."""
    foreign, doubtful = (read_all(where, jobs, folder / "judged" / f"{where}.npz") for where in ("foreign", "doubtful"))
    read = partial(tried.read, folder / "tried", names=CANDIDATES, jobs=jobs)
    foreign = foreign._replace(
        candidates=read("foreign"), shuffled=read("shuffled"), shuffled_terms=read("shuffled", names=tuple(TERMS))
    )
    kept = folder / "judged" / "recorded.npz"
    if "WHENCE_DATA" not in os.environ and not kept.exists():
        return foreign, doubtful, None
    return foreign, doubtful, read_all("recorded", jobs, kept)._replace(candidates=read("recorded"))


def main() -> None:
    """Read, judge, write."""
    from training.fit import read_worlds
    from training.page import write

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", type=Path, default=Path("out/training"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    given = parser.parse_args()
    worlds = read_worlds(given.readings, given.jobs, CANDIDATES)
    write(worlds, read_everything(given.readings, given.jobs), given.out)


if __name__ == "__main__":
    main()
