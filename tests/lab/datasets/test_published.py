"""The published files themselves: labels against the golden files, weights, exclusions, hashes."""

import csv
from pathlib import Path

import numpy as np
import pytest

from causewise.lab.datasets import load, names
from causewise.lab.datasets.collection import Label, read_targets
from causewise.lab.datasets.fetching import labels_sha256, tree_sha256
from causewise.lab.datasets.storage import published_set, published_sets
from causewise.pair import Pair

AT_HAND = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue")
FORWARD = dict(zip(names(), (55, 52, 49, 53, 61, 50, 53, 50, 50, 73, 145, 162, 149), strict=True))
"""Pairs whose first column is the cause."""


@pytest.mark.parametrize("name", AT_HAND)
def test_every_pair_can_be_read_and_both_labels_occur(name: str, data_dir: Path) -> None:
    pairs = load(name, data_dir).pairs
    assert len(pairs) == published_set(name).pairs
    assert len({labelled.pair_id for labelled in pairs}) == len(pairs)
    assert sum(labelled.truth > 0 for labelled in pairs) == FORWARD[name]
    rows = [labelled.pair.n for labelled in pairs]
    low, _, high = published_set(name).rows.partition("–")
    assert (min(rows), max(rows)) == (int(low), int(high or low))


@pytest.mark.parametrize("name", ["AN", "LS", "SIM", "Tue"])
def test_labels_and_weights_agree_with_the_golden_files(name: str, data_dir: Path, golden_dir: Path) -> None:
    path = golden_dir / f"baselines_{'Tuebingen' if name == 'Tue' else name}.tab"
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    wanted = [(int(row["PairID"]), int(row["GroundTruth"]), float(row["Weight"])) for row in rows]
    assert [(p.pair_id, p.truth, p.weight) for p in load(name, data_dir).pairs] == wanted


@pytest.mark.parametrize("name", AT_HAND)
def test_the_registered_hashes_are_those_of_the_files(name: str, data_dir: Path) -> None:
    known = published_set(name)
    assert tree_sha256(known.files(data_dir / known.folder)) == known.tree_sha256
    assert labels_sha256(load(name, data_dir).pairs.labels) == known.labels_sha256  # type: ignore[attr-defined]  # read pairs are lazy


@pytest.mark.parametrize("name", ["Cha", "Net", "Multi"])
def test_the_targets_that_are_at_hand_match_the_registered_labels(name: str, data_dir: Path) -> None:
    known = published_set(name)
    path = data_dir / known.folder / known.labels
    if not path.is_file():
        pytest.skip("no target file")
    labels = [Label(int(sample.removeprefix("pair")), truth, 1.0, Pair) for sample, truth in read_targets(path)]
    assert labels_sha256(labels) == known.labels_sha256
    assert sum(label.truth > 0 for label in labels) == FORWARD[name]


def test_tuebingen_leaves_out_what_is_multivariate_or_discrete(data_dir: Path) -> None:
    meta = np.loadtxt(data_dir / "Tuebingen" / "pairmeta.txt")
    multivariate = {int(row[0]) for row in meta if row[1] != row[2] or row[3] != row[4]}
    reasons = {e.pair_id: e.reason for e in load("Tue", data_dir).exclusions}
    assert {number for number, reason in reasons.items() if "multivariate" in reason} == multivariate
    discrete = {number for number, reason in reasons.items() if "discrete" in reason}
    for number in discrete:
        table = np.loadtxt(data_dir / "Tuebingen" / f"pair{number:04d}.txt")
        assert min(len(np.unique(column)) for column in table.T) <= 5
    assert discrete | multivariate == set(reasons)
    assert sum(labelled.weight for labelled in load("Tue", data_dir).pairs) == pytest.approx(35.4979)


def test_a_set_whose_pair_files_are_missing_is_absent(data_dir: Path) -> None:
    absent = [known.name for known in published_sets() if not known.is_present(data_dir)]
    for known in map(published_set, absent):
        assert len(known.files(data_dir / known.folder)) <= 1
