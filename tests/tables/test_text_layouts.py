"""Every layout of a text table is read to the same numbers."""

import csv
import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rainfall import X, Y, assert_same, lines, save

from whence.pair import InputError
from whence.tables import read_pair
from whence.tables.cells import number
from whence.tables.sniff import sniff


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
        lambda text: text.replace("\n", ",\n").replace("river,", "river"),
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
        "trailing commas below the header",
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
    assert number("1.234", ",") is None


def test_three_decimals_after_a_comma_are_decimals_where_nothing_says_thousands(tmp_path: Path) -> None:
    for a in ([f"{k},{k:03d}" for k in range(1, 13)], [f"{k / 8}".replace(".", ",") for k in range(12)]):
        path = save(tmp_path, "a;b\n" + "".join(f"{cell};{k % 5}\n" for k, cell in enumerate(a)))
        assert read_pair(path).x.tolist() == [float(cell.replace(",", ".")) for cell in a]


def test_a_header_is_told_from_data() -> None:
    assert sniff(["1,2\n", "3,4\n"], "").header is False
    assert sniff(["a,b\n", "3,4\n"], "").header is True
    assert sniff(["NA,2\n", "3,4\n"], "").header is False
    assert sniff(["Na,K\n", "3,4\n"], "").header is True
    assert sniff(["oops,2\n", "3,4\n", "5,6\n"], "").header is False
