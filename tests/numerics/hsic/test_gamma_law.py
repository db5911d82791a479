"""The 2008 gamma test against its dense formulas and SciPy's gamma law."""

import math

import numpy as np
import pytest
from scipy.stats import gamma

from causewise.numerics.hsic import hsic_gamma_test, kernel_column


def dense_test(a: np.ndarray, b: np.ndarray, width_a: float, width_b: float) -> tuple[float, float, float]:
    n = len(a)
    k, m = (np.exp(-((v[:, None] - v) ** 2) / w) for v, w in ((a, width_a), (b, width_b)))
    kc, mc = k - k.mean(axis=1, keepdims=True), m - m.mean(axis=1, keepdims=True)
    hsic = float(np.sum(kc * mc.T)) / n**2
    mu_k, mu_m = ((v.sum() - n) / (n * (n - 1)) for v in (k, m))
    mean = (1 + mu_k * mu_m - mu_k - mu_m) / n
    squares = np.sum(kc * kc.T) / (n - 1) ** 2 * np.sum(mc * mc.T) / (n - 1) ** 2
    variance = 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * squares
    law = gamma(mean**2 / variance, scale=n * variance / mean)
    return hsic, float(law.sf(n * hsic)), float(law.logsf(n * hsic))


@pytest.mark.parametrize(("n", "strength"), [(12, 0.0), (100, 0.0), (300, 0.5), (300, 3.0)])
def test_structured_equals_dense(n: int, strength: float) -> None:
    rng = np.random.default_rng(n)
    a = rng.standard_normal(n)
    b = strength * a**2 + rng.standard_normal(n)
    ours = hsic_gamma_test(kernel_column(a, 1.3), kernel_column(b, 0.7))
    hsic, p, log_p = dense_test(a, b, 1.3, 0.7)
    assert ours.statistic == pytest.approx(hsic, rel=1e-7)
    assert ours.p_value == pytest.approx(p, rel=1e-6)
    assert ours.log_p_value == pytest.approx(log_p, rel=1e-6, abs=1e-9)


def test_the_logarithm_outlives_the_p_value() -> None:
    a = np.random.default_rng(0).standard_normal(3000)
    test = hsic_gamma_test(kernel_column(a), kernel_column(a**3))
    assert test.p_value == 0.0
    assert -math.inf < test.log_p_value < -700
