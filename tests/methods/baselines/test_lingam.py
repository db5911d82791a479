"""Pairwise LiNGAM: entropies of known laws, and linear pairs."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.lingam import entropy
from causewise.pair import standardise

GRID = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize(
    ("column", "true", "within"),
    [
        (norm.ppf(GRID), 0.5 + 0.5 * math.log(2 * math.pi), 1e-3),
        (GRID, 0.5 * math.log(12), 0.15),
        (np.sign(GRID - 0.5) * np.log1p(-np.abs(2 * GRID - 1)), 1 + 0.5 * math.log(2), 0.1),
    ],
    ids=["gaussian", "uniform", "laplace"],
)
def test_entropy_is_exact_for_the_gaussian_and_near_for_others(column: np.ndarray, true: float, within: float) -> None:
    assert entropy(standardise(column)) == pytest.approx(true, abs=within)


def test_the_gaussian_has_the_most_entropy() -> None:
    gaussian = entropy(standardise(norm.ppf(GRID)))
    assert all(entropy(standardise(v)) < gaussian for v in (GRID, GRID**2, np.exp(GRID), np.log(GRID)))


@pytest.mark.parametrize("noise", ["uniform", "laplace", "exponential"])
@pytest.mark.parametrize("slope", [0.5, -2.0])
def test_linear_pairs_with_non_gaussian_noise_are_decided_rightly(noise: str, slope: float) -> None:
    rng = np.random.default_rng(0)
    x, e = getattr(rng, noise)(size=1000), getattr(rng, noise)(size=1000)
    assert causewise.infer(x, slope * x + e, method="lingam").direction is Direction.FORWARD


def test_a_noiseless_line_is_refused() -> None:
    x = np.random.default_rng(0).uniform(size=50)
    assert "exact linear function" in causewise.infer(x, 2 * x + 1, method="lingam").reason
