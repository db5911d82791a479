"""The front door: every layout is read to the same numbers, every bad input gets a sentence of its own."""

import csv
import gzip
import io
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whence.pair import InputError, Pair
from whence.tables import pair_from, read_pair
from whence.tables.cells import number
from whence.tables.sniff import sniff

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=30), RNG.lognormal(size=30) * 1e6


def lines(separator: str = ",", header: str | None = "rain,river", decimal: str = ".", end: str = "\n") -> str:
    head = [] if header is None else [header.replace(",", separator)]
    body = [separator.join(repr(float(v)).replace(".", decimal) for v in row) for row in zip(X, Y, strict=True)]
    return end.join([*head, *body]) + end


def save(folder: Path, content: str | bytes, name: str = "table.csv") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def assert_same(pair: Pair, names: tuple[str, str] | None = ("rain", "river")) -> None:
    np.testing.assert_array_equal(pair.x, X)
    np.testing.assert_array_equal(pair.y, Y)
    if names is not None:
        assert (pair.x_name, pair.y_name) == names


# ── layouts ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", ", ", "   "])
@pytest.mark.parametrize("header", ["rain,river", None])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiter_header_and_line_ends(tmp_path: Path, separator: str, header: str | None, end: str) -> None:
    pair = read_pair(save(tmp_path, lines(separator, header, end=end)))
    assert_same(pair, ("rain", "river") if header else ("column 1", "column 2"))


@pytest.mark.parametrize("separator", [";", "\t", "|", " "])
def test_decimal_comma(tmp_path: Path, separator: str) -> None:
    assert_same(read_pair(save(tmp_path, lines(separator, decimal=","))))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: "\n\n# measured in May\n" + text,
        lambda text: text + "\n  \n,\n\n",
        lambda text: text.replace("\n", ",\n"),
        lambda text: "".join(f'"{a}","{b}"\n' for a, b in csv.reader(io.StringIO(text))),
        lambda text: text.replace("rain,river\n", "# rain,river\n"),
        lambda text: text.replace("-", "\N{MINUS SIGN}").replace("e\N{MINUS SIGN}", "e-"),
        lambda text: text.rstrip("\n"),
    ],
    ids=[
        "bom",
        "comments",
        "blank rows",
        "trailing commas",
        "quoted",
        "names in a comment",
        "minus sign",
        "no newline",
    ],
)
def test_untidy_files(tmp_path: Path, change) -> None:
    assert_same(read_pair(save(tmp_path, change(lines()))))


def test_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(read_pair(save(tmp_path, gzip.compress(lines().encode()), "table.csv.gz")))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines().encode())))
    assert_same(read_pair("-"))


def test_row_names_written_by_r_and_pandas_are_passed_over(tmp_path: Path) -> None:
    frame = pd.DataFrame({"rain": X, "river": Y})
    assert_same(read_pair(save(tmp_path, frame.to_csv())))
    r_style = "rain river\n" + "".join(
        f'"{k + 1}" {a!r} {b!r}\n' for k, (a, b) in enumerate(zip(X.tolist(), Y.tolist(), strict=True))
    )
    assert_same(read_pair(save(tmp_path, r_style)))
    numbered = pd.DataFrame({"no": range(1, 31), "rain": X, "river": Y})
    assert_same(read_pair(save(tmp_path, numbered.to_csv(index=False))))
    assert_same(read_pair(save(tmp_path, pd.DataFrame({0: X, 1: Y}).to_csv())), ("0", "1"))


def test_a_first_column_of_data_is_not_taken_for_row_numbers(tmp_path: Path) -> None:
    for header in (None, ["a", "rain", "river"]):
        table = pd.DataFrame({"a": X + 1, "rain": X, "river": Y}).to_csv(index=False, header=header or False)
        with pytest.raises(InputError, match="Got 3 columns of numbers"):
            read_pair(save(tmp_path, table))


def test_columns_by_name_and_number(tmp_path: Path) -> None:
    frame = pd.DataFrame({"place": ["a, b"] * 30, "1": -X, "rain": X, "river": Y})
    path = save(tmp_path, frame.to_csv(index=False))
    assert_same(read_pair(path, "rain", "river"))
    assert_same(read_pair(path, "3", 4))
    assert_same(read_pair(path, "river", "rain").swapped())
    np.testing.assert_array_equal(read_pair(path, "1", "rain").x, -X)  # the name wins over the number
    without = save(tmp_path, frame.drop(columns="1").to_csv(index=False))
    assert_same(read_pair(without))  # the only two columns of numbers
    assert_same(read_pair(without, x="rain"))
    assert_same(read_pair(without, y="river"))


def test_repeated_names_stay_apart(tmp_path: Path) -> None:
    assert_same(read_pair(save(tmp_path, lines(header="v,v"))), ("v (column 1)", "v (column 2)"))


