"""Arrow, Stata, SPSS and SAS files, addresses, and text tables whose delimiter is given."""

import io
import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyreadstat
import pytest
from rainfall import X, Y, assert_same, lines, save

from causewise.errors import InputError
from causewise.scanning.table import read_scan_table
from causewise.tables import pair_from, read_pair, read_table

FRAME = pd.DataFrame(
    {
        "rain": X,
        "river": Y,
        "when": [date(2001, 5, 1) + timedelta(days=37 * k) for k in range(30)],
        "place": ["a"] * 30,
        "sex": [1.0 + k % 2 for k in range(30)],
        "grade": [1.0 + k % 5 for k in range(30)],
        "age": [20.0 + k for k in range(29)] + [99.0],
    }
)
LABELS = {"sex": {1: "f", 2: "m"}, "grade": {k + 1: f"level {k}" for k in range(5)}, "age": {99: "refused"}}


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_arrow_files(tmp_path: Path, compression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.feather"
    pa.feather.write_feather(FRAME, path, compression=compression, chunksize=7)
    assert_same(read_pair(path, "rain", "river"))
    assert read_scan_table(path).names == read_scan_table(FRAME).names
    for limit, words in (({"max_lines": 20}, "more than 20 rows"), ({"max_bytes": 3000}, "more than 3,000 bytes")):
        with pytest.raises(InputError, match=words):
            read_pair(path, "rain", "river", **limit)
    with pytest.raises(InputError, match="as Arrow"):
        read_pair(save(tmp_path, path.read_bytes()[:-30], "cut.arrow"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install '\.\[tables\]'"):
        read_pair(path)


def write(path: Path, frame: pd.DataFrame = FRAME) -> Path:
    if path.suffix == ".sav":
        measures = {"grade": "ordinal", "sex": "nominal"}
        pyreadstat.write_sav(frame, path, variable_value_labels=LABELS, variable_measure=measures)
    elif path.suffix == ".dta":
        pyreadstat.write_dta(frame, path, variable_value_labels=LABELS)
    else:
        pyreadstat.write_xport(frame, path)
    return path


@pytest.mark.parametrize("name", ["t.sav", "t.dta", "t.xpt"])
def test_files_of_statistics_programs(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / name)
    pair = read_pair(path, "rain", "river")
    # SAS's own doubles have fewer digits than ours.
    np.testing.assert_allclose(pair.x, X, rtol=1e-15)
    np.testing.assert_allclose(pair.y, Y, rtol=1e-15)
    if name != "t.xpt":
        assert_same(pair)
    days = read_pair(path, "when", "river")
    assert days.x.tolist() == pair_from(FRAME, "when", "river").x.tolist()
    with pytest.raises(InputError, match="more than 20 rows"):
        read_pair(path, "rain", "river", max_lines=20)
    with pytest.raises(InputError, match="more than 3,000 bytes"):
        read_pair(io.BytesIO(path.read_bytes()), "rain", "river", max_bytes=3000)
    gaps = FRAME.assign(rain=[None, *X[1:]])
    assert read_pair(write(tmp_path / name, gaps), "rain", "river", nan_policy="omit").dropped == 1
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(InputError, match=r"pip install '\.\[stats\]'"):
        read_pair(path)


def test_labels_of_values_are_categories(tmp_path: Path) -> None:
    spss, stata = (read_scan_table(write(tmp_path / name)) for name in ("t.sav", "t.dta"))
    assert spss.left_out["sex"] == stata.left_out["sex"] == stata.left_out["grade"]
    assert "categories without a known order" in spss.left_out["sex"]
    assert "'level 0' < 'level 1' < 'level 2'" in spss.notes["grade"][0]
    table, _ = read_table(tmp_path / "t.sav")
    (grade,) = table.columns(5)
    assert grade.tolist() == [k % 5 for k in range(30)]
    assert "99: 'refused'" in stata.notes["age"][0]
    with pytest.raises(InputError, match="has the text 'f' in row 1"):
        read_pair(tmp_path / "t.dta", "sex", "river")


@pytest.mark.parametrize("name", ["t.sav", "t.dta", "t.xpt"])
def test_a_damaged_file_crashes_its_reader_and_nothing_else(tmp_path: Path, name: str) -> None:
    content = bytearray(write(tmp_path / name).read_bytes())
    content[100:] = bytes(len(content) - 100) if name == "t.sav" else content[100:140]
    with pytest.raises(InputError, match="as a file of S"):
        read_pair(save(tmp_path, bytes(content), name))


@pytest.mark.parametrize("address", ["https://example.org/table.csv", "s3://bucket/table.parquet"])
def test_an_address_is_no_file(address: str) -> None:
    with pytest.raises(InputError, match=r"Got the address .*; expected a file on this machine: download it first"):
        read_pair(address)


def test_a_delimiter_that_is_given(tmp_path: Path) -> None:
    both = "".join(f"{k},5;{k * k % 17},25\n" for k in range(30))
    path = save(tmp_path, both)
    assert read_pair(path, sep=";").x.tolist() == [k + 0.5 for k in range(30)]
    assert len(read_table(path, sep=",")[0].names) == 3
    assert_same(read_pair(save(tmp_path, lines("\t")), sep="\t"))
    with pytest.raises(InputError, match="Got sep='x'; expected one of"):
        read_pair(path, sep="x")
