"""How much noise a pair has, with and without ties; functions and lines, which have none, are found."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causewise.data_checks import Severity, check
from causewise.diagnostics import noise_share
from causewise.pair import Pair
from defects import SEEDS, clean, kinds, rows


def diamonds(n: int = 5000) -> Pair:
    """Weights to two decimals, prices in whole dollars."""
    rng = np.random.default_rng(0)
    carat = np.maximum(np.round(np.exp(rng.normal(-0.4, 0.55, size=n)), 2), 0.2)
    return Pair.of(carat, np.round(4000 * carat**1.7 * np.exp(0.3 * rng.normal(size=n))), x_name="carat")


@given(seed=SEEDS, digits=st.integers(0, 3))
@settings(max_examples=24, deadline=None)
def test_the_noise_does_not_depend_on_the_row_order(seed: int, digits: int) -> None:
    pair = clean(seed)
    x, order = np.round(pair.x, digits), np.random.default_rng(seed).permutation(pair.n)
    assert noise_share(x, pair.y) == noise_share(x[order], pair.y[order])
    assert noise_share(pair.y, x) == noise_share(pair.y[order], x[order])


@pytest.mark.parametrize("order", ["as drawn", "by price", "by carat and price"])
def test_ties_sorted_by_the_effect_are_still_noise(order: str) -> None:
    pair = diamonds()
    keys = {"as drawn": np.arange(pair.n), "by price": pair.y, "by carat and price": pair.x + 1j * pair.y}
    ordered = rows(pair, np.argsort(keys[order], kind="stable"))
    assert not {"nearly_deterministic", "repeated_rows"} & set(kinds(ordered))
    assert noise_share(ordered.x, ordered.y) == noise_share(pair.x, pair.y) > 0.05


@pytest.mark.parametrize("step", [0.0, 0.001, 0.02, 0.1, 0.5])
@pytest.mark.parametrize("size", [0.02, 0.1, 0.5])
def test_the_noise_share_is_right_with_and_without_ties(step: float, size: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, size=4000)
    x = np.round(x / step) * step if step else x
    y = x + size * rng.normal(size=4000)
    spread = np.subtract(*np.quantile(y, [0.75, 0.25])) / 1.349
    kept = 0.76  # of a Gaussian's variance, when the largest twentieth of the squares is left out
    assert noise_share(x, y) == pytest.approx(kept * (size / spread) ** 2, rel=0.1)


@pytest.mark.parametrize("digits", [0, 1, 2, 12])
@pytest.mark.parametrize("curve", [np.tanh, np.exp, np.square, lambda x: np.sin(2 * x) + x])
def test_a_function_is_found_with_and_without_ties(digits: int, curve: Callable[[np.ndarray], np.ndarray]) -> None:
    x = np.round(np.random.default_rng(2).normal(size=600), digits)
    for order in (np.arange(600), np.argsort(x)):
        assert "nearly_deterministic" in kinds(Pair.of(x[order], curve(x[order])))


def test_a_table_pasted_twice_is_no_function() -> None:
    pair = clean(4)
    twice = Pair.of(np.tile(pair.x, 2), np.tile(pair.y, 2))
    assert list(kinds(twice)) == ["repeated_rows"]


def test_a_function_beside_a_far_row() -> None:
    x = np.append(np.random.default_rng(3).normal(size=400), 0.5)
    pair = Pair.of(x, np.append(np.tanh(x[:-1]), 1e20))
    assert list(kinds(pair)) == ["outliers", "nearly_deterministic"]


# Lines


@pytest.mark.parametrize("slope", [-1e12, -1.0, 1e-9, 1.8])
@pytest.mark.parametrize("digits", [0, 3, 12])
def test_a_change_of_units_stops(slope: float, digits: int) -> None:
    x = np.round(5 * np.random.default_rng(4).gamma(2, size=300), digits)
    found = kinds(Pair.of(x, slope * x + 32 * slope))
    assert found["exact_line"] is Severity.STOPS
    assert not {"nearly_deterministic", "linear_gaussian"} & set(found)


def test_a_far_row_makes_no_line() -> None:
    rng = np.random.default_rng(5)
    x, y = np.append(rng.normal(size=(2, 300)), [[1e20], [1e20]], axis=1)
    assert set(kinds(Pair.of(x, y))) == {"outliers"}


def test_a_curve_is_no_line() -> None:
    x = np.random.default_rng(6).uniform(1, 2, size=300)
    assert "exact_line" not in kinds(Pair.of(x, np.log(x)))


def test_gaussian_lines_are_found_and_unrelated_columns_are_not() -> None:
    lines, unrelated = 0, 0
    for seed in range(100):
        x, y = np.random.default_rng(seed).normal(size=(2, 500))
        lines += "linear_gaussian" in kinds(Pair.of(x, x + y))
        unrelated += bool(check(Pair.of(x, y)))
    assert lines >= 90
    assert unrelated <= 3
