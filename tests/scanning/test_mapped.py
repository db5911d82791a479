"""A table's columns lie on disk once they are many bytes, and nothing but the place of the bytes changes."""

import errno
import gc
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causewise
from causewise.errors import InputError
from causewise.scanning import mapped
from causewise.scanning.mapped import ColumnStore, MappedColumns


@pytest.fixture
def on_disk(monkeypatch):
    monkeypatch.setattr(mapped, "IN_MEMORY", 0)


@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 2000))
def test_lines_come_back_as_they_were_wherever_they_lie(columns, rows, in_memory):
    table = np.random.default_rng(rows).normal(size=(columns, rows))
    store = ColumnStore()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped, "IN_MEMORY", in_memory)
        for column in table:
            store.add(column)
        values = store.values
        assert isinstance(values, MappedColumns) == (table.nbytes > in_memory)
        assert values.shape == table.shape
        assert values.nbytes == table.nbytes
        np.testing.assert_array_equal(np.asarray(values), table)
        there = pickle.loads(pickle.dumps(values))
        for k, column in enumerate(table):
            np.testing.assert_array_equal(there[k], column)
        with pytest.raises(IndexError):
            there[columns]


def test_a_line_that_nobody_holds_is_no_longer_mapped(on_disk):
    store = ColumnStore()
    for k in range(3):
        store.add(np.full(10**6, float(k)))
    line = store.values[1]
    file = f" {Path(store.values.path).stat().st_ino} "
    assert file in Path("/proc/self/maps").read_text()
    assert line.sum() == 10**6
    del line
    assert file not in Path("/proc/self/maps").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a file that is read has a name")
def test_nobody_sees_the_file_by_name(on_disk, monkeypatch, tmp_path):
    """So that nothing is left of it however the process ends."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = ColumnStore()
    store.add(np.arange(5.0))
    assert str(tmp_path) in str(Path(store.values.path).readlink())
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(store.values[0], np.arange(5.0))


def test_the_file_lasts_as_long_as_what_was_found_in_it(on_disk):
    rng = np.random.default_rng(0)
    scan = causewise.scan(
        {"a": rng.normal(size=60), "b": rng.normal(size=60)}, method="igci", engine=causewise.Engine(jobs=1)
    )
    path = Path(scan.scorer.values.path)
    assert path.exists()
    del scan
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_scan_from_disk_is_the_same_to_the_last_bit(on_disk, monkeypatch, tmp_path, jobs):
    rng = np.random.default_rng(0)
    a = rng.normal(size=120)
    table = pandas.DataFrame({"a": a, "b": np.tanh(a) + 0.3 * rng.normal(size=120), "c": rng.normal(size=120)})
    table.loc[3:9, "b"] = np.nan
    table.to_parquet(tmp_path / "t.parquet")
    found = causewise.scan(tmp_path / "t.parquet", method="loci-h", engine=causewise.Engine(jobs=jobs), adjust=["c"])
    monkeypatch.undo()
    kept = causewise.scan(table, method="loci-h", engine=causewise.Engine(jobs=1), adjust=["c"])
    timeless = [[{**vars(row), "seconds": 0} for row in each.rows] for each in (found, kept)]
    assert timeless[0] == timeless[1]


def test_a_full_disk_is_a_sentence(on_disk, monkeypatch):
    def full(self):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(mapped._ScratchFile, "__init__", full)
    with pytest.raises(InputError, match=r"Could not write .*No space left.*80 bytes a column.*TMPDIR"):
        ColumnStore().add(np.ones(10))
