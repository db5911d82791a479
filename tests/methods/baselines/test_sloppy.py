"""SLOPPY against a smoothing spline of SciPy and least squares by hand, and low-noise pairs."""

import math

import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline
from scipy.optimize import brentq

import causewise
from causewise.decision import Direction
from causewise.methods.baselines.reci import MIN_DISTINCT, bits, direction_bits, spline_bits
from causewise.numerics.arrays import minmax


def low_noise(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, n)
    return x, x**3 + x + 0.03 * rng.standard_normal(n)


def bent(n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    u = minmax(np.sort(rng.uniform(size=n)))
    return u, minmax(np.sin(4 * u) + 0.1 * rng.standard_normal(n))


def test_the_price_is_that_of_the_full_smoothing_spline() -> None:
    """With as many basis functions as values the thin plate spline is the cubic smoothing spline."""
    u, v = bent()
    n = len(u)

    def smoother(log_lam: float) -> np.ndarray:
        lam = math.exp(log_lam)
        return np.column_stack([make_smoothing_spline(u, row, lam=lam)(u) for row in np.eye(n)])

    def price(rss: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        return 20.0 * rss + parameters  # thirty rows are too few for the published price to choose a curve

    prices = []
    for edf in range(3, 8):
        at = brentq(lambda log_lam, edf=edf: np.trace(smoother(log_lam)) - edf, -25, 8, xtol=1e-4)
        prices.append(float(price(np.sum((v - smoother(at) @ v) ** 2), np.float64(edf))))
    assert prices[0] > min(prices) < prices[-1]
    assert spline_bits(u, v, price, n) == pytest.approx(min(prices), rel=1e-4)


def test_a_smaller_basis_prices_almost_the_same() -> None:
    x, y = low_noise(0)
    assert direction_bits(x, y, basis_size=15) == pytest.approx(direction_bits(x, y, basis_size=60), rel=0.02)


@pytest.mark.parametrize("penalty", ["bic", "aic"])
def test_unrelated_columns_cost_their_variance_and_one_parameter(penalty: str) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=(2, 2000))
    each = math.log2(2000) if penalty == "bic" else 2.0
    mean_alone = 2000 * math.log2(1 + np.var(minmax(y))) + each
    assert direction_bits(x, y, penalty=penalty) == pytest.approx(mean_alone, abs=8.0)
    assert direction_bits(x, y, penalty=penalty) <= mean_alone + 1e-9


def test_terms_find_the_power_there_is() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(size=500)
    y = x**5 + 0.02 * rng.standard_normal(500)
    u, v = minmax(x), minmax(y)
    power = np.column_stack([np.ones(500), u**5])
    wrong = v - power @ np.linalg.lstsq(power, v, rcond=None)[0]
    two = float(bits(wrong @ wrong, np.float64(2), 500, "bic"))
    assert two - 3 < direction_bits(x, y, curve="terms") <= two + 1e-6


@pytest.mark.parametrize("spec", ["sloppy", "sloppy:penalty=aic", "sloppy:curve=terms"])
@pytest.mark.parametrize("seed", range(3))
def test_low_noise_is_decided_rightly(spec: str, seed: int) -> None:
    assert causewise.infer(*low_noise(seed), method=spec).direction is Direction.FORWARD


def test_the_score_is_a_share_of_the_larger_price_and_reflection_keeps_it() -> None:
    x, y = low_noise(2)
    forward, backward = direction_bits(x, y), direction_bits(y, x)
    plain, turned = (causewise.infer(column, y, method="sloppy").score for column in (x, -x))
    assert plain == pytest.approx((backward - forward) / max(forward, backward))
    assert turned == pytest.approx(plain, rel=1e-6)


def test_few_values_are_refused_on_either_side() -> None:
    x, y = low_noise(0)
    few = np.floor(x * (MIN_DISTINCT - 1))
    for pair in ((few, y), (y, few)):
        assert "distinct values" in causewise.infer(*pair, method="sloppy").reason
