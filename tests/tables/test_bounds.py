"""No file, archive or pipe is read beyond its limit, and no wide table takes long."""

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from rainfall import X, Y, assert_same, lines, save

from causewise.errors import InputError
from causewise.tables import read_pair
from causewise.tables.choose import distinct_names
from causewise.tables.source import ReadOptions


class Endless(io.RawIOBase):
    """A stream without an end that counts what was taken."""

    def __init__(self, piece: bytes) -> None:
        self.piece, self.taken = piece, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        size = len(buffer)
        buffer[:] = (self.piece * (size // len(self.piece) + 1))[:size]
        self.taken += size
        return size


def piped(monkeypatch: pytest.MonkeyPatch, stream: io.RawIOBase) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(stream)))


@pytest.mark.parametrize(
    ("piece", "limit", "words"),
    [
        (b"1,2\n", {"max_bytes": 10**6}, r"more than 1,000,000 bytes \(max_bytes\) from standard input"),
        (b"1,2\n", {"max_lines": 10**5}, r"more than 100,000 rows \(max_lines\) from standard input"),
        (b"1,2\r", {"max_lines": 10**5}, "more than 100,000 rows"),
        (b"1,2,", {}, "a line of more than 16,777,216 bytes in standard input"),
        (b"\0", {}, "binary"),
        (b"PK\3\4 and so on", {"max_bytes": 10**6}, "more than 1,000,000 bytes"),
    ],
)
def test_endless_pipes(monkeypatch: pytest.MonkeyPatch, piece: bytes, limit: dict[str, int], words: str) -> None:
    stream = Endless(piece)
    piped(monkeypatch, stream)
    with pytest.raises(InputError, match=words):
        read_pair("-", **limit)
    assert stream.taken < 1 << 25


def test_a_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "sparse.csv"
    with path.open("wb") as file:
        file.write(lines().encode())
        file.truncate(20 * 2**30)
    with pytest.raises(InputError, match="more than 1,073,741,824 bytes"):
        read_pair(path)


def test_archives_are_unpacked_no_further_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = save(tmp_path, gzip.compress(b"1,2\n" * 5 * 10**6, 1), "bomb.csv.gz")
    taken = []
    monkeypatch.setattr(ReadOptions, "check_rows", lambda self, rows, where: taken.append(rows))
    with pytest.raises(InputError, match="more than 2,000,000 bytes"):
        read_pair(packed, max_bytes=2 * 10**6)
    assert max(taken) < 10**6
    assert_same(read_pair(save(tmp_path, gzip.compress(lines().encode()), "table.csv.gz")))


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_parquet_is_bounded_and_read_by_the_column(
    tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "wide.parquet", []
    wide = {f"c{k}": X for k in range(300)} | {"rain": X, "river": Y, "words": ["x" * 1000] * 30}
    pl.DataFrame(wide).write_parquet(path)
    if library == "polars":
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        whole = pl.read_parquet
        monkeypatch.setattr(
            pl, "read_parquet", lambda source, columns: seen.append(columns) or whole(source, columns=columns)
        )
    else:
        whole = pa.parquet.ParquetFile.read
        monkeypatch.setattr(
            pa.parquet.ParquetFile, "read", lambda self, columns: seen.append(columns) or whole(self, columns=columns)
        )
    assert_same(read_pair(path, "rain", "river"))
    assert [len(columns) for columns in seen] == [1, 1]
    with pytest.raises(InputError, match="more than 29 rows"):
        read_pair(path, "rain", "river", max_lines=29)
    with pytest.raises(InputError, match="more than 100 bytes"):
        read_pair(path, "rain", "river", max_bytes=100)
    with pytest.raises(InputError, match=r"'words' of .* is of the type 'String'"):
        read_pair(path, "rain", "words")


def test_parquet_columns_whose_names_repeat_or_begin_alike(tmp_path: Path) -> None:
    path = tmp_path / "names.parquet"
    table = pa.table([X, -X, Y, X + Y], names=["rain", "rain", "river", "river.level"])
    pa.parquet.write_table(table, path)
    assert_same(read_pair(path, 1, 3), ("rain (column 1)", "river"))
    assert read_pair(path, 2, "river.level").x.tolist() == (-X).tolist()
    assert_same(read_pair(save(tmp_path, gzip.compress(path.read_bytes()), "names.gz"), 1, 3), None)


def test_a_wide_table_in_full_precision(tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(size=(12, 7000))
    text = "\n".join(",".join(map(repr, row)) for row in [[f"c{k}" for k in range(7000)], *table.tolist()])
    pair = read_pair(save(tmp_path, text.replace("'", "")), "c10", "c6999")
    assert pair.x.tolist() == table[:, 10].tolist()
    assert pair.y.tolist() == table[:, 6999].tolist()


def test_names_are_told_apart_in_one_look() -> None:
    class Name(str):
        compared = 0

        def __str__(self) -> "Name":
            return self

        def strip(self, *_: object) -> "Name":
            return self

        def __eq__(self, other: object) -> bool:
            Name.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = [Name(f"gene {k % 2500}") for k in range(5000)]
    assert len(set(distinct_names(names))) == 5000
    assert Name.compared < 20 * 5000
    twice = ["a", "a", "a (column 1)", "", "column 4"]
    assert len(set(distinct_names(twice))) == len(twice)


@pytest.mark.parametrize("said", [{"max_bytes": 0}, {"max_lines": -1}, {"decimal": ";"}])
def test_limits_and_marks_have_their_range(said: dict[str, object]) -> None:
    with pytest.raises(InputError, match="expected"):
        read_pair("-", **said)
