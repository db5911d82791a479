"""CURE: Bayes' rule, and curves learnt from pairs or from the effect alone."""

import math
from itertools import product

import numpy as np
import pytest

from causewise.methods.baselines.cure import (
    HEIGHTS,
    LENGTHS,
    NOISES,
    LearntCurve,
    Levels,
    Place,
    Sketch,
    climb,
    from_effect,
    from_pairs,
    log_density,
    roots,
    score,
)
from causewise.pair import standardise

LEVELS = 64


def pair(seed: int, n: int = 250, power: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Noise around a bent curve of a uniform cause."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, x**power + 0.06 * rng.normal(size=n)


def line(mean: np.ndarray, noise: float, evidence: float = 0.0) -> LearntCurve:
    return LearntCurve(mean, np.zeros(len(mean)), noise, evidence)


def test_the_density_of_the_cause_is_bayes_rule_under_a_known_line() -> None:
    """y = u + σe with u uniform: far from the ends, u given y is normal about y."""
    grid, noise = (np.arange(400) + 0.5) / 400, 0.05
    rng = np.random.default_rng(0)
    u = rng.uniform(0.3, 0.7, 200)
    y = u + noise * rng.normal(size=200)
    at = u * 400 - 0.5
    place = Place(at.astype(np.intp), at - at.astype(np.intp))
    found = log_density([line(grid, noise)], [place], y)[0]
    expected = np.mean(-0.5 * ((u - y) / noise) ** 2 - np.log(noise) - 0.5 * np.log(2 * np.pi))
    assert found == pytest.approx(expected, abs=2e-3)


def test_curves_count_as_their_evidence_says() -> None:
    x, y = pair(0)
    place, grid = Place.of(x, LEVELS), (np.arange(LEVELS) + 0.5) / LEVELS
    one, other = line(grid**2, 0.06), line(grid, 0.3)
    alone = log_density([one], [place], y)[0]
    assert log_density([one, other._replace(evidence=-100.0)], [place], y)[0] == alone
    assert log_density([one, one], [place], y)[0] == pytest.approx(alone)
    # Two that are as likely beforehand cost a row log 2 at most.
    assert log_density([one, other], [place], y)[0] > alone - np.log(2)


def test_densities_do_not_depend_on_blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = pair(1)
    place = Place.of(x, LEVELS)
    curves = from_pairs(place, standardise(y), LEVELS)
    whole = log_density(curves, [place], standardise(y))
    monkeypatch.setattr("causewise.methods.baselines.cure.BLOCK", 37)
    assert log_density(curves, [place], standardise(y)) == pytest.approx(whole)


def test_learning_from_pairs_beats_knowing_nothing_and_hardly_loses_to_the_truth() -> None:
    x, y = pair(2)
    place, size = Place.of(x, LEVELS), np.std(y)
    grid = (np.arange(LEVELS) + 0.5) / LEVELS
    learnt = log_density(from_pairs(place, standardise(y), LEVELS), [place], standardise(y))[0]
    truth = log_density([line((grid**2 - np.mean(y)) / size, 0.06 / size)], [place], standardise(y))[0]
    assert learnt > 1.0
    assert learnt == pytest.approx(truth, abs=0.1)


def test_under_its_assumptions_hiding_the_cause_costs_little() -> None:
    for seed in range(3):
        x, y = pair(seed)
        assert score(x, y, levels=LEVELS).score > -0.5
        assert score(y, x, levels=LEVELS).score < -1.0


@pytest.mark.parametrize("power", [0.5, 2.0, 3.0])
def test_noise_around_a_bent_curve_of_a_uniform_cause_is_recognised(power: float) -> None:
    right = [
        score(*columns).score > score(*columns[::-1]).score for columns in (pair(k, power=power) for k in range(2))
    ]
    assert all(right)


def test_the_effect_alone_never_says_more_than_the_pairs_do_beyond_chance() -> None:
    rng = np.random.default_rng(5)
    for _ in range(2):
        x = rng.normal(size=200)
        assert score(x, np.tanh(x) + 0.3 * rng.normal(size=200)).score < 0.05


def test_reflection_changes_nothing() -> None:
    x, y = pair(3)
    plain = score(x, y).score
    for a, b in ((-x, y), (x, -y), (-x, -y)):
        assert score(a, b).score == pytest.approx(plain, rel=1e-6)


def test_the_two_costs_are_told_and_make_the_score() -> None:
    found = score(*pair(4))
    assert found.score == pytest.approx(found.costs["pairs"] - found.costs["effect alone"])


def test_more_levels_say_nearly_the_same() -> None:
    x, y = pair(6)
    assert score(x, y, levels=96).score == pytest.approx(score(x, y, levels=192).score, abs=0.03)


def test_an_effect_of_two_values_and_one_with_an_outlier_have_finite_costs() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=100)
    for effect in (np.where(x > 0, 1.0, -1.0), np.append(x[:-1], 1e6)):
        assert np.isfinite(score(x, effect).score)
        assert np.isfinite(score(effect, x).score)


