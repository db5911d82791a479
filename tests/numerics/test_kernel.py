import numpy as np
import pytest

from whence.numerics.hsic import median_sq_distance
from whence.numerics.kernel import BLOCK, choose_pivots, features, kernel_factor

LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "heavy": lambda rng, n: rng.standard_t(2, size=n),
    "tied": lambda rng, n: rng.poisson(3.0, size=n).astype(float),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [40, 700])
def test_factor_reproduces_the_kernel(law, n):
    column = LAWS[law](np.random.default_rng(3), n)
    bandwidth = median_sq_distance(column)
    factor = features(column, choose_pivots(column, bandwidth))
    kernel = np.exp(-((column[:, None] - column[None, :]) ** 2) / bandwidth)
    assert np.max(np.abs(factor.T @ factor - kernel)) < 1e-9
    assert len(factor) < n


@pytest.mark.parametrize("law", LAWS)
def test_thinned_candidates_represent_every_row_of_a_long_column(law):
    column = LAWS[law](np.random.default_rng(4), 4 * BLOCK)
    factor = features(column, choose_pivots(column, median_sq_distance(column)))
    assert np.max(np.abs(1.0 - np.sum(factor**2, axis=0))) < 1e-9


@pytest.mark.parametrize("dimensions", [1, 2])
def test_points_of_any_dimension_have_a_factor(dimensions):
    points = np.random.default_rng(5).normal(size=(120, dimensions))
    factor = kernel_factor(points, 1e-10)
    kernel = np.exp(-0.5 * np.sum((points[:, None] - points[None]) ** 2, axis=2))
    assert np.max(np.abs(factor.T @ factor - kernel)) < 1e-9
    assert len(factor) < 120
