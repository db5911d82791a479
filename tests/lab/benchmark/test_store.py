"""The store: keeps rows, never doubles them, and answers a wrong file with a sentence."""

import math
import re
import sqlite3
from dataclasses import fields, replace
from pathlib import Path

import pytest

from causewise.lab.benchmark.ledger import StoreError
from causewise.lab.benchmark.store import APPLICATION_ID, SCHEMA, Row, Store

ROW = Row(
    dataset="toy",
    pair_id="1",
    method="m",
    seed=0,
    settings_hash="h",
    version="0",
    score=0.25,
    forward=0.5,
    backward=0.25,
    confidence=0.75,
    decision="x->y",
    withheld=False,
    truth=1,
    weight=1.0,
    correct=True,
    flipped=False,
    seconds=0.5,
    status="ok",
    message="",
    n=10,
    settings="{}",
)


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_new_store_deletes_no_file_beside_it(ending: str, tmp_path: Path) -> None:
    beside = tmp_path / f"s.sqlite{ending}"
    beside.write_text("precious")
    with (
        pytest.raises(StoreError, match=rf"Got the file '.*s\.sqlite{ending}'.*move it away"),
        Store.open(tmp_path / "s.sqlite"),
    ):
        pass
    assert (beside.read_text(), list(tmp_path.iterdir())) == ("precious", [beside])


def test_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    failed = replace(ROW, pair_id="2", correct=False, status="failed", message="the „reason“, with | marks")
    with Store.open(tmp_path / "s.sqlite") as store:
        assert store.add([ROW, failed]) == 2
    with Store.read(tmp_path / "s.sqlite") as store:
        assert store.rows() == [ROW, failed]


def test_a_number_that_is_none_comes_back_as_nan_not_zero(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add([replace(ROW, score=math.nan, forward=math.inf, backward=-math.inf)])
        (row,) = store.rows()
    assert all(math.isnan(value) for value in (row.score, row.forward, row.backward))


def test_adding_twice_is_adding_once_and_the_first_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        assert store.add([ROW]) == 1
        assert store.add([replace(ROW, score=9.0), replace(ROW, pair_id="2")]) == 1
        assert [row.score for row in store.rows()] == [0.25, 0.25]


@pytest.mark.parametrize("field", ["dataset", "pair_id", "method", "settings_hash", "version", "seed"])
def test_every_part_of_the_key_makes_another_row(tmp_path: Path, field: str) -> None:
    other = replace(ROW, **{field: 1 if field == "seed" else "other"})
    with Store.open(tmp_path / "s.sqlite") as store:
        assert store.add([ROW, other]) == 2


def test_rows_are_listed_in_an_order_of_their_own(tmp_path: Path) -> None:
    rows = [replace(ROW, pair_id=str(number)) for number in (10, 9, 2, 1)]
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add(rows)
        assert [row.pair_id for row in store.rows()] == ["1", "2", "9", "10"]


def test_two_writers_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as first, Store.open(path) as second:
        for number in range(30):
            first.add([replace(ROW, pair_id=str(number))])
            second.add([replace(ROW, pair_id=str(number)), replace(ROW, pair_id=f"b{number}")])
        assert len(first.rows()) == len(second.rows()) == 60


def test_a_failed_transaction_leaves_nothing_behind(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        with pytest.raises(StoreError):
            store.add([ROW, replace(ROW, pair_id=None)])  # type: ignore[arg-type]  # the broken row
        assert store.rows() == []
        assert store.add([ROW]) == 1


def test_forgetting_failed_rows(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add([ROW, replace(ROW, pair_id="2", status="timeout")])
        assert store.forget(["timeout", "failed"]) == 1
        assert store.rows() == [ROW]


def test_a_text_file_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("just some notes, long enough to be looked at as if they were a header of a database file" * 3)
    for opening in (Store.open, Store.read):
        with pytest.raises(StoreError, match="not a store"), opening(path):
            pass
    assert path.read_text().startswith("just some notes")


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()
    for opening in (Store.open, Store.read):
        with pytest.raises(StoreError, match="not one of causewise's"), opening(path):
            pass


def test_a_newer_layout_asks_for_an_update(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add([ROW])
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    connection.close()
    for opening in (Store.open, Store.read):
        with pytest.raises(StoreError, match="update causewise"), opening(path):
            pass


def test_missing_file_and_missing_folder_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store"), Store.read(tmp_path / "none.sqlite"):
        pass
    with pytest.raises(StoreError, match="no folder"), Store.open(tmp_path / "none" / "s.sqlite"):
        pass
    with pytest.raises(StoreError), Store.open(tmp_path):
        pass


def test_a_store_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    with Store.open(folder / "s.sqlite") as store:
        store.add([ROW])
    folder.chmod(0o555)
    try:
        with Store.read(folder / "s.sqlite") as store:
            assert store.rows() == [ROW]
    finally:
        folder.chmod(0o755)


def test_the_page_on_the_store_names_every_column() -> None:
    text = (Path(__file__).parents[3] / "docs" / "benchmark.md").read_text(encoding="utf-8")
    table = text.partition("| column |")[2].partition("\n\n")[0]
    lines = [line.split("|")[1] for line in table.split("\n") if line.startswith("| `")]
    named = [name for line in lines for name in re.findall("`(.+?)`", line)]
    assert sorted(named) == sorted(field.name for field in fields(Row))
