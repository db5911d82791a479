"""Cells of the grid where a rule on the marginals beats `whence`: what could a method reach that is not told the label?

    python benchmarks/whence_ceilings.py      (four minutes of one core)

The combination is fitted to the very cell it is asked about (other pairs of it), so nothing it lacks is a lack of
training. *Ranks*: both columns are replaced by normal scores, which leaves the relation and takes the marginals away.
*Mirror image*: where one column is damaged, the cell in which the other column is damaged counts in, so that the damage
says nothing of the label.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

from whence.catalogue import method
from whence.datasets.generators import generate
from whence.evidence.channels import normal_scores
from whence.evidence.fitting import boosted, log_odds, part
from whence.evidence.training import Labelled, readings_of
from whence.pair import FloatArray, Pair

SEED = 413
FOLDS = 5
CELLS = {
    "pnl-cube, ranks": (("mechanism/pnl-cube",), True),
    "pnl-cube, as recorded": (("mechanism/pnl-cube",), False),
    "round-5-cause with its mirror image": (("damage/round-5-cause", "damage/round-5-effect"), False),
    "floor-20-cause with its mirror image": (("damage/floor-20-cause", "damage/floor-20-effect"), False),
}


def in_scores(column: FloatArray) -> FloatArray:
    """Normal scores of a column."""
    out = np.empty_like(column)
    out[np.argsort(column, kind="stable")] = normal_scores(len(column))
    return out


def read_cell(pairs: int, ranks: bool, cell: str) -> tuple[Labelled, FloatArray]:
    """Readings of a cell, and what the shipped method says of it."""
    drawn = [(each.pair, each.truth) for each in generate(f"grid/{cell}", pairs, seed=SEED).pairs]
    if ranks:
        drawn = [(Pair.of(in_scores(p.x), in_scores(p.y)), truth) for p, truth in drawn]
    shipped = np.array([decision.score for decision in method("whence").decide_many([p for p, _ in drawn])])
    return readings_of(drawn), shipped


def left_out(labelled: Labelled, fold: NDArray[np.int64]) -> FloatArray:
    """Log-odds of every pair by trees fitted to the other folds."""
    out = np.empty(len(fold))
    for k in range(FOLDS):
        out[fold == k] = log_odds(boosted(part(labelled, fold != k)), part(labelled, fold == k))
    return out


def line(name: str, pairs: int, read: Sequence[tuple[Labelled, FloatArray]]) -> str:
    """Accuracy of the shipped method and of the one fitted to the cell."""
    both = Labelled(*(np.concatenate(column) for column in zip(*(labelled for labelled, _ in read), strict=True)))
    shipped = np.concatenate([score for _, score in read]) * both.truth > 0
    # Pair i of two cells starts from the same random numbers: it belongs to one fold.
    fitted = left_out(both, np.tile(np.arange(pairs) % FOLDS, len(read))) * both.truth > 0
    return f"| {name} | {len(fitted)} | {_share(shipped)} | {_share(fitted)} |"


def _share(right: NDArray[np.bool_]) -> str:
    p, n = right.mean(), len(right)
    return f"{100 * p:.1f} ± {196 * np.sqrt(p * (1 - p) / n):.1f}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=600, help="of every cell")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    sys.stdout.write("| cell | pairs | `whence` right, % | fitted to the cell, % |\n|---|---:|---:|---:|\n")
    with ProcessPoolExecutor(given.jobs, initializer=threadpool_limits, initargs=(1,)) as pool:
        for name, (cells, ranks) in CELLS.items():
            read = list(pool.map(partial(read_cell, given.pairs, ranks), cells))
            sys.stdout.write(line(name, given.pairs, read) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
