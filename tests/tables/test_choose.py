"""A whole table is judged by every column that numbers can be made of; of each other one it is said why not."""

from collections.abc import Callable
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.scanning.table import read_scan_table
from causewise.tables import table_from
from causewise.tables.choose import COUNTING, DAY_FIRST, TEXT, UNORDERED

N = 120
RNG = np.random.default_rng(0)
A = RNG.uniform(-2, 2, N)
LEVELS = ["low", "mid", "high"]
PLACES = np.digitize(A, [-1, 1])
WORDS = [LEVELS[k] for k in PLACES]
DAYS = [date(2020, 2, 20) + timedelta(int(k)) for k in RNG.permutation(N)]
COLUMNS: dict[str, Any] = {
    "a": A,
    "b": np.sin(2 * A) + 0.2 * RNG.normal(size=N),
    "when": DAYS,
    "took": [timedelta(hours=float(h)) for h in RNG.gamma(2, size=N)],
    "flag": A > 0,
    "dose": WORDS,
    "town": WORDS,
    "reversed": [day.strftime("%d.%m.%Y") for day in DAYS],
    "postcode": [f"{k:05d}" for k in range(N)],
    "hour": [time(int(k) % 24) for k in range(N)],
}


def in_pandas() -> Any:
    frame = pd.DataFrame(COLUMNS).assign(when=pd.to_datetime(DAYS))
    return frame.assign(dose=pd.Categorical(WORDS, LEVELS, ordered=True), town=pd.Categorical(WORDS))


def in_polars() -> Any:
    return pl.DataFrame(COLUMNS).with_columns(pl.col("dose").cast(pl.Enum(LEVELS)), pl.col("town").cast(pl.Categorical))


def in_arrow() -> Any:
    ordered = pa.DictionaryArray.from_arrays(pa.array(PLACES, pa.int32()), pa.array(LEVELS), ordered=True)
    table = in_polars().to_arrow()
    return table.set_column(table.schema.get_field_index("dose"), "dose", ordered)


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": in_pandas,
    "polars": in_polars,
    "Arrow": in_arrow,
    "a dict": lambda: COLUMNS,
}


def passed_over(table: Any) -> dict[str, str]:
    read, _ = table_from(table)
    return {read.names[k]: why for k, why in read.passed_over.items()}


@pytest.mark.parametrize("library", FRAMES)
def test_what_a_frame_is_judged_without(library: str) -> None:
    table, found = FRAMES[library](), passed_over(FRAMES[library]())
    plain = library == "a dict"
    assert found.pop("hour")
    assert found.pop("town") == (TEXT if plain else UNORDERED)
    assert found == {"reversed": DAY_FIRST, "postcode": TEXT} | ({"dose": TEXT} if plain else {})
    read = read_scan_table(table)
    assert set(read.names) | set(read.left_out) == set(COLUMNS)
    assert read.names == tuple(name for name in COLUMNS if name not in read.left_out)
    assert read.values[read.names.index("flag")].tolist() == (A > 0).astype(float).tolist()
    assert "days since" in read.notes["when"][0]
    if not plain:
        assert read.values[read.names.index("dose")].tolist() == PLACES.tolist()
        assert "low" in read.notes["dose"][0]


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_what_a_parquet_file_is_judged_without(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_polars().write_parquet(tmp_path / "table.parquet")
    if library == "polars":
        monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    found = passed_over(tmp_path / "table.parquet")
    assert found.pop("hour")
    assert found == {"dose": UNORDERED, "town": UNORDERED, "reversed": TEXT, "postcode": TEXT}
    assert read_scan_table(tmp_path / "table.parquet").names == ("a", "b", "when", "took", "flag")


def written(folder: Path, **columns: Any) -> Path:
    path = folder / "table.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_what_a_text_is_judged_without(tmp_path: Path) -> None:
    held = {name: COLUMNS[name] for name in ("a", "b", "when", "dose", "reversed")}
    path = written(tmp_path, row=range(N), **held, blank=[None] * N)
    assert passed_over(path) == {
        "row": COUNTING,
        "dose": TEXT,
        "reversed": DAY_FIRST,
        "blank": "it has no value in its first 99 rows",
    }
    read = read_scan_table(path)
    assert read.names == ("a", "b", "when")
    assert read.notes == {"when": ("'when' holds dates or times, read as days since 1970-01-01.",)}


def test_dates_that_do_not_go_on_cost_their_column_and_not_the_scan(tmp_path: Path) -> None:
    days = [*map(str, DAYS[:-1]), "yesterday"]
    path = written(tmp_path, when=days, a=A, b=COLUMNS["b"])
    read = read_scan_table(path)
    assert read.names == ("a", "b")
    assert "'yesterday' in line 121" in read.left_out["when"]
    with pytest.raises(causewise.InputError, match="yesterday"):
        read_scan_table(path, wanted=["when", "a"])


def test_a_pair_is_still_chosen_by_its_numbers(tmp_path: Path) -> None:
    """Dates and levels are judged with all others, and not taken for one of two columns that nobody named."""
    path = written(tmp_path, when=DAYS, a=A, b=COLUMNS["b"])
    assert (causewise.infer(path).pair.x_name, causewise.infer(path).pair.y_name) == ("a", "b")


HELD: dict[str, list[Any]] = {
    "numbers": [*A[:20]],
    "whole": [*range(20)],
    "gaps": [None, *A[1:20]],
    "truths": [True, False] * 10,
    "words": WORDS[:20],
    "days": DAYS[:20],
    "written": [None, *map(str, DAYS[1:20])],
    "spoilt": [*map(str, DAYS[:19]), "yesterday"],
    "spans": [timedelta(k) for k in range(20)],
    "mixed": [1.5, "x"] * 10,
    "days and words": [DAYS[0], "x"] * 10,
    "days and spans": [DAYS[0], timedelta(1)] * 10,
    "nothing": [None] * 20,
    "objects": [object()] * 20,
    "lists": [[1.0], [1.0, 2.0]] * 10,
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame])
@given(chosen=st.permutations(list(HELD)))
@settings(max_examples=30, deadline=None)
def test_every_column_is_judged_or_named_whatever_stands_beside_it(make: Callable[..., Any], chosen: list[str]) -> None:
    read = read_scan_table(make({name: HELD[name] for name in [*chosen[:6], "numbers", "truths"]}))
    judged = {"numbers", "gaps", "truths", "days", "written", "spans"}
    assert {*read.names, *read.left_out} == {*chosen[:6], "numbers", "truths"}
    assert {*read.names} == {*chosen[:6], "numbers", "truths"} & judged
    assert all(read.left_out.values())


def test_objects_that_are_numbers_are_judged_and_others_are_not() -> None:
    held = {"a": A, "b": [None, *A[1:] ** 2], "c": [object()] * N, "d": A * 1j, "e": [[1, 2]] * N}
    assert passed_over(held) == dict.fromkeys("cd", "it holds no numbers")
