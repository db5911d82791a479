"""Entropic inference against a search over all couplings, and columns of few levels."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.discrete import entropy, greedy_coupling, levels_of, noise_entropy
from causewise.methods.baselines.discrete import score_entropic as score

SUM = 10
LAW = st.lists(st.integers(0, SUM), min_size=2, max_size=2).map(lambda cut: np.diff([0, *sorted(cut), SUM]).tolist())


def shares(law: list[int], row: int) -> Iterator[list[int]]:
    """Every way to take `row` units out of the entries of a law."""
    if len(law) == 1:
        if row <= law[0]:
            yield [row]
        return
    for first in range(min(law[0], row) + 1):
        for rest in shares(law[1:], row - first):
            yield [first, *rest]


def least_entropy(one: list[int], other: list[int]) -> float:
    """Over all couplings of whole numbers; entropy is concave, and the corners of the couplings are whole."""

    def least(rows: list[int], left: list[int]) -> float:
        if not rows:
            return 0.0
        found = []
        for taken in shares(left, rows[0]):
            bits = -sum(t / SUM * math.log2(t / SUM) for t in taken if t)
            found.append(bits + least(rows[1:], [a - b for a, b in zip(left, taken, strict=True)]))
        return min(found)

    return least(one, other)


def few_levels(seed: int, n: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """A function of eight levels with a rare exception."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 8, n)
    return x, np.where(rng.uniform(size=n) < 0.9, rng.integers(0, 6, 8)[x], rng.integers(0, 6, 8)[x])


@given(one=LAW, other=LAW)
@settings(max_examples=24, deadline=None)
def test_the_greedy_coupling_is_within_a_bit_of_the_best(one: list[int], other: list[int]) -> None:
    masses = greedy_coupling([one, other])
    assert sum(masses) == SUM
    assert len(masses) < sum(1 for law in (one, other) for count in law if count)
    found = entropy(np.array(masses) / SUM)
    assert least_entropy(one, other) - 1e-9 <= found <= least_entropy(one, other) + 1.0


@given(table=st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4), min_size=2, max_size=5))
@settings(max_examples=24, deadline=None)
def test_noise_is_no_less_random_than_any_law_and_the_order_of_levels_is_nothing(table: list[list[int]]) -> None:
    counts = np.array(table)
    found = noise_entropy(counts)
    assert found >= max(entropy(row / row.sum()) for row in counts) - 1e-9
    order = np.random.default_rng(0)
    assert noise_entropy(counts[order.permutation(len(counts))][:, order.permutation(4)]) == found


def test_a_function_needs_no_noise_and_unrelated_columns_no_less_than_the_effect() -> None:
    x = np.repeat(np.arange(6.0), 50)
    assert score(x, np.floor(x / 2)) == pytest.approx(-math.log2(6))
    y = np.tile(np.arange(5.0), 60)
    assert score(x, y) == pytest.approx(-math.log2(6) - math.log2(5))


@pytest.mark.parametrize("seed", range(6))
def test_little_noise_is_decided_rightly_whatever_the_levels_are_called(seed: int) -> None:
    x, y = few_levels(seed)
    found = causewise.infer(x, y, method="entropic")
    assert found.direction is Direction.FORWARD
    renamed = np.array([3.0, -1.0, 100.0, 7.5, 0.0, 2.0, 55.0, 8.0])
    assert causewise.infer(renamed[x], y, method="entropic").score == found.score


def test_continuous_columns_are_refused_unless_bins_are_asked_for() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200))
    refusal = causewise.infer(x, y, method="entropic").reason
    assert "200 distinct values" in refusal and "bins=8" in refusal
    assert not causewise.infer(x, y, method="entropic", bins=8).failed
    assert len(set(levels_of(x, 30, 8).tolist())) <= 8
    assert levels_of(np.array([0.0, 0.1, 0.9, 1.0, 0.5]), 2, 2).tolist() == [0, 0, 1, 1, 1]
