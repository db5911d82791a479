"""The kind of a column, and what happens to a pair of each: the table of docs/guide/kinds.md, line by line."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whence
from whence.decision import Decision, Direction
from whence.kinds import FEWEST_LEVELS, Kind, kind_of, tally

ROOT = Path(__file__).parents[1]
SEEDS = st.integers(0, 2**32 - 1)


def loaded(name: str) -> ModuleType:
    """A script of benchmarks/, whose laws these tests share."""
    place = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert place and place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


BENCHMARK = loaded("kinds")


def column(kind: Kind, rng: np.random.Generator, n: int = 400) -> np.ndarray:
    """Some column of a kind, in units of its own where that is no matter."""
    fine = rng.gamma(rng.uniform(1, 5), size=n) if rng.random() < 0.5 else rng.normal(size=n)
    unit, shift = np.exp(rng.normal()), rng.normal()
    match kind:
        case Kind.CONSTANT:
            return np.full(n, shift)
        case Kind.BINARY:
            return shift + unit * np.append([0, 1], rng.integers(2, size=n - 2))
        case Kind.LEVELS:
            return np.append([0, 1, 2], rng.integers(3 + rng.integers(2), size=n - 3)) * unit
        case Kind.HEAPED:
            return np.where(rng.random(n) < rng.uniform(0.15, 0.8), shift, unit * fine)
        case Kind.COUNT:
            return np.append([0.0], rng.poisson(rng.uniform(4, 12), n - 1))
        case Kind.ROUNDED:
            return 0.37 * np.round(fine * rng.uniform(4, 8))
        case Kind.CONTINUOUS:
            return shift + unit * fine


# The kind of a column


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_is_recognised(kind: Kind) -> None:
    found = [kind_of(column(kind, np.random.default_rng(seed))) for seed in range(100)]
    assert found.count(kind) >= 97


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.COUNT])
@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_neither_units_nor_signs_nor_the_order_of_rows_matter(kind: Kind, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = column(kind, rng)
    there = kind_of(values)
    assert kind_of(rng.permutation(values)) is there
    if there is not Kind.COUNT:
        assert {kind_of(-values), kind_of(2 * values + 0.25)} <= {there}


@given(SEEDS, st.floats(0.2, 30), st.integers(100, 3000))
@settings(max_examples=60, deadline=None)
def test_no_poisson_or_geometric_count_looks_heaped(seed: int, mean: float, n: int) -> None:
    rng = np.random.default_rng(seed)
    for drawn in (rng.poisson(mean, n), rng.geometric(1 / (1 + mean), n)):
        assert kind_of(drawn.astype(float)) is not Kind.HEAPED


@given(SEEDS, st.integers(10, 200))
@settings(max_examples=60, deadline=None)
def test_no_rounding_alone_looks_heaped(seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    for fine in (rng.normal(size=1000), rng.uniform(size=1000), rng.gamma(2, size=1000)):
        assert kind_of(np.round(fine / np.ptp(fine) * steps)) is not Kind.HEAPED


@given(SEEDS, st.floats(0.15, 0.9))
@settings(max_examples=40, deadline=None)
def test_the_heap_is_found_wherever_it_lies(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    fine = rng.normal(size=800)
    value = float(np.round(rng.choice(np.quantile(fine, [0, 0.2, 0.5, 1.0])), 3))
    found = tally(np.where(rng.random(800) < share, value, fine))
    assert found.kind is Kind.HEAPED
    assert found.heaped == value
    assert found.heap >= 0.5 * share * 800


def test_a_ratio_that_is_mostly_whole_numbers_is_heaped() -> None:
    """As the ratio s4 of scikit-learn's diabetes table, which the default once named the cause of age."""
    from sklearn.datasets import load_diabetes

    table = dict(zip(("age", *[""] * 6, "s4"), load_diabetes(scaled=False).data.T, strict=False))
    assert kind_of(table["s4"]) is Kind.HEAPED
    decision = whence.infer(table, "age", "s4")
    assert decision.direction is Direction.UNDECIDED
    assert "'s4' is 3 in 29 % of rows" in decision.explanation


# What happens

