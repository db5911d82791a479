"""The prepared rows: symmetric bit for bit, blind to row order and units, true to the recorded values."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from causewise.numerics.row_sampling import break_ties, prepare_rows, scramble
from causewise.pair import FloatArray

REFLECTIONS = ((-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))
Columns = tuple[FloatArray, FloatArray]


def rounded(seed: int, n: int = 300, x_places: int = 1, y_places: int = 0) -> Columns:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return np.round(x, x_places), np.round(x**2 + rng.normal(size=n), y_places)


def as_set(x: FloatArray, y: FloatArray) -> list[tuple[float, float]]:
    return sorted(zip(x.tolist(), y.tolist(), strict=True))


def cells(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends of the cell of every row's value, the plain way."""
    values = np.unique(column)
    middles = (values[1:] + values[:-1]) / 2
    edges = np.concatenate(([2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]))
    place = np.searchsorted(values, column)
    return edges[place], edges[place + 1]


def assert_reflected(x: FloatArray, y: FloatArray, max_rows: int = 20_000) -> None:
    plain = prepare_rows(x, y, max_rows)
    for a, b in REFLECTIONS:
        turned = prepare_rows(a * x, b * y, max_rows)
        assert np.array_equal(turned.kept, plain.kept)
        assert np.array_equal(turned.x, a * plain.x)
        assert np.array_equal(turned.y, b * plain.y)


def is_symmetric(x: FloatArray, y: FloatArray) -> bool:
    """Whether some reflection gives the same table of ranks: then no rule can tell the two apart."""

    def table(a: float, b: float) -> list[tuple[float, float]]:
        return as_set(*(np.unique(c, return_inverse=True)[1] for c in (a * x, b * y)))

    return any(table(a, b) == table(1.0, 1.0) for a, b in REFLECTIONS)


# Symmetry.


@given(seed=st.integers(0, 10**6), max_rows=st.sampled_from([120, 20_000]))
def test_exchanging_the_columns_exchanges_the_result_bit_for_bit(seed: int, max_rows: int) -> None:
    x, y = rounded(seed)
    one, two = prepare_rows(x, y, max_rows), prepare_rows(y, x, max_rows)
    assert np.array_equal(one.x, two.y)
    assert np.array_equal(one.y, two.x)
    assert np.array_equal(one.kept, two.kept)
    assert one.distinct == two.distinct[::-1]


@given(seed=st.integers(0, 10**6), max_rows=st.sampled_from([120, 20_000]))
def test_the_order_of_the_rows_changes_nothing(seed: int, max_rows: int) -> None:
    x, y = rounded(seed)
    order = np.random.default_rng(seed + 1).permutation(len(x))
    one, two = prepare_rows(x, y, max_rows), prepare_rows(x[order], y[order], max_rows)
    assert as_set(one.x, one.y) == as_set(two.x, two.y)
    assert one.distinct == two.distinct


@given(seed=st.integers(0, 10**6), n=st.integers(40, 300), max_rows=st.sampled_from([30, 20_000]))
def test_reflecting_a_column_reflects_the_result_bit_for_bit(seed: int, n: int, max_rows: int) -> None:
    assert_reflected(*rounded(seed, n), max_rows)