@pytest.mark.parametrize("missing", ["", "NA", "NaN", "null", "?", "-", "N/A", "None", "."])
def test_missing_cells(tmp_path: Path, missing: str) -> None:
    path = save(tmp_path, lines() + f"{missing},2.5\n" + f"1.5,{missing}\n")
    pair = read_pair(path, nan_policy="omit")
    assert_same(pair)
    assert pair.dropped == 2
    with pytest.raises(InputError, match="2 rows with a missing value"):
        read_pair(path)


@given(
    st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=12, max_size=40, unique=True),
    st.sampled_from([",", ";", "\t", "|", " "]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_back_exactly(rows, separator: str, text_column: bool) -> None:
    from whence.tables.text import TextTable

    head, tail = (["place", "a", "b"], ["here"]) if text_column else (["a", "b"], [])
    text = "\n".join(separator.join(cells) for cells in [head, *([*tail, repr(a), repr(b)] for a, b in rows)])
    table = TextTable.of(text, "memory")
    assert [table.names[k] for k in table.numeric] == ["a", "b"]
    assert np.column_stack(table.columns(*table.numeric)).tolist() == [list(row) for row in rows]


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_pair_or_a_sentence(text: str) -> None:
    from whence.tables.text import TextTable

    try:
        table = TextTable.of(text, "memory")
        if len(table.names) > 1:
            table.columns(0, 1)
    except InputError as refusal:
        assert len(str(refusal)) < 1500


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_text_or_a_sentence(content: bytes) -> None:
    from whence.tables.text import decode

    try:
        assert isinstance(decode(content, "memory"), str)
    except InputError as refusal:
        assert "expected" in str(refusal)


def test_a_cell() -> None:
    assert [number(c) for c in ("1", " 2.5 ", "1e3", '"7"', "−3")] == [1, 2.5, 1000, 7, -3]
    assert number("1,5", ",") == 1.5
    assert [number(c) for c in ("1,5", "abc", "12_34", "1 2", "2020-01-01", "5%")] == [None] * 6
    assert number("1.234,5", ",") is None


def test_a_header_is_told_from_data() -> None:
    assert sniff(["1,2\n", "3,4\n"], "").header is False
    assert sniff(["a,b\n", "3,4\n"], "").header is True
    assert sniff(["NA,2\n", "3,4\n"], "").header is False
    assert sniff(["Na,K\n", "3,4\n"], "").header is True
    assert sniff(["oops,2\n", "3,4\n", "5,6\n"], "").header is False


# ── Parquet and tables in memory ───────────────────────────────────────────────────────────────────────────────────


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"rain": X, "river": Y, "place": ["a"] * 30}).write_parquet(path)
    assert_same(read_pair(path))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert_same(read_pair(path))
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"pip install 'whence\[tables\]'"):
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
    assert_same(pair_from(FRAME["rain"], FRAME["river"]))
    assert_same(pair_from(pl.Series("rain", X), pl.Series("river", Y)))
    assert_same(pair_from(pa.array(X), pa.chunked_array([Y])), ("x", "y"))
    assert_same(pair_from(FRAME[["rain", "river"]].to_numpy(), 1, 2), None)
    pair = Pair.of(X, Y)
    assert pair_from(pair) is pair


