"""The neural methods on the published files, against the per-pair scores published by the ROCHE authors.

Needs CAUSEWISE_DATA and the golden files beside the checkout; minutes of CPU, so these are slow tests.
"""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from causewise.catalogue import method
from causewise.lab.datasets import load

GOLDEN = Path(__file__).parents[2].parent / "shared" / "golden"
PAIRS = 20

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("CAUSEWISE_DATA"), reason="CAUSEWISE_DATA names no folder of benchmark files"
    ),
    pytest.mark.skipif(not GOLDEN.is_dir(), reason="no golden files beside the checkout"),
]


def golden(name, dataset):
    with (GOLDEN / f"{name}_{dataset}.csv").open(newline="") as file:
        return {int(row["pair_id"]): float(row["score"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize(
    ("name", "file"), [("nn-loci-m", "LOCI_M"), ("nn-loci-h", "LOCI_H"), ("roche", "ROCHE")], ids=lambda value: value
)
@pytest.mark.parametrize("dataset", ["AN", "LS", "SIM"])
def test_scores_follow_the_published_ones(name, file, dataset):
    expected = golden(file, dataset)
    labelled = list(load(dataset).pairs)[:PAIRS]
    decisions = method(name, device="cpu").decide_many([each.pair for each in labelled])
    ours = np.array([each.truth * decision.score for each, decision in zip(labelled, decisions, strict=True)])
    theirs = np.array([expected[int(each.pair_id)] for each in labelled])
    assert spearmanr(ours, theirs).statistic >= 0.95
    assert np.mean(np.sign(ours) == np.sign(theirs)) >= 0.95