@given(seed=st.integers(0, 10**6), levels=st.integers(2, 9), others=st.integers(2, 9))
def test_reflection_holds_for_few_values_even_or_odd_in_number(seed: int, levels: int, others: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(levels, size=150).astype(float)
    assert_reflected(x, np.round(rng.normal(size=150) * others / 4 + x))


@given(seed=st.integers(0, 10**6), levels=st.integers(2, 6))
def test_reflection_holds_where_the_counts_of_a_column_are_a_palindrome(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.repeat(np.arange(levels, dtype=float), 30)
    assert_reflected(x, np.round(np.sqrt(x) + rng.gamma(1.0, size=len(x)), 1))


@given(seed=st.integers(0, 10**6), n=st.integers(10, 200))
def test_thinning_columns_without_ties_does_not_see_their_signs(seed: int, n: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    assert_reflected(x, y, n // 2)


def test_reflecting_a_column_without_ties_leaves_the_spread_of_the_other() -> None:
    x, y = rounded(0, 200, x_places=0, y_places=12)
    assert_reflected(x, y)


def test_reflection_holds_where_a_column_looks_alike_from_both_ends() -> None:
    assert_reflected(np.array([2.0, 1.0, 1.0, 0.0]), np.array([3.0, 0.0, 2.0, 0.0]))


def test_reflection_holds_for_small_tables_without_symmetry() -> None:
    rng, asymmetric = np.random.default_rng(0), 0
    for _ in range(400):
        x, y = rng.integers(rng.integers(2, 6), size=12) * 1.0, rng.integers(rng.integers(2, 6), size=12) * 1.0
        if min(np.ptp(x), np.ptp(y)) > 0 and not is_symmetric(x, y):
            asymmetric += 1
            assert_reflected(x, y)
    assert asymmetric > 300


@given(seed=st.integers(0, 10**6), power=st.integers(-30, 30))
def test_units_change_nothing(seed: int, power: int) -> None:
    x, y = rounded(seed)
    plain, scaled = prepare_rows(x, y, 200), prepare_rows(x * 2.0**power, y, 200)
    assert np.array_equal(scaled.x, plain.x * 2.0**power)
    assert np.array_equal(scaled.y, plain.y)


# Thinning.


def test_kept_are_the_places_in_the_table() -> None:
    x, y = np.random.default_rng(6).normal(size=(2, 300))
    found = prepare_rows(x, y, 100)
    assert np.array_equal(found.x, x[found.kept])
    assert np.array_equal(found.y, y[found.kept])


def test_distinct_values_are_those_of_the_kept_rows() -> None:
    x, y = rounded(7, 500)
    found = prepare_rows(x, y, 60)
    assert found.distinct == (len(np.unique(x[found.kept])), len(np.unique(y[found.kept])))


# Ties.


@given(seed=st.integers(0, 10**6), places=st.integers(0, 1))
def test_every_value_stays_in_its_cell_and_no_ties_are_left(seed: int, places: int) -> None:
    x, y = rounded(seed, 200, places, 0)
    found = prepare_rows(x, y)
    for column, out in ((x, found.x), (y, found.y)):
        low, high = cells(column)
        assert len(np.unique(out)) == len(out)
        assert np.all((out > low) & (out < high))


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=40), st.integers(0, 10**6))
def test_a_cell_is_filled_evenly_and_a_lone_value_stays(values: list[int], seed: int) -> None:
    column = np.array(values, float) ** 3  # gaps of all sizes
    assume(len(np.unique(column)) > 1)
    other = np.random.default_rng(seed).normal(size=len(column))
    out = break_ties(column, other, scramble(np.arange(len(column), dtype=np.uint64)))
    low, high = cells(column)
    for value in np.unique(column):
        here = column == value
        count = np.count_nonzero(here)
        share = (np.sort(out[here]) - low[here]) / (high - low)[here]
        expected = (np.arange(count) + 0.5) / count if count > 1 else (value - low[here]) / (high - low)[here]
        np.testing.assert_allclose(share, expected, atol=1e-9)


@given(seed=st.integers(0, 10**6))
def test_columns_without_ties_are_untouched(seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, 60))
    found = prepare_rows(x, np.round(y))
    assert np.array_equal(found.x, x)
    assert not np.array_equal(found.y, np.round(y))
    assert np.array_equal(prepare_rows(x, y).y, y)


@pytest.mark.parametrize("value", [0.0, 1.0, 2.0])
def test_spreading_adds_no_dependence_between_copies_of_a_row(value: float) -> None:
    x, y = np.repeat([0.0, 1.0, 2.0], 400), np.tile([0.0, 1.0], 600)
    found = prepare_rows(x, y)
    inside = (x == value) & (y == 1.0)
    assert abs(np.corrcoef(found.x[inside], found.y[inside])[0, 1]) < 4 / np.sqrt(np.count_nonzero(inside))


def test_spreading_adds_no_dependence_between_copies_of_two_values() -> None:
    x, y = np.repeat([0.0, 0.0, 1.0], 300), np.tile([0.0, 1.0], 450)
    found = prepare_rows(x, y)
    inside = (x == 0.0) & (y == 0.0)
    assert abs(np.corrcoef(found.x[inside], found.y[inside])[0, 1]) < 4 / np.sqrt(np.count_nonzero(inside))


def test_spreading_adds_no_dependence_between_related_rounded_columns() -> None:
    """Within a cell, what was added to one column tells nothing of the other nor of what was added to it."""
    x, y = rounded(3, 3000)
    found = prepare_rows(x, y)
    added_x, added_y = found.x - x, found.y - y
    for a, b in ((added_x, y), (added_y, x), (added_x, added_y)):
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(len(x))
