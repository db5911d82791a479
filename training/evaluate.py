"""Score the default method on what nothing was fitted to, and write docs/causewise-ablation.md with its two figures.

    CAUSEWISE_DATA=… python -m training.evaluate        reads every set once (out/training), then writes

Tübingen pairs are scored with constants that were fitted without their source table; Lisbon, the held-out simulators
and the pairs without a direction set no constant.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from causewise.inference import infer
from causewise.methods.combined.method import THRESHOLD, gather_evidence
from causewise.methods.combined.terms import FOLDS, TERMS, compute_terms
from causewise.pair import FloatArray, Pair
from training.recorded import Case
from training.sets import SETS

EVALUATED = (
    *("held-out", "doubtful", "simulated", "tuebingen", "lisbon"),
    *(f"rounded {which}" for which in ("none", "cause", "effect", "both")),
)


class Evaluation(NamedTuple):
    """One row a pair: the terms, what `infer` says, and what is known of the pair."""

    terms: FloatArray
    weight: FloatArray
    coarser: FloatArray
    """+1 where x has fewer distinct values, −1 where y has; 0 where neither repeats in half of the rows."""
    told: FloatArray
    """The score that `infer` gives; NaN where it is stopped."""
    neither: FloatArray
    """The probability of *neither* under the default prior."""
    stopped: NDArray[np.bool_]
    """No answer at any threshold: unrelated, or a data check stops it."""
    unrelated: NDArray[np.bool_]
    truth: FloatArray
    share: FloatArray
    family: NDArray[np.str_]

    @property
    def score(self) -> FloatArray:
        """Of the default method, whatever the data checks say."""
        return np.asarray(self.weight * self.terms.sum(axis=1))

    def confidence(self, direct: bool) -> FloatArray:
        """The larger probability of a direction, in either mode; 0 where it is stopped."""
        size = np.abs(np.where(self.stopped, 0.0, self.told))
        sure = (1.0 if direct else 1.0 - self.neither) / (1 + np.exp(-size))
        return np.asarray(np.where(self.stopped, 0.0, sure))

    def answered(self, direct: bool) -> NDArray[np.bool_]:
        """Whether an answer is given at the threshold in use."""
        return np.asarray(self.confidence(direct) >= THRESHOLD)

    def where(self, chosen: NDArray[np.bool_]) -> "Evaluation":
        """Some of the rows."""
        return Evaluation(*(column[chosen] for column in self))


def evaluate(case: Case) -> tuple[object, ...]:
    """Everything that is asked of one pair."""
    both = Pair.of(case.x, case.y)
    fold = None if case.fold < 0 else case.fold
    with np.errstate(all="ignore"):
        found, told = gather_evidence(both), infer(both, threshold=0.5, fold=fold)
    curves = TERMS if fold is None else FOLDS[fold]
    terms = compute_terms(found.contrasts, found.recording.share, curves=curves)
    in_x, in_y = found.rows.distinct
    tied = min(in_x, in_y) < len(found.rows.kept) / 2
    return (
        list(terms.values()),
        found.weight.product,
        float(np.sign(in_y - in_x)) if tied else 0.0,
        told.score,
        told.probabilities.get("neither", np.nan),
        told.confidence is None,
        told.unrelated,
        case.truth,
        case.share,
        case.family,
    )


def read_evaluation(where: str, folder: Path, jobs: int) -> Evaluation:
    """The pairs of a set, or what was kept of them in the file."""
    kept = folder / "evaluated" / f"{where.replace(' ', '-')}.npz"
    if not kept.exists():
        with ProcessPoolExecutor(jobs, get_context("spawn"), threadpool_limits, (1,)) as pool:
            columns = zip(*pool.map(evaluate, SETS[where](), chunksize=20), strict=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, **dict(zip(Evaluation._fields, map(np.array, columns), strict=True)))
    with np.load(kept) as stored:
        return Evaluation(**stored)


def main() -> None:
    """Read, score, write."""
    from training.page import write

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, default=Path("out/training"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    given = parser.parse_args()
    write(given.kept, given.jobs, given.out)


if __name__ == "__main__":
    main()
