"""The order of a column against NumPy and SciPy, which sort it anew for every question."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from causewise.numerics.columns import bytes_in
from causewise.numerics.native import FloatArray
from causewise.numerics.ranked import find_runs, mid_ranks, number_copies, order_rows, rank_column

TIED = st.sampled_from([-2.0, -0.0, 0.0, 0.5, 1.0, 3.0])
ANY = st.floats(-1e302, 1e302)
COLUMNS = st.integers(1, 40).flatmap(lambda n: st.one_of(arrays(np.float64, n, elements=each) for each in (TIED, ANY)))
PAIRS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.one_of(arrays(np.float64, n, elements=each) for each in (TIED, ANY)) for _ in "xy"])
)


@given(COLUMNS)
def test_order_places_and_counts_are_those_of_numpy(column: FloatArray) -> None:
    found = rank_column(column)
    values, first, place, counts = np.unique(column, return_index=True, return_inverse=True, return_counts=True)
    assert np.array_equal(found.order, np.argsort(column, kind="stable"))
    assert np.array_equal(found.place, place)
    assert np.array_equal(found.counts, counts)
    assert np.array_equal(found.first_rows, first)
    assert found.distinct == len(values)
    assert found.has_ties == (len(values) < len(column))


@given(COLUMNS)
def test_mid_ranks_are_those_of_scipy(column: FloatArray) -> None:
    assert np.array_equal(rank_column(column).mid_ranks, rankdata(column))
    assert np.array_equal(mid_ranks(column), rankdata(column))


@given(COLUMNS)
def test_a_reflected_column_has_its_places_reflected(column: FloatArray) -> None:
    one, other = rank_column(column), rank_column(-column)
    assert np.array_equal(other.place, one.distinct - 1 - one.place)
    assert np.array_equal(other.counts, one.counts[::-1])
    assert np.array_equal(other.mid_ranks, len(column) + 1 - one.mid_ranks)


@given(COLUMNS, st.integers(0, 100))
def test_the_order_of_the_rows_does_not_matter(column: FloatArray, seed: int) -> None:
    rows = np.random.default_rng(seed).permutation(len(column))
    assert np.array_equal(rank_column(column[rows]).place, rank_column(column).place[rows])


@given(PAIRS)
def test_rows_are_sorted_as_by_numpy(pair: tuple[FloatArray, FloatArray]) -> None:
    x, y = pair
    assert np.array_equal(order_rows(rank_column(x), rank_column(y)), np.lexsort((y, x)))


@given(PAIRS)
def test_runs_and_copies_are_those_of_a_dictionary(pair: tuple[FloatArray, FloatArray]) -> None:
    x, y = pair
    in_x, in_y = rank_column(x), rank_column(y)
    seen: dict[tuple[float, float], int] = {}
    copies = []
    for row in zip(x.tolist(), y.tolist(), strict=True):
        copies.append(seen.get(row, 0))
        seen[row] = copies[-1] + 1
    assert number_copies(in_x, in_y).tolist() == number_copies(in_y, in_x).tolist() == copies
    order, starts = find_runs(in_x, in_y)
    assert list(zip(x[order[starts]].tolist(), y[order[starts]].tolist(), strict=True)) == sorted(seen)


def test_many_tied_values_are_in_the_order_of_the_table() -> None:
    """More values than 16 bits can number, which are sorted otherwise."""
    column = np.random.default_rng(0).integers(0, 1 << 17, 1 << 18).astype(float)
    assert np.array_equal(rank_column(column).order, np.argsort(column, kind="stable"))


def test_a_column_of_no_rows_has_no_values() -> None:
    assert rank_column(np.empty(0)).distinct == 0


def test_the_order_takes_one_number_a_row() -> None:
    assert bytes_in(rank_column(np.random.default_rng(0).normal(size=1000))) == 1000 * 8
