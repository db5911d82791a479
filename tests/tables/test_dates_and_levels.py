"""Dates become days and ordered categories their places, with a sentence each; whatever has no order is refused."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.numerics.conversion import day_of, days
from causewise.pair import Pair
from causewise.tables import pair_from, read_pair

N = 30
DAYS = [date(2020, 2, 20) + timedelta(k) for k in range(N)]
NUMBERS = np.array([(day - date(1970, 1, 1)).days for day in DAYS], float)
Y = np.random.default_rng(0).normal(size=N)
LEVELS = ["low", "mid", "high"]
PLACES = np.arange(N) % 3
WORDS = [LEVELS[k] for k in PLACES]
moments = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))


def written(tmp_path: Path, cells: list[Any], name: str = "when") -> Path:
    path = tmp_path / "table.csv"
    rows = (f"{cell},{value}" for cell, value in zip(cells, Y, strict=True))
    path.write_text("\n".join([f"{name},y", *rows]), encoding="utf-8")
    return path


def said(pair: Pair) -> str:
    (sentence,) = pair.notes
    return sentence


# Dates

HELD: dict[str, Callable[[], Any]] = {
    "Python's": lambda: {"when": DAYS, "y": Y},
    "NumPy's": lambda: {"when": np.array(DAYS, dtype="M8[s]"), "y": Y},
    "pandas": lambda: pd.DataFrame({"when": pd.to_datetime(DAYS), "y": Y}),
    "polars": lambda: pl.DataFrame({"when": DAYS, "y": Y}),
    "Arrow": lambda: pa.table({"when": DAYS, "y": Y}),
    "text in a frame": lambda: pd.DataFrame({"when": list(map(str, DAYS)), "y": Y}),
    "text in a list": lambda: {"when": list(map(str, DAYS)), "y": Y},
}


@pytest.mark.parametrize("library", HELD)
def test_dates_of_any_library_are_days_and_it_is_said(library: str) -> None:
    pair = pair_from(HELD[library](), "when", "y")
    assert pair.x.tolist() == NUMBERS.tolist()
    assert said(pair) == "'when' holds dates or times, read as days since 1970-01-01."


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5.5))])
def test_times_with_a_zone_are_taken_to_utc(zone: timezone) -> None:
    held = [datetime(2020, 1, 1, 12, tzinfo=UTC).astimezone(zone) + timedelta(k) for k in range(N)]
    for column in (held, pd.Series(held), pl.Series(held)):
        assert pair_from({"when": column, "y": Y}, "when", "y").x.tolist() == (18262.5 + np.arange(N)).tolist()


HOURS = [timedelta(hours=6 * k) for k in range(N)]


@pytest.mark.parametrize(
    "column",
    [HOURS, np.array(HOURS, "m8[s]"), pd.Series(HOURS), pl.Series(HOURS), pa.array(HOURS)],
    ids=["Python's", "NumPy's", "pandas", "polars", "Arrow"],
)
def test_durations_of_any_library_are_days_as_well(column: Any) -> None:
    pair = pair_from({"x": column, "y": Y}, "x", "y")
    assert pair.x.tolist() == (np.arange(N) / 4).tolist()
    assert said(pair) == "'x' holds durations, read as days."


def test_dates_among_durations_are_refused() -> None:
    with pytest.raises(InputError, match="'x'"):
        pair_from({"x": [*HOURS[:-1], DAYS[0]], "y": Y}, "x", "y")


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_dates_in_parquet(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame({"when": DAYS, "y": Y}).write_parquet(tmp_path / "table.parquet")
    if library == "polars":
        monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    assert read_pair(tmp_path / "table.parquet", "when", "y").x.tolist() == NUMBERS.tolist()


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.000Z", '"%Y-%m-%d"']
)
def test_dates_in_text_are_read_year_first(tmp_path: Path, form: str) -> None:
    pair = read_pair(written(tmp_path, [day.strftime(form) for day in DAYS]))
    assert pair.x.tolist() == NUMBERS.tolist()
    assert "days since" in said(pair)


@given(moments)
def test_a_written_moment_is_the_day_that_python_counts(moment: datetime) -> None:
    counted = (moment - datetime(1970, 1, 1)) / timedelta(days=1)
    assert day_of(moment.isoformat()) == pytest.approx(counted, abs=1e-10)
    assert days(np.array([moment], "M8[us]"))[0] == pytest.approx(counted, abs=1e-10)


def test_no_date_is_missing(tmp_path: Path) -> None:
    cells = [str(day) for day in DAYS]
    assert read_pair(written(tmp_path, [*cells[:-1], "NA"]), nan_policy="omit").dropped == 1
    assert pair_from({"when": [*DAYS[:-1], None], "y": Y}, "when", "y", nan_policy="omit").dropped == 1
    assert np.isnan(days(np.array(["NaT", "2020-01-01"], "M8[D]"))).tolist() == [True, False]


@pytest.mark.parametrize("cell", ["18300", "2020-02-30", "yesterday"])
def test_one_cell_that_is_no_date_is_refused(tmp_path: Path, cell: str) -> None:
    cells = [str(day) for day in DAYS]
    with pytest.raises(InputError, match=f"'{cell}' in line 31; expected dates"):
        read_pair(written(tmp_path, [*cells[:-1], cell]))


def test_a_number_long_after_the_dates_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("causewise.tables.text._CHUNK", 10)
    with pytest.raises(InputError, match="'18300' in line 31; expected dates"):
        read_pair(written(tmp_path, [*map(str, DAYS[:-1]), "18300"]))
    assert read_pair(written(tmp_path, list(map(str, DAYS)))).x.tolist() == NUMBERS.tolist()


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%d-%m-%y"])
def test_a_date_that_two_countries_read_differently_is_refused(tmp_path: Path, form: str) -> None:
    with pytest.raises(InputError, match="either order; expected the year first"):
        read_pair(written(tmp_path, [day.strftime(form) for day in DAYS]))


# Categories

ORDERED: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame({"dose": pd.Categorical(WORDS, LEVELS, ordered=True), "y": Y}),
    "polars": lambda: pl.DataFrame({"dose": pl.Series(WORDS, dtype=pl.Enum(LEVELS)), "y": Y}),
    "Arrow": lambda: pa.table({"dose": pa.DictionaryArray.from_arrays(PLACES, LEVELS, ordered=True), "y": Y}),
}


@pytest.mark.parametrize("library", ORDERED)
def test_ordered_categories_are_numbered_in_their_order_and_it_is_said(library: str) -> None:
    frame = ORDERED[library]()
    for pair in (pair_from(frame, "dose", "y"), pair_from(frame["dose"], frame["y"])):
        assert pair.x.tolist() == PLACES.tolist()
        assert said(pair) == f"{pair.x_name!r} is numbered in the order of its levels ('low' < 'mid' < 'high')."


PARTS = pa.chunked_array(
    [
        pa.DictionaryArray.from_arrays([0, 1] * 10, ["low", "high"], ordered=True),
        pa.DictionaryArray.from_arrays([0, 1] * 5, ["low", "mid"], ordered=True),
    ]
)


@pytest.mark.parametrize(
    "column", [WORDS, pd.Categorical(WORDS), pl.Series(WORDS), pl.Series(WORDS, dtype=pl.Categorical), PARTS]
)
def test_categories_without_an_order_are_refused(column: Any) -> None:
    with pytest.raises(InputError, match="number the levels if they have an order"):
        pair_from({"dose": column, "y": Y}, "dose", "y")


def test_categories_in_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'low' in line 2.*number the levels if they have an order"):
        read_pair(written(tmp_path, WORDS, "dose"))
