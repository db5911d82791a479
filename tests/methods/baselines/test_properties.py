"""What every form of a baseline must survive, published ones too; `test_every_method` holds the defaults to more."""

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
UNIT_FREE += ["igci", "igci:ties=mass", "igci-g", "grci", "heci", "qccd"]
# SLOPE reads the smallest step of a column, which is rounding where few digits are left.
METHODS = [*UNIT_FREE, "slope", "cam:published=true", "cdci:published=true", "resit:standardised=false:published=true"]
METHODS += ["igci:published=true", "igci-g:published=true", "grci:published=true", "heci:published=true"]


def samples() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(5)
    x, noise = rng.uniform(-1, 1, 200), rng.standard_normal(200)
    cauchy = rng.standard_cauchy(300)
    return {
        "curved": (2 * x, np.tanh(4 * x) + x / 1.5 + 0.3 * noise),
        "tiny": (x[:10], x[:10] ** 2 + 0.1 * x[10:20]),
        "barely": (x[:11], x[:11] ** 2 + noise[:11]),
        "tied": (np.round(4 * x), np.round(4 * x**2 + noise)),
        "binary cause": ((x > 0).astype(float), x + noise),
        "both binary": ((x > 0).astype(float), (x + noise > 0).astype(float)),
        "one odd row out": (np.append(np.zeros(30), 1.0), np.append(1.0, np.zeros(30))),
        "heavy tails": (cauchy, cauchy**2 + rng.standard_cauchy(300)),
        "outlier": (np.append(x, 1e8), np.append(x**2, 5.0)),
        "noiseless": (x, x**2),
        "noiseless line": (x, 3 - 2 * x),
        "a symmetric parabola": (np.concatenate([x, -x]), np.concatenate([x * x, x * x])),
        "huge": (1e200 * x, 1e-200 * (x + noise)),
        "far from zero": (1e9 + x, x**3 + noise),
    }


SAMPLES = samples()


def decide(spec: str, x: np.ndarray, y: np.ndarray) -> Decision:
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def answers_or_says_why(decision: Decision) -> bool:
    if decision.failed:
        return decision.reason.endswith(".") and decision.direction is Direction.UNDECIDED
    return math.isfinite(decision.score)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("spec", METHODS)
def test_an_answer_or_a_sentence_whatever_the_order_of_rows_and_columns(spec: str, sample: str) -> None:
    x, y = SAMPLES[sample]
    order = np.random.default_rng(1).permutation(len(x))
    plain, swapped, mixed = decide(spec, x, y), decide(spec, y, x), decide(spec, x[order], y[order])
    assert answers_or_says_why(plain)
    assert swapped.score == -plain.score or (swapped.failed and plain.failed)
    assert mixed.reason == plain.reason
    last_bits = spec == "heci:published=true"  # place rounded values into bins there
    assert mixed.failed or mixed.score == (pytest.approx(plain.score) if last_bits else plain.score)


@pytest.mark.parametrize("spec", UNIT_FREE)
@pytest.mark.parametrize(("slope", "shift"), [(1.0, 100.0), (1e6, 0.0), (1e-9, 3.0), (3.0, -7.0)])
def test_units_change_nothing(spec: str, slope: float, shift: float) -> None:
    x, y = SAMPLES["curved"]
    score = decide(spec, x, y).score
    # 3 + 1e-9·x keeps seven digits, and IGCI reads the spacings between neighbours.
    tolerance = 1e-5 if slope != 1e-9 else 0.05 if "igci" in spec else 1e-4
    assert decide(spec, slope * x + shift, y).score == pytest.approx(score, rel=tolerance)
    assert decide(spec, x, slope * y + shift).score == pytest.approx(score, rel=tolerance)


@pytest.mark.parametrize("spec", ["cam:published=true", "cdci:published=true"])
def test_in_published_form_units_change_no_decision(spec: str) -> None:
    x, y = SAMPLES["curved"]
    assert decide(spec, 3 * x + 100, y).direction is decide(spec, x, y).direction


@pytest.mark.parametrize("name", ["igci", "grci", "heci"])
def test_without_ties_the_published_form_is_the_default_but_for_rounding(name: str) -> None:
    x, y = (column - np.mean(column) for column in SAMPLES["curved"])
    assert decide(f"{name}:published=true", x, y).score == pytest.approx(decide(name, x, y).score, rel=1e-6, abs=1e-3)


@pytest.mark.parametrize("spec", [*METHODS, "qccd:published=true"])
def test_a_method_carries_its_settings_and_can_be_sent_to_another_process(spec: str) -> None:
    there = pickle.loads(pickle.dumps(causewise.method(spec)))
    assert there.name == spec.split(":")[0]
    assert there.settings.get("published", False) is ("published" in spec)
    pair = Pair.of(*SAMPLES["curved"])
    assert there.decide_many([pair])[0].score == causewise.method(spec).decide_many([pair])[0].score


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
        method = causewise.method(spec)
        plain, swapped = method.decide_many([pair, pair.swap()])
        assert answers_or_says_why(plain), spec
        assert plain.score == -swapped.score or (plain.failed and swapped.failed), spec


NO_SENSE = (
    "reci:terms=odd reci:scaling=log reci:degree=0 reci:degree=21 cdci:divergence=js cdci:max_dev=0 cds:max_dev=0 "
    "fom:moment=third fom:published=true fom:n_knots=1 fom:degree=21 fom:delta=0 pnl:published=true pnl:h_knots=1 "
    "pnl:n_knots=1001 pnl:degree=21 pnl:ridge=-1 cam:knots=3 cam:basis_size=2 resit:length_scale=0 "
    "resit:noise_variance=-1 slope:level=0 slope:level=2 sloppy:curve=line sloppy:penalty=none sloppy:basis_size=2 "
    "kcdc:width=0 kcdc:ridge=-1 entropic:bins=1 entropic:bins=101 entropic:max_levels=1 entropic:bins=x "
    "discrete:level=0.5 ordinal:level=0.0"
)


@pytest.mark.parametrize("spec", NO_SENSE.split())
def test_settings_that_make_no_sense_are_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(InputError, match=r"^Got .*\.$"):
        causewise.method(spec)
