"""CDS against the steps of the cdt package, one bin at a time, and additive noise."""

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.cds import score


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
    assert score(x, y) == pytest.approx(-loop(x, y), abs=1e-12)
    assert score(y, x) == pytest.approx(-loop(y, x), abs=1e-12)


def test_laws_that_differ_in_their_mean_alone_do_not_differ() -> None:
    x, noise = np.repeat(np.arange(5.0), 40), np.tile(np.linspace(-1, 1, 40), 5)
    assert score(x, 3.0 * x + noise) == pytest.approx(0.0, abs=1e-12)
    steps = np.tile(np.repeat(np.arange(4.0), 10), 5)
    assert score(x, 2.0 * x + steps) == pytest.approx(0.0, abs=1e-12)  # twelve values, moved along them


@pytest.mark.parametrize("seed", range(4))
def test_additive_noise_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*additive(seed), method="cds").direction is Direction.FORWARD


def test_reflection_changes_nothing() -> None:
    x, y = additive(0)
    assert score(-x, -y) == pytest.approx(score(x, y), rel=1e-9)


def test_too_few_rows_are_refused() -> None:
    assert "min_count" in causewise.infer(*additive(0, n=20), method="cds").reason
