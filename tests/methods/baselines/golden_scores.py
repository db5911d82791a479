"""Published per-pair scores, in file orientation, beside what a method of ours gives on the same files."""

import csv
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import causewise
from causewise.lab.datasets import load

GOLDEN = Path(__file__).parents[4] / "shared" / "golden"
FILES = {"Tue": "Tuebingen"}

needs_golden = pytest.mark.skipif(
    not (os.environ.get("CAUSEWISE_DATA") and GOLDEN.is_dir()),
    reason="needs the benchmark files (CAUSEWISE_DATA) and the published scores",
)


class Agreement(NamedTuple):
    spearman: float
    sign: float
    largest_gap: float


def agreement(spec: str, column: str, dataset: str, limit: int | None = None) -> Agreement:
    """How a method's scores compare with a published column on the first `limit` pairs of a set."""
    from scipy.stats import spearmanr

    pairs = list(load(dataset, limit=limit).pairs)
    golden = _published(column, FILES.get(dataset, dataset))
    theirs = np.array([golden[str(each.pair_id)] for each in pairs])
    ours = np.array([d.score for d in causewise.method(spec).decide_many([each.pair for each in pairs])])
    assert np.all(np.isfinite(ours))
    same = float(np.mean(np.sign(ours) == np.sign(theirs)))
    return Agreement(float(spearmanr(ours, theirs)[0]), same, float(np.max(np.abs(ours - theirs))))


def _published(column: str, name: str) -> dict[str, float]:
    table = _rows(GOLDEN / f"baselines_{name}.tab", "\t")
    if column in table[0]:
        return {row["PairID"]: float(row[column]) for row in table}
    # The Python baselines were computed with the true cause first.
    truth = {row["PairID"]: float(row["GroundTruth"]) for row in table}
    scores = _rows(GOLDEN / f"{column}_{name}.csv", ",")
    return {row["pair_id"]: float(row["score"]) * truth[row["pair_id"]] for row in scores}


def _rows(path: Path, delimiter: str) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))
