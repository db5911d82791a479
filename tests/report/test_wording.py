"""Numbers, p-values and names as a reader sees them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.decision import Evidence
from causewise.report.wording import extreme, number, outcome, p_equals, short, shown, signed, width_of

_DIGITS = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


def read_back(text: str) -> float:
    return float(text.translate(_DIGITS).replace("×10", "e").replace("\u202f", ""))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300), st.integers(2, 6))
def test_a_number_reads_back_to_its_digits(value: float, digits: int) -> None:
    assert math.isclose(read_back(number(value, digits)), value, rel_tol=0.51 * 10.0 ** (1 - digits), abs_tol=5e-324)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_an_extreme_is_never_rounded_where_it_is_short(value: float) -> None:
    assert math.isclose(read_back(extreme(value)), value, rel_tol=0.51e-5, abs_tol=5e-324)
    short_value = float(f"{value:.5g}")
    assert read_back(extreme(short_value)) == short_value


def test_the_largest_is_the_largest() -> None:
    assert (extreme(18823.0), number(18823.0)) == ("18\u202f823", "18\u202f820")


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_no_number_is_a_dash(value: float | None) -> None:
    assert number(value) == signed(value) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (123456.0, "123\u202f500"), (-0.00021, "−0.00021"), (2.1e-9, "2.1×10⁻⁹"), (1e20, "1×10²⁰")],
)
def test_numbers_by_hand(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("p", "log_p", "text"),
    [
        (0.41, None, "p = 0.41"),
        (1.0, 0.0, "p = 1"),
        (2e-9, None, "p = 2×10⁻⁹"),
        (0.0, -200 * math.log(10), "p = 1.0×10⁻²⁰⁰"),
        (0.0, -4000 * math.log(10) + math.log(2.5), "p = 2.5×10⁻⁴⁰⁰⁰"),
        (0.0, None, "p < 1×10⁻³⁰⁰"),
        (0.0, -math.inf, "p < 1×10⁻³⁰⁰"),
    ],
)
def test_p_values_below_the_smallest_float_keep_their_size(p: float, log_p: float | None, text: str) -> None:
    assert p_equals(Evidence(0.0, p_value=p, log_p_value=log_p)) == text


def test_outcomes() -> None:
    assert outcome(Evidence(0.0, p_value=0.05)).startswith("fits")
    assert outcome(Evidence(0.0, p_value=0.0499)).startswith("rejected")
    assert outcome(Evidence(-0.25)) == "score −0.25"
    assert outcome(Evidence(math.nan, p_value=math.nan)) == "no score"


@given(st.text())
def test_shown_names_are_printable_and_stable(name: str) -> None:
    visible = shown(name)
    assert visible.isprintable()
    assert visible == shown(visible) != ""
    visible.encode("utf-8")


@given(st.text(max_size=60), st.integers(5, 30))
def test_short_names_keep_both_ends(name: str, width: int) -> None:
    cut = short(name, width)
    assert width_of(cut) <= width
    assert cut == name or (name.startswith(cut.split("…")[0]) and name.endswith(cut.rsplit("…", 1)[1]))