ANSWERED = [
    "continuous",
    "rounded to 30 steps, effect",
    "rounded to 10 steps, effect",
    "count, effect",
    "rating, cause",
]
WITHHELD = [
    "3 ordered levels, cause",
    "3 ordered levels, effect",
    "two values, cause",
    "two values, effect",
    "60 % rounded to 5 steps, effect",
    "86 % rounded to 10 steps, effect",
]
BESIDE_HEAPS = [
    "zero-inflated by 20 %, cause",
    "zero-inflated by 20 %, effect",
    "zero-inflated by 60 %, effect",
    "hurdle, effect",
    "floor at the 30 % quantile, effect",
]


def decided(law: str, pairs: int, **settings: str) -> list[Decision]:
    return [whence.infer(pair, **settings) for pair in BENCHMARK.drawn(law, pairs)]


@pytest.mark.parametrize("law", ANSWERED)
def test_answers_on_rounded_and_counted_columns_are_right(law: str) -> None:
    found = [decision.direction for decision in decided(law, 16)]
    assert Direction.FORWARD in found
    assert Direction.BACKWARD not in found


@pytest.mark.parametrize("law", WITHHELD)
def test_no_answer_is_given_on_several_heaps_and_few_levels_and_the_reason_is(law: str) -> None:
    for pair in BENCHMARK.drawn(law, 8):
        decision = whence.infer(pair)
        assert decision.direction is Direction.UNDECIDED
        if not decision.unrelated and decision.pair.n == pair.n:  # of several heaps one alone may be large enough
            assert re.search("a heap that misleads|too few for a direction|straight line", decision.explanation)


@pytest.mark.parametrize("law", BESIDE_HEAPS)
def test_of_a_heaped_column_the_other_rows_are_judged_and_no_answer_is_wrong(law: str) -> None:
    pairs = BENCHMARK.drawn(law, 10)
    found = [whence.infer(pair) for pair in pairs]
    assert Direction.BACKWARD not in [decision.direction for decision in found]
    for pair, decision in zip(pairs, found, strict=True):
        if not decision.unrelated and decision.pair.n < pair.n:
            assert any(f"only the other {decision.pair.n} rows are judged" in text for text in decision.warnings)


def test_methods_for_levels_are_named_where_they_can_answer() -> None:
    both, one = (whence.infer(BENCHMARK.drawn(f"3 ordered levels, {where}", 1)[0]) for where in ("both", "cause"))
    assert any("the method ordinal or discrete" in warning for warning in both.warnings)
    assert any(warning.endswith("or the method ordinal.") for warning in one.warnings)
    for pair, name in ((both.pair, "discrete"), (both.pair, "ordinal"), (one.pair, "ordinal")):
        assert not whence.infer(pair, method=name).failure


def test_a_method_that_is_asked_for_by_name_answers_beside_the_notice() -> None:
    for decision in decided("zero-inflated by 60 %, effect", 4, method="loci-h"):
        assert decision.direction is not Direction.UNDECIDED
        assert any("a heap that misleads" in warning for warning in decision.warnings)


def test_methods_for_levels_are_not_warned_of_levels() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, size=400)
    growth = group + (0.3 + 0.2 * group) * rng.exponential(size=400)
    assert any("distinct values" in text for text in whence.infer(group, growth, method="loci-h").warnings)
    assert not whence.infer(group, growth, method="ordinal").warnings


def test_zeros_in_the_effect_would_be_taken_for_its_cause() -> None:
    """Why heaps withhold an answer: without the look at the kinds nearly every lean is the wrong way."""
    method = whence.method("whence")
    leans = [method.decide_many([pair])[0].score for pair in BENCHMARK.drawn("hurdle, effect", 12)]
    assert np.mean(np.array(leans) < 0) > 0.8


def test_levels_under_the_model_of_discrete_are_answered_by_it() -> None:
    found = [decision.direction for decision in decided("steps added to 3 levels, both", 24, method="discrete")]
    assert found.count(Direction.FORWARD) > 10
    assert found.count(Direction.BACKWARD) <= 1
    assert FEWEST_LEVELS > 3


def test_the_guide_names_every_kind_and_every_law_of_the_benchmark() -> None:
    page = (ROOT / "docs" / "guide" / "kinds.md").read_text(encoding="utf-8")
    assert not [kind for kind in Kind if f"**{kind}**" not in page]
    assert not [law for law in BENCHMARK.LAWS if law not in page]
