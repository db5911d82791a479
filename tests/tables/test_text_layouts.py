"""Every layout of a text table is read to the same numbers."""

import csv
import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dialects import Dialect, columns, come_back_or_are_refused, dialects
from hypothesis import given, settings
from hypothesis import strategies as st
from rainfall import X, Y, assert_same, lines, save

from causewise.data_checks import Severity, check
from causewise.errors import InputError, UnclearError
from causewise.tables import read_pair
from causewise.tables.cells import parse_number
from causewise.tables.sniff import sniff


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
    assert_same(read_pair(path, "river", "rain").swap())
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
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_read_back_exactly(rows, separator: str, text_column: bool) -> None:
    from causewise.tables.text import TextTable

    head, tail = (["place", "a", "b"], ["here"]) if text_column else (["a", "b"], [])
    text = "\n".join(separator.join(cells) for cells in [head, *([*tail, repr(a), repr(b)] for a, b in rows)])
    table = TextTable.of(text.encode(), "memory")
    assert [table.names[k] for k in table.numeric] == ["a", "b"]
    assert np.column_stack(table.columns(*table.numeric)).astype(float).tolist() == [list(row) for row in rows]


@given(columns(), columns(), dialects())
@settings(max_examples=300, deadline=None)
def test_numbers_in_any_dialect_come_back_or_a_sentence_comes(tmp_path_factory, a, b, dialect: Dialect) -> None:
    come_back_or_are_refused(tmp_path_factory.getbasetemp(), a, b, dialect)


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_pair_or_a_sentence(text: str) -> None:
    from causewise.tables.text import TextTable

    try:
        table = TextTable.of(text.encode(errors="replace"), "memory")
        if len(table.names) > 1:
            table.columns(0, 1)
    except InputError as refusal:
        assert len(str(refusal)) < 1500


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_text_or_a_sentence(content: bytes) -> None:
    from causewise.tables.text import check_text

    try:
        check_text(content, "memory")
        content.decode()
    except InputError as refusal:
        assert "expected" in str(refusal)


def test_a_cell() -> None:
    assert [parse_number(c) for c in ("1", " 2.5 ", "1e3", '"7"', "−3")] == [1, 2.5, 1000, 7, -3]
    assert parse_number("1,5", ",") == 1.5
    assert [parse_number(c) for c in ("1,5", "abc", "12_34", "1 2", "2020-01-01", "5%")] == [None] * 6
    assert [parse_number(c, ",") for c in ("1.234,5", "1.234", "-1'234'567", "1\u202f234,5", "1.5")] == [
        1234.5,
        1234,
        -1234567,
        1234.5,
        None,
    ]
    assert [parse_number(c) for c in ("1,234.5", "1,234", "0,123", "1,23,456", "1234,567")] == [
        1234.5,
        1234,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize("mark", [",", "."])
def test_three_decimals_are_decimals_where_the_table_shows_so_or_the_caller_says_so(tmp_path: Path, mark: str) -> None:
    unclear = [f"{k}{mark}{k:03d}" for k in range(1, 13)]
    eighths = [f"{k / 8}".replace(".", mark) for k in range(12)]

    def table(a: list[str], b: list[str]) -> str:
        return save(tmp_path, "a;b\n" + "".join(f"{first};{second}\n" for first, second in zip(a, b, strict=True)))

    decimals = [float(cell.replace(mark, ".")) for cell in unclear]
    assert read_pair(table(unclear, eighths)).x.tolist() == decimals
    units = table(unclear, [str(k % 5) for k in range(12)])
    with pytest.raises(UnclearError, match=r"1\.001 or 1001") as refusal:
        read_pair(units)
    assert refusal.value.answers == (("--decimal", mark), ("--decimal", "," if mark == "." else "."))
    assert read_pair(units, decimal=mark).x.tolist() == decimals
    assert read_pair(units, decimal="," if mark == "." else ".").x.tolist() == [1001 * k for k in range(1, 13)]


def test_a_comma_between_cells_means_points_within_and_says_so(tmp_path: Path) -> None:
    pair = read_pair(save(tmp_path, "a,b\n" + "".join(f"{k}.{k:03d},{k % 5}\n" for k in range(1, 13))))
    assert pair.x.tolist() == [float(f"{k}.{k:03d}") for k in range(1, 13)]
    (warning,) = (warning for warning in check(pair) if warning.kind == "reading_notes")
    assert "'a' is read with decimal points (1.001, not 1001)" in warning
    assert warning.severity is Severity.NOTE


def test_the_header_that_pandas_writes_without_names(tmp_path: Path) -> None:
    pair = read_pair(save(tmp_path, pd.DataFrame(np.column_stack([X, Y])).to_csv(index=False)))
    assert_same(pair, ("0", "1"))
    assert "taken for their names" in pair.notes[0]
    whole = save(tmp_path, "0,1\n" + "".join(f"{k},{k * k % 7}\n" for k in range(20)))
    assert (read_pair(whole, header=True).n, read_pair(whole, header=False).n) == (20, 21)
    quoted = save(tmp_path, '"0","1"\n' + "".join(f"{k},{k * k % 7}\n" for k in range(20)))
    assert (read_pair(quoted).x_name, read_pair(quoted).n) == ("0", 20)


def test_a_french_table_without_a_header(tmp_path: Path) -> None:
    for blank in (" ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"):
        pair = read_pair(save(tmp_path, "".join(f"{k},888;2{blank}{k * 37 % 1000:03d},50\n" for k in range(11, 31))))
        assert pair.x.tolist() == [k + 0.888 for k in range(11, 31)]
        assert pair.y.tolist() == [2000.5 + k * 37 % 1000 for k in range(11, 31)]


def test_a_header_is_told_from_data() -> None:
    assert sniff(["1,2\n", "3,4\n"], "").header is False
    assert sniff(["a,b\n", "3,4\n"], "").header is True
    assert sniff(["NA,2\n", "3,4\n"], "").header is False
    assert sniff(["Na,K\n", "3,4\n"], "").header is True
    assert sniff(["oops,2\n", "3,4\n", "5,6\n"], "").header is False
