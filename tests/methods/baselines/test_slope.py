"""SLOPE: its codes against a plain loop, decodable lengths, and the significance of an answer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.slope import (
    Code,
    code,
    coefficient_bits,
    fit_groups,
    gaussian_bits,
    integer_bits,
    resolution,
    shapes,
)
from causewise.numerics.arrays import minmax


def low_noise(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, n)
    return x, x**3 + 0.03 * rng.standard_normal(n)


def stepped(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A cause of twenty values, whose effects are uniform around it."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 20, n).astype(float)
    return x, np.sqrt(x) + rng.uniform(-1, 1, n)


def test_the_code_of_whole_numbers_can_be_decoded() -> None:
    """Kraft's inequality: no more than one number's worth of code words is spent; and larger numbers cost more."""
    lengths = integer_bits(np.arange(1.0, 2_000_000.0))
    assert 0.5 < np.sum(2.0**-lengths) <= 1.0
    assert np.all(np.diff(lengths) > 0)
    assert float(integer_bits(np.array(1e300))) < 1100


def test_a_coefficient_costs_its_digits_and_its_scale() -> None:
    assert float(coefficient_bits(np.array(0.0))) == 0.0
    one, tenth = coefficient_bits(np.array([1.234, 0.1234]))
    assert one == pytest.approx(1 + integer_bits(np.array(1234.0)) + integer_bits(np.array(4.0)))
    assert tenth - one == pytest.approx(integer_bits(np.array(5.0)) - integer_bits(np.array(4.0)))
    assert np.array_equal(coefficient_bits(np.array([-2.5])), coefficient_bits(np.array([2.5])))


def test_gaussian_bits_are_minus_the_log_density_at_the_resolution() -> None:
    from scipy.stats import norm

    r = np.random.default_rng(0).normal(0, 0.2, 50)
    sd = math.sqrt(np.mean(r**2))
    expected = -np.sum(norm.logpdf(r, scale=sd)) / math.log(2) - 50 * math.log2(0.001)
    assert float(gaussian_bits(np.array(r @ r), np.array(50.0), 0.001)) == pytest.approx(expected)


def test_groups_are_fitted_as_each_alone() -> None:
    rng = np.random.default_rng(1)
    t, v = rng.uniform(-5, 5, 60), rng.normal(size=60)
    start = np.array([0, 7, 30])
    groups = (slice(0, 7), slice(7, 30), slice(30, 60))
    for column in shapes(t, 1e-3):
        fit = fit_groups(column, v, start)
        for g, rows in enumerate(groups):
            line = np.polyfit(column[rows], v[rows], 1)
            wrong = (v[rows] - np.polyval(line, column[rows])) ** 2
            assert fit.squares[rows] == pytest.approx(wrong, abs=1e-8)
            assert fit.sse[g] == pytest.approx(np.sum(wrong))
            assert fit.bits[g] == pytest.approx(np.sum(coefficient_bits(line)), abs=0.01)


def test_without_equal_values_the_code_is_the_best_global_function() -> None:
    x, y = low_noise(0)
    u, v = minmax(x), minmax(y)
    fine = resolution(np.sort(v))
    lengths = []
    for column in shapes(u, resolution(np.sort(u))):
        line = np.polyfit(column, v, 1)
        wrong = np.sum((v - np.polyval(line, column)) ** 2)
        lengths.append(float(gaussian_bits(wrong, np.array(400.0), fine) + np.sum(coefficient_bits(line))))
    found = code(x, y)
    assert found.local == 0
    assert found.total == pytest.approx(min(lengths) + 1.0 - 400 * math.log2(resolution(np.sort(u))), rel=1e-6)


def test_local_functions_are_taken_where_they_save() -> None:
    x, y = stepped(0)
    mixed, alone = code(x, y), code(x, y, min_count=401)
    assert mixed.local > 0 == alone.local
    assert mixed.total < alone.total
    assert mixed.cause == alone.cause


rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=20, max_size=60).filter(
    lambda rows: all(len(set(column)) > 2 for column in zip(*rows, strict=True))
)


@given(rows=rows)
@settings(max_examples=24, deadline=None)
def test_a_choice_of_functions_never_costs_more_than_none(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, float).T
    found: Code = code(x, y)
    assert math.isfinite(found.total)
    assert found.total <= code(x, y, min_count=10**6).total
    assert min(found.cause, found.functions, found.residual) >= 0.0


@pytest.mark.parametrize("seed", range(4))
def test_little_noise_and_causes_of_few_values_are_decided_rightly(seed: int) -> None:
    for pair in (low_noise(seed), stepped(seed)):
        assert causewise.infer(*pair, method="slope").direction is Direction.FORWARD


def test_the_p_value_withholds_what_the_level_does_not_allow() -> None:
    x, y = low_noise(0, n=30)
    forward, backward = code(x, y), code(y, x)
    p = 2.0 ** (-abs(forward.total - backward.total) / 2)
    below, above = (causewise.infer(x, y, method="slope", level=level) for level in (p / 2, 2 * p))
    assert below.direction is Direction.UNDECIDED and below.leaning is above.direction is Direction.FORWARD
    assert f"{p:.2g}" in below.reason and f"{p:.2g}" in above.carried_by
    assert below.score == above.score


def test_costs_add_up_to_the_score_and_a_page_says_why_an_answer_is_withheld() -> None:
    x, y = low_noise(0, n=30)
    decision = causewise.infer(x, y, method="slope", level=1e-30)
    assert sum(decision.forward.costs.values()) == pytest.approx(-decision.forward.score)
    assert "bits shorter" in decision._repr_html_()


def test_two_values_are_refused_on_either_side() -> None:
    x, y = low_noise(0)
    for pair in ((x > 0.5, y), (y, x > 0.5)):
        assert "distinct values" in causewise.infer(*pair, method="slope").reason
