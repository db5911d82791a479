"""Additive noise on levels: its test against random pairing and SciPy, its answers under its own model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.discrete import (
    MOST_LEVELS,
    chi_square_moments,
    discrete,
    independence,
    measure_direction,
)
from causewise.pair import Pair

SEEDS = st.integers(0, 2**32 - 1)


def table_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    table = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(table, (x, y), 1)
    return table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]


def additive(seed: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """A pair under the model: any f, noise of five steps."""
    rng = np.random.default_rng(seed)
    levels = int(rng.integers(4, 12))
    x = rng.choice(levels, n, p=rng.dirichlet(np.ones(levels)))
    noise = rng.choice(5, n, p=rng.dirichlet(np.ones(5)))
    return x.astype(float), (rng.integers(0, levels, levels)[x] + noise).astype(float)


def test_the_moments_are_those_of_random_pairing() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.poisson(2, 200), rng.poisson(1, 200)
    drawn = [chi2_contingency(table_of(x, rng.permutation(y)), correction=False).statistic for _ in range(2000)]
    table = table_of(x, y)
    mean, variance = chi_square_moments(table.sum(axis=1), table.sum(axis=0))
    assert np.mean(drawn) == pytest.approx(mean, rel=0.03)
    assert np.var(drawn) == pytest.approx(variance, rel=0.15)


def test_its_chi_square_is_scipys_where_nothing_can_be_moved() -> None:
    rng = np.random.default_rng(1)
    table = np.array([[40, 10, 10], [40, 10, 10]]) + rng.integers(0, 4, (2, 3))
    statistic, log_p = independence(table.astype(float), cyclic=False)
    theirs = chi2_contingency(table, correction=False)
    assert statistic <= theirs.statistic * (1 + 1e-9)
    assert np.exp(log_p) >= theirs.pvalue - 0.02


def test_under_its_own_model_nearly_every_answer_is_right_and_most_pairs_are_answered() -> None:
    found = [discrete().decide_many([Pair.of(*additive(seed))])[0].direction for seed in range(60)]
    right, wrong = found.count(Direction.FORWARD), found.count(Direction.BACKWARD)
    assert right >= 45
    assert wrong <= 2


def test_unrelated_levels_get_no_answer() -> None:
    rng = np.random.default_rng(2)
    found = [discrete().decide_many([Pair.of(*rng.poisson(3, (2, 300)))])[0] for _ in range(40)]
    assert sum(decision.direction is not Direction.UNDECIDED for decision in found) <= 2
    assert all("fits both ways" in decision.explanation for decision in found if "fits" in decision.explanation)


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_no_numbering_of_the_causes_levels_matters(seed: int) -> None:
    x, y = additive(seed, 200)
    levels = np.unique(x)
    other = np.random.default_rng(seed).permutation(levels)[np.searchsorted(levels, x)]
    assert measure_direction(x, y).score == measure_direction(other, y).score


@given(SEEDS, st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_a_ring_has_no_first_level(seed: int, turn: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(5, size=400)
    y = (np.array([0, 3, 5, 2, 6])[x] + rng.choice(7, 400, p=[0.6, 0.3, 0.02, 0.02, 0.02, 0.02, 0.02])) % 7
    if len(np.unique(y)) == 7:
        plain, turned = (
            measure_direction(x.astype(float), column.astype(float), cyclic=True) for column in (y, (y + turn) % 7)
        )
        assert plain.log_p_value is not None and turned.log_p_value is not None
        assert plain.log_p_value > np.log(1e-3) and turned.log_p_value > np.log(1e-3)


def test_columns_that_are_no_levels_are_refused_with_a_sentence() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(5, size=300).astype(float)
    fine = causewise.infer(x, rng.normal(size=300), method="discrete")
    assert f"at most {MOST_LEVELS}" in fine.reason
    uneven = causewise.infer(x, np.array([0.0, 1.0, 2.5, 7.0])[rng.integers(4, size=300)], method="discrete")
    assert "not evenly spaced" in uneven.reason
    far = causewise.infer(x, np.where(x > 3, 1000.0, x), method="discrete")
    assert f"at most {MOST_LEVELS}" in far.reason
