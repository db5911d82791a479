"""What a scan says of columns that are not continuous: their kind, what was understood, and what was left out."""

import csv
import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import causewise
from causewise.column_types import classify_column
from causewise.scanning.adjustment import Adjustment
from causewise.scanning.result import COLUMNS, Scan

N = 400


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, N)
    levels = pd.Categorical(np.array(["low", "mid", "high"])[np.digitize(a, [-1, 1])], ["low", "mid", "high"], True)
    return pd.DataFrame(
        {
            "a": a,
            "b": np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=N),
            "visits": rng.poisson(np.exp(1 + 0.5 * a)),
            "rain": np.where(rng.random(N) < 0.4, 0.0, np.exp(a)),
            "dose": levels,
            "smoker": a + rng.normal(size=N) > 0,
            "day": [date(2020, 1, 1) + timedelta(int(100 * each)) for each in a],
            "town": "Ulm",
        }
    )


@pytest.fixture(scope="module")
def found(table: pd.DataFrame) -> Scan:
    return causewise.scan(table, engine=causewise.Engine(jobs=1))


KINDS = {
    "a": "continuous",
    "b": "continuous",
    "visits": "count",
    "rain": "point mass",
    "dose": "few levels",
    "smoker": "two values",
}


def test_every_row_has_the_kinds_of_its_columns(found) -> None:
    assert found.kinds == KINDS | {"day": found.kinds["day"]}
    for row in found:
        assert (row.x_kind, row.y_kind) == (found.kinds[row.x], found.kinds[row.y])
    assert COLUMNS[-2:] == ("x_kind", "y_kind")


def test_a_row_says_what_a_lone_decision_says(found, table) -> None:
    for row in found:
        if row.status in ("oriented", "undecided"):
            alone = causewise.infer(table, row.x, row.y)
            assert row.warnings == tuple(map(str, alone.warnings))
            if "point mass" not in (row.x_kind, row.y_kind):
                assert alone.to_dict()["kinds"] == {"x": row.x_kind, "y": row.y_kind}
            told = alone.to_dict()
            assert (row.status, row.score, row.confidence) == (told["status"], told["score"], told["confidence"])


def test_no_arrow_touches_few_levels_and_the_reason_is_said(found) -> None:
    told = [row for row in found if {row.x, row.y} & {"dose", "smoker"} and row.status != "unrelated"]
    assert told
    assert {row.status for row in told} == {"undecided"}
    assert all("too few" in row.reason for row in told)


def test_a_heap_is_told_wherever_it_is_judged(found) -> None:
    told = [row for row in found if "rain" in (row.x, row.y) and row.status != "unrelated"]
    assert told
    assert all(any("'rain' is 0 in" in warning for warning in row.warnings) for row in told)


def test_what_was_understood_is_said_once(found) -> None:
    assert found.notes == (
        "'dose' is numbered in the order of its levels ('low' < 'mid' < 'high').",
        "'day' holds dates or times, read as days since 1970-01-01.",
    )
    assert found.left_out == {"town": "it holds text"}


def test_kinds_stand_in_every_file(found, tmp_path: Path) -> None:
    for ending in ("csv", "json", "parquet"):
        found.write(tmp_path / f"pairs.{ending}")
    with (tmp_path / "pairs.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    record = json.loads((tmp_path / "pairs.json").read_text())
    columnar = pq.read_table(tmp_path / "pairs.parquet").to_pylist()
    for read in (rows, record["rows"], columnar):
        assert [(row["x_kind"], row["y_kind"]) for row in read] == [(row.x_kind, row.y_kind) for row in found]
    assert record["kinds"] == found.kinds
    assert record["notes"] == list(found.notes)


def test_a_scan_that_goes_on_later_has_the_same_bytes(table, found, tmp_path: Path) -> None:
    journal = tmp_path / "pairs.part"
    causewise.scan(table, engine=causewise.Engine(jobs=1, journal=journal))
    again = causewise.scan(table, engine=causewise.Engine(jobs=2, journal=journal))
    assert [(row.x_kind, row.y_kind, row.warnings) for row in again] == [
        (row.x_kind, row.y_kind, row.warnings) for row in found
    ]


def test_steps_are_not_hidden_by_an_adjustment(table) -> None:
    """What a common cause leaves of two values looks continuous, and would be judged as if it were."""
    adjusted = causewise.scan(table.drop(columns="day"), adjust=["b"], engine=causewise.Engine(jobs=1))
    assert adjusted.left_out["smoker"] == "it takes only 2 values, and cannot be adjusted"
    assert "0 in" in adjusted.left_out["rain"]
    assert adjusted.kinds == {"a": "continuous", "visits": "count"}
    (row,) = adjusted
    assert classify_column(adjusted.scorer.values[1]) != "count"
    assert (row.y_kind, row.y) == ("count", "visits")
    assert any("before it is adjusted" in note for note in adjusted.notes)
    with pytest.raises(causewise.InputError, match="'smoker', and it takes only 2 values"):
        causewise.scan(table, columns=["a", "smoker"], adjust=["b"])


def test_what_is_left_of_two_values_would_be_taken_for_a_cause() -> None:
    """Why: what decides them depends on the other column, and the answers that are given are wrong."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        c = rng.normal(size=600)
        x = np.sin(c) + rng.normal(size=600)
        flag = np.tanh(2 * x) + 0.5 * c + rng.normal(size=600) > 0
        adjustment = Adjustment.of({"c": c})
        found.append(causewise.infer(adjustment.residual(x), adjustment.residual(flag.astype(float)), direct=True))
    assert {str(decision.kinds["y"]) for decision in found} == {"continuous"}
    assert {decision.direction.value for decision in found} == {"undecided", "y->x"}


def test_levels_may_be_what_others_are_adjusted_for(table) -> None:
    assert causewise.scan(
        table, columns=["a", "b"], adjust=["smoker", "dose"], engine=causewise.Engine(jobs=1)
    ).columns == ("a", "b")
