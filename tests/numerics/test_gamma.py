import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma

from whence.numerics.gamma import log_survival


@given(st.floats(0.05, 500), st.floats(1e-3, 20), st.floats(1e-6, 1e6))
def test_agrees_with_scipy_where_scipy_can_tell(shape, relative, scale):
    x = shape * relative * scale
    expected = gamma.logsf(x, shape, scale=scale)
    if np.isfinite(expected) and expected > -600:
        assert log_survival(x, shape, scale) == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_far_tail_is_a_number():
    # For shape 1 the law is exponential and the tail is exactly −x.
    assert log_survival(5000.0, 1.0, 1.0) == pytest.approx(-5000.0)
    assert math.isfinite(log_survival(1e6, 2.5, 0.1))


def test_nothing_lies_below_zero():
    assert log_survival(0.0, 2.0, 1.0) == 0.0
    assert log_survival(-1.0, 2.0, 1.0) == 0.0
