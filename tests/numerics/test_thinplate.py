"""The thin plate basis against dense algebra and against SciPy's smoothing spline."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_smoothing_spline

from whence.numerics.thinplate import DENSE_BELOW, cubic_distance_product, leading_eigenpairs, thin_plate_basis


def points(n: int, seed: int, heavy: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.standard_cauchy(n) if heavy else rng.standard_normal(n))
    return (2 * u - u[0] - u[-1]) / (u[-1] - u[0])


@given(st.integers(2, 60), st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_sweeps_multiply_by_the_distance_matrix(n: int, seed: int) -> None:
    u, v, out = points(n, seed), np.random.default_rng(seed).standard_normal(n), np.empty(n)
    cubic_distance_product(u, v, out)
    np.testing.assert_allclose(out, np.abs(u[:, None] - u) ** 3 @ v, atol=1e-12 * n)


@pytest.mark.parametrize("heavy", [False, True])
def test_lanczos_finds_what_dense_algebra_finds(heavy: bool) -> None:
    u = points(3 * DENSE_BELOW, 1, heavy)
    values, vectors = leading_eigenpairs(u, 10)
    dense_values, dense_vectors = np.linalg.eigh(np.abs(u[:, None] - u) ** 3)
    order = np.argsort(-np.abs(dense_values))[:10]
    np.testing.assert_allclose(values, dense_values[order], atol=1e-12 * np.abs(values[0]))
    overlap = np.abs(np.sum(vectors * dense_vectors[:, order], axis=0))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-7)


def test_symmetric_data_keep_their_odd_eigenvectors() -> None:
    values, _ = leading_eigenpairs(np.linspace(-1, 1, 2 * DENSE_BELOW + 1), 10)
    assert np.sum(values > 0) + np.sum(values < 0) == 10
    assert values[1] < 0 < values[0]


def test_one_far_outlier_lowers_the_rank_instead_of_making_noise() -> None:
    u = points(200, 2)
    u = np.sort(np.append(1e8 * u[:1] + 1, u))
    _, vectors = leading_eigenpairs((2 * u - u[0] - u[-1]) / (u[-1] - u[0]), 10)
    assert 2 <= vectors.shape[1] < 10


@pytest.mark.parametrize("penalty_weight", [1e-4, 1e-2, 1.0])
def test_with_a_full_basis_it_is_the_cubic_smoothing_spline(penalty_weight: float) -> None:
    u, rng = points(25, 3), np.random.default_rng(4)
    y = np.sin(3 * u) + 0.3 * rng.standard_normal(25)
    design, penalty = thin_plate_basis(u, 25)
    beta = np.linalg.lstsq(design.T @ design + penalty_weight * penalty, design.T @ y, rcond=None)[0]
    # ∫ (Σ δᵢ|t − uᵢ|³)″² dt = 12 δᵀEδ for δ orthogonal to straight lines.
    other = make_smoothing_spline(u, y, lam=penalty_weight / 12.0)
    np.testing.assert_allclose(design @ beta, other(u), atol=1e-5)
