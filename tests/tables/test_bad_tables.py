"""Every bad file gets a sentence of its own, and never a traceback."""

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
from rainfall import assert_same, lines, save

from causewise.errors import InputError, UnclearError
from causewise.tables import pair_from, read_pair

MILLION = "7" * 10**6

BAD = {
    "empty": ("", "empty table"),
    "blank": (" \n\n", "empty table"),
    "comments": ("# a\n# b\n", "comments only"),
    "one column": ("x\n" + "1\n2\n" * 10, "Got 1 column .*'x'"),
    "text": (lines() + "abc,2\n", "Column 'rain' has the text 'abc' in line 32"),
    "all text": ("name,colour\n" + "ann,red\n" * 20, "Column 'name' has the text 'ann' in line 2"),
    "text among three": ("a,b,c\n" + "u,v,1\nw,z,2\n" * 9, "Got 1 column of numbers .c. .* 2 with text .a, b."),
    "thousands": ('a,b\n"1,234",2\n' * 1 + '"1,234",2\n' * 19, "'1,234', which is 1.234 or 1234"),
    "thousands among less": ("a\tb\n" + "1,234\t2\n950\t3\n" * 9, "'1,234', which is 1.234 or 1234"),
    "points for thousands": ("1.761;480\n1.880;900\n" * 9, "'1.761', which is 1.761 or 1761"),
    "thousands of unlike length": ("a,b\n" + "12,34,567;3\n" * 18, "'a' has the text|cells"),
    "thousands under two names": ("a,b\n" + "1,234,5\n2,345,6\n" * 9, "Got 3 columns of numbers"),
    "two delimiters": ("1,5 200,7\n2,5 300,9\n" * 9, "at commas and at blanks alike"),
    "blanks in cells between tabs": ("1 234\t5 678\n4 321\t8 765\n" * 9, "at tabs and at blanks alike"),
    "whole numbers first": ("0,1\n" + "".join(f"{k},{-k}\n" for k in range(20)), "names or the first row"),
    "years over decimals": ("1990,1991\n" + "".join(f"{k}.5,{-k}.5\n" for k in range(20)), "names or the first row"),
    "delimiters alone": (",\n", "delimiters only"),
    "delimiters and comments": ("# a\n;;\n;;\n", "Got 1 column"),
    "units": ("dose,response\n" + "0.5 mg,0.9 mmHg\n" * 18, "'dose' has the text '0.5 mg' in line 2"),
    "json": ('{"a": [1, 2, 3],\n "b": [2, 3, 4]}', "Got JSON"),
    "records": ('[{"a": 1, "b": 2},\n {"a": 2, "b": 3}]', "Got JSON"),
    "web page": ("<!DOCTYPE html>\n<p>not found, sorry", "Got a web page"),
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
        "3 columns.*a, b, c.*x='a', y='b'",
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
    assert "-x" not in sentence, "options are the command line's business"


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
    with pytest.raises(UnclearError, match="Got one column name, 'a', and 2 other columns") as refusal:
        read_pair(save(tmp_path, content), "a")
    assert refusal.value.answers == (("-x", "a", "-y", "b"),)
    with pytest.raises(UnclearError, match="Got one column name, 'a'") as refusal:
        read_pair(save(tmp_path, content), y="a")
    assert refusal.value.answers == (("-x", "b", "-y", "a"),)


def test_any_path_like_object_will_do(tmp_path: Path) -> None:
    class Place:
        def __fspath__(self) -> str:
            return str(save(tmp_path, lines()))

    assert_same(read_pair(Place()))
    assert_same(pair_from(Place()))


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
    monkeypatch.setattr(Path, "open", lambda path, mode: (_ for _ in ()).throw(PermissionError(13, "denied")))
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
        read_pair(save(tmp_path, lines()), nan_policy="drop")  # type: ignore[arg-type]  # no policy at all
