import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causewise.numerics.arrays import unit_magnitude

COLUMNS = arrays(np.float64, st.integers(1, 20), elements=st.floats(-1e308, 1e308).filter(lambda v: abs(v) > 1e-290))


@given(COLUMNS)
def test_the_largest_value_ends_up_near_one_and_no_bit_is_lost(column):
    scaled = unit_magnitude(column)
    assert 0.5 <= np.max(np.abs(scaled)) < 1
    large = np.abs(scaled) > 1e-300
    assert np.array_equal(np.frexp(scaled[large])[0], np.frexp(column[large])[0])


def test_powers_of_two_are_the_only_difference():
    column = np.array([3.0, -5.0, 0.1])
    assert np.array_equal(unit_magnitude(column), column / 8)
