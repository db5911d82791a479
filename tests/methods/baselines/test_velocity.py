"""Causal velocity: the gradient of the log density against its formulas, and the field on rows it was made for."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines import velocity
from causewise.methods.baselines.velocity import FORMS, density_gradient, score
from causewise.pair import Pair, standardise


def dense_gradient(points: np.ndarray, bandwidth: float, ridge: float) -> np.ndarray:
    """−(K + wI)⁻¹ Σⱼ ∇ⱼ k(i, j), entry by entry."""
    apart = points[:, :, None] - points[:, None, :]
    square = np.sum(apart * apart, axis=0)
    b = bandwidth * np.median(square[np.triu_indices(len(square), 1)])
    kernel = np.exp(-0.5 * square / b)
    drift = np.sum(apart * kernel, axis=2) / b
    return -np.linalg.solve(kernel + ridge * np.eye(len(kernel)), drift.T).T


@pytest.mark.parametrize("dimensions", [1, 2])
def test_low_rank_is_the_dense_formula(dimensions: int) -> None:
    points = np.random.default_rng(0).normal(size=(dimensions, 150))
    np.testing.assert_allclose(density_gradient(points, 1.0, 0.1), dense_gradient(points, 1.0, 0.1), atol=1e-3)


def test_blocks_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(1).normal(size=(2, 200))
    whole = density_gradient(points, 0.3, 0.1)
    monkeypatch.setattr(velocity, "BLOCK", 37)
    np.testing.assert_allclose(density_gradient(points, 0.3, 0.1), whole, atol=1e-7)


def test_a_normal_density_has_a_linear_gradient() -> None:
    points = np.random.default_rng(2).normal(size=(2, 3000))
    core = np.max(np.abs(points), axis=0) < 1.5
    found = density_gradient(points, 1.0, 0.1)
    assert np.mean((found + points)[:, core] ** 2) < 0.02


@pytest.mark.parametrize("form", FORMS)
def test_the_terms_are_those_of_the_equation(form: str) -> None:
    """v s₂ + ∂v/∂y for each function v of the form, the derivative by differences of a Gaussian's weighted flow."""
    x, y = np.random.default_rng(3).normal(size=(2, 50))
    step = 1e-5
    # For the density exp(−½y²): (e^{½y²}) ∂_y (e^{−½y²} v) = v s₂ + ∂_y v with s₂ = −y; v itself from s₂ → 1, ∂v → 0.
    terms = FORMS[form](x, y, -y, 5)

    def field(at: np.ndarray) -> np.ndarray:
        large = 1e8
        return FORMS[form](x, at, np.full_like(at, large), 5) / large

    weight = np.exp(-0.5 * y * y)
    flow = [np.exp(-0.5 * at * at)[:, None] * field(at) for at in (y + step, y - step)]
    np.testing.assert_allclose(terms, (flow[0] - flow[1]) / (2 * step) / weight[:, None], rtol=1e-4, atol=1e-4)


def test_the_share_does_not_depend_on_units_and_lies_between_none_and_all() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    y = np.tanh(x) + 0.3 * rng.normal(size=300)
    share = -score(x, y)
    assert 0.0 < share < 1.0
    assert -score(3 * x - 7, 0.01 * y) == pytest.approx(share, rel=1e-6)


def test_additive_noise_is_recognised() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=800)
        y = np.tanh(2 * x) + 0.3 * rng.normal(size=800)
        assert causewise.infer(x, y, method="velocity").direction is Direction.FORWARD
        assert causewise.infer(x, y, method="velocity:form=additive").direction is Direction.FORWARD


def test_long_columns_go_through_their_representatives() -> None:
    rng = np.random.default_rng(5)
    x = standardise(rng.normal(size=4000))
    y = np.tanh(2 * x) + 0.3 * rng.normal(size=4000)
    decision = causewise.method("velocity").decide_many([Pair.of(x, y)])[0]
    assert decision.score > 0
