import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.errors import InputError
from causewise.pair import Pair, both_directions, standard_deviation, standardise

GOOD = np.arange(12.0)
BAD = {
    "unequal length": (GOOD, GOOD[:-1] ** 2, "Got 12 values for 'x' and 11 for 'y'"),
    "too short": (GOOD[:9], GOOD[:9] ** 2, "Got 9 rows"),
    "constant": (np.ones(12), GOOD, "'x' is constant"),
    "identical": (GOOD, GOOD.copy(), "are identical"),
    "missing": (np.where(GOOD == 3, np.nan, GOOD), GOOD**2, "1 row with a missing value"),
    "infinite": (GOOD, np.where(GOOD == 3, np.inf, GOOD**2), "'y' has 1 infinite value"),
    "text": (["a"] * 12, GOOD, "'x' is not numeric"),
    "complex": (GOOD * 1j, GOOD, "complex"),
    "masked": (np.ma.masked_equal(GOOD, 3), GOOD**2, "1 row with a missing value"),
    "masked dates": (np.ma.masked_equal(np.arange(12), 3).astype("datetime64[D]"), GOOD, "1 row with a missing value"),
    "too large": (GOOD, GOOD * 1e306, "'y' has a value of size 1.1e\\+307"),
    "two-dimensional": (np.ones((12, 2)), GOOD, "shape"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_columns_get_one_sentence(case):
    x, y, words = BAD[case]
    with pytest.raises(InputError, match=words) as caught:
        Pair.of(x, y)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")


def test_missing_rows_are_left_out_and_counted_on_request():
    x = np.where(GOOD == 3, np.nan, GOOD)
    pair = Pair.of(x, GOOD**2, nan_policy="omit")
    assert (pair.n, pair.dropped) == (11, 1)
    with pytest.raises(InputError, match="nan_policy"):
        Pair.of(x, GOOD**2, nan_policy="ignore")


def test_swapping_twice_is_nothing():
    pair = Pair.of(GOOD, GOOD**2, x_name="a", y_name="b")
    twice = pair.swap().swap()
    assert (twice.x_name, twice.y_name) == ("a", "b")
    np.testing.assert_array_equal(twice.x, pair.x)
    assert pair.swap().x_name == "b"


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=10, max_size=40).filter(lambda v: np.ptp(v) > 1e-3),
    st.sampled_from([1e-200, 1e-6, 1.0, 1e6, 1e200]),
)
def test_standardised_columns_have_mean_zero_and_unit_spread_whatever_their_size(values, unit):
    z = standardise(np.array(values) * unit)
    assert abs(z.mean()) < 1e-9
    assert z.std() == pytest.approx(1.0)
    assert standard_deviation(np.array(values) * unit) / unit == pytest.approx(np.std(values))


def test_both_directions_turns_the_pair_round_once():
    pair = Pair.of(GOOD, GOOD**2)
    forward, backward = both_directions(pair, lambda cause, effect: (cause[2], effect[2]))
    assert forward == (2.0, 4.0)
    assert backward == (4.0, 2.0)


def test_turning_a_pair_round_is_noted_and_undone_by_turning_it_again():
    pair = Pair.of(np.arange(12.0), np.arange(12.0) ** 2, x_name="a", y_name="b")
    assert (pair.turned, pair.swap().turned, pair.swap().swap().turned) == (False, True, False)
    assert pair.swap().swap() == pair


@pytest.mark.parametrize(("count", "words"), [(1, "1 infinite value;"), (2, "2 infinite values;")])
def test_infinite_values_are_counted(count, words):
    column = np.arange(12.0)
    column[:count] = np.inf
    with pytest.raises(InputError, match=words):
        Pair.of(column, np.arange(12.0) ** 2)


@pytest.mark.parametrize("missing", ["x", "y"])
def test_the_column_with_the_missing_value_is_named(missing):
    columns = {"x": np.arange(12.0), "y": np.arange(12.0) ** 2}
    columns[missing][3] = np.nan
    with pytest.raises(InputError, match=f"column '{missing}'"):
        Pair.of(columns["x"], columns["y"])


@pytest.mark.parametrize("column", [[0, 1, np.datetime64("2020-01-01")], [[0, 1, np.datetime64("2020-01-01")]]])
def test_dates_among_numbers_are_not_counted_in_days(column):
    with pytest.raises(InputError, match="dates among numbers"):
        Pair.of(column, [1.0, 2.0, 4.0])
