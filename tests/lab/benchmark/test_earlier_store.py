"""A store of the first layout, which knew no confidence: read as it is, carried on, and none the worse for it."""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import made_up
import pytest
import toys
from test_store import ROW

from causewise.lab.benchmark.rendering import FORMS, Look, render
from causewise.lab.benchmark.runner import plan, run
from causewise.lab.benchmark.scores import summarise
from causewise.lab.benchmark.sets import contenders
from causewise.lab.benchmark.store import APPLICATION_ID, SCHEMA, Row, Store, export_rows

# As the first layout wrote it.
LAYOUT_1 = """
CREATE TABLE result (dataset TEXT NOT NULL, pair_id TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
settings_hash TEXT NOT NULL, version TEXT NOT NULL, score REAL, forward REAL, backward REAL, decision TEXT NOT NULL,
truth INTEGER NOT NULL, weight REAL, correct INTEGER NOT NULL, flipped INTEGER NOT NULL, seconds REAL,
status TEXT NOT NULL, message TEXT NOT NULL, n INTEGER NOT NULL, settings TEXT NOT NULL,
PRIMARY KEY (dataset, pair_id, method, seed, settings_hash, version)) WITHOUT ROWID"""
LATER = ("confidence", "withheld")


def earlier(path: Path, rows: Sequence[Row]) -> Path:
    """Rows in a file of the first layout."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(LAYOUT_1)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    for row in rows:
        values = [value for name, value in asdict(row).items() if name not in LATER]
        connection.execute(f"INSERT INTO result VALUES ({', '.join('?' * len(values))})", values)
    connection.commit()
    connection.close()
    return path


def silent(row: Row) -> Row:
    """The same row with a confidence that compares: NaN equals nothing, itself included."""
    assert math.isnan(row.confidence)
    return replace(row, confidence=0.0)


OLD = [
    ROW,
    replace(ROW, pair_id="2", message="Undecided: 61 % confidence is too little."),
    replace(ROW, pair_id="3", status="not-converged", message="It stopped at its limit."),
    replace(ROW, pair_id="4", status="failed", message="it broke", correct=False),
]
EXPECTED = [replace(row, confidence=0.0, withheld=row.pair_id == "2") for row in OLD]


def test_an_earlier_store_is_read_without_being_changed(tmp_path: Path) -> None:
    path = earlier(tmp_path / "s.sqlite", OLD)
    before = path.read_bytes()
    with Store.read(path) as store:
        assert list(map(silent, store.rows())) == EXPECTED
    assert path.read_bytes() == before


def test_an_earlier_store_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = earlier(tmp_path / "s.sqlite", OLD)
    tmp_path.chmod(0o555)
    try:
        with Store.read(path) as store:
            assert list(map(silent, store.rows())) == EXPECTED
    finally:
        tmp_path.chmod(0o755)


def test_an_earlier_store_grows_when_it_is_written_to_and_only_once(tmp_path: Path) -> None:
    path = earlier(tmp_path / "s.sqlite", OLD)
    new = replace(ROW, pair_id="5", confidence=0.625, withheld=True, message="Too unsure.")
    for times in (1, 0):
        with Store.open(path) as store:
            assert store.add([*OLD, new]) == times
            *old, last = store.rows()
            assert list(map(silent, old)) == EXPECTED
            assert last == new
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    connection.close()


def test_two_runners_on_an_earlier_store(tmp_path: Path) -> None:
    path = earlier(tmp_path / "s.sqlite", OLD)
    with Store.open(path) as first, Store.open(path) as second, Store.read(path) as reader:
        first.add([replace(ROW, pair_id="5")])
        second.add([replace(ROW, pair_id="5"), replace(ROW, pair_id="6")])
        assert first.rows()[-2:] == second.rows()[-2:] == reader.rows()[-2:]


def test_a_reader_that_came_before_the_columns_sees_them(tmp_path: Path) -> None:
    path = earlier(tmp_path / "s.sqlite", OLD)
    with Store.read(path) as reader:
        assert len(reader.rows()) == 4
        with Store.open(path) as store:
            store.add([replace(ROW, pair_id="5")])
        assert reader.rows()[-1] == replace(ROW, pair_id="5")


@pytest.mark.parametrize("method", ["middling", "hesitant"])
def test_carrying_on_does_what_is_missing_and_gives_the_same_tables(method: str, tmp_path: Path) -> None:
    sets, entered = [toys.collection(pairs=12)], contenders([f"toys:{method}"], [0])
    with Store.open(tmp_path / "whole.sqlite") as store:
        run(plan(entered, sets, store.keys()), store)
        whole = store.rows()
    path = earlier(tmp_path / "half.sqlite", whole[::2])
    with Store.open(path) as store:
        work = plan(entered, sets, store.keys())
        assert (work.todo, work.there) == (6, 6)
        run(work, store)
        carried = store.rows()
    lost = [replace(row, confidence=math.nan) if index % 2 == 0 else row for index, row in enumerate(whole)]
    texts = [export_rows([replace(row, seconds=0.0) for row in rows]) for rows in (carried, lost)]
    assert texts[0] == texts[1]
    for metric in ("accuracy", "audrc"):
        for form in FORMS:
            first, second = (render(summarise(rows, metric), form, Look(True, True)) for rows in (carried, whole))
            assert first == second


def test_tables_of_an_earlier_store_are_those_of_today(tmp_path: Path) -> None:
    rows = made_up.rows(withheld=5)
    with Store.read(earlier(tmp_path / "s.sqlite", rows)) as store:
        old = store.rows()
    for form in FORMS:
        assert render(summarise(old), form) == render(summarise(rows), form)