def test_a_kernel_that_grows_worse_with_less_noise_is_left() -> None:
    """Normal columns are all noise: the smallest ones are not tried under every kernel."""
    y = standardise(np.random.default_rng(8).normal(size=600))
    assert len(from_effect(y, LEVELS, 100)) < 72


INVERSE_LEVELS = 64
GRID = (np.arange(INVERSE_LEVELS) + 0.5) / INVERSE_LEVELS


def kernel(a: np.ndarray, b: np.ndarray, length: float, height: float) -> np.ndarray:
    return height**2 * np.exp(-0.5 * ((a[:, None] - b) / length) ** 2)


def log_likelihood(x: np.ndarray, y: np.ndarray, length: float, height: float, noise: float) -> float:
    """Of a dense Gaussian process, log N(y; 0, K + σ²I)."""
    factor = np.linalg.cholesky(kernel(x, x, length, height) + noise**2 * np.eye(len(x)))
    white = np.linalg.solve(factor, y)
    return float(-0.5 * white @ white - np.sum(np.log(np.diag(factor))) - 0.5 * len(x) * math.log(2 * math.pi))


def dense(x: np.ndarray, y: np.ndarray, length: float, height: float, noise: float) -> LearntCurve:
    """Mean and variance of f at the levels by the textbook's formula."""
    across = kernel(GRID, x, length, height)
    weights = np.linalg.solve(kernel(x, x, length, height) + noise**2 * np.eye(len(x)), across.T)
    spread = height**2 - np.sum(across.T * weights, axis=0)
    return LearntCurve(weights.T @ y, spread, noise, log_likelihood(x, y, length, height, noise))


def given_effect(curve: LearntCurve, effect: np.ndarray) -> np.ndarray:
    """p(level | effect), rows × levels, as densities on [0, 1]."""
    variance = curve.noise**2 + curve.variance
    table = np.exp(-0.5 * (effect[:, None] - curve.mean) ** 2 / variance) / np.sqrt(variance)
    return table / np.mean(table, axis=1, keepdims=True)


