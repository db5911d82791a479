"""A tie is a tie up to rounding: where both directions are one thing, no method finds one in the last digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.decision import Direction
from causewise.pair import Pair, one_variable
from test_every_method import METHODS, built
from test_reflection import MUST

UNITS = ((-1.0, 0.0), (2.0, 1.0), (0.1, 0.0), (1.8, 32.0), (-1e-7, 3.0))


def columns(n: int = 121) -> tuple[np.ndarray, np.ndarray]:
    x, noise = np.random.default_rng(5).normal(size=(2, n))
    return x, np.tanh(2 * x) + (0.2 + 0.2 * np.abs(x)) * noise


@pytest.mark.parametrize("name", METHODS)
def test_a_column_and_itself_in_another_unit_tie(name: str) -> None:
    x, _ = columns()
    pairs = [Pair.of(x, slope * x + shift) for slope, shift in UNITS] + [Pair.of(np.exp(x), -np.exp(x))]
    for decision in built(name).decide_many(pairs):
        assert decision.failed or decision.score == 0
        assert decision.direction is Direction.UNDECIDED


@pytest.mark.parametrize("name", MUST)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rows_that_exchange_and_turn_the_columns_tie(name: str, sign: float) -> None:
    """With (a, b) there is (±b, ±a): exchanged, and perhaps turned round, the columns are the same rows."""
    a, b = columns()
    (decision,) = built(name).decide_many([Pair.of(np.append(a, sign * b), np.append(b, sign * a))])
    assert decision.failed or decision.score == 0
    assert decision.failed or decision.forward.score == pytest.approx(decision.backward.score, rel=1e-9, abs=0)
    assert sum(decision.contributions.values()) == 0


@given(
    st.integers(0, 2**32),
    st.floats(1e-6, 1e6) | st.floats(-1e6, -1e-6),
    st.floats(-1e6, 1e6),
    st.floats(-1e3, 1e3),
)
def test_a_change_of_unit_is_seen_and_nothing_else_is(seed: int, slope: float, shift: float, offset: float) -> None:
    x = np.random.default_rng(seed).normal(size=30) + offset
    y = slope * x + shift
    assert one_variable(Pair(x, y)) and one_variable(Pair(y, x))
    moved = y.copy()
    moved[np.argsort(y)[15]] += 1e-3 * np.ptp(y)
    assert not one_variable(Pair(x, moved)) and not one_variable(Pair(moved, x))
