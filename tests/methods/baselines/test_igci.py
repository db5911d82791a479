import numpy as np
import pytest

import causewise
from causewise.errors import InputError
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


@pytest.mark.parametrize("spec", ["igci", "igci:ties=mass"])
@pytest.mark.parametrize("bend", [np.sqrt, np.square, np.exp])
def test_a_uniform_cause_bent_without_noise_is_found(spec, bend):
    x = np.random.default_rng(0).random(500)
    assert decide(spec, x, bend(x)).cause == "x"


def test_a_gaussian_cause_bent_without_noise_is_found_by_the_gaussian_reference():
    x = np.random.default_rng(1).normal(size=500)
    assert decide("igci-g", x, x + 0.5 * x**3).cause == "x"


def test_the_score_is_the_difference_of_the_evidence_in_bits():
    x = np.linspace(0, 1, 101)
    decision = decide("igci:ties=mass", x, x**2)
    assert decision.score == decision.forward.score - decision.backward.score
    assert decision.forward.score == pytest.approx(0, abs=1e-9)  # a uniform column on the unit interval
    assert decision.backward.score == pytest.approx(1 - np.log2(np.e), abs=0.05)  # ∫ log₂ 2t dt on (0, 1)


def test_the_published_gaussian_form_adds_the_log_ratio_of_units():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=200), rng.exponential(size=200)
    sound, published = (decide(f"igci-g:published={flag}", x, y).score for flag in ("false", "true"))
    assert published == pytest.approx(sound + np.log2(np.std(x) / np.std(y)))


def test_two_distinct_values_are_refused():
    decision = decide("igci", np.arange(20.0) % 2, np.arange(20.0))
    assert "2 distinct values" in decision.reason


@pytest.mark.parametrize("name", ["igci", "igci-g"])
@pytest.mark.parametrize("ties", ["jitter", [1], None])
def test_an_unknown_treatment_of_ties_is_refused(name, ties):
    with pytest.raises(InputError, match="'zero'"):
        causewise.method(name, ties=ties)
