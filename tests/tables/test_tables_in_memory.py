"""Parquet, data frames, dictionaries and arrays give the same pair as a text table."""

import sys
from datetime import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rainfall import X, Y, assert_same, save

from causewise.errors import InputError
from causewise.pair import Pair
from causewise.tables import pair_from, read_pair


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"rain": X, "river": Y, "place": ["a"] * 30}).write_parquet(path)
    assert_same(read_pair(path))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert_same(read_pair(path))
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"pip install '\.\[tables\]'"):
        read_pair(path)


def test_damaged_parquet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="as Parquet"):
        read_pair(save(tmp_path, b"PAR1" + b"\x00" * 50, "table.parquet"))


FRAME = pd.DataFrame({"place": ["a"] * 30, "rain": X, "river": Y})


@pytest.mark.parametrize(
    "table",
    [
        FRAME,
        pl.from_pandas(FRAME),
        pl.from_pandas(FRAME).lazy(),
        pa.Table.from_pandas(FRAME),
        {"rain": X, "river": Y.tolist()},
        {"rain": pl.Series(X), "river": pd.Series(Y)},
        FRAME.to_records(index=False)[["rain", "river"]],
        FRAME.assign(place=range(30)),
        FRAME.astype({"rain": "Float64"}),
    ],
    ids=["pandas", "polars", "lazy", "arrow", "dict", "series", "structured", "counted", "nullable"],
)
def test_tables_in_memory(table) -> None:
    assert_same(pair_from(table))
    assert_same(pair_from(table, "rain", "river"))


def test_arrays_and_series() -> None:
    assert_same(pair_from(X, Y), ("x", "y"))
    assert_same(pair_from(X.tolist(), Y), ("x", "y"))
    assert_same(pair_from((X, Y)), ("x", "y"))
    assert_same(pair_from(np.column_stack([X, Y])), ("column 1", "column 2"))
    assert_same(pair_from(X.astype(str), [*map(str, Y.tolist())]), ("x", "y"))
    assert_same(pair_from(FRAME["rain"], FRAME["river"]))
    assert_same(pair_from(pl.Series("rain", X), pl.Series("river", Y)))
    assert_same(pair_from(pa.array(X), pa.chunked_array([Y])), ("x", "y"))
    assert_same(pair_from(FRAME[["rain", "river"]].to_numpy(), 1, 2), None)
    nanoseconds = [1_700_000_000_000_000_000 + 10**9 * k for k in range(30)]
    np.testing.assert_array_equal(pair_from(pa.array(nanoseconds), Y).x, np.array(nanoseconds, dtype=float))
    pair = Pair.of(X, Y)
    assert pair_from(pair) is pair


@pytest.mark.parametrize("columns", [{}, {"x": 2, "y": 3}])
def test_repeated_names_in_memory(columns) -> None:
    twice = FRAME.set_axis(["place", "v", "v"], axis=1)
    for table in (twice, pa.table([FRAME["place"], X, Y], names=["place", "v", "v"])):
        assert_same(pair_from(table, **columns), ("v (column 2)", "v (column 3)"))


def test_series_are_never_paired_against_their_labels() -> None:
    rain, river = FRAME["rain"], FRAME["river"]
    with pytest.raises(InputError, match="row labels differ"):
        pair_from(rain, river[::-1])
    np.testing.assert_array_equal(pair_from(rain[::-1], river[::-1]).x, X[::-1])
    assert_same(pair_from(rain, river[::-1].to_numpy()[::-1]), None)


def test_missing_values_in_tables() -> None:
    masked = np.ma.array([*X, 1e9], mask=[*([False] * 30), True])
    for held in (
        (masked, [*Y, 1.0]),
        ({"rain": masked, "river": [*Y, 1.0]},),
        (np.ma.column_stack([masked, [*Y, 1]]),),
    ):
        assert_same(pair_from(*held, nan_policy="omit"), None)
    holes = {"rain": [*X.tolist(), None], "river": [*Y.tolist(), 1.0]}
    for table in (pd.DataFrame(holes), pl.DataFrame(holes), holes):
        assert_same(pair_from(table, nan_policy="omit"))
    nullable = pd.DataFrame({"rain": pd.array([*range(30), None], dtype="Int64"), "river": [*Y, 1.0]})
    assert pair_from(nullable, nan_policy="omit").dropped == 1


@pytest.mark.parametrize(
    ("data", "x", "y", "words"),
    [
        (X, Y[:-1], None, "30 values for 'x' and 29"),
        (X, None, None, "give both"),
        (3, None, None, "Got int"),
        (FRAME, "rain", "rivr", "did you mean 'river'"),
        (FRAME, "rain", "place", "Column 'place' has the text 'a' in row 1"),
        (FRAME, 9, 2, "from 1 to 3"),
        (FRAME, X, Y, "Got a ndarray in the place of a column's name"),
        ({"a": X}, None, None, "Got 1 column"),
        ({}, None, None, "Got 0 columns"),
        ({"a": X, "b": X}, None, None, "identical"),
        ({"a": X, "b": np.ones(30)}, None, None, "constant"),
        ({"a": X, "b": ["text"] * 30}, None, None, "'text' in row 1"),
        ({"a": X, "b": [10**10**6, *Y[1:]]}, None, None, "infinite|too large"),
        ({"a": X, "b": [time(k % 24) for k in range(30)]}, None, None, "'00:00:00' in row 1"),
        ({"a": X, "b": X + 1j}, None, None, "complex"),
        ({"a": X, "b": [[1], [1, 2]] * 15}, None, None, "expected numbers"),
        (np.ones((4, 3, 2)), None, None, "no table"),
        ("no such file.csv", None, None, "There is no file"),
    ],
)
def test_bad_tables_in_memory(data, x, y, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pair_from(data, x, y)
