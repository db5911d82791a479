"""A scan says of every pair what `infer` says of it alone, whoever works on it, in which order and how often."""

import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.errors import InputError
from causewise.scanning import pair_scorer, scanner
from causewise.scanning.pair_scorer import PairScorer, adjust_p_values


@pytest.fixture(scope="module")
def table():
    """A chain a → b → c, one column beside it, one with holes, one of text, one that never varies."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 400)
    b = np.sin(2 * a) + (0.1 + 0.2 * np.abs(a)) * rng.normal(size=400)
    c = np.tanh(2 * b) + 0.2 * rng.normal(size=400)
    holes = np.where(rng.uniform(size=400) < 0.1, np.nan, a + rng.normal(size=400))
    return {
        "a": a,
        "b": b,
        "alone": rng.normal(size=400),
        "c": c,
        "holes": holes,
        "word": ["x"] * 400,
        "one": np.ones(400),
    }


def timeless(scan):
    return [replace(row, seconds=0.0) for row in scan]


def test_every_pair_gets_what_infer_says_of_it(table):
    scan = causewise.scan(table, engine=causewise.Engine(jobs=1))
    assert [(row.x, row.y) for row in scan] == list(itertools.combinations(["a", "b", "alone", "c", "holes"], 2))
    assert set(scan.left_out) == {"word", "one"}
    for row in scan:
        alone = causewise.infer(table, row.x, row.y, nan_policy="omit")
        assert (row.n, row.dropped_rows) == (alone.pair.n, alone.pair.dropped)
        assert row.dependence_p == pytest.approx(alone.dependence_p, rel=1e-6)
        if row.status == "unrelated":
            assert row.adjusted_p > 0.05
            assert row.score is None
            continue
        assert (row.status, row.direction, row.cause, row.effect) == (
            alone.status, alone.direction.value, alone.cause, alone.effect,
        )  # fmt: skip
        assert (row.score, row.confidence, row.weight) == (alone.score, alone.confidence, alone.weight)
        assert row.neither == alone.probabilities["neither"]
        assert {name: getattr(row, name) for name in alone.contributions} == alone.contributions
        assert row.warnings == tuple(map(str, alone.warnings))
    assert scan.counts["oriented"] >= 1


@pytest.mark.parametrize("method", ["loci-h", "igci"])
def test_any_method_orients(table, method):
    for row in causewise.scan(table, method=method, columns=["a", "b", "c"], engine=causewise.Engine(jobs=1)):
        alone = causewise.infer(table, row.x, row.y, method=method)
        assert (row.score, row.direction, row.confidence) == (alone.score, alone.direction.value, None)


def test_neither_processes_nor_tiles_show_in_the_rows(table, monkeypatch):
    one = causewise.scan(table, engine=causewise.Engine(jobs=1))
    monkeypatch.setattr("causewise.scanning.table.BLOCK", 2)
    assert timeless(causewise.scan(table, engine=causewise.Engine(jobs=1))) == timeless(one)
    assert timeless(causewise.scan(table, engine=causewise.Engine(jobs=2))) == timeless(one)


@given(st.lists(st.floats(0, 1) | st.none(), max_size=30))
def test_adjusted_p_values_are_the_textbooks(p):
    known = [value for value in p if value is not None]
    for value, ours in zip(p, adjust_p_values(p), strict=True):
        if value is None:
            assert ours is None
        else:  # the smallest rate at which the step-up procedure rejects it
            ranked = [(v, len(known) * v / sum(other <= v for other in known)) for v in known]
            assert ours == pytest.approx(min(1.0, min(q for v, q in ranked if v >= value)), rel=1e-12)


def test_target_pairs_and_columns_choose(table, tmp_path):
    target = causewise.scan(table, pairs="b", engine=causewise.Engine(jobs=1))
    assert {frozenset((row.x, row.y)) for row in target} == {
        frozenset(("b", other)) for other in ("a", "alone", "c", "holes")
    }
    file = tmp_path / "pairs.csv"
    file.write_text("x,y\nc,a\na,b\n")
    assert [(row.x, row.y) for row in causewise.scan(table, pairs=file, engine=causewise.Engine(jobs=1))] == [
        ("a", "b"),
        ("a", "c"),
    ]
    assert [(row.x, row.y) for row in causewise.scan(table, columns=["c", 1], engine=causewise.Engine(jobs=1))] == [
        ("a", "c")
    ]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"columns": ["a", "one"]}, "it is 1 in every row"),
        ({"columns": ["a", "a"]}, "twice"),
        ({"columns": ["a", "nothing"]}, "'nothing', which is not in the table"),
        ({"columns": ["a"]}, "Got 1 column that can be used"),
        ({"pairs": [("a", "a")]}, "two different columns"),
        ({"pairs": [("a", "b", "c")]}, "expected two columns"),
        ({"pairs": []}, "Got no pairs"),
        ({"pairs": Path("nowhere.csv")}, "Could not read the pairs"),
        ({"fdr": 0.0}, "Got fdr="),
        ({"fdr": 2.0}, "Got fdr="),
        ({"seed": -1}, "Got seed="),
        ({"method": "loci-h", "threshold": 0.9}, "does not take it; expected a method that does, such as causewise"),
        ({"treshold": 0.9}, "expected one of direct, .*, threshold: check the spelling"),
        ({"journal": "j"}, r"expected it in the engine: engine=causewise\.Engine\(journal=…\)"),
        ({"method": "guess"}, "guess"),
        ({"knowledge": {"before": [["a", "b"], ["b", "a"]]}}, "before"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_sentence(table, asked, sentence):
    with pytest.raises(InputError, match=sentence):
        causewise.scan(table, **asked)


def test_tables_that_cannot_be_scanned_are_a_sentence():
    rng = np.random.default_rng(0)
    for data, sentence in (
        ({"a": ["x"] * 20, "b": ["y"] * 20}, "Got 0 columns that can be used"),
        ({"a": rng.normal(size=20), "b": rng.normal(size=21)}, "equal length"),
        ({"a": rng.normal(size=20), "b": np.full(20, np.nan)}, "it has 0 values"),
        ({f"c{k}": rng.normal(size=12) for k in range(1500)}, "1,124,250 pairs"),
    ):
        with pytest.raises(InputError, match=sentence):
            causewise.scan(data)


def test_what_is_known_is_obeyed(table):
    free = {(row.x, row.y): row for row in causewise.scan(table, engine=causewise.Engine(jobs=1))}
    known = {"required": [["b", "a"]], "forbidden": [["c", "b"]], "soft": [["c", "a", {"log_odds": 9.0}]]}
    told = {(row.x, row.y): row for row in causewise.scan(table, knowledge=known, engine=causewise.Engine(jobs=1))}
    assert told["a", "b"].direction == "y->x"
    assert told["a", "b"].score == free["a", "b"].score
    assert told["b", "c"].direction == "x->y"
    assert told["a", "c"].score == free["a", "c"].score - 9.0
    assert (told["a", "c"].given, told["a", "c"].cause) == (-9.0, "c")


def _deadly(judge, tile):
    if [0, 2] in [list(pair) for pair in tile]:
        os._exit(9)
    return pair_scorer.screen_pairs(judge, tile)


def test_a_pair_that_kills_its_process_costs_its_own_row_only(table, monkeypatch):
    asked = {"columns": ["a", "b", "c"]}
    quiet = {(row.x, row.y): row for row in causewise.scan(table, **asked, engine=causewise.Engine(jobs=1))}
    monkeypatch.setattr(scanner, "screen_pairs", _deadly)
    rows = {(row.x, row.y): row for row in causewise.scan(table, **asked, engine=causewise.Engine(jobs=2))}
    dead = rows.pop(("a", "c"))
    assert dead.status == "failed"
    assert "died" in dead.reason
    for pair, row in rows.items():
        assert (row.score, row.dependence_p) == (quiet[pair].score, quiet[pair].dependence_p)


def test_a_scan_goes_on_where_it_was_stopped(table, tmp_path, monkeypatch):
    monkeypatch.setattr("causewise.scanning.table.BLOCK", 2)
    whole = causewise.scan(table, engine=causewise.Engine(jobs=1))
    place = tmp_path / "scan.csv.part"

    class Stopped(Exception):
        pass

    def stop(what, done, of):
        if what == "orienting" and done:
            raise Stopped

    with pytest.raises(Stopped):
        causewise.scan(table, engine=causewise.Engine(jobs=1, journal=place, on_progress=stop))
    place.write_bytes(place.read_bytes() + b"half a li")  # what a kill leaves behind
    asked = []
    monkeypatch.setattr(PairScorer, "screen", lambda *pair: asked.append(pair))
    again = causewise.scan(table, engine=causewise.Engine(jobs=1, journal=place))
    assert not asked
    assert timeless(again) == timeless(whole)
    again.write(tmp_path / "scan.csv")
    assert not place.exists()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_table_comes_back_as_it_went_in(table, library, tmp_path):
    frames = pytest.importorskip(library)
    columns = {name: table[name] for name in ("a", "b", "alone")}
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    scan = causewise.scan(getattr(frames, make)(columns), engine=causewise.Engine(jobs=1))
    frame = scan.to_frame()
    assert type(frame).__module__.startswith(library)
    assert [str(name) for name in (frame.column_names if library == "pyarrow" else frame.columns)] == list(
        scan.to_columns()
    )
    scan.write(tmp_path / "scan.parquet")
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "scan.parquet").to_pydict() == scan.to_columns()


def test_files_hold_every_number_exactly(table, tmp_path):
    import csv

    scan = causewise.scan(table, engine=causewise.Engine(jobs=1))
    scan.write(tmp_path / "scan.csv")
    with (tmp_path / "scan.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert [line["score"] for line in lines] == ["" if row.score is None else repr(row.score) for row in scan]
    scan.write(tmp_path / "scan.json")
    record = json.loads((tmp_path / "scan.json").read_text())
    assert [row["score"] for row in record["rows"]] == [row.score for row in scan]
    assert (record["method"], record["seed"]) == ("causewise", 0)
    with pytest.raises(InputError, match="expected one that ends in"):
        scan.write(tmp_path / "scan.xlsx")


def test_the_readme_of_a_path(tmp_path: Path, table):
    import pandas

    pandas.DataFrame({name: table[name] for name in ("a", "b", "word")}).to_csv(tmp_path / "t.csv", index=False)
    assert [(row.x, row.y) for row in causewise.scan(tmp_path / "t.csv", engine=causewise.Engine(jobs=1))] == [
        ("a", "b")
    ]