def test_missing_values_in_tables() -> None:
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
        ({"a": X}, None, None, "Got 1 column"),
        ({}, None, None, "Got 0 columns"),
        ({"a": X, "b": X}, None, None, "identical"),
        ({"a": X, "b": np.ones(30)}, None, None, "constant"),
        ({"a": X, "b": ["text"] * 30}, None, None, "'text' in row 1"),
        ({"a": X, "b": [10**10**6, *Y[1:]]}, None, None, "infinite|too large"),
        ({"a": X, "b": pd.date_range("2020-01-01", periods=30)}, None, None, "2020-01-01|dates"),
        ({"a": X, "b": X + 1j}, None, None, "complex"),
        ({"a": X, "b": [[1], [1, 2]] * 15}, None, None, "expected numbers"),
        (np.ones((4, 3, 2)), None, None, "no table"),
        ("no such file.csv", None, None, "There is no file"),
    ],
)
def test_bad_tables_in_memory(data, x, y, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pair_from(data, x, y)


# ── bad files: each with a sentence of its own ─────────────────────────────────────────────────────────────────────

MILLION = "7" * 10**6

BAD = {
    "empty": ("", "empty table"),
    "blank": (" \n\n", "empty table"),
    "comments": ("# a\n# b\n", "comments only"),
    "one column": ("x\n" + "1\n2\n" * 10, "Got 1 column .*'x'"),
    "text": (lines() + "abc,2\n", "Column 'rain' has the text 'abc' in line 32"),
    "all text": ("name,colour\n" + "ann,red\n" * 20, "Column 'name' has the text 'ann' in line 2"),
    "text among three": ("a,b,c\n" + "u,v,1\nw,z,2\n" * 9, "Got 1 column of numbers .c. .* 2 with text .a, b."),
    "thousands": ('a,b\n"1,234",2\n' * 1 + '"1,234",2\n' * 19, "'1,234' in line 2"),
    "nan": (lines() + "nan,2\n", "1 row with a missing value"),
    "infinity": (lines() + "inf,2\n", "1 infinite value;"),
    "minus infinity": (lines() + "1,-inf\n", "1 infinite value;"),
    "overflow": (lines() + "1,1e999\n", "1 infinite value;"),
    "constant": ("x,y\n" + "".join(f"{k},5\n" for k in range(20)), "'y' is constant"),
    "short row": (lines() + "1\n", "Line 32 of .* has 1 cell, the others have 2"),
    "long row": (lines() + "1,2,3\n", "Line 32 of .* has 3 cells"),
    "few rows": ("x,y\n1,2\n2,1\n", "Got 2 rows; expected at least 10"),
    "header only": ("x,y\n", "Got 0 rows"),
    "identical": ("x,y\n" + "".join(f"{k},{k}\n" for k in range(20)), "identical"),
    "three columns": (
        "a,b,c\n" + "".join(f"{k / 7},{-k},{k * k + 2}\n" for k in range(20)),
        "3 columns.*a, b, c.*-x a -y b",
    ),
    "million digits": (lines() + f"{MILLION},2\n", "cell of more than 131,072 characters"),
    "million digits in front": (f"x,y\n{MILLION},2\n" + lines(header=None), "Line 2 .*131,072"),
    "million decimals": (lines() + f"0.{MILLION},2\n", "131,072"),
    "million digits late": (lines() * 1 + lines(header=None) * 20 + f"{MILLION},2\n", "Line 632 .*131,072"),
    "hundred thousand digits": (lines() + f"{MILLION[:100_000]},2\n", "infinite"),
    "open quote": (lines() + '"1,2\n' + lines(header=None) * 99, "cell"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00\x00", "a binary file"),
    "spreadsheet": (b"PK\x03\x04 and so on", "spreadsheet"),
    "utf-16": (lines().encode("utf-16"), "UTF-16"),
    "invalid utf-8": ("temp °C,b\n1,2\n".encode("latin-1"), "byte 0xb0 in line 1 .* UTF-8"),
    "cut gzip": (gzip.compress(lines().encode())[:-20], "gzip"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(tmp_path: Path, case: str) -> None:
    content, words = BAD[case]
    with pytest.raises(InputError, match=words) as refusal:
        read_pair(save(tmp_path, content))
    sentence = str(refusal.value)
    assert len(sentence) < 600
    assert "\n" not in sentence


def test_unknown_columns(tmp_path: Path) -> None:
    path = save(tmp_path, lines())
    with pytest.raises(InputError, match="did you mean 'river'"):
        read_pair(path, "rain", "Rivr")
    with pytest.raises(InputError, match="the columns are rain, river"):
        read_pair(path, "rain", "zzz")
    with pytest.raises(InputError, match="a number from 1 to 2"):
        read_pair(path, "0", "1")
    with pytest.raises(InputError, match="identical"):
        read_pair(path, "rain", "rain")


def test_one_of_two_columns_named(tmp_path: Path) -> None:
    content = "a,b,c\n" + "".join(f"{k / 7},{-k},{k * k + 2}\n" for k in range(20))
    with pytest.raises(InputError, match="Got one column name, 'a', and 2 other columns"):
        read_pair(save(tmp_path, content), "a")


def test_paths_that_are_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, lines())
    with pytest.raises(InputError, match=r"There is no file .*perhaps .*table.csv"):
        read_pair(tmp_path / "tabel.csv")
    with pytest.raises(InputError, match=r"There is no file .* does not exist"):
        read_pair(tmp_path / "nowhere" / "table.csv")
    with pytest.raises(InputError, match="folder"):
        read_pair(tmp_path)
    with pytest.raises(InputError, match="device"):
        read_pair("/dev/zero")
    with pytest.raises(InputError, match="Could not read"):
        read_pair("a\0b")
    with pytest.raises(InputError, match="Could not read"):
        read_pair("a" * 5000)
    monkeypatch.setattr(Path, "read_bytes", lambda path: (_ for _ in ()).throw(PermissionError(13, "denied")))
    with pytest.raises(InputError, match="permission denied"):
        read_pair(tmp_path / "table.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a POSIX thing")
def test_process_substitution(tmp_path: Path) -> None:
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(lines(),))
    writer.start()
    assert_same(read_pair(pipe))
    writer.join()


def test_nothing_piped_in(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stream)
    with pytest.raises(InputError, match="Nothing is piped"):
        read_pair("-")


def test_nan_policy_is_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nan_policy"):
        read_pair(save(tmp_path, lines()), nan_policy="drop")  # type: ignore[arg-type]
