import numpy as np
import pytest
from golden_scores import agreement, needs_golden

import causewise
from causewise.pair import Pair


def decide(spec, x, y):
    return causewise.method(spec).decide_many([Pair.of(x, y)])[0]


def test_one_bin_is_polynomial_regression():
    x = np.arange(12.0)
    y = np.array([0, 3, 1, 4, 2, 6, 3, 5, 9, 4, 7, 8.0])
    u, v = x / 11, y / 9
    costs = []
    for degree in (1, 2, 3):
        error = np.sum((v - np.polyval(np.polyfit(u, v, degree), u)) ** 2)
        costs.append(12 * np.log2((error + 1e-4) / 12) + (degree + 2) * np.log2(12))
    assert decide("heci", x, y).forward.score == pytest.approx(-min(costs))


def test_a_many_to_one_effect_with_little_noise_is_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 500)
    assert decide("heci", x, x**2 + 0.02 * rng.normal(size=500)).cause == "x"


def test_pieces_with_their_own_noise_shorten_the_code():
    rng = np.random.default_rng(1)
    x = rng.random(800)
    y = np.where(x < 0.5, 0.01, 0.5) * rng.normal(size=800)
    fine, coarse = (decide(f"heci:bins={bins}", x, y).forward.score for bins in (20, 1))
    assert fine > coarse + 500


def test_values_on_the_ends_of_bins_do_not_depend_on_units():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 201, 2000).astype(float)
    y = np.round(x / 10 + rng.normal(size=2000) * (1 + x / 50), 1)
    scores = [decide("heci", x * unit, y).score for unit in (1.0, 0.1, 1 / 3, 1e-5)]
    assert np.ptp(scores) < 1e-6


def test_few_distinct_causes_are_fitted_by_what_they_determine():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 100).astype(float)
    y = x + 0.1 * rng.normal(size=100)
    v = (y - y.min()) / np.ptp(y)
    error = sum(np.sum((v[x == k] - v[x == k].mean()) ** 2) for k in (0, 1))
    expected = 100 * np.log2((error + 1e-4) / 100) + 3 * np.log2(100)
    assert decide("heci", x, y).forward.score == pytest.approx(-expected)


@needs_golden
@pytest.mark.parametrize("dataset", ["AN", "LS", "SIM", "Tue"])
@pytest.mark.parametrize("spec", ["heci", "heci:published=true"])
def test_published_scores(spec, dataset):
    found = agreement(spec, "HECI", dataset)
    assert found.spearman > 0.9999
    assert found.sign == 1
    assert dataset == "Tue" or found.largest_gap < 1e-6
