"""The additive fit: at its optimum, its tests at their level, each parent where it belongs."""

import numpy as np
import pytest

from causewise.models.additive import RIDGE, AdditiveTerm, Smooths
from causewise.pair import standardise

N = 600


def parents(count: int, seed: int = 0, n: int = N) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [standardise(rng.normal(size=n)) for _ in range(count)]


def term_set(terms: tuple[AdditiveTerm, ...]) -> set[tuple[int, str]]:
    return {(term.parent, "spread" if term.spread else "mean") for term in terms}


def test_without_a_term_of_the_spread_the_mean_is_ridge_regression():
    rng = np.random.default_rng(10)
    (u,) = parents(1)
    v = standardise(np.sin(2 * u) + 0.5 * rng.normal(size=N))
    smooths = Smooths([u, v])
    fit = smooths.fit(1, [0], 1e-3)
    assert term_set(fit.terms) == {(0, "mean")}
    basis = smooths.features[:, : smooths.places[0][-1] + 1]
    scale = np.exp(fit.log_scale[0])
    # Ridge regression as least squares with rows that say zero.
    below = np.sqrt(RIDGE) * scale * np.eye(basis.shape[1])[1:]
    b = np.linalg.lstsq(np.vstack([basis, below]), np.concatenate([v, np.zeros(len(below))]), rcond=None)[0]
    assert np.allclose(fit.log_scale, fit.log_scale[0])
    assert np.allclose(fit.residual * scale, v - basis @ b, atol=0.01)


def test_the_residual_has_variance_one_at_every_level_of_the_spread():
    u, w = parents(2, n=2000)
    rng = np.random.default_rng(10)
    v = standardise(np.tanh(u) + np.exp(0.8 * np.sin(w)) * rng.normal(size=2000))
    fit = Smooths([u, w, v]).fit(2, [0, 1], 1e-3)
    assert term_set(fit.terms) == {(0, "mean"), (1, "spread")}
    for third in np.array_split(np.argsort(w), 3):
        assert np.var(fit.residual[third]) == pytest.approx(1.0, abs=0.2)
    assert np.corrcoef(np.exp(fit.log_scale), np.exp(0.8 * np.sin(w)))[0, 1] > 0.97


@pytest.mark.parametrize("noise", ["normal", "laplace", "standard_t"])
def test_the_score_tests_keep_their_level(noise):
    """For noise with heavy tails too, and where the spread that is not asked about varies."""
    asked, false = 0, 0
    for seed in range(60):
        rng = np.random.default_rng(1000 + seed)
        u, w = parents(2, seed, n=300)
        e = rng.standard_t(5, 300) if noise == "standard_t" else getattr(rng, noise)(size=300)
        smooths = Smooths([u, w, standardise(np.exp(0.5 * w) * e)])
        # At the level 1 every term comes in. Nothing that is asked about is there.
        terms = smooths.fit(2, [0], 1.0).terms
        asked += len(terms)
        false += sum(term.p < 0.05 for term in terms)
    assert asked == 120
    assert false <= 14  # of 120 at 5 %: more would come about once in a thousand


def test_what_stood_for_a_later_parent_goes():
    rng = np.random.default_rng(30)
    u, w = parents(2, 3, n=1000)
    proxy = standardise(u + w + 0.1 * rng.normal(size=1000))
    v = standardise(u + w + 0.4 * rng.normal(size=1000))
    smooths = Smooths([u, w, proxy, v])
    everything = smooths.fit(3, [0, 1, 2], 1e-3)
    assert (2, "mean") in term_set(everything.terms)
    both = smooths.fit(3, [0, 1, 2], 1e-3, required=[0, 1])
    assert {(0, "mean"), (1, "mean")} <= term_set(both.terms)
    pruned = smooths.prune(3, both, 1e-3)
    assert len(pruned.terms) < len(everything.terms) + 2
    assert all(term.p <= 1e-3 for term in pruned.terms)


def test_a_required_parent_stays_whatever_its_test_says():
    u, w, v = parents(3, 4)
    smooths = Smooths([u, w, v])
    fit = smooths.fit(2, [0, 1], 1e-3, required=[1])
    kept = smooths.prune(2, fit, 1e-3, required=[1])
    assert term_set(kept.terms) == {(1, "mean")}
    assert kept.terms[0].p > 1e-3
    assert not smooths.prune(2, fit, 1e-3).terms


def test_few_rows_take_few_terms():
    columns = parents(30, n=100)
    rng = np.random.default_rng(1)
    fit = Smooths([*columns, standardise(sum(columns) + rng.normal(size=100))]).fit(30, range(30), 0.5)
    assert 8 * len(fit.terms) <= 100 / 5
