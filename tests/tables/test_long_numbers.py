"""Numbers with more digits than a double holds stay as distinct as they are, wherever they come from."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rainfall import X, Y, save

from causewise.errors import InputError
from causewise.numerics.conversion import separate_doubles
from causewise.pair import Pair
from causewise.tables import pair_from, read_pair

STEPS = np.argsort(np.argsort(X)).tolist()
TICKS = [2**62 + 1 + step for step in STEPS]
SECONDS = [Decimal(1_700_000_000) + Decimal(step) / 10**9 for step in STEPS]

HELD = {
    "list": lambda ticks: ticks,
    "array": np.array,
    "unsigned": lambda ticks: np.array(ticks, np.uint64),
    "objects": lambda ticks: np.array(ticks, object),
    "masked": lambda ticks: np.ma.array(ticks, mask=False),
    "pandas": pd.Series,
    "nullable": lambda ticks: pd.Series(ticks, dtype="Int64"),
    "polars": pl.Series,
    "arrow": pa.array,
    "text": lambda ticks: [*map(str, ticks)],
    "decimals": lambda ticks: [*map(Decimal, ticks)],
}


@pytest.mark.parametrize("kind", HELD)
def test_whole_numbers_beyond_53_bits(kind: str) -> None:
    for pair in (pair_from(HELD[kind](TICKS), Y), pair_from({"x": HELD[kind](TICKS), "y": Y})):
        assert pair.x.tolist() == STEPS
        assert pair.notes == (
            "'x': 4611686018427387905 is subtracted in every row, since floating point holds fewer digits.",
        )
    assert Pair.of(Y, TICKS).y.tolist() == STEPS


@pytest.mark.parametrize("delimiter", [",", ";", " "])
@pytest.mark.parametrize("values", [TICKS, SECONDS], ids=["ticks", "seconds"])
def test_long_numbers_in_files(tmp_path: Path, delimiter: str, values: list[Decimal]) -> None:
    lines = [f"{a}{delimiter}{b!r}" for a, b in zip(values, Y.tolist(), strict=True)]
    pair = read_pair(save(tmp_path, "\n".join([f"x{delimiter}y", *lines])))
    assert pair.x.tolist() == [float(value - min(values)) for value in values]
    assert len(pair.notes) == 1


@pytest.mark.parametrize("column", [pa.array(TICKS), pa.array([*TICKS[:-1], None]), pa.array(SECONDS)])
def test_long_numbers_in_parquet(tmp_path: Path, column: pa.Array) -> None:
    pa.parquet.write_table(pa.table({"x": column, "y": Y}), tmp_path / "long.parquet")
    pair = read_pair(tmp_path / "long.parquet", nan_policy="omit")
    held = [value for value in column.to_pylist() if value is not None]
    assert pair.x.tolist() == [float(value - min(held)) for value in held]


def test_numbers_that_no_offset_tells_apart_are_refused() -> None:
    with pytest.raises(InputError, match="one number once rounded"):
        Pair.of([*range(15), *(2**70 + step for step in range(15))], Y)


@given(st.lists(st.integers(-(2**80), 2**80) | st.integers(2**60, 2**60 + 999), min_size=1), st.booleans())
@settings(max_examples=60, deadline=None)
def test_distinct_stay_distinct(values: list[int], repeated: bool) -> None:
    values = values * 2 if repeated else values
    found = separate_doubles(values, np.array(values, dtype=object).astype(float))
    if found is None:
        assert max(values) - min(values) > 2**53
        return
    column, offset = found
    assert len(set(column.tolist())) == len(set(values))
    assert column.tolist() == [float(value - int(offset)) for value in values]


def test_doubles_are_left_alone() -> None:
    large = (1e25 * X).tolist()
    assert Pair.of(large, Y).x.tolist() == large
    assert pair_from([*map(repr, large)], Y).notes == ()
