"""CAM: its score from its definition; its spline against dense algebra, normal equations and a grid."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_smoothing_spline
from scipy.optimize import minimize_scalar

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.cam import (
    DENSE_BELOW,
    cubic_distance_product,
    leading_eigenpairs,
    nearest_minimum,
    pair_score,
    penalised_fit,
    score,
    thin_plate_basis,
)


def additive(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, np.sin(2 * x) + 0.3 * rng.standard_normal(n)


def test_the_score_is_the_log_share_of_variance_explained() -> None:
    x, y = additive(300, 0)
    side = score(x, 7 * y)
    assert side.score == pytest.approx(math.log(np.var(7 * y) / np.var(7 * y - side.location)), rel=1e-9)
    assert np.std(side.residual) == pytest.approx(1.0, rel=1e-9)
    assert side.scale[0] == pytest.approx(np.std(7 * y - side.location), rel=1e-9)


def test_the_published_score_from_its_formula() -> None:
    x, y = additive(300, 1)
    result = pair_score(x, 3 * y, published=True)
    f_x, f_y = (
        -math.log(np.var(cause, ddof=1)) - math.log(np.sum((effect - side.location) ** 2) / (len(x) - 1))
        for cause, effect, side in ((x, 3 * y, result.forward), (3 * y, x, result.backward))
    )
    assert result.score == pytest.approx(math.copysign(abs(max(f_x, f_y) + 5), f_x - f_y), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_additive_gaussian_noise_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*additive(300, seed), method="cam").direction is Direction.FORWARD


def test_two_columns_of_two_values_tie() -> None:
    x = np.repeat([0.0, 1.0], 20)
    y = np.concatenate([np.zeros(15), np.ones(20), np.zeros(5)])
    assert causewise.infer(x, y, method="cam").direction is Direction.UNDECIDED


def test_replicated_rows_count() -> None:
    x, y = additive(100, 2)
    once, thrice = score(x, y), score(np.repeat(x, 3), np.repeat(y, 3))
    assert thrice.score > once.score  # more evidence for the same shape: less smoothing


def test_long_tied_columns_are_no_burden() -> None:
    rng = np.random.default_rng(3)
    x = np.round(5 * rng.standard_normal(16_382))
    decision = causewise.infer(x, np.round(np.abs(x) + rng.standard_normal(16_382)), method="cam")
    assert decision.direction is Direction.FORWARD


def points(n: int, seed: int, heavy: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.standard_cauchy(n) if heavy else rng.standard_normal(n))
    return (2 * u - u[0] - u[-1]) / (u[-1] - u[0])


@given(st.integers(1, 60), st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_sweeps_multiply_by_the_distance_matrix(n: int, seed: int) -> None:
    u, v = points(n + 1, seed)[:n], np.random.default_rng(seed).standard_normal(n)
    np.testing.assert_allclose(cubic_distance_product(u, v), np.abs(u[:, None] - u) ** 3 @ v, atol=1e-12 * n)


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
    found = nearest_minimum(start, d, b, len(d), 3.0, 50.0)

    def gcv(t: float) -> float:
        kept = 1.0 / (1.0 + np.exp(t) * d)
        return float(50.0 * (3.0 + np.sum(((1.0 - kept) * b) ** 2)) / (50.0 - np.sum(kept)) ** 2)

    assert gcv(found) <= gcv(start)
    assert gcv(found) <= min(gcv(found - 1e-3), gcv(found + 1e-3)) + 1e-12
    bracket = (found - 0.05, found, found + 0.05)
    if gcv(bracket[0]) > gcv(found) < gcv(bracket[2]):
        assert found == pytest.approx(minimize_scalar(gcv, bracket).x, abs=1e-6)


def test_noise_without_shape_gets_the_straight_line() -> None:
    u = np.linspace(-1, 1, 100)
    design, penalty = thin_plate_basis(u, 10)
    target = 2 * u + 0.1 * (-1.0) ** np.arange(100)
    fit = penalised_fit(design, penalty, target, np.ones(100), 0.0)
    assert math.isinf(fit.log_lambda)
    assert fit.edf == pytest.approx(2)
    np.testing.assert_allclose(fit.fitted, np.polyval(np.polyfit(u, target, 1), u), atol=1e-10)
