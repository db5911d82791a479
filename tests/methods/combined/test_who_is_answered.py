"""Who is answered, who is told unrelated, and what is withheld: the default method knows when to keep silent."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from drawn import Columns, clear, decide, independent, related, seeds, some
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter

import causewise
from causewise.data_checks import DataWarning, Severity
from causewise.decision import Direction
from causewise.errors import InputError
from causewise.inference import ask, consensus
from causewise.lab.benchmark import runner
from causewise.methods.combined.method import causewise as built
from causewise.pair import FloatArray, Pair


def series(rng: np.random.Generator, n: int, memory: float) -> FloatArray:
    shocks = rng.normal(size=n) * np.sqrt(1 - memory**2)
    shocks[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -memory], shocks))


def test_the_threshold_decides_who_is_answered() -> None:
    samples = [related(seed, 300) for seed in range(20)]
    answered = [
        [decide(x, y, threshold=t, direct=True).status for x, y in samples].count("oriented") for t in (0.5, 0.8, 0.99)
    ]
    assert answered[0] == sum(not decide(x, y).unrelated for x, y in samples) > 16
    assert 0 < answered[1] < answered[0]
    assert answered[2] <= 1


@some
@given(seeds, st.floats(0.5, 0.99))
def test_an_answer_is_given_from_the_threshold_on(seed: int, threshold: float) -> None:
    found = decide(*related(seed), threshold=threshold)
    assert found.confidence is not None
    assert (found.status == "oriented") == (found.confidence >= threshold and not found.unrelated)
    assert bool(found.reason) == (found.status != "oriented")


@pytest.mark.parametrize("seed", range(8))
def test_a_clear_pair_is_answered_rightly(seed: int) -> None:
    x, y = clear(seed)
    assert causewise.infer(x, y).direction is Direction.FORWARD
    assert causewise.infer(y, x).direction is Direction.BACKWARD


def test_unrelated_columns_are_told_so_and_get_no_lean() -> None:
    found = causewise.infer(*independent(1), threshold=0.5)
    assert found.unrelated and found.status == "unrelated"
    assert found.leaning is found.direction is Direction.UNDECIDED
    assert found.cause is found.effect is None
    assert found.verdict == "x and y are unrelated"
    assert found.explanation.startswith("Unrelated") and "confidence" not in str(found)
    assert math.isfinite(found.score) and found.dependence_p is not None and found.dependence_p >= 0.05


def test_independent_columns_are_told_unrelated() -> None:
    found = [decide(*independent(seed)) for seed in range(60)]
    assert sum(each.unrelated for each in found) >= 53
    assert sum(each.status == "oriented" for each in found) <= 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.poisson(1.0, (2, 500)),
        lambda rng: rng.integers(3, size=(2, 300)),
        lambda rng: rng.random((2, 300)) < [[0.3], [0.6]],
        lambda rng: rng.permuted(np.tile([0, 1], (2, 150)), axis=1),
        lambda rng: rng.permuted(np.tile([0, 1, 2], (2, 200)), axis=1),
    ],
    ids=["counts", "three values", "two values", "two balanced values", "three balanced values"],
)
def test_independent_columns_of_few_values_are_told_unrelated(draw: Callable[[np.random.Generator], Columns]) -> None:
    columns = [draw(np.random.default_rng(seed)) for seed in range(20)]
    assert sum(decide(np.array(x, float), np.array(y, float)).unrelated for x, y in columns) >= 16


def test_negating_a_fine_column_beside_a_coarse_one_changes_nothing() -> None:
    x, y = clear(0, 200)
    x = np.round(x)
    assert decide(x, -y).score == pytest.approx(decide(x, y).score, rel=1e-9)


@pytest.mark.parametrize("effect_of", [lambda x: np.tanh(x), lambda x: 0 * x])
def test_series_are_seldom_answered(effect_of: Callable[[FloatArray], FloatArray]) -> None:
    answered = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x = series(rng, 400, 0.97)
        answered += decide(x, effect_of(x) + 0.5 * series(rng, 400, 0.97)).status == "oriented"
    assert answered <= 2


def test_a_table_that_is_its_own_exchange_is_undecided_with_a_sentence() -> None:
    x, y = clear(3, 100)
    found = causewise.infer(np.append(x, y), np.append(y, x), threshold=0.5)
    assert found.score == 0
    assert found.confidence == found.probabilities["x->y"] == found.probabilities["y->x"] < 0.5
    assert "no usable lean" in str(found)
    assert found.direction is Direction.UNDECIDED and found.status == "undecided"
    assert found.explanation


# Around the method: `infer`.


def test_infer_hands_the_threshold_to_the_default_method() -> None:
    x, y = related(1)
    strict, lenient = causewise.infer(x, y, threshold=0.99), causewise.infer(x, y, threshold=0.5)
    assert (strict.status, lenient.status) == ("undecided", "oriented")
    assert strict.settings["threshold"] == 0.99 and "99 %" in strict.explanation
    assert causewise.infer(x, y).to_dict() == causewise.infer(x, y, threshold=0.8).to_dict()


def test_a_threshold_is_refused_for_a_method_without_confidence() -> None:
    with pytest.raises(InputError, match="loci-h, which does not take it"):
        causewise.infer(*related(1), method="loci-h", threshold=0.9)


def test_a_threshold_beside_a_built_method_is_refused() -> None:
    with pytest.raises(InputError, match="'threshold'"):
        causewise.infer(*related(1), method=built(), threshold=0.9)


@pytest.mark.parametrize("seed", range(4))
def test_a_linear_gaussian_pair_is_withheld_by_the_default_method_alone(seed: int) -> None:
    x, e = np.random.default_rng(seed).normal(size=(2, 400))
    found, published = (causewise.infer(x, x + e, **chosen) for chosen in ({"threshold": 0.5}, {"method": "loci-h"}))
    (warning,) = (n for n in found.warnings if isinstance(n, DataWarning) and n.severity is Severity.STOPS)
    assert found.status == "undecided" and str(warning) in found.reason
    assert found.stopped and math.isnan(found.score) and found.leaning is Direction.UNDECIDED
    assert published.status == "oriented" and warning in published.warnings and not published.reason


def test_a_stopped_pair_shows_no_number_that_leans() -> None:
    x, e = np.random.default_rng(0).normal(size=(2, 400))
    found = causewise.infer(x, x + e)
    told = found.to_dict()
    assert (told["direction"], told["leaning"], told["status"]) == ("undecided", "undecided", "undecided")
    silent = ("score", "confidence", "probabilities", "weight", "cause", "effect", "rows_judged")
    assert {told[name] for name in silent} == {None}
    assert told["contributions"] == told["weight_parts"] == {}
    assert told["forward"]["score"] is told["backward"]["score"] is None
    assert "costs" not in told["forward"] and found.leaning_names is None
    assert told["reason"] == told["explanation"] == f"Undecided: {found.warnings[0]}"
    assert "confidence" not in str(found) and "score" not in str(found)
    with pytest.raises(InputError, match="nothing to repeat"):
        found.stability()
    answers = [ask(found.pair, "causewise"), ask(found.pair, "loci-h")]
    assert consensus(answers).direction == "undecided"


def test_the_benchmark_keeps_score_and_confidence_of_a_stopped_pair() -> None:
    x, e = np.random.default_rng(0).normal(size=(2, 400))
    pair = Pair.of(x, x + e)
    (outcome,), (bare,) = runner.decide(built(), [pair]), built().decide_many([pair])
    assert outcome.withheld and outcome.message == causewise.infer(pair).reason
    assert (outcome.score, outcome.confidence) == (bare.score, bare.confidence)


def test_a_harmless_notice_withholds_nothing() -> None:
    x, y = clear(2)
    order = np.argsort(x)
    found = causewise.infer(x[order], y[order])
    assert found.warnings and found.direction is Direction.FORWARD


def test_printing_a_decision_mentions_its_warnings() -> None:
    x, y = clear(2, 60)
    one, two = causewise.infer(x, y), causewise.infer(np.sort(x), y[np.argsort(x)])
    assert len(one.warnings) == 1 and "1 warning)" in str(one)
    assert len(two.warnings) == 2 and "2 warnings)" in str(two)
    assert "warning" not in str(causewise.infer(*clear(2)))
