"""The evidence of fits and tests against plain computations, and its contrasts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import gamma, norm

from causewise.methods.combined.curve import fit_curve
from causewise.methods.combined.terms import (
    GROUPS,
    QUANTILE_LEVELS,
    ROWS_PER_GROUP,
    DirectionFit,
    contrast_directions,
    description_length,
    fit_direction,
    mdl,
    quantile_surface,
    surface_rest,
)
from causewise.numerics.density import Mixture, fit_mixture
from causewise.numerics.hsic import hsic_test
from causewise.pair import FloatArray, Pair, standardise

seeds = st.integers(0, 10**6)
sizes = st.integers(20, 200)
some = settings(max_examples=20)


def drawn(seed: int, n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, size=n)
    return x, np.sqrt(x) + (0.1 + 0.1 * x) * rng.normal(size=n)


def read(seed: int, n: int) -> tuple[DirectionFit, DirectionFit]:
    x, y = drawn(seed, n)
    return fit_direction(x, y), fit_direction(y, x)


def mixture_log_density(mixture: Mixture, values: FloatArray) -> FloatArray:
    parts = norm.logpdf(values[:, None], mixture.mean, mixture.sd)
    return np.asarray(logsumexp(parts, axis=1, b=mixture.weight))


# Description length.


@some
@given(seed=seeds, n=sizes)
def test_description_length_is_that_of_mixtures_of_normals_and_a_curve(seed: int, n: int) -> None:
    x, y = drawn(seed, n)
    order = np.argsort(x)
    u, v = standardise(x[order]), standardise(y[order])
    curve = fit_curve(u, v)
    cause, noise = fit_mixture(u), fit_mixture(curve.residual)
    data = mixture_log_density(cause, u) + mixture_log_density(noise, curve.residual) - np.log(curve.scale)
    parameters = curve.size + 3 * len(cause.weight) - 1 + 3 * len(noise.weight) - 1
    expected = -data.mean() + 0.5 * parameters * np.log(n) / n
    assert description_length(x, y) == pytest.approx(expected, rel=1e-9)
    found = fit_direction(x, y)
    assert found.costs["description"] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(found.log_density[order], data, rtol=1e-9, atol=1e-9)


def test_the_coded_density_of_a_row_integrates_to_one() -> None:
    x, y = drawn(1, 300)
    order = np.argsort(x)
    u, v = standardise(x[order]), standardise(y[order])
    curve = fit_curve(u, v)
    noise = fit_mixture(curve.residual)
    at = np.linspace(-30, 30, 20_001)
    for row in (0, 150, 299):
        density = np.exp(mixture_log_density(noise, (at - curve.location[row]) / curve.scale[row])) / curve.scale[row]
        assert np.trapezoid(density, at) == pytest.approx(1.0, abs=1e-6)


@some
@given(seed=seeds)
def test_the_method_mdl_compares_description_lengths(seed: int) -> None:
    x, y = drawn(seed, 80)
    (decision,) = mdl().decide_many([Pair.of(x, y)])
    assert decision.score == pytest.approx(description_length(y, x) - description_length(x, y), rel=1e-9, abs=1e-12)


@some
@given(seed=seeds, n=sizes)
def test_its_contrast_is_mean_over_standard_error(seed: int, n: int) -> None:
    forward, backward = read(seed, n)
    gain = forward.log_density - backward.log_density
    saved = gain.mean() + backward.price - forward.price
    expected = saved / (gain.std() / np.sqrt(n))
    assert contrast_directions(forward, backward)["description"] == pytest.approx(expected, rel=1e-9)
    assert saved == pytest.approx(backward.costs["description"] - forward.costs["description"], abs=1e-9)


# All contrasts.


@some
@given(seed=seeds, n=sizes)
def test_exchanging_the_directions_negates_every_contrast_exactly(seed: int, n: int) -> None:
    forward, backward = read(seed, n)
    there, back = contrast_directions(forward, backward), contrast_directions(backward, forward)
    assert {name: -value for name, value in back.items()} == there
    assert all(map(math.isfinite, there.values()))


@some
@given(seed=seeds, n=sizes)
def test_the_smaller_cost_is_spoken_for(seed: int, n: int) -> None:
    forward, backward = read(seed, n)
    for name, contrast in contrast_directions(forward, backward).items():
        assert np.sign(contrast) == np.sign(backward.costs[name] - forward.costs[name])


@some
@given(seed=seeds, n=sizes)
def test_the_contrast_of_shape_is_the_logarithm_of_a_ratio(seed: int, n: int) -> None:
    forward, backward = read(seed, n)
    expected = math.log(backward.costs["shape"] / forward.costs["shape"])
    found = contrast_directions(forward, backward)["shape"]
    assert found == pytest.approx(expected, rel=0.02, abs=0.02)  # but for the smallest value


@some
@given(seed=seeds, n=sizes)
def test_neither_the_order_of_rows_nor_units_change_a_reading(seed: int, n: int) -> None:
    x, y = drawn(seed, n)
    order = np.random.default_rng(seed).permutation(n)
    plain, mixed = fit_direction(x, y), fit_direction(4 * x[order], y[order] / 8)
    assert mixed.costs == plain.costs
    assert np.array_equal(mixed.log_density, plain.log_density[order])
    assert np.array_equal(order[mixed.order], plain.order)


# Independence.


def test_a_direction_is_tested_by_its_cause_and_its_residual() -> None:
    x, y = drawn(2, 80)
    found = fit_direction(x, y)
    plain = hsic_test(standardise(x[found.order]), found.curve.residual)
    assert found.test.statistic == pytest.approx(plain.statistic, rel=1e-6)
    assert found.test.log_p_value == pytest.approx(plain.log_p_value, rel=1e-6)


def test_the_relation_is_the_test_of_both_columns() -> None:
    x, y = drawn(3, 100)
    forward, backward = fit_direction(x, y), fit_direction(y, x)
    plain = hsic_test(standardise(x), standardise(y))
    for found in (forward.relation(backward), backward.relation(forward)):
        assert found.statistic == pytest.approx(plain.statistic, rel=1e-6)
        assert found.log_p_value == pytest.approx(plain.log_p_value, rel=1e-6)


# Shape.


@given(seed=seeds, n=st.integers(30, 300), groups=st.integers(3, 10))
def test_the_surface_holds_the_quantiles_of_groups_of_equal_count(seed: int, n: int, groups: int) -> None:
    v = np.random.default_rng(seed).normal(size=n * groups)
    levels = (np.arange(QUANTILE_LEVELS) + 0.5) / QUANTILE_LEVELS
    expected = [np.quantile(part, levels, method="hazen") for part in v.reshape(groups, n)]
    np.testing.assert_allclose(quantile_surface(v, groups), expected, atol=1e-12)


@given(seed=seeds, n=st.integers(30, 300), groups=st.integers(3, 10))
def test_reversing_the_cause_reverses_the_rows_of_the_surface(seed: int, n: int, groups: int) -> None:
    v = np.random.default_rng(seed).normal(size=n)
    assert np.array_equal(quantile_surface(v[::-1], groups), quantile_surface(v, groups)[::-1])


@given(seed=seeds, n=st.integers(30, 300))
def test_every_row_is_in_some_group(seed: int, n: int) -> None:
    """A value far away shows in the highest quantile of its group, wherever it stands."""
    place = np.random.default_rng(seed).integers(n)
    v = np.where(np.arange(n) == place, 1e9, np.linspace(0, 1, n))
    assert quantile_surface(v, 3, levels=4 * n).max() > 1e8


@given(seed=seeds, n=st.integers(12, 400))
def test_the_rest_is_the_best_rank_one_misfit(seed: int, n: int) -> None:
    v = standardise(np.random.default_rng(seed).gamma(1.0, size=n))
    surface = quantile_surface(v, min(max(n // ROWS_PER_GROUP, GROUPS[0]), GROUPS[1]))
    surface = surface - surface.mean(axis=1, keepdims=True)
    left, values, right = np.linalg.svd(surface)
    misfit = surface - values[0] * np.outer(left[:, 0], right[0])
    assert surface_rest(v) == pytest.approx(np.sqrt(np.mean(misfit**2)), rel=1e-6, abs=1e-9)


def by_group(quantiles: list[FloatArray], seed: int = 0) -> FloatArray:
    """Rows whose groups along the cause have these values, in any order within."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.permutation(each) for each in quantiles])


def test_the_rest_of_an_exact_location_scale_law_is_zero() -> None:
    noise = gamma.ppf((np.arange(60) + 0.5) / 60, 2.0)
    exact = by_group([np.sin(g) + (1 + 0.3 * g) * noise for g in range(10)])
    moving = by_group([gamma.ppf((np.arange(60) + 0.5) / 60, 1.0 + 2 * g) / (1 + g) for g in range(10)])
    assert surface_rest(exact) < 1e-12
    assert surface_rest(moving) > 0.01


@pytest.mark.parametrize("seed", range(5))
def test_the_rest_is_small_for_a_location_scale_law_and_large_where_the_skewness_moves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, noise = np.sort(rng.uniform(-1, 1, 3000)), rng.normal(size=3000)
    fixed = standardise(u + (0.4 + 0.2 * u) * noise)
    moving = standardise(u + 0.4 * (noise + 1.5 * u * np.abs(noise)))
    assert surface_rest(fixed) < 0.4 * surface_rest(moving)
