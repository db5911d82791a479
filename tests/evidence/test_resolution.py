"""Thinning and the spreading of ties: bit-for-bit symmetric, blind to row order, true to the recorded values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.evidence.resolution import resolved, spread, thinned
from whence.pair import FloatArray


def _rounded(seed: int, n: int = 300) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=n), 1)
    return x, np.round(x + rng.normal(size=n), 0)


@given(seed=st.integers(0, 1000))
def test_exchanging_the_columns_exchanges_the_result(seed: int) -> None:
    x, y = _rounded(seed)
    one, two = resolved(x, y, 200), resolved(y, x, 200)
    assert np.array_equal(one.x, two.y) and np.array_equal(one.y, two.x)
    assert one.distinct == two.distinct[::-1]


@given(seed=st.integers(0, 1000))
def test_row_order_does_not_change_the_set_of_rows(seed: int) -> None:
    x, y = _rounded(seed)
    order = np.random.default_rng(seed + 1).permutation(len(x))
    one, two = resolved(x, y, 200), resolved(x[order], y[order], 200)
    assert sorted(zip(one.x, one.y, strict=True)) == sorted(zip(two.x, two.y, strict=True))


def test_no_ties_are_left_and_every_value_stays_in_its_cell() -> None:
    x, y = _rounded(3)
    found = resolved(x, y)
    assert len(np.unique(found.x)) == len(x)
    assert np.all(np.abs(found.y - y) <= 0.5)
    assert found.x.mean() == pytest.approx(x.mean(), abs=0.01)


def test_columns_without_ties_are_left_alone() -> None:
    x = np.random.default_rng(0).normal(size=50)
    assert np.array_equal(spread(x, x, np.zeros(50, np.uint64)), x)


def test_spreading_adds_no_dependence_between_copies_of_a_row() -> None:
    x, y = np.repeat([0.0, 1.0, 2.0], 400), np.tile([0.0, 1.0], 600)
    found = resolved(x, y)
    inside = (x == 1.0) & (y == 1.0)
    assert abs(np.corrcoef(found.x[inside], found.y[inside])[0, 1]) < 0.2


@given(n=st.integers(10, 400), rows=st.integers(10, 400))
def test_thinning_keeps_about_the_rows_asked_for(n: int, rows: int) -> None:
    rng = np.random.default_rng(n)
    kept = thinned(rng.normal(size=n), rng.normal(size=n), rows)
    assert min(n, rows) <= len(kept) <= min(n, rows) + 3
