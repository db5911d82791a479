"""CDS and CDCI: vectorised histograms are those of a plain loop; what the scores decide."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.cds import DIVERGENCES, score_cds, standardised_histograms


def loop(x: np.ndarray, y: np.ndarray) -> float:
    """The deviation as the cdt package has it; the values themselves where there are thirteen of them or fewer."""
    few = len(np.unique(y)) <= 13
    if len(np.unique(x)) > 13:
        x = (x - x.mean()) / x.std()
        core = x[np.abs(x) < 3]
        x = np.clip(np.round(2 * (x - core.mean()) / core.std()), -6, 6)
    levels = np.unique(y)
    whole = np.array([np.mean(y == level) for level in levels])
    rows = []
    for value in np.unique(x):
        inside = y[x == value]
        if len(inside) <= 12:
            continue
        if not few:
            z = np.clip(np.round(2 * (inside - inside.mean()) / y.std()), -6, 6)
            rows.append([np.mean(z == k) for k in range(-6, 7)])
            continue
        counts = [np.sum(inside == level) for level in levels]
        edge = [0] * (len(levels) - 1)
        padded = np.array(edge + counts + edge, float)
        overlap = [np.sum(whole * padded[i : i + len(levels)]) for i in range(2 * len(levels) - 1)]
        best = int(np.argmax(np.round(overlap, 9)))
        rows.append(np.array([0] * (2 * len(levels) - 2 - best) + counts + [0] * best) / len(inside))
    return float(np.std(np.array(rows) - np.mean(rows, axis=0)))


def additive(seed: int, n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, np.tanh(2 * x) + 0.3 * rng.uniform(-1, 1, n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("digits", [None, 1, 0])
def test_the_score_is_that_of_the_loop(seed: int, digits: int | None) -> None:
    x, y = additive(seed)
    y = y if digits is None else np.round(5 * y, digits)
    assert score_cds(x, y) == pytest.approx(-loop(x, y), abs=1e-12)
    assert score_cds(y, x) == pytest.approx(-loop(y, x), abs=1e-12)


def test_laws_that_differ_in_their_mean_alone_do_not_differ() -> None:
    x, noise = np.repeat(np.arange(5.0), 40), np.tile(np.linspace(-1, 1, 40), 5)
    assert score_cds(x, 3.0 * x + noise) == pytest.approx(0.0, abs=1e-12)
    steps = np.tile(np.repeat(np.arange(4.0), 10), 5)
    assert score_cds(x, 2.0 * x + steps) == pytest.approx(0.0, abs=1e-12)  # twelve values, moved along them


@pytest.mark.parametrize("seed", range(4))
def test_additive_noise_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*additive(seed), method="cds").direction is Direction.FORWARD


def test_reflection_changes_nothing() -> None:
    x, y = additive(0)
    assert score_cds(-x, -y) == pytest.approx(score_cds(x, y), rel=1e-9)


def test_too_few_rows_are_refused() -> None:
    assert "min_count" in causewise.infer(*additive(0, n=20), method="cds").reason


EPS = 1e-8


def loop_cdci(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The published program's steps, one bin at a time."""
    x = (x - x.mean()) / (x.std() + EPS)
    core = x[np.abs(x) < 3]
    binned = np.clip(np.round(2 * (x - core.mean()) / (core.std() + EPS)), -6, 6)
    rows = []
    for value in np.unique(binned):
        inside = y[binned == value]
        if len(inside) > 12:
            z = np.clip(np.round(2 * (inside - inside.mean()) / (inside.std() + EPS)), -6, 6)
            rows.append([np.mean(z == k) for k in range(-6, 7)])
    return np.array(rows)


def location_scale(seed: int, n: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, x**3 / 3 + (0.3 + 0.3 * np.abs(x)) * rng.standard_normal(n)


@pytest.mark.parametrize("heavy", [False, True])
def test_histograms_are_those_of_the_loop(heavy: bool) -> None:
    x, y = location_scale(0)
    if heavy:
        x = np.random.default_rng(1).standard_t(2, len(x))
    np.testing.assert_allclose(standardised_histograms(x, y, digits=None), loop_cdci(x, y), atol=1e-12)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_every_divergence_vanishes_for_equal_histograms_only(divergence: str) -> None:
    same, different = np.full((3, 13), 1 / 13), np.eye(13)[:3]
    measure = DIVERGENCES[divergence]
    assert np.max(np.abs(measure(same, same.mean(axis=0)))) < 1e-12
    assert np.min(measure(different, different.mean(axis=0))) > 0.1


@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("seed", range(3))
def test_location_scale_pairs_are_decided_rightly(divergence: str, seed: int) -> None:
    assert causewise.infer(*location_scale(seed), method=f"cdci:divergence={divergence}").direction is Direction.FORWARD


def test_too_few_rows_are_refused_and_in_published_form_undecided() -> None:
    x, y = location_scale(0, n=20)
    assert "min_count" in causewise.infer(x, y, method="cdci").reason
    assert causewise.infer(x[:12], y[:12], method="cdci:published=true").score == 0.0
