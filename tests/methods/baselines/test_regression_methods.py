"""The properties every one of the regression-based baselines must have, from one table."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import causewise
from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.pair import Pair

UNIT_FREE = ["cam", "resit", "resit:published=true", "fom", "reci", "reci:published=true", "cdci", "lingam", "pnl"]
UNIT_FREE += ["sloppy", "sloppy:curve=terms", "cds", "kcdc", "entropic:bins=8"]
# SLOPE reads the smallest step of a column, which is rounding where few digits are left.
METHODS = [*UNIT_FREE, "slope", "cam:published=true", "cdci:published=true", "resit:standardised=false:published=true"]


def decide(spec: str, x: np.ndarray, y: np.ndarray) -> Decision:
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def curved(n: int = 250, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x, np.tanh(2 * x) + x / 3 + 0.3 * rng.standard_normal(n)


def answers_or_says_why(decision: Decision) -> bool:
    if decision.failed:
        return decision.reason.endswith(".") and decision.direction is Direction.UNDECIDED
    return math.isfinite(decision.score)


@pytest.mark.parametrize("spec", METHODS)
def test_swapping_the_columns_negates_the_score(spec: str) -> None:
    x, y = curved()
    score = decide(spec, x, y).score
    assert math.isfinite(score)
    assert decide(spec, y, x).score == -score


@pytest.mark.parametrize("spec", METHODS)
@pytest.mark.parametrize("order", ["by cause", "by effect", "shuffled"])
def test_the_order_of_the_rows_changes_no_bit(spec: str, order: str) -> None:
    x, y = curved()
    rows = {
        "by cause": np.argsort(x),
        "by effect": np.argsort(-y),
        "shuffled": np.random.default_rng(1).permutation(250),
    }
    assert decide(spec, x[rows[order]], y[rows[order]]).score == decide(spec, x, y).score


@pytest.mark.parametrize("spec", UNIT_FREE)
@pytest.mark.parametrize(("slope", "shift"), [(1.0, 100.0), (1e6, 0.0), (1e-9, 3.0), (3.0, -7.0)])
def test_units_change_nothing(spec: str, slope: float, shift: float) -> None:
    x, y = curved()
    score = decide(spec, x, y).score
    tolerance = 1e-4 if slope == 1e-9 else 1e-6  # 3 + 1e-9·x keeps seven digits
    assert decide(spec, slope * x + shift, y).score == pytest.approx(score, rel=tolerance)
    assert decide(spec, x, slope * y + shift).score == pytest.approx(score, rel=tolerance)


@pytest.mark.parametrize("spec", ["cam:published=true", "cdci:published=true"])
def test_in_published_form_units_change_no_decision(spec: str) -> None:
    x, y = curved()
    assert decide(spec, 3 * x + 100, y).direction is decide(spec, x, y).direction


@pytest.mark.parametrize("spec", METHODS)
def test_methods_travel_to_other_processes(spec: str) -> None:
    pair = Pair.of(*curved())
    there = pickle.loads(pickle.dumps(causewise.method(spec)))
    assert there.decide_many([pair])[0].score == causewise.method(spec).decide_many([pair])[0].score


def hard_cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, 200)
    cauchy = rng.standard_cauchy(300)
    return {
        "tiny": (x[:10], x[:10] ** 2 + 0.1 * x[10:20]),
        "tied": (np.round(4 * x), np.round(4 * x**2 + rng.standard_normal(200))),
        "binary cause": ((x > 0).astype(float), x + rng.standard_normal(200)),
        "both binary": ((x > 0).astype(float), (x + rng.standard_normal(200) > 0).astype(float)),
        "one odd row out": (np.append(np.zeros(30), 1.0), np.append(1.0, np.zeros(30))),
        "heavy tails": (cauchy, cauchy**2 + rng.standard_cauchy(300)),
        "outlier": (np.append(x, 1e8), np.append(x**2, 5.0)),
        "noiseless": (x, x**2),
        "noiseless line": (x, 3 - 2 * x),
        "huge": (1e200 * x, 1e-200 * (x + rng.standard_normal(200))),
        "far from zero": (1e9 + x, x**3 + rng.standard_normal(200)),
    }


@pytest.mark.parametrize("case", hard_cases())
@pytest.mark.parametrize("spec", METHODS)
def test_hard_input_gets_an_answer_or_a_sentence(spec: str, case: str) -> None:
    x, y = hard_cases()[case]
    decision = decide(spec, x, y)
    assert answers_or_says_why(decision)
    swapped = decide(spec, y, x)
    assert swapped.score == -decision.score or (swapped.failed and decision.failed)


@pytest.mark.parametrize("spec", ["cam", "resit", "reci", "cdci"])
def test_a_noiseless_line_is_a_tie_in_any_units(spec: str) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, 200)
    assert decide(spec, x, 2 * x + 1).direction is Direction.UNDECIDED
    assert decide(spec, 7 * x - 3, 0.3 * x).direction is Direction.UNDECIDED


column = st.one_of(
    arrays(float, 30, elements=st.floats(-1e6, 1e6, allow_subnormal=False)),
    arrays(float, 30, elements=st.integers(0, 5).map(float)),
)


@given(column, column)
@settings(max_examples=25, deadline=None)
def test_no_input_makes_a_score_that_is_no_number(x: np.ndarray, y: np.ndarray) -> None:
    try:
        pair = Pair.of(x, y)
    except InputError:
        return
    for spec in METHODS:
        (decision,) = causewise.method(spec).decide_many([pair])
        assert answers_or_says_why(decision), spec


@pytest.mark.parametrize(
    "spec",
    [
        "reci:terms=odd",
        "reci:scaling=log",
        "reci:degree=0",
        "reci:degree=21",
        "cdci:divergence=js",
        "fom:moment=third",
        "fom:published=true",
        "pnl:published=true",
        "cam:knots=3",
        "cam:basis_size=2",
        "resit:length_scale=0",
        "resit:noise_variance=-1",
        "cdci:max_dev=0",
        "fom:n_knots=1",
        "fom:degree=21",
        "fom:delta=0",
        "pnl:h_knots=1",
        "pnl:n_knots=1001",
        "pnl:degree=21",
        "pnl:ridge=-1",
        "slope:level=0",
        "slope:level=2",
        "sloppy:curve=line",
        "sloppy:penalty=none",
        "sloppy:basis_size=2",
        "cds:max_dev=0",
        "kcdc:width=0",
        "kcdc:ridge=-1",
    ],
)
def test_settings_that_make_no_sense_are_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(InputError, match=r"^Got .*\.$"):
        causewise.method(spec)
