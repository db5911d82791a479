"""CAM: its score from its definition, and what it decides."""

import math

import numpy as np
import pytest

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.cam import published_score, score


def additive(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, np.sin(2 * x) + 0.3 * rng.standard_normal(n)


def test_the_score_is_the_log_share_of_variance_explained() -> None:
    x, y = additive(300, 0)
    side = score(x, 7 * y)
    assert side.score == pytest.approx(math.log(np.var(7 * y) / np.var(7 * y - side.location)), rel=1e-9)
    assert np.std(side.residual) == pytest.approx(1.0, rel=1e-9)
    assert side.scale[0] == pytest.approx(np.std(7 * y - side.location), rel=1e-9)


def test_the_published_score_from_its_formula() -> None:
    x, y = additive(300, 1)
    result = published_score(x, 3 * y)
    f_x, f_y = (
        -math.log(np.var(cause, ddof=1)) - math.log(np.sum((effect - side.location) ** 2) / (len(x) - 1))
        for cause, effect, side in ((x, 3 * y, result.forward), (3 * y, x, result.backward))
    )
    assert result.score == pytest.approx(math.copysign(abs(max(f_x, f_y) + 5), f_x - f_y), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_additive_gaussian_noise_is_decided_rightly(seed: int) -> None:
    assert causewise.infer(*additive(300, seed), method="cam").direction is Direction.FORWARD


def test_two_columns_of_two_values_tie() -> None:
    x = np.repeat([0.0, 1.0], 20)
    y = np.concatenate([np.zeros(15), np.ones(20), np.zeros(5)])
    assert causewise.infer(x, y, method="cam").direction is Direction.UNDECIDED


def test_replicated_rows_count() -> None:
    x, y = additive(100, 2)
    once, thrice = score(x, y), score(np.repeat(x, 3), np.repeat(y, 3))
    assert thrice.score > once.score  # more evidence for the same shape: less smoothing


def test_long_tied_columns_are_no_burden() -> None:
    rng = np.random.default_rng(3)
    x = np.round(5 * rng.standard_normal(16_382))
    decision = causewise.infer(x, np.round(np.abs(x) + rng.standard_normal(16_382)), method="cam")
    assert decision.direction is Direction.FORWARD
