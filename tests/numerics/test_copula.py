import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from whence.numerics.copula import conditional_quantiles, copula_density, normal_grid, uniform_grid


def raw(z_a, z_b, r, h):
    g = normal_grid()
    at = np.dstack(np.meshgrid(g, g, indexing="ij"))
    kernels = [multivariate_normal(m, h * h * np.array([[1, r], [r, 1]])).pdf(at) for m in zip(z_a, z_b, strict=True)]
    margin = np.exp(-0.5 * g * g) / np.sqrt(2 * np.pi)
    return np.mean(kernels, axis=0) / np.outer(margin, margin)


def swept(density, p):
    for _ in range(3):
        density = density / np.maximum(np.trapezoid(density, p, axis=1), 1e-20)[:, None]
        density = density / np.maximum(np.trapezoid(density, p, axis=0), 1e-20)[None, :]
    return density


def test_the_grids_match():
    assert uniform_grid()[1:-1] == pytest.approx(ndtr(normal_grid())[1:-1], abs=1e-15)
    assert normal_grid()[[0, -1]] == pytest.approx([-3.25, 3.25])


@pytest.mark.parametrize(("r", "h"), [(0.0, 0.3), (0.6, 0.4), (-0.95, 0.2), (0.3, 0.15)])
def test_against_a_sum_of_normal_densities(r, h):
    rng = np.random.default_rng(0)
    z_a, z_b = rng.normal(size=(2, 80))
    expected = swept(raw(z_a, z_b, r, h), uniform_grid())
    assert copula_density(z_a, z_b, r, h, symmetric=False) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_exchanging_the_columns_transposes_the_symmetric_form_only():
    rng = np.random.default_rng(1)
    z_a = rng.normal(size=200)
    z_b = np.abs(z_a) + 0.3 * rng.normal(size=200)
    one, other = copula_density(z_a, z_b, 0.2, 0.3), copula_density(z_b, z_a, 0.2, 0.3)
    assert one == pytest.approx(other.T, abs=1e-10)
    one, other = copula_density(z_a, z_b, 0.2, 0.3, False), copula_density(z_b, z_a, 0.2, 0.3, False)
    assert np.max(np.abs(one - other.T)) > 1e-4


def test_quantiles_of_independence_are_the_levels():
    levels = np.array([0.1, 0.5, 0.93])
    found = conditional_quantiles(np.ones((30, 30)), uniform_grid(), np.linspace(0.01, 0.99, 7), levels)
    assert found == pytest.approx(np.tile(levels, (7, 1)), abs=1e-12)


def test_quantiles_invert_the_integrated_density():
    rng = np.random.default_rng(2)
    density, p = rng.gamma(0.5, size=(30, 30)), uniform_grid()
    given, levels = rng.random(20), np.array([0.01, 0.3, 0.5, 0.99])
    fine = np.linspace(0, 1, 400_001)
    for at, row in zip(given, conditional_quantiles(density, p, given, levels), strict=True):
        line = np.maximum([np.interp(at, p, density[:, j]) for j in range(30)], 1e-4)
        heights = np.interp(fine, p, line)
        mass = np.concatenate([[0], np.cumsum(0.5 * (heights[1:] + heights[:-1]))])
        assert np.interp(row, fine, mass / mass[-1]) == pytest.approx(levels, abs=1e-5)
