"""The numbers along an axis: short, distinct, and true."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from causewise.report.canvas import MOST_TICKS, tick_labels, write_ticks
from test_formatting import read_back

ENDS = st.floats(-1e9, 1e9, allow_nan=False)


def draw_ticks(low: float, high: float, which: str = "y") -> tuple[list[float], list[str]]:
    ax = Figure(figsize=(4, 3)).subplots()
    ax.set(xlim=(low, high), ylim=(low, high))
    axis = {"x": ax.xaxis, "y": ax.yaxis}[which]
    write_ticks(axis, low, high)
    ax.figure.draw_without_rendering()
    return list(axis.get_majorticklocs()), [label.get_text() for label in axis.get_ticklabels()]


@given(ENDS, ENDS)
def test_labels_read_back_to_their_places(low: float, high: float) -> None:
    low, high = sorted((low, high))
    assume(high - low > 1e-6 * max(abs(low), abs(high), 1e-3))
    places, labels = draw_ticks(low, high)
    assert 1 <= len(places) <= MOST_TICKS + 2
    np.testing.assert_allclose([read_back(label) for label in labels], places, rtol=1e-6, atol=(high - low) / 50)
    assert all(a != b for a, b in itertools.pairwise(labels))


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0.0, 5e3, 1e4, 1.5e4), ("0", "5\u202f000", "10\u202f000", "15\u202f000")),
        ((-2e4, 0.0, 2e4), ("−20\u202f000", "0", "20\u202f000")),
        ((1990.0, 2000.0, 2010.0), ("1990", "2000", "2010")),
        ((-0.5, 0.0, 0.5), ("−0.5", "0.0", "0.5")),
        ((0.0, 2e8, 4e8), ("0", "2×10⁸", "4×10⁸")),
        ((0.0, 2e-7), ("0", "2×10⁻⁷")),
        ((1.7e9, 1.7e9 + 50), ("1\u202f700\u202f000\u202f000", "1\u202f700\u202f000\u202f050")),
        ((1e300, 1.2e300), ("1×10³⁰⁰", "1.2×10³⁰⁰")),
    ],
)
def test_labels_by_hand(values: tuple[float, ...], labels: tuple[str, ...]) -> None:
    assert tuple(tick_labels(values)) == labels


def test_long_numbers_side_by_side_are_few() -> None:
    assert len(draw_ticks(1.7e9, 1.7e9 + 100, "x")[0]) < len(draw_ticks(1.7e9, 1.7e9 + 100, "y")[0])
