"""The penalised fit against its normal equations, and the search against a grid."""

import math

import numpy as np
import pytest

from whence.numerics.gcv import gcv, nearest_minimum, orthonormalise, penalised_fit
from whence.numerics.thinplate import thin_plate_basis


def smooth_problem(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.uniform(-1, 1, n))
    counts = rng.integers(1, 4, n).astype(float)
    design, penalty = thin_plate_basis(u, 10)
    return design, penalty, np.sin(4 * u) + 0.3 * rng.standard_normal(n), counts


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_solves_the_normal_equations_at_its_own_lambda(seed: int) -> None:
    design, penalty, target, counts = smooth_problem(seed)
    fit = penalised_fit(design, penalty, target, counts, pure_error=1.5)
    size = np.sqrt(counts @ design**2 / counts.sum())
    x, s = design / size, penalty / np.outer(size, size)
    weighted = x.T * counts
    hat = x @ np.linalg.solve(weighted @ x + math.exp(fit.log_lambda) * s, weighted)
    np.testing.assert_allclose(fit.fitted, hat @ target, atol=1e-7)
    assert fit.edf == pytest.approx(np.trace(hat), abs=1e-6)
    assert fit.rss == pytest.approx(1.5 + counts @ (target - hat @ target) ** 2, rel=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_search_ends_in_a_local_minimum_below_its_start(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, b = np.append(0.0, np.exp(rng.normal(0, 3, 9))), rng.standard_normal(10)
    start = float(rng.normal())
    found = nearest_minimum(start, d, b, 3.0, 50.0)

    def value(t: float) -> float:
        return float(gcv(t, d, b, 3.0, 50.0))

    assert value(found) <= value(start)
    assert value(found) <= min(value(found - 1e-3), value(found + 1e-3)) + 1e-12


def test_noise_without_shape_gets_the_straight_line() -> None:
    u = np.linspace(-1, 1, 100)
    design, penalty = thin_plate_basis(u, 10)
    target = 2 * u + 0.1 * (-1.0) ** np.arange(100)
    fit = penalised_fit(design, penalty, target, np.ones(100), 0.0)
    assert math.isinf(fit.log_lambda)
    assert fit.edf == pytest.approx(2)
    np.testing.assert_allclose(fit.fitted, np.polyval(np.polyfit(u, target, 1), u), atol=1e-10)


def test_orthonormal_rows_rebuild_the_ones_they_came_from() -> None:
    rows = np.vander(np.linspace(0, 1, 50), 6).T.copy()
    before = rows.copy()
    r = orthonormalise(rows)
    np.testing.assert_allclose(rows @ rows.T, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(r.T @ rows, before, atol=1e-13)
