"""A table as it was understood says what a scan would judge, and why not the rest."""

import io
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.examples import EXAMPLES
from causewise.scanning.table import read_scan_table
from causewise.web.worker_tasks import BARS, describe_table


def describe(text: str, **reading: object) -> dict[str, object]:
    return describe_table(io.BytesIO(text.encode()), 50, **reading)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_judges_what_a_scan_judges(name: str) -> None:
    content = EXAMPLES[name].make()
    overview, table = describe_table(io.BytesIO(content), 50), read_scan_table(io.BytesIO(content))
    assert tuple(each["name"] for each in overview["columns"] if each["judged"]) == table.names
    assert {each["name"]: each["why"] for each in overview["columns"] if not each["judged"]} == dict(table.left_out)
    assert (overview["rows"], overview["judged"]) == (table.n, len(table.names))
    assert overview["missing"] == np.isnan(table.values).sum()


def test_one_bad_cell_costs_one_column() -> None:
    rows = [f"{k * 7 % 150},{k * k % 11},{k % 5},{k % 3}" for k in range(150)]
    rows[130] = "130,9,broken,1"
    overview = describe("\n".join(["a,b,c,d", *rows]))
    assert [each["judged"] for each in overview["columns"]] == [True, True, False, True]
    assert "'broken' in line 132" in overview["columns"][2]["why"]


def test_a_column_of_row_numbers_is_said_to_be_one() -> None:
    overview = describe("\n".join(["row,a,b", *(f"{k},{k * k % 11},{k * 7 % 13}" for k in range(1, 40))]))
    assert [each["why"] for each in overview["columns"]] == ["it counts the rows", "", ""]


def test_a_column_of_dates_is_judged_and_others_have_their_kind() -> None:
    rows = (f"{date(2020, 1, 1) + timedelta(k)},{k * k % 11},{k * 7 % 13 / 8}" for k in range(1, 60))
    overview = describe("\n".join(["day,a,b", *rows]))["columns"]
    assert [each["why"] for each in overview] == ["", "", ""]
    assert [each["kind"] for each in overview] == ["continuous", "count", "rounded"]


@given(st.lists(st.floats(-1e300, 1e300), min_size=12, max_size=60).filter(lambda drawn: len(set(drawn)) > 1))
def test_pictures_of_columns_are_finite_whatever_their_scale(values: list[float]) -> None:
    text = "\n".join(["a,b", *(f"{value!r},{k}" for k, value in enumerate(values))])
    column = describe(text, decimal=".", header=True)["columns"][0]
    assert (column["least"], column["largest"]) == (min(values), max(values))
    assert len(column["bars"]) == BARS
    assert max(column["bars"]) == 1
    assert min(column["bars"]) >= 0


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(InputError, match="Got 51 columns"):
        describe("\n".join([",".join(f"c{k}" for k in range(51)), *[",".join(["1.5"] * 51)] * 20]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b\n1,5;2\n2,5;3\n", ["semicolons", "a comma", "holds the names"]),
        ("1.5\t2\n2.5\t3\n", ["tabs", "a point", "numbered"]),
        ("a b\n1 2\n3 4\n", ["blanks", "No decimals", "holds the names"]),
    ],
)
def test_how_it_was_read_is_said(text: str, words: list[str]) -> None:
    said = describe(text)["understood"]
    assert all(word in sentence for word, sentence in zip(words, said, strict=False))
