"""What every score of entropy, residual, code length or quantiles must survive; one line per method and per sample."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.decision import Direction
from causewise.pair import Pair

METHODS = ["igci", "igci:ties=mass", "igci-g", "grci", "heci", "qccd"]
PUBLISHED = ["igci:published=true", "igci-g:published=true", "grci:published=true", "heci:published=true"]


def samples():
    rng = np.random.default_rng(7)
    x, noise = rng.normal(size=(2, 300))
    cauchy = rng.standard_cauchy(300)
    return {
        "smooth": (x, np.tanh(2 * x) + 0.3 * noise),
        "tiny": (x[:10], x[:10] ** 2 + noise[:10]),
        "barely": (x[:11], x[:11] ** 2 + noise[:11]),
        "tied": (np.round(2 * x), np.round(3 * np.sin(x) + noise)),
        "binary cause": ((x > 0) * 1.0, x + noise),
        "both binary": ((x > 0) * 1.0, (x + noise > 0) * 1.0),
        "heavy tails": (cauchy, cauchy**3 + rng.standard_cauchy(300)),
        "without noise": (x, x**3),
        "a line": (x, 2 * x + 1),
        "a symmetric parabola": (np.concatenate([x, -x]), np.concatenate([x * x, x * x])),
        "large numbers": (1e300 * x, 1e-300 * np.exp(x)),
    }


SAMPLES = samples()


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("spec", METHODS)
class TestEveryMethodOnEverySample:
    def test_answers_with_a_number_or_refuses_with_a_sentence(self, spec, sample):
        decision = decide(spec, *SAMPLES[sample])
        if decision.failed:
            assert decision.reason.endswith(".")
            assert decision.direction is Direction.UNDECIDED
        else:
            assert math.isfinite(decision.score)

    def test_exchanging_the_columns_negates_the_score_exactly(self, spec, sample):
        x, y = SAMPLES[sample]
        one, other = decide(spec, x, y), decide(spec, y, x)
        assert one.reason == other.reason
        assert one.failed or one.score == -other.score

    def test_row_order_does_not_change_a_bit(self, spec, sample):
        x, y = SAMPLES[sample]
        order = np.random.default_rng(1).permutation(len(x))
        one, other = decide(spec, x, y), decide(spec, x[order], y[order])
        assert one.reason == other.reason
        assert one.failed or one.score == other.score

    def test_units_change_nothing(self, spec, sample):
        x, y = SAMPLES[sample]
        one = decide(spec, x, y)
        shift = (0, 0) if sample in ("large numbers", "heavy tails") else (100, -7)
        other = decide(spec, 3.7 * x + shift[0], 0.013 * y + shift[1])
        assert one.reason == other.reason
        assert one.direction is other.direction
        assert one.failed or one.score == pytest.approx(other.score, rel=1e-5, abs=1e-8)


LATTICE = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 30)), min_size=10, max_size=40).filter(
    lambda rows: all(len(set(column)) > 1 for column in zip(*rows, strict=True)) and any(a != b for a, b in rows)
)


@pytest.mark.parametrize("spec", METHODS)
@given(rows=LATTICE)
@settings(max_examples=25, deadline=None)
def test_rounded_columns_never_give_a_number_that_is_none(spec, rows):
    x, y = np.array(rows, float).T
    one, other, reversed_rows = decide(spec, x, y), decide(spec, y, x), decide(spec, x[::-1], y[::-1])
    assert one.reason == other.reason == reversed_rows.reason
    assert one.failed or (math.isfinite(one.score) and one.score == -other.score == reversed_rows.score)


@pytest.mark.parametrize("spec", [*METHODS, *PUBLISHED, "qccd:published=true"])
def test_a_method_carries_its_settings_and_can_be_sent_to_another_process(spec):
    method = pickle.loads(pickle.dumps(causewise.method(spec)))
    assert method.name == spec.split(":")[0]
    assert method.settings["published"] is ("published" in spec)
    x, y = SAMPLES["smooth"]
    assert method.decide_many([Pair.of(x, y)])[0].score == decide(spec, x, y).score


@pytest.mark.parametrize("spec", PUBLISHED)
def test_the_published_forms_negate_too(spec):
    x, y = SAMPLES["tied"]
    assert decide(spec, x, y).score == -decide(spec, y, x).score


@pytest.mark.parametrize("name", ["igci", "grci", "heci"])
def test_without_ties_the_published_form_is_the_default_but_for_rounding(name):
    x, y = SAMPLES["smooth"]
    x, y = x - np.mean(x), y - np.mean(y)
    assert decide(f"{name}:published=true", x, y).score == pytest.approx(decide(name, x, y).score, rel=1e-6, abs=1e-3)
