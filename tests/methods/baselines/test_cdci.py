"""CDCI against a plain loop over bins, and location-scale pairs."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.cdci import DIVERGENCES, conditional_histograms

EPS = 1e-8


def loop(x: np.ndarray, y: np.ndarray) -> np.ndarray:
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
    np.testing.assert_allclose(conditional_histograms(x, y, digits=None), loop(x, y), atol=1e-12)


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
