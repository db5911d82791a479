"""Thresholds over the location-scale model: what it answers under its model, what it withholds, what it refuses."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.ordinal import (
    CodedColumn,
    code_columns,
    code_direction,
    compare_codes,
    ordinal,
    refine_noise,
)
from causewise.pair import Pair

ROOT = Path(__file__).parents[3]
SEEDS = st.integers(0, 2**32 - 1)


def study() -> ModuleType:
    """benchmarks/ordinal_levels.py, whose laws these tests share."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        place = importlib.util.spec_from_file_location("ordinal_levels", ROOT / "benchmarks" / "ordinal_levels.py")
        assert place and place.loader
        module = importlib.util.module_from_spec(place)
        place.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return module


STUDY = study()


def answers(law: str, levels: int, n: int = 1000, pairs: int = 10, **setting: bool) -> list[Direction]:
    return [
        each.direction for each in ordinal(**setting).decide_many(list(STUDY.drawn(STUDY.LAWS[law], levels, n, pairs)))
    ]


# Codes


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_columns_without_a_relation_cost_the_same_both_ways(seed: int) -> None:
    """Each is coded by its own law then, whichever is called the cause."""
    rng = np.random.default_rng(seed)
    x, y = code_columns(Pair.of(np.arange(300) % 4, rng.permutation(rng.gamma(2, size=300))), 12, 1000)
    # Every quantile of y occurs at every level as often.
    y = CodedColumn(np.sort(y.values), None)
    forward, backward = code_direction(x, y), code_direction(y, x)
    assert forward.parameters == backward.parameters
    assert forward.nats() == pytest.approx(backward.nats(), abs=1e-6)
    assert compare_codes(forward, backward).score == pytest.approx(0.0, abs=1e-6)


def test_a_code_is_a_density() -> None:
    """The masses of all cells of a table of levels add up to one."""
    rng = np.random.default_rng(0)
    x = rng.integers(3, size=400)
    y = np.minimum(rng.poisson(1 + x), 4)
    pair = code_columns(Pair.of(x, y), 12, 1000)
    for cause, effect in (pair, pair[::-1]):
        code = code_direction(cause, effect).log_density
        cells = {(a, b): mass for a, b, mass in zip(cause.level, effect.level, code, strict=True)}
        assert sum(map(math.exp, cells.values())) == pytest.approx(1.0, abs=1e-3)


def test_copies_of_a_skewed_law_are_laid_over_each_other() -> None:
    """Scales of two exponential laws, by their own law: nearer than by standard deviations."""
    ours, theirs = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        level = np.arange(400) % 2
        v = np.where(level, 5 + 3 * rng.exponential(size=400), rng.exponential(size=400))
        deviation = np.array([v[level == k].std() for k in range(2)])
        noise = (v - np.array([v[level == k].mean() for k in range(2)])[level]) / deviation[level]
        _, scale = refine_noise(v, level, noise, deviation[level], own=True)
        ours.append(math.log(scale[1] / scale[0] / 3))
        theirs.append(math.log(deviation[1] / deviation[0] / 3))
    assert np.std(ours) < 0.9 * np.std(theirs)
    assert abs(np.mean(ours)) < 0.1


def test_two_code_columns_two_values_are_alike_both_ways() -> None:
    rng = np.random.default_rng(1)
    x = rng.random(300) < 0.4
    found = causewise.infer(x.astype(float), (rng.random(300) < 0.3 + 0.4 * x).astype(float), method="ordinal")
    assert found.score == 0
    assert "the same law" in found.explanation


# What it says


def test_levels_that_act_are_found_and_nothing_else_is_said_of_them() -> None:
    found = answers("levels act, on a continuous effect", 4, pairs=10)
    assert found.count(Direction.FORWARD) >= 7
    assert Direction.BACKWARD not in found
    assert Direction.BACKWARD not in answers("levels act, on a continuous effect", 2, pairs=10)


def test_an_effect_that_was_cut_is_found_once_a_cut_cause_is_ruled_out() -> None:
    told = answers("location-scale, effect cut", 4, pairs=8, acting=True)
    assert told.count(Direction.FORWARD) >= 6
    assert told.count(Direction.BACKWARD) <= 1
    assert Direction.FORWARD not in answers("location-scale, effect cut", 4, pairs=4)


def test_a_cause_that_was_cut_reads_the_wrong_way_and_so_is_withheld() -> None:
    """Why a continuous cause of levels is not named by default."""
    found = list[Direction]()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cause = rng.uniform(0, 4, 1000)
        pair = Pair.of(np.digitize(cause, [1, 2.5]), np.sin(2 * cause) + 0.2 * rng.normal(size=1000))
        found += [ordinal(acting=acting).decide_many([pair])[0].direction for acting in (True, False)]
    assert found[::2].count(Direction.BACKWARD) >= 4
    assert set(found[1::2]) == {Direction.UNDECIDED}


def test_common_causes_are_seldom_answered() -> None:
    found = [each for levels in (2, 4) for each in answers("common cause, one cut", levels, pairs=8)]
    assert sum(each is not Direction.UNDECIDED for each in found) <= 1


def test_gaussian_classes_are_a_logistic_curve_read_backwards() -> None:
    """The two models share this law, and the first of the two tests sees that."""
    undecided = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = (rng.random(1000) < 0.5).astype(float)
        undecided += (
            causewise.infer(x, 3 * x + rng.normal(size=1000), method="ordinal").direction is Direction.UNDECIDED
        )
    assert undecided >= 10


# What it takes


def test_the_names_of_levels_do_not_matter_between_two_values() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(2, size=300), rng.gamma(2, size=300)
    y = y + 2 * x
    plain, other = (ordinal().decide_many([Pair.of(each, y)])[0].score for each in (x, 17.0 - 5 * x))
    assert other == pytest.approx(plain, rel=1e-9)


def test_a_level_of_a_single_row_does_no_harm() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(3, size=200).astype(float)
    x[0] = 9.0
    found = causewise.infer(x, x + rng.normal(size=200), method="ordinal")
    assert math.isfinite(found.score)


def test_continuous_columns_are_refused_with_a_sentence() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 100))
    found = causewise.infer(x, y, method="ordinal")
    assert "100 and 100 values; expected at most 12" in found.reason
    assert not causewise.infer(np.round(3 * x), y, method="ordinal", max_levels=30).failed


def test_of_long_tables_a_fixed_sample_is_judged() -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(3, size=2000)
    found = causewise.infer(x, x + rng.normal(size=2000), method="ordinal", max_rows=500)
    assert found.rows_judged == 500


@pytest.mark.slow
def test_what_the_page_says_of_levels_that_act() -> None:
    found = [
        each
        for levels in STUDY.LEVELS
        for n in STUDY.ROWS
        for each in answers("levels act, on a continuous effect", levels, n, 40)
    ]
    right, wrong = found.count(Direction.FORWARD), found.count(Direction.BACKWARD)
    assert right > 100
    assert wrong <= 0.02 * right
