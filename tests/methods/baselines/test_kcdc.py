"""KCDC against the dense formula of the paper, and laws whose embeddings are known."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.cds import embedding_lengths
from causewise.methods.baselines.cds import score_kcdc as score
from causewise.pair import standardise


def kernel(column: np.ndarray, width: float) -> np.ndarray:
    distance = np.abs(column[:, None] - column)
    median = np.sqrt(np.median(distance[np.triu_indices(len(column), 1)] ** 2))
    return np.exp(-(distance**2) / (2 * (width * median) ** 2))


def dense(x: np.ndarray, y: np.ndarray, width: float, ridge: float) -> np.ndarray:
    """Lengths by the n × n matrices: √ k(xᵢ)ᵀ (K + nλ)⁻¹ L (K + nλ)⁻¹ k(xᵢ)."""
    k, effects = kernel(x, width), kernel(y, width)
    weights = np.linalg.solve(k + len(x) * ridge * np.eye(len(x)), k)
    return np.sqrt(np.einsum("ij,ik,kj->j", weights, effects, weights, optimize=True))


def saturating(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, np.tanh(x) + 0.5 * rng.uniform(size=n)


@pytest.mark.parametrize("width", [1.0, 0.2])
@pytest.mark.parametrize("ridge", [1e-1, 1e-3])
def test_thin_factors_give_the_lengths_of_the_dense_formula(width: float, ridge: float) -> None:
    x, y = map(standardise, saturating(0, n=150))
    assert embedding_lengths(x, y, width, ridge) == pytest.approx(dense(x, y, width, ridge), rel=1e-6)


def test_long_columns_take_another_road_to_the_same_lengths() -> None:
    x, y = map(standardise, saturating(1, n=2200))
    some = slice(0, None, 50)
    assert embedding_lengths(x, y)[some] == pytest.approx(dense(x, y, 1.0, 1e-3)[some], rel=1e-6)


def test_the_score_is_minus_the_log_variance_of_the_lengths() -> None:
    x, y = saturating(2)
    lengths = dense(standardise(x), standardise(y), 1.0, 1e-3)
    assert score(x, y) == pytest.approx(-np.log(np.var(lengths)), rel=1e-6)


def test_a_law_that_is_the_same_everywhere_scores_higher_than_one_that_widens() -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(-1, 1, 500), rng.uniform(-1, 1, 500)
    assert score(x, noise) > score(x, (0.2 + np.abs(x)) * noise) + 1.0


@pytest.mark.parametrize("seed", range(4))
def test_bounded_noise_of_one_size_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*saturating(seed), method="kcdc").direction is Direction.FORWARD


def test_reflection_changes_nothing() -> None:
    x, y = saturating(3)
    assert score(-x, -y) == pytest.approx(score(x, y), rel=1e-7)
