"""CURE: which direction pays less for a hidden cause, under its own assumptions and where they fail."""

import numpy as np
import pytest

from causewise.methods.baselines.cure import log_density, score
from causewise.methods.baselines.inverse import LearntCurve, Place, from_effect, from_pairs
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
        score(*columns).score > score(*columns[::-1]).score for columns in (pair(k, power=power) for k in range(4))
    ]
    assert all(right)


def test_the_effect_alone_never_says_more_than_the_pairs_do_beyond_chance() -> None:
    rng = np.random.default_rng(5)
    for _ in range(4):
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