def pair_inverse(n: int, seed: int = 0, noise: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, standardise(np.sqrt(x) + noise * rng.normal(size=n))


def on_levels(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, Place]:
    """A cause that takes the levels themselves, so that nothing is divided between two."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, INVERSE_LEVELS, size=n)
    left = np.minimum(level, INVERSE_LEVELS - 2)
    return (
        GRID[level],
        standardise(np.sin(4 * GRID[level]) + 0.3 * rng.normal(size=n)),
        Place(left, 1.0 * (level - left)),
    )


def test_regression_on_the_levels_is_the_dense_gaussian_process() -> None:
    """Wherever it counts: under a noise far too small, directions that were left out would matter too."""
    x, y, place = on_levels(60)
    ours = from_pairs(place, y, INVERSE_LEVELS)
    theirs = [dense(x, y, *settings) for settings in product(LENGTHS, HEIGHTS, NOISES)]
    best, compared = max(curve.evidence for curve in theirs), 0
    for one, other in zip(ours, theirs, strict=True):
        if other.evidence > best - 30.0:
            compared += 1
            assert one.evidence == pytest.approx(other.evidence, abs=0.05)
            np.testing.assert_allclose(one.mean, other.mean, atol=0.01)
            np.testing.assert_allclose(one.variance, other.variance, atol=0.01)
    assert compared > 10


def test_a_cause_between_levels_is_nearly_the_dense_gaussian_process() -> None:
    x, y = pair_inverse(80)
    x = (x - x.min()) / (x.max() - x.min())
    best = max(from_pairs(Place.of(x, INVERSE_LEVELS), y, INVERSE_LEVELS), key=lambda curve: curve.evidence)
    rivals = (dense(x, y, *settings) for settings in product(LENGTHS, HEIGHTS, NOISES))
    theirs = max(rivals, key=lambda curve: curve.evidence)
    assert best.noise == theirs.noise
    assert best.evidence == pytest.approx(theirs.evidence, abs=0.5)
    np.testing.assert_allclose(best.mean, theirs.mean, atol=0.05)


@pytest.mark.parametrize("noise", [0.12, 0.48])
def test_gradient_and_curvature_are_those_of_differences(noise: float) -> None:
    _, y = pair_inverse(40)
    levels = Levels(Sketch.of(y), roots(INVERSE_LEVELS)[2], noise)
    w = np.random.default_rng(1).normal(size=levels.root.shape[1])
    here, size = levels.evaluate(w), 1e-5
    for k, way in enumerate(np.eye(len(w)) * size):
        up, down = levels.evaluate(w + way), levels.evaluate(w - way)
        assert here.gradient[k] == pytest.approx((up.value - down.value) / (2 * size), rel=1e-4, abs=1e-4)
        np.testing.assert_allclose(here.curvature[k], (down.gradient - up.gradient) / (2 * size), rtol=1e-3, atol=1e-2)


def test_the_bound_lies_above_the_curvature() -> None:
    """Or a step of expectation-maximisation need not rise."""
    _, y = pair_inverse(60)
    here = Levels(Sketch.of(y), roots(INVERSE_LEVELS)[4], 0.24).evaluate(
        np.full(roots(INVERSE_LEVELS)[4].shape[1], 0.3)
    )
    assert np.linalg.eigvalsh(here.bound - here.curvature)[0] > -1e-8


@pytest.mark.parametrize("noise", NOISES)
def test_no_direction_leads_further_up_from_where_a_climb_ends(noise: float) -> None:
    _, y = pair_inverse(120)
    root = roots(INVERSE_LEVELS)[4]
    levels, start = Levels(Sketch.of(y), root, noise), np.zeros(root.shape[1])
    start[-2] = 1.0
    ended = climb(levels, start, 200)
    assert ended.converged
    w = np.linalg.lstsq(root, ended.mean, rcond=None)[0]
    assert np.max(np.abs(levels.evaluate(w).gradient)) < 0.1
    assert levels.evaluate(w).value >= levels.evaluate(start).value


def test_close_rows_are_one_and_none_is_lost() -> None:
    y = standardise(np.random.default_rng(0).normal(size=5000))
    sketch = Sketch.of(y)
    assert sum(sketch.counts) == 5000
    assert sketch.counts @ sketch.values == pytest.approx(np.sum(y), abs=1e-8)
    assert len(sketch.values) < 300


def test_the_effect_alone_tells_the_size_of_its_noise() -> None:
    """Half the spread is noise; a uniform cause under a straight line leaves corners that say so."""
    rng = np.random.default_rng(0)
    u, e = rng.uniform(-(3**0.5), 3**0.5, 4000), rng.normal(size=4000)
    for noise in (0.1, 0.3):
        curves = from_effect(standardise(u + noise * e), INVERSE_LEVELS, 100)
        best = max(curves, key=lambda curve: curve.evidence)
        assert best.noise == pytest.approx(noise / (1 + noise**2) ** 0.5, rel=0.45)


def sampled(y: np.ndarray, settings: tuple[float, float, float], sweeps: int, seed: int) -> np.ndarray:
    """The paper's way: a chain over the hidden cause of every row with f integrated out, from the sorted effect."""
    rng = np.random.default_rng(seed)
    x = (np.argsort(np.argsort(y)) + 0.5) / len(y)
    here, total, kept = log_likelihood(x, y, *settings), np.zeros((len(y), INVERSE_LEVELS)), 0
    for sweep in range(sweeps):
        for row in range(len(y)):
            before = x[row]
            moved = abs(before + rng.normal() * rng.choice([0.02, 0.1])) % 2
            x[row] = min(moved, 2 - moved)
            there = log_likelihood(x, y, *settings)
            if math.log(rng.uniform()) < there - here:
                here = there
            else:
                x[row] = before
        if sweep >= sweeps // 4:
            total, kept = total + given_effect(dense(x, y, *settings), y), kept + 1
    return total / kept


def test_the_effect_alone_says_what_the_sampler_of_the_paper_says() -> None:
    """As near to the mean of two chains as half the way from one to the other, and far from saying nothing."""
    settings = (0.4, 1.0, NOISES[3])
    y = np.sort(pair_inverse(40, seed=0, noise=0.12)[1])
    root = roots(INVERSE_LEVELS)[LENGTHS.index(0.4) * len(HEIGHTS)]
    start = np.linalg.lstsq(root, np.quantile(y, GRID), rcond=0.1)[0]
    ours = given_effect(climb(Levels(Sketch.of(y), root, settings[2]), start, 200), y)
    one, other = (sampled(y, settings, 150, seed) for seed in (0, 1))
    apart = np.mean(np.abs(ours - (one + other) / 2)) / 2
    assert apart < 0.12
    assert apart < 0.25 * np.mean(np.abs(1 - (one + other) / 2)) / 2 + 0.01
