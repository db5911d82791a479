"""What became of one direction, in words."""

import math

import pytest

from causewise.decision import Evidence
from causewise.report.decision_wording import outcome, p_equals


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
