"""QCCD: its symmetries, R's random stream, and its copula against densities and published loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import multivariate_normal

import causewise
from causewise.methods.baselines import qccd as copula
from causewise.methods.baselines.qccd import (
    comes_first,
    conditional_quantiles,
    copula_density,
    draw_uniforms,
    maximal_correlation,
    normal_grid,
    rank_with_random_ties,
    uniform_grid,
)
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def bent(seed, n=400):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.sin(2 * x) + 0.2 * rng.normal(size=n)


def test_a_bent_relation_with_noise_is_found():
    assert [decide("qccd", *bent(seed)).cause for seed in range(5)] == ["x"] * 5


@pytest.mark.parametrize("spec", ["qccd", "qccd:published=true"])
def test_only_ranks_matter(spec):
    x, y = bent(0)
    assert decide(spec, np.exp(x), y**3).score == decide(spec, x, y).score


def test_the_default_is_close_to_the_published_score_where_nothing_is_tied():
    pairs = [bent(seed) for seed in range(5)]
    ours, theirs = ([decide(spec, *pair).score for pair in pairs] for spec in ("qccd", "qccd:published=true"))
    assert ours == pytest.approx(theirs, abs=5e-3)


def test_the_published_score_depends_on_the_order_of_the_columns_and_the_default_does_not():
    x, y = bent(1)
    assert decide("qccd:published=true", x, y).score != -decide("qccd:published=true", y, x).score
    assert decide("qccd", x, y).score == -decide("qccd", y, x).score


def test_the_published_score_depends_on_the_stream_for_ties_and_the_default_has_none():
    x, y = (np.round(column, 1) for column in bent(2))
    published = {decide(f"qccd:published=true:tie_seed={seed}", x, y).score for seed in range(3)}
    assert len(published) == 3
    assert len({decide(f"qccd:tie_seed={seed}", x, y).score for seed in range(3)}) == 1


def test_few_rows_use_the_median_only():
    x, y = bent(3, n=199)
    assert decide("qccd", x, y).score == decide("qccd:quantiles=1", x, y).score
    assert decide("qccd:few_rows=0", x, y).score == decide("qccd:few_rows=0:quantiles=3", x, y).score
    assert decide("qccd:few_rows=0", x, y).score != decide("qccd", x, y).score


def test_data_that_look_the_same_both_ways_are_undecided():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 100))
    assert decide("qccd", np.concatenate([a, b]), np.concatenate([b, a])).score == 0


def test_the_parts_are_fractions_of_the_marginal_code_length():
    decision = decide("qccd", *bent(5))
    assert decision.score == decision.forward.score - decision.backward.score
    assert -2 < decision.forward.score < 0


def test_a_published_score_is_computed_in_the_order_of_the_file():
    x, y = (np.round(column, 1) for column in bent(6))
    method = causewise.method("qccd:published=true")
    as_filed = method.decide_many([Pair.of(x, y)])[0]
    pair = Pair.of(y, x)
    object.__setattr__(pair, "turned", True)
    [turned] = method.decide_many([pair])
    assert turned.score == -as_filed.score
    assert turned.pair is pair
    assert (turned.forward.score, turned.backward.score) == (as_filed.backward.score, as_filed.forward.score)


TIED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("seed", "printed"),
    [(0, [0.8966972, 0.2655087, 0.3721239]), (1, [0.2655087, 0.3721239, 0.5728534]), (42, [0.9148060, 0.9370754])],
)
def test_the_stream_is_the_one_r_prints(seed, printed):
    assert draw_uniforms(seed, len(printed)) == pytest.approx(printed, abs=5e-8)


@given(TIED, st.integers(0, 99))
def test_broken_ranks_are_a_permutation_that_respects_the_values(rows, seed):
    column = np.array([a for a, _ in rows], float)
    ranks = rank_with_random_ties(column, draw_uniforms(seed, len(column)))
    assert np.array_equal(np.sort(ranks), np.arange(1, len(column) + 1))
    assert np.all(np.diff(column[np.argsort(ranks)]) >= 0)


@given(TIED, st.randoms(use_true_random=False))
def test_which_column_comes_first_depends_on_neither_rows_nor_asker(rows, random):
    a, b = np.array(rows, float).T
    shuffled = np.array(random.sample(range(len(a)), len(a)))
    first = comes_first(a, b)
    assert comes_first(b, a) == -first
    assert comes_first(a[shuffled], b[shuffled]) == first
    exchangeable = sorted(rows) == sorted((y, x) for x, y in rows)
    assert (first == 0) == exchangeable


def raw(z_a, z_b, r, h):
    g = normal_grid()
    at = np.dstack(np.meshgrid(g, g, indexing="ij"))
    kernels = [multivariate_normal(m, h * h * np.array([[1, r], [r, 1]])).pdf(at) for m in zip(z_a, z_b, strict=True)]
    margin = np.exp(-0.5 * g * g) / np.sqrt(2 * np.pi)
    return np.mean(kernels, axis=0) / np.outer(margin, margin)


def swept(density, p):
    for _ in range(3):
        density = density / np.maximum(np.trapezoid(density, p, axis=1), 1e-20)[:, None]
        density = density / np.maximum(np.trapezoid(density, p, axis=0), 1e-20)[None, :]
    return density


def test_the_grids_match():
    assert uniform_grid()[1:-1] == pytest.approx(ndtr(normal_grid())[1:-1], abs=1e-15)
    assert normal_grid()[[0, -1]] == pytest.approx([-3.25, 3.25])


@pytest.mark.parametrize(("r", "h"), [(0.0, 0.3), (0.6, 0.4), (-0.95, 0.2), (0.3, 0.15), (0.9, 1.0)])
def test_against_a_sum_of_normal_densities(r, h):
    rng = np.random.default_rng(0)
    z_a, z_b = rng.normal(size=(2, 80))
    expected = swept(raw(z_a, z_b, r, h), uniform_grid())
    assert copula_density(z_a, z_b, r, h, symmetric=False) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("h", [1.0, 0.1, 0.03, 0.01, 1e-3, 1e-5])
@pytest.mark.parametrize("r", [0.0, 0.5, -0.95])
def test_kernels_of_any_width_are_summed_as_they_are(r, h):
    rng = np.random.default_rng(7)
    g = normal_grid()
    z_a, z_b = np.append(2 * rng.normal(size=(2, 57)), [[g[3], g[0], 9.0], [0.5 * (g[4] + g[5]), g[-1], -9.0]], axis=1)
    s = (g[:, None, None] - z_a) / h
    w = ((g[:, None] - z_b) / h - r * s) / np.sqrt(1 - r * r)
    expected = np.mean(np.exp(-0.5 * (s * s + w * w)), axis=2) / (2 * np.pi * h * h * np.sqrt(1 - r * r))
    assert copula._kernel_sum(z_a, z_b, r, h) == pytest.approx(expected, rel=1e-8, abs=1e-20 * expected.max() + 1e-30)


def test_rows_taken_in_parts_give_the_same(monkeypatch):
    rng = np.random.default_rng(8)
    z, ranked = rng.normal(size=(2, 100)), ranks(rng.normal(size=100))
    density, p, given = rng.gamma(0.5, size=(30, 30)), uniform_grid(), rng.random(50)

    def results():
        return (
            copula_density(*z, 0.4, 0.3),
            conditional_quantiles(density, p, given, np.array([0.2, 0.7])),
            maximal_correlation(ranked, ranks(z[0])),
        )

    whole = results()
    monkeypatch.setattr(copula, "_ROWS_AT_ONCE", 7)
    for one, other in zip(whole, results(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_exchanging_the_columns_transposes_the_symmetric_form_only():
    rng = np.random.default_rng(1)
    z_a = rng.normal(size=200)
    z_b = np.abs(z_a) + 0.3 * rng.normal(size=200)
    one, other = copula_density(z_a, z_b, 0.2, 0.3), copula_density(z_b, z_a, 0.2, 0.3)
    assert one == pytest.approx(other.T, abs=1e-10)
    one, other = copula_density(z_a, z_b, 0.2, 0.3, False), copula_density(z_b, z_a, 0.2, 0.3, False)
    assert np.max(np.abs(one - other.T)) > 1e-4


def test_quantiles_of_independence_are_the_levels():
    levels = np.array([0.1, 0.5, 0.93])
    found = conditional_quantiles(np.ones((30, 30)), uniform_grid(), np.linspace(0.01, 0.99, 7), levels)
    assert found == pytest.approx(np.tile(levels, (7, 1)), abs=1e-12)


def test_quantiles_invert_the_integrated_density():
    rng = np.random.default_rng(2)
    density, p = rng.gamma(0.5, size=(30, 30)), uniform_grid()
    given, levels = rng.random(20), np.array([0.01, 0.3, 0.5, 0.99])
    fine = np.linspace(0, 1, 400_001)
    for at, row in zip(given, conditional_quantiles(density, p, given, levels), strict=True):
        line = np.maximum([np.interp(at, p, density[:, j]) for j in range(30)], 1e-4)
        heights = np.interp(fine, p, line)
        mass = np.concatenate([[0], np.cumsum(0.5 * (heights[1:] + heights[:-1]))])
        assert np.interp(row, fine, mass / mass[-1]) == pytest.approx(levels, abs=1e-5)


def reference(ranks_a, ranks_b):
    """The published double loop, by convolution, for ranks without ties."""
    n = len(ranks_a)
    half = int(np.ceil(n / 5))

    def expectation(values, ranks):
        order = np.argsort(ranks)
        smooth = np.convolve(values[order], np.ones(2 * half + 1) / (2 * half + 1), "same")
        smooth[:half] = smooth[half]
        smooth[n - half :] = smooth[n - half - 1]
        out = np.empty(n)
        out[order] = smooth
        return (out - out.mean()) / out.std(ddof=1)

    a, b = ((r - 1 - ((n - 1) / 2 - 1)) / np.sqrt(n * (n - 1) / 12) for r in (ranks_a, ranks_b))
    outer, outer_change = 1.0, 1.0
    for _ in range(100):
        inner, inner_change = 1.0, 1.0
        for _ in range(10):
            b = expectation(a, ranks_b)
            now = np.mean((a - b) ** 2)
            inner, inner_change = now, abs(now - inner)
            if inner_change <= 1e-4:
                break
        a = expectation(b, ranks_a)
        now = np.mean((a - b) ** 2)
        outer, outer_change = now, abs(now - outer)
        if outer_change <= 2e-15:
            break
    return np.corrcoef(a, b)[0, 1]


def ranks(column):
    return np.argsort(np.argsort(column)) + 1.0


@pytest.mark.parametrize("bend", [lambda x: x, np.square, np.sin, np.zeros_like])
@pytest.mark.parametrize("n", [7, 8, 9, 10, 51, 400])
def test_against_the_published_double_loop(bend, n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    a, b = ranks(x), ranks(bend(x) + 0.4 * rng.normal(size=n))
    assert maximal_correlation(a, b) == pytest.approx(reference(a, b), abs=1e-9)


def test_a_parabola_has_high_maximal_and_no_linear_correlation():
    x = np.random.default_rng(0).normal(size=1000)
    assert maximal_correlation(ranks(x), ranks(x**2)) > 0.9


def test_order_of_tied_rows_does_not_matter():
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 6, 200).astype(float), rng.integers(1, 9, 200).astype(float)
    shuffled = rng.permutation(200)
    assert maximal_correlation(a[shuffled], b[shuffled]) == pytest.approx(maximal_correlation(a, b), abs=1e-12)
