import numpy as np
import pytest
from golden_scores import agreement, needs_golden
from scipy.special import digamma

import causewise
from causewise.methods.baselines.grci import _dependence, score
from causewise.numerics.arrays import zscore
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def reference(x, y, k=10):
    """The method in plain matrices: truncated powers, hat matrices, all distances."""

    def fit(u, target, positive):
        unit = np.std(target, ddof=1)
        t, best, chosen = target / unit, np.inf, None
        for q in [0, 1, *dict.fromkeys(np.round(np.linspace(2, min(200, np.sqrt(len(u) / 10)), 10)).astype(int))]:
            interior = np.linspace(0, 1, max(q, 2))[1:-1]
            columns = [u, *(np.maximum(u - knot, 0) for knot in interior)] if q else []
            design = np.column_stack([*columns, np.ones_like(u)])
            hat = design @ np.linalg.solve(design.T @ design + 1e-8 * np.eye(design.shape[1]), design.T)
            fitted = np.maximum(hat @ t, 0.05) if positive else hat @ t
            missed = (t - fitted) / (1 - np.diag(hat))
            if np.mean(missed**2) < best:
                best, chosen = np.mean(missed**2), (fitted * unit, (t - missed) * unit)
        return chosen

    u = (x - x.min()) / (x.max() - x.min())
    fitted, left_out = fit(u, y, False)
    residual = (y - fitted) / fit(u, np.abs(y - left_out), True)[0]
    a, e = zscore(x, ddof=1), residual / np.std(residual, ddof=1)
    apart_a, apart_e = np.abs(a[:, None] - a), np.abs(e[:, None] - e)
    radius = np.sort(np.maximum(apart_a, apart_e), axis=1)[:, k, None]
    return np.mean(digamma(np.sum(apart_a <= radius, axis=1)) + digamma(np.sum(apart_e <= radius, axis=1)))


@pytest.mark.parametrize("seed", range(4))
def test_against_the_method_in_plain_matrices(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300)
    y = np.sin(2 * x) + (0.1 + 0.3 * np.abs(x)) * rng.normal(size=300)
    assert score(x, y, published=True) == pytest.approx(reference(x, y), abs=1e-9)
    assert score(y, x, published=True) == pytest.approx(reference(y, x), abs=1e-9)


def test_noise_that_grows_with_the_cause_is_no_obstacle():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=600)
    y = np.tanh(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=600)
    assert decide("grci", x, y).cause == "x"


def test_dependence_is_smallest_for_independent_columns():
    rng = np.random.default_rng(1)
    a, b = (zscore(c) for c in rng.normal(size=(2, 400)))
    assert _dependence(a, b, 10, 0.0) < _dependence(a, zscore(a + b), 10, 0.0) < _dependence(a, zscore(a**3), 10, 0.0)


def test_fewer_rows_than_neighbours_are_refused_with_the_numbers():
    x = np.arange(10.0)
    assert "10 rows" in decide("grci", x, x**2).reason
    assert not decide("grci:neighbours=5", x, np.sin(3 * x)).failed


def test_an_exact_function_is_refused():
    x = np.random.default_rng(2).normal(size=100)
    assert "exact" in decide("grci", x, 3 * x - 1).reason


@needs_golden
@pytest.mark.parametrize(("dataset", "limit"), [("AN", 30), ("LS", 30), ("SIM", 30), ("Tue", 40)])
@pytest.mark.parametrize("spec", ["grci", "grci:published=true"])
def test_published_scores(spec, dataset, limit):
    found = agreement(spec, "GRCI", dataset, limit)
    assert found.spearman > 0.97
    assert found.sign >= 0.97
    assert dataset not in ("AN", "LS") or found.largest_gap < 1e-3


@needs_golden
@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["AN", "LS", "SIM", "Tue"])
@pytest.mark.parametrize("spec", ["grci", "grci:published=true"])
def test_every_published_score(spec, dataset):
    found = agreement(spec, "GRCI", dataset)
    assert found.spearman > 0.98
    assert found.sign >= 0.98
