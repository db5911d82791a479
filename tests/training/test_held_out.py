"""Families that evaluate the method: sound columns, pairs that depend on their number, and a relation to be found."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from causewise.numerics.hsic import hsic_test
from training import doubtful, held_out

ALL = {**held_out.FAMILIES, **doubtful.DOUBTFUL}
RELATED = [*held_out.FAMILIES, "dependent", "common_cause", "common_cause_strict", "linear_gaussian"]


def p_values(family: str, count: int, seed: int) -> np.ndarray:
    drawn = held_out.draw_pairs(ALL, family, count, seed, (1000, 1000))
    return np.array([hsic_test(first, second).p_value for first, second, _ in drawn])


def test_names_differ() -> None:
    assert len(ALL) == len(held_out.FAMILIES) + len(doubtful.DOUBTFUL)


@pytest.mark.parametrize("n", [60, 1000])
@pytest.mark.parametrize("family", ALL)
def test_columns_are_finite_and_vary(family: str, n: int) -> None:
    rng = np.random.default_rng(n)
    for column in [column for _ in range(5) for column in ALL[family](rng, n)]:
        assert column.dtype == np.float64
        assert column.shape == (n,)
        assert held_out.sound(column)


@pytest.mark.parametrize("family", ALL)
def test_a_pair_depends_on_seed_family_and_number_only(family: str) -> None:
    first, again = (held_out.draw_pairs(ALL, family, count, 3, (60, 90)) for count in (4, 3))
    other = held_out.draw_pairs(ALL, family, 3, 4, (60, 90))
    for (a, b, truth), (c, d, same), (e, _, _) in zip(first, again, other, strict=False):
        assert (a.tobytes(), b.tobytes(), truth) == (c.tobytes(), d.tobytes(), same)
        assert a.tobytes() != e.tobytes()


def test_pairs_of_a_family_differ_in_size_and_in_values() -> None:
    drawn = held_out.pairs("allometry", 40, 0, (50, 400))
    sizes = [len(first) for first, _, _ in drawn]
    assert 50 <= min(sizes) < 80 and 250 < max(sizes) <= 400
    assert len({float(first[0]) for first, _, _ in drawn}) == 40


def test_truth_is_balanced() -> None:
    truths = [truth for family in ALL for *_, truth in held_out.draw_pairs(ALL, family, 20, 1, (30, 30))]
    assert set(truths) == {-1, 1}
    assert abs(np.mean(truths)) < 4 / np.sqrt(len(truths))


def test_truth_tells_the_cause() -> None:
    table = {"apart": lambda rng, n: (rng.random(n), 10 + rng.random(n))}
    for first, second, truth in held_out.draw_pairs(table, "apart", 20, 2):
        assert truth == np.sign(second[0] - first[0])


@pytest.mark.parametrize("family", RELATED)
def test_columns_depend_on_each_other(family: str) -> None:
    assert np.mean(p_values(family, 10, 5) < 0.01) >= 0.8


def test_independent_columns_depend_no_more_often_than_by_chance() -> None:
    assert np.sum(p_values("independent", 100, 6) < 0.05) <= 12


def test_series_without_relation_look_related() -> None:
    """What makes them doubtful: a test that takes the rows as independent finds a relation."""
    assert np.mean(p_values("walks", 20, 7) < 0.05) > 0.4


def test_about_a_fifth_is_rounded() -> None:
    families = ["allometry", "market", "velocity_flow", "sensor", "skewed_scale"]
    drawn = [pair for family in families for pair in held_out.pairs(family, 60, 8, (200, 200))]
    share = np.mean([min(len(np.unique(first)), len(np.unique(second))) < 150 for first, second, _ in drawn])
    assert 0.1 < share < 0.3


def test_a_family_that_never_varies_is_named() -> None:
    with pytest.raises(RuntimeError, match="check the ranges"):
        held_out.settled(lambda rng, n: (np.zeros(n), rng.normal(size=n)))(np.random.default_rng(0), 10)
