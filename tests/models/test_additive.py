"""The additive fit: at its optimum, its tests at their level, each parent where it belongs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from causewise.models.additive import RIDGE, SIZES, AdditiveTerm, Smooths, fit_coefficients
from causewise.pair import standardise

N = 600


def parents(count: int, seed: int = 0, n: int = N) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [standardise(rng.normal(size=n)) for _ in range(count)]


def term_set(terms: tuple[AdditiveTerm, ...]) -> set[tuple[int | str, ...]]:
    return {(term.parent, "spread" if term.spread else "mean") for term in terms}


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 7), st.integers(60, 700))
def test_no_other_coefficients_are_likelier_by_more_than_is_asked_of_a_round(seed, p, q, n):
    rng = np.random.default_rng(seed)
    of_mean, of_variance = (np.vstack([np.ones((1, n)), rng.uniform(-2, 2, (size - 1, n))]) for size in (p, q))
    v = standardise(rng.normal(size=p) @ of_mean + np.exp(0.3 * rng.normal(size=q) @ of_variance) * rng.normal(size=n))
    b, c = fit_coefficients(of_mean, of_variance, v, np.zeros(q))

    def cost(w):
        """Nats a row, up to a constant."""
        s, ridge = w[p:] @ of_variance, RIDGE * (np.sum(w[1:p] ** 2) + np.sum(w[p + 1 :] ** 2))
        return (np.sum(s + ((v - w[:p] @ of_mean) ** 2 + 1e-6) * np.exp(-s)) + ridge) / (2 * n)

    here = np.concatenate([b, c])
    assert cost(here) <= minimize(cost, here).fun + 4e-3


@given(st.integers(0, 2**32 - 1), st.floats(-6.0, 0.0))
def test_the_prior_weighs_no_more_where_there_is_little_noise(seed, log_noise):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=N)
    of_mean = np.vstack([np.ones(N), first, first + 0.1 * rng.normal(size=N)])
    v = np.array([0.0, 1.0, -2.0]) @ of_mean + np.exp(log_noise) * rng.normal(size=N)
    b, _ = fit_coefficients(of_mean, np.ones((1, N)), v, np.zeros(1))
    straight = np.linalg.lstsq(of_mean.T, v)[0]
    excess = np.sum((v - b @ of_mean) ** 2) / np.sum((v - straight @ of_mean) ** 2) - 1
    # The prior moves the optimum by what it costs there, five nats, at most.
    assert excess > -1e-12
    assert N * np.log1p(excess) <= 5.0


def test_an_answer_owes_nothing_but_rounding_to_what_was_asked_before():
    rng = np.random.default_rng(5)
    columns = parents(5, 5)
    u, w, *_ = columns
    v = standardise(np.sin(2 * u) + w + np.exp(0.5 * w) * rng.normal(size=N))
    used = Smooths([*columns, v])
    for candidates in ([0], [1, 2, 3], [0, 1, 2, 3, 4], [0, 1], [1, 4]):
        new, old = (smooths.fit(v, candidates, 1e-3) for smooths in (Smooths(used.columns), used))
        assert [term[:3] for term in new.terms] == [term[:3] for term in old.terms]
        assert new.residual == pytest.approx(old.residual, abs=0.01)


def test_without_a_term_of_the_spread_the_mean_is_ridge_regression():
    rng = np.random.default_rng(10)
    (u,) = parents(1)
    v = standardise(np.sin(2 * u) + 0.5 * rng.normal(size=N))
    smooths = Smooths([u, v])
    fit = smooths.fit(v, [0], 1e-3)
    assert term_set(fit.terms) == {(0, "mean")}
    basis = np.hstack([np.ones((N, 1)), smooths.block(fit.terms[0])])
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
    fit = Smooths([u, w, v]).fit(v, [0, 1], 1e-3)
    assert term_set(fit.terms) == {(0, "mean"), (1, "spread")}
    for third in np.array_split(np.argsort(w), 3):
        assert np.var(fit.residual[third]) == pytest.approx(1.0, abs=0.2)
    assert np.corrcoef(np.exp(fit.log_scale), np.exp(0.8 * np.sin(w)))[0, 1] > 0.97


@pytest.mark.parametrize("noise", ["normal", "laplace", "standard_t"])
def test_the_score_tests_keep_their_level(noise):
    """For noise with heavy tails too, and where the spread that is not asked about varies."""
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(1000 + seed)
        u, w = parents(2, seed, n=300)
        e = rng.standard_t(5, 300) if noise == "standard_t" else getattr(rng, noise)(size=300)
        v = standardise(np.exp(0.5 * w) * e)
        # Nothing that is asked about is there.
        smooths = Smooths([u, w, v])
        p_values += [
            smooths.test(v, [], AdditiveTerm(0, spread, functions, 1.0)).p
            for spread in (False, True)
            for functions in SIZES
        ]
    assert np.mean(np.array(p_values) < 0.05) < 0.1


def test_a_line_takes_one_function_and_a_wave_more():
    rng = np.random.default_rng(2)
    u, w = parents(2)
    v = standardise(u + np.sin(3 * w) + 0.5 * rng.normal(size=N))
    widths = {term.parent: term.functions for term in Smooths([u, w, v]).fit(v, [0, 1], 1e-3).terms}
    assert widths == {0: 1, 1: max(SIZES)}


def test_what_stood_for_a_later_parent_goes():
    rng = np.random.default_rng(30)
    u, w = parents(2, 3, n=1000)
    proxy = standardise(u + w + 0.1 * rng.normal(size=1000))
    v = standardise(u + w + 0.4 * rng.normal(size=1000))
    smooths = Smooths([u, w, proxy, v])
    everything = smooths.fit(v, [0, 1, 2], 1e-3, required=[0, 1, 2])
    assert everything.parents == {0, 1, 2}
    pruned = smooths.prune(v, everything, 1e-3)
    assert pruned.parents == {0, 1}
    assert all(term.p <= 1e-3 for term in pruned.terms)


def test_a_required_parent_stays_whatever_its_test_says():
    u, w, v = parents(3, 4)
    smooths = Smooths([u, w, v])
    fit = smooths.fit(v, [0, 1], 1e-3, required=[1])
    kept = smooths.prune(v, fit, 1e-3, required=[1])
    assert term_set(kept.terms) == {(1, "mean")}
    assert kept.terms[0].p > 1e-3
    assert not smooths.prune(v, fit, 1e-3).terms


def test_few_rows_take_few_terms():
    columns = parents(30, n=100)
    rng = np.random.default_rng(1)
    v = standardise(sum(columns) + rng.normal(size=100))
    fit = Smooths([*columns, v]).fit(v, range(30), 0.5)
    assert 8 * fit.coefficients <= 100 + 8 * max(SIZES)
