"""How far the generated pairs of `whence` resemble the Tübingen columns: strength, monotonicity, coarseness.

    WHENCE_DATA=... python scripts/whence_likeness.py      (half a minute)

No label is read. Prints the quartiles of |rank correlation|, of the larger share of variance that twenty groups of one
column explain of the other, and of the share of repeated values in the coarser and in the finer column.
"""

import sys
from collections.abc import Iterable

import numpy as np

from whence.datasets import load
from whence.evidence.training import PLAIN_FROM, pair, third_of
from whence.pair import FloatArray, Pair

GROUPS = 20
EVERY = 10
"""No multiple of three, so that every third is met."""


def explained(by: FloatArray, column: FloatArray) -> float:
    """Share of the column's variance between groups of equal count along `by`."""
    groups = np.array_split(column[np.argsort(by, kind="stable")], min(GROUPS, len(column) // 10))
    within = sum(float(np.sum((group - group.mean()) ** 2)) for group in groups)
    return 1 - within / float(np.sum((column - column.mean()) ** 2))


def likeness(p: Pair) -> tuple[float, ...]:
    """The four numbers of one pair."""
    from scipy.stats import spearmanr

    coarse, fine = sorted((1 - len(np.unique(column)) / p.n for column in (p.x, p.y)), reverse=True)
    return abs(float(spearmanr(p.x, p.y)[0])), max(explained(p.x, p.y), explained(p.y, p.x)), coarse, fine


def line(name: str, pairs: Iterable[Pair]) -> str:
    """Quartiles of the four numbers."""
    quartiles = np.quantile([likeness(p) for p in pairs], (0.25, 0.5, 0.75), axis=0).T
    return f"| {name} | " + " | ".join(", ".join(f"{value:.2f}" for value in each) for each in quartiles) + " |\n"


def main() -> None:
    """Some of the pairs whose marginals were changed, third by third, beside the recorded ones."""
    sys.stdout.write(
        "| quartiles | rank correlation | R² of groups | repeated, coarser | finer |\n|---|---|---|---|---|\n"
    )
    chosen = range(0, PLAIN_FROM, EVERY)
    for third in "ABC":
        sys.stdout.write(line(third, (pair(index)[0] for index in chosen if third_of(index) == third)))
    sys.stdout.write(line("Tübingen", (labelled.pair for labelled in load("Tue").pairs)))


if __name__ == "__main__":
    main()
