"""A scan's three outcomes are those of `infer`, and a pair that a warning stops has no number anywhere."""

import csv
import json

import numpy as np
import pytest

import causewise
from causewise.methods.combined.words import KINDS
from causewise.report.scan_summary import tabulate

NUMBERS = ("confidence", "neither", "score", *KINDS)


@pytest.fixture(scope="module")
def table():
    """A curve, a rounded copy of its effect, and a column of two values, which stops an answer."""
    rng = np.random.default_rng(0)
    a, d = rng.uniform(-2, 2, 300), rng.normal(size=300)
    b = np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=300)
    return {"a": a, "b": b, "c": np.round(3 * b + a), "d": d, "e": 1.0 * (d + rng.normal(size=300) > 0)}


@pytest.fixture(scope="module")
def scan(table):
    return causewise.scan(table, engine=causewise.Engine(jobs=1))


def stopped(scan):
    (row,) = [row for row in scan if (row.x, row.y) == ("d", "e")]
    return row


@pytest.mark.parametrize("settings", [{}, {"neither": 0.3}, {"direct": True}, {"recording": False}])
def test_the_probabilities_of_a_row_are_those_of_infer(table, settings):
    for row in causewise.scan(table, engine=causewise.Engine(jobs=1), **settings):
        if row.confidence is not None:
            alone = causewise.infer(table, row.x, row.y, **settings)
            assert row.neither == alone.probabilities["neither"]
            assert row.confidence == max(alone.probabilities["x->y"], alone.probabilities["y->x"])
            assert {name: getattr(row, name) for name in KINDS} == alone.contributions


def test_settings_of_the_default_method_are_refused_by_others(table):
    with pytest.raises(causewise.InputError, match="direct=True for loci-h, which does not take it"):
        causewise.scan(table, method="loci-h", direct=True)


def test_a_stopped_pair_has_a_reason_and_no_number(scan, tmp_path):
    row = stopped(scan)
    assert (row.status, row.direction) == ("undecided", "undecided")
    assert [getattr(row, name) for name in NUMBERS] == [None] * len(NUMBERS)
    assert "distinct values" in row.reason
    scan.write(tmp_path / "pairs.csv")
    scan.write(tmp_path / "pairs.json")
    with (tmp_path / "pairs.csv").open(newline="") as file:
        (line,) = [line for line in csv.DictReader(file) if (line["x"], line["y"]) == ("d", "e")]
    assert {line[name] for name in NUMBERS} == {""}
    kept = json.loads((tmp_path / "pairs.json").read_text())["rows"]
    (line,) = [line for line in kept if (line["x"], line["y"]) == ("d", "e")]
    assert {line[name] for name in NUMBERS} == {None}


def test_a_stopped_pair_leans_nowhere(scan):
    others = [row for row in scan if row is not stopped(scan)]
    assert scan.order().total == pytest.approx(sum(abs(row.score or 0.0) for row in others))
    assert not {("d", "e"), ("e", "d")} & set(scan.to_networkx().edges)
    rows = json.loads(tabulate(scan, scan.rows, scan.columns))["rows"]
    k = list(zip(rows["x"], rows["y"], strict=True)).index((3, 4))
    assert [rows[name][k] for name in ("confidence", "neither", "score", "sum")] == [None] * 4
    assert rows["way"][k] == 0


def test_halves_of_a_stopped_pair_are_not_decided(table):
    row = stopped(causewise.scan(table, columns=["d", "e"], stability=True, engine=causewise.Engine(jobs=1)))
    assert (row.agreement, row.half_low, row.half_high) == (None, None, None)


def test_soft_knowledge_keeps_the_sum_and_what_neither_has(table, scan):
    told = causewise.scan(table, engine=causewise.Engine(jobs=1), knowledge={"soft": [["b", "a", {"likely": 0.9}]]})
    before, after = scan.rows[0], told.rows[0]
    assert after.neither == before.neither
    assert after.score == before.score + after.given
    assert after.confidence == pytest.approx((1 - after.neither) / (1 + np.exp(-abs(after.score))))


def test_the_way_a_method_spells_its_threshold_does_not_matter(table):
    known = {"soft": [["a", "b", {"log_odds": 0.1}]]}
    ways = [{"method": "causewise:threshold=0.99"}, {"threshold": 0.99}]
    spelt = [
        causewise.scan(table, columns=["a", "b"], knowledge=known, engine=causewise.Engine(jobs=1), **way).rows[0]
        for way in ways
    ]
    assert spelt[0].status == spelt[1].status == "undecided"
