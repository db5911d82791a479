"""Workers that see the Parquet file read what they need of it; what they cannot be sure of is handed over."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import causewise
from causewise.scanning import on_dask, scanner
from causewise.scanning.pair_scorer import PairScorer
from causewise.scanning.table import FileColumns, UnseenError, read_scan_table

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 120)
    related = {f"r{k}": np.sin(2 * a + k) + 0.2 * rng.normal(size=120) for k in range(4)}
    whole = {"name": ["x"] * 120, "a": a, **related, "one": np.ones(120), "count": rng.integers(0, 50, 120)}
    whole["r1"] = np.where(np.arange(120) < 5, np.nan, whole["r1"])
    pandas.DataFrame(whole).to_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_the_lines_are_those_of_the_table(file):
    table = read_scan_table(str(file))
    there = pickle.loads(pickle.dumps(FileColumns.of(str(file), table, {})))
    assert there.shape == table.values.shape
    for k, line in enumerate(table.values):
        np.testing.assert_array_equal(there[k], line)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(there))[0], table.values[0])  # once it has been opened


def test_what_is_not_as_it_is_in_a_parquet_file_is_not_read_from_one(file, tmp_path):
    frame = pandas.read_parquet(file)
    assert FileColumns.of(frame, read_scan_table(frame), {}) is None
    adjusted = read_scan_table(str(file), adjust=["a"])
    assert FileColumns.of(str(file), adjusted, {}) is None
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert FileColumns.of(tmp_path / "t.csv", read_scan_table(tmp_path / "t.csv"), {}) is None


def test_another_file_of_the_same_name_is_not_believed(file):
    there = FileColumns.of(str(file), read_scan_table(str(file)), {})
    frame = pandas.read_parquet(file)
    frame.assign(a=frame["a"] + 1e-9).to_parquet(file)
    with pytest.raises(UnseenError, match="not what it was"):
        there[0]
    np.testing.assert_array_equal(there[1], frame["r0"])
    frame[["a"]].to_parquet(file)
    for gone in (replace(there), replace(there, path=str(file) + "x")):
        with pytest.raises(UnseenError):
            gone[1]
    file.write_bytes(b"PAR1")
    with pytest.raises(UnseenError):
        replace(there)[1]


def test_a_judge_reads_no_column_that_it_is_not_asked_about(file, monkeypatch):
    table = read_scan_table(str(file))
    there = FileColumns.of(str(file), table, {})
    read, line = [], FileColumns.__getitem__
    monkeypatch.setattr(FileColumns, "__getitem__", lambda self, k: read.append(k) or line(self, k))
    judge = PairScorer(table.names, there, "igci", 0, {}, scanner.Knowledge.of(None, table.every))
    plain = replace(judge, values=table.values)
    for pair in ((0, 2), (2, 4), (0, 4)):
        assert judge.screen(*pair)[:-1] == plain.screen(*pair)[:-1]
    assert sorted(read) == [0, 2, 4]


def timeless(scan):
    return [replace(row, seconds=0.0) for row in scan]


def test_a_cluster_reads_the_file_and_where_it_cannot_is_handed_the_columns(file, monkeypatch, tmp_path):
    distributed = pytest.importorskip("distributed")
    one = timeless(causewise.scan(file, engine=causewise.Engine(jobs=1)))
    handed, hold_of = [], on_dask.DaskPool._hold
    monkeypatch.setattr(on_dask.DaskPool, "_hold", lambda self, read: handed.append(read) or hold_of(self, read))
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        assert timeless(causewise.scan(file, engine=causewise.Engine(dask=client))) == one
        assert set(handed) == {True}
        of = FileColumns.of
        elsewhere = tmp_path / "elsewhere.parquet"
        elsewhere.write_bytes(file.read_bytes()[:-9])
        for path in ("nowhere.parquet", elsewhere):
            handed.clear()
            monkeypatch.setattr(FileColumns, "of", lambda *about, path=path: replace(of(*about), path=str(path)))
            assert timeless(causewise.scan(file, engine=causewise.Engine(dask=client), fdr=0.04)) == timeless(
                causewise.scan(file, engine=causewise.Engine(jobs=1), fdr=0.04)
            )
            assert set(handed) == {True, False}
