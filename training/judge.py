"""Judge the default method on what nothing was fitted to, and write docs/whence-ablation.md with its two figures.

    python -m training.judge        reads foreign, doubtful and recorded pairs once (out/training), then writes

Recorded sets are read where `WHENCE_DATA` names their folder, and left out of the page where it does not.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from training import doubtful, foreign
from training.candidates import candidate_contrasts
from whence.catalogue import method
from whence.combined.method import Whence, terms_of, weighing, weight_in
from whence.datasets import load
from whence.pair import FloatArray, Pair

SEED = 77
COUNT = {"foreign": 100, "doubtful": 200}
RECORDED = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue")
SINGLE = ("loci-h", "loci-m", "anm-h", "igci-g", "qccd")
"""Methods of one idea each, for comparison on the foreign families."""


class Judged(NamedTuple):
    """One row a pair: contrasts, terms, λ, candidates' contrasts, other methods' scores, what the user is told."""

    contrasts: FloatArray
    terms: FloatArray
    weight: FloatArray
    candidates: FloatArray
    others: FloatArray
    withheld: NDArray[np.bool_]
    unrelated: NDArray[np.bool_]
    truth: FloatArray
    share: FloatArray
    family: NDArray[np.str_]

    @property
    def score(self) -> FloatArray:
        """Of the default method."""
        return np.asarray(self.weight * self.terms.sum(axis=1))

    def where(self, chosen: NDArray[np.bool_]) -> "Judged":
        """Some of the rows."""
        return Judged(*(column[chosen] for column in self))


Labelled = tuple[FloatArray, FloatArray, int, float, str]
"""Two columns, +1 where the first causes the second, weight, family."""


def judged(pair: Labelled) -> tuple[object, ...]:
    """Everything that is asked of one pair."""
    x, y, truth, share, family = pair
    both = Pair.of(x, y)
    with np.errstate(all="ignore"):
        found = weighing(both)
        tried = candidate_contrasts(found.rows, found.forward, found.backward)
        (decision,) = Whence().decide_many([both])
        others = [method(name).decide_many([both])[0].score for name in SINGLE]
    terms = list(terms_of(found.contrasts).values())
    told = (bool(decision.abstention), decision.unrelated)
    contrasts = list(found.contrasts.values())
    return contrasts, terms, weight_in(found).product, tried, others, *told, truth, share, family


def read_all(pairs: Callable[[], Sequence[Labelled]], jobs: int, kept: Path) -> Judged:
    """Judge pairs, or take what was judged before from the file."""
    if not kept.exists():
        with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
            columns = zip(*pool.map(judged, pairs(), chunksize=20), strict=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, **dict(zip(Judged._fields, map(np.array, columns), strict=True)))
    with np.load(kept) as stored:
        return Judged(*(stored[name] for name in Judged._fields))


def foreign_pairs() -> list[Labelled]:
    """Families that no constant was fitted to."""
    return [
        (x, y, truth, 1.0, name)
        for name in foreign.FAMILIES
        for x, y, truth in foreign.pairs(name, COUNT["foreign"], SEED)
    ]


def doubtful_pairs() -> list[Labelled]:
    """Pairs on which an answer should be withheld; a hidden common cause at the 600 rows of the trial."""
    rows = {"common_cause_strict": (600, 600)}
    return [
        (x, y, truth, 1.0, name)
        for name in doubtful.DOUBTFUL
        for x, y, truth in doubtful.pairs(name, COUNT["doubtful"], SEED, rows.get(name, (200, 1500)))
    ]


def recorded_pairs() -> list[Labelled]:
    """The ten public sets."""
    return [(p.pair.x, p.pair.y, p.truth, p.weight, name) for name in RECORDED for p in load(name).pairs]


def read_everything(folder: Path, jobs: int) -> tuple[Judged, Judged, Judged | None]:
    """Foreign, doubtful, and recorded where they are at hand."""
    found = [
        read_all(p, jobs, folder / f"{n}.npz") for n, p in (("foreign", foreign_pairs), ("doubtful", doubtful_pairs))
    ]
    at_hand = "WHENCE_DATA" in os.environ or (folder / "recorded.npz").exists()
    return found[0], found[1], read_all(recorded_pairs, jobs, folder / "recorded.npz") if at_hand else None


def main() -> None:
    """Read, judge, write."""
    from training.fit import read_worlds
    from training.page import write

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", type=Path, default=Path("out/training"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    given = parser.parse_args()
    write(read_worlds(given.readings, given.jobs), read_everything(given.readings / "judged", given.jobs), given.out)


if __name__ == "__main__":
    main()
