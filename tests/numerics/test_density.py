"""Spacings against plain loops; mixtures of normals by BIC against scikit-learn, by hand, and invariances."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from causewise.numerics.density import (
    Mixture,
    fit_mixture,
    log_density,
    log_density_at_rows,
    spacing_entropy,
    spacing_entropy_of_masses,
)
from causewise.pair import FloatArray

LATTICE = st.lists(st.integers(0, 30), min_size=4, max_size=60).filter(lambda v: len(set(v)) > 1)


@given(LATTICE)
def test_against_a_loop_over_gaps(values):
    v = sorted(float(x) for x in values)
    gaps = [b - a for a, b in pairwise(v)]
    expected = sum(np.log2(gap) for gap in gaps if gap) / len(gaps) + np.log2(len(v))
    assert spacing_entropy(np.array(v)) == pytest.approx(expected, abs=1e-12)


@given(LATTICE)
def test_masses_against_a_loop_over_distinct_values(values):
    distinct = sorted(set(values))
    share = {v: values.count(v) for v in distinct}
    cells = [(b - a, (share[a] + share[b]) / 2) for a, b in pairwise(distinct)]
    total = sum(mass for _, mass in cells)
    expected = -sum(mass / total * np.log2(mass / total / gap) for gap, mass in cells)
    assert spacing_entropy_of_masses(np.sort(np.array(values, float))) == pytest.approx(expected, abs=1e-12)


@given(LATTICE, st.floats(0.01, 100))
def test_the_entropy_of_masses_moves_by_the_log_of_the_unit_even_with_ties(values, unit):
    v = np.sort(np.array(values, float))
    assert spacing_entropy_of_masses(v * unit) == pytest.approx(spacing_entropy_of_masses(v) + np.log2(unit), abs=1e-9)


def test_without_ties_the_two_differ_by_a_constant_of_the_row_count_alone():
    rng = np.random.default_rng(0)
    columns = np.sort(rng.normal(size=(5, 200)) ** 3, axis=1)
    gaps = [spacing_entropy(c) - spacing_entropy_of_masses(c) for c in columns]
    assert np.ptp(gaps) < 1e-12
    assert gaps[0] == pytest.approx(np.log2(200 / 199))


def test_a_fine_uniform_grid_has_the_entropy_of_its_interval():
    grid = np.linspace(0, 8, 1001)
    assert spacing_entropy_of_masses(grid) == pytest.approx(3.0)
    assert spacing_entropy_of_masses(np.repeat(grid, 7)) == pytest.approx(3.0, abs=1e-3)


def test_spacings_find_the_density_and_follow_the_rows():
    x = np.random.default_rng(0).normal(size=4000)
    logs = log_density_at_rows(x)
    assert abs(np.mean(logs) + 0.5 * math.log(2 * math.pi * math.e)) < 0.05
    order = np.random.default_rng(1).permutation(4000)
    np.testing.assert_array_equal(log_density_at_rows(x[order]), logs[order])
    np.testing.assert_allclose(log_density_at_rows(3 * x), logs - math.log(3))


def test_ties_without_any_distance_have_no_density():
    assert log_density_at_rows(np.repeat([0.0, 1.0], 50)) is None


def _column(kind: str, n: int = 800, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    draws = {
        "gaussian": rng.normal(size=n),
        "laplace": rng.laplace(size=n),
        "bimodal": np.where(rng.random(n) < 0.4, rng.normal(-3, 0.5, n), rng.normal(2, 1, n)),
        "exponential": rng.exponential(size=n),
    }
    return draws[kind]


def test_one_normal_is_coded_by_its_own_entropy() -> None:
    column = _column("gaussian")
    found = fit_mixture(column)
    assert len(found.weight) == 1
    assert found.data_cost == pytest.approx(0.5 * np.log(2 * np.pi * np.e * column.var()), abs=1e-12)


def test_two_separate_modes_are_found() -> None:
    found = fit_mixture(_column("bimodal"))
    assert len(found.weight) == 2
    order = np.argsort(found.mean)
    assert found.mean[order] == pytest.approx([-3, 2], abs=0.15)
    assert found.weight[order] == pytest.approx([0.4, 0.6], abs=0.05)


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "bimodal", "exponential"])
def test_code_is_hardly_longer_than_the_best_of_scikit_learn(kind: str) -> None:
    column = _column(kind)
    sheet = column[:, None]
    rivals = [GaussianMixture(k, n_init=3, random_state=0).fit(sheet).bic(sheet) for k in range(1, 6)]
    assert fit_mixture(column).cost <= min(rivals) / (2 * len(column)) + 0.02


@given(shift=st.floats(-50, 50), scale=st.floats(0.01, 100), seed=st.integers(0, 20))
def test_units_move_the_cost_by_the_log_of_the_scale(shift: float, scale: float, seed: int) -> None:
    column = _column("laplace", 200, seed)
    assert fit_mixture(shift + scale * column).cost == pytest.approx(fit_mixture(column).cost + np.log(scale), abs=1e-4)


def test_row_order_does_not_matter() -> None:
    column = _column("exponential")
    assert fit_mixture(column).cost == fit_mixture(column[::-1]).cost


@given(n=st.integers(0, 40), size=st.integers(1, 7), seed=st.integers(0, 1000), far=st.sampled_from([1.0, 100.0]))
def test_log_density_is_the_sum_of_normal_densities(n: int, size: int, seed: int, far: float) -> None:
    rng = np.random.default_rng(seed)
    weight, mean, sd = rng.dirichlet(np.ones(size)), rng.normal(size=size), rng.uniform(0.05, 3, size)
    values = far * rng.normal(size=n)
    expected = logsumexp(norm.logpdf(values[:, None], mean, sd), axis=1, b=weight)
    np.testing.assert_allclose(
        log_density(Mixture(weight, mean, sd, 0.0, 0.0), values), expected, rtol=1e-12, atol=1e-12
    )


def condense(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    ordered, n = np.sort(column), len(column)
    m = min(n, 80)
    parts = [ordered[j * n // m : -(-(j + 1) * n // m)] for j in range(m)]
    return np.array([part.mean() for part in parts]), np.array([part.var() for part in parts])


def climb(
    centre: FloatArray, within: FloatArray, start: list[FloatArray], floor: float
) -> tuple[float, list[FloatArray]]:
    """EM by matrices."""
    (w, m, d), last = start, -np.inf
    for _ in range(25):
        parts = np.log(w / d) - 0.5 * ((centre[:, None] - m) ** 2 + within[:, None]) / d**2
        density = logsumexp(parts, axis=1)
        share = np.exp(parts - density[:, None]) / len(centre)
        held = share.sum(axis=0)
        w, m = np.maximum(held, 1e-8), share.T @ centre / held
        d = np.maximum(np.sqrt(np.maximum(share.T @ (centre**2 + within) / held - m**2, 0.0)), floor)
        value = float(density.mean())
        if value - last < 1e-4:
            break
        last = value
    return value, [w / w.sum(), m, d]


def plain_search(column: FloatArray) -> tuple[float, int]:
    """Cost and number of components by the same rules in NumPy."""
    (centre, within), n = condense(column), len(column)
    now = [np.ones(1), np.array([centre.mean()]), np.array([np.sqrt((within + (centre - centre.mean()) ** 2).mean())])]
    floor = 0.02 * now[2][0]

    def cost(found: list[FloatArray]) -> float:
        density = log_density(Mixture(*found, 0.0, 0.0), column)
        return float(-density.mean() + 0.5 * (3 * len(found[0]) - 1) * np.log(n) / n)

    best = cost(now), 1
    for k in range(2, 6):
        ends = [slice(j * len(centre) // k, -(-(j + 1) * len(centre) // k)) for j in range(k)]
        means = np.array([centre[end].mean() for end in ends])
        spread = [np.sqrt((within[e] + (centre[e] - mean) ** 2).mean()) for e, mean in zip(ends, means, strict=True)]
        heavy = int(np.argmax(now[0]))
        split = [np.append(part, part[heavy]) for part in now]
        split[0][[heavy, -1]] *= [0.6, 0.4]
        split[2][[heavy, -1]] *= [0.6, 1.5]
        starts = [np.full(k, 1 / k), means, np.maximum(spread, floor)], split
        one, other = (climb(centre, within, start, floor) for start in starts)
        now = one[1] if one[0] >= other[0] else other[1]
        if cost(now) < best[0]:
            best = cost(now), k
        elif k >= 3 and cost(now) > best[0] + 1.5 * np.log(n) / n:
            break
    return best


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "bimodal", "exponential"])
@pytest.mark.parametrize("n", [2, 7, 8, 9, 79, 80, 81, 500])
def test_the_search_is_that_of_plain_numpy(kind: str, n: int) -> None:
    column = _column(kind, n, seed=5)
    found = fit_mixture(column)
    cost, size = plain_search(column)
    assert len(found.weight) == size
    assert found.cost == pytest.approx(cost, abs=1e-9)
