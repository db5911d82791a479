"""Iterated least squares against dense linear algebra, and the methods built on it."""

import numpy as np
import pytest

import causewise
from causewise.models.spline import ALPHA, FLOOR, alternate, fit_fgls
from causewise.numerics.splines import additive_design, spline_rows, uniform_knots
from causewise.pair import Pair, standardise


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    u = np.sort(rng.uniform(-2, 2, size=n))
    return standardise(u), standardise(np.tanh(u) + (0.1 + 0.3 * np.abs(u)) * rng.normal(size=n))


def dense(design, n):
    features = np.zeros((n, design.size))
    for r, columns in enumerate(design.index):
        at = slice(design.bounds[r], design.bounds[r + 1])
        features[at, columns] = design.block(r).T
    return features


def by_hand(features, y, passes):
    """The alternation of the specification in dense matrices."""

    def ridge(weights, target):
        gram = features.T @ (weights[:, None] * features) + ALPHA * weights.sum() * np.eye(features.shape[1])
        return np.linalg.solve(gram, features.T @ (weights * target))

    w1 = ridge(np.ones(len(y)), y)
    for _ in range(passes):
        w2 = ridge(np.ones(len(y)), (y - features @ w1) ** 2)
        variance = np.maximum(features @ w2, FLOOR)
        w1 = ridge(1 / variance, y)
    return w1, w2


@pytest.mark.parametrize("passes", [1, 2, 5])
def test_the_passes_agree_with_dense_matrices(passes):
    u, v = rows()
    design = additive_design([spline_rows(u, uniform_knots(u[0], u[-1], 6, 3), 3)])
    found = alternate(design, v, max_passes=passes)
    w1, w2 = by_hand(dense(design, len(u)), v, found.passes)
    np.testing.assert_allclose(found.location[0::2], w1, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.variance[0::2], w2, rtol=1e-6, atol=1e-8)
    mean, sd = found.predict(design)
    np.testing.assert_allclose(mean, found.fitted_mean)
    np.testing.assert_allclose(sd**2, np.maximum(found.fitted_variance, 1e-7))


def test_the_record_is_consistent():
    u, v = rows()
    fit = fit_fgls(u, v, n_knots=5)
    np.testing.assert_allclose(fit.residual, (v - fit.location) / fit.scale)
    densities = -0.5 * np.log(2 * np.pi * fit.scale**2) - 0.5 * fit.residual**2
    assert fit.log_likelihood == pytest.approx(densities.mean())
    assert fit.converged
    assert fit.message == ""


def test_an_alternation_that_does_not_settle_says_so():
    for passes in (1, 2):
        fit = fit_fgls(*rows(), max_passes=passes)
        assert not fit.converged
        assert "pass" in fit.message


@pytest.mark.parametrize("name", ["ifgls-h", "ifgls-m"])
def test_the_methods_are_antisymmetric_and_know_no_units_or_order(name):
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    y = np.tanh(x) + 0.3 * rng.normal(size=200)
    method = causewise.method(name, n_knots=6, degree=3)
    (plain,) = method.decide_many([Pair.of(x, y)])
    (turned,) = method.decide_many([Pair.of(y, x)])
    order = rng.permutation(200)
    (mixed,) = method.decide_many([Pair.of(x[order], y[order])])
    (scaled,) = method.decide_many([Pair.of(100 * x - 3, y)])
    assert turned.score == -plain.score
    assert mixed.score == plain.score
    assert scaled.score == pytest.approx(plain.score, rel=1e-5)
    with pytest.raises(causewise.InputError, match="alpha"):
        causewise.method(name, alpha=0.0)
