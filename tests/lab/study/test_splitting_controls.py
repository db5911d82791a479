"""The control that doubles the statistic asks the null law of the test itself."""

import numpy as np
import pytest

from causewise.lab.study import splitting
from causewise.numerics.hsic import hsic_test, kernel_column, p_value_at

LAWS = [("normal", "uniform"), ("standard_t", "normal"), ("uniform", "uniform")]


def columns(laws, n, seed=3):
    rng = np.random.default_rng(seed)
    return [rng.standard_t(3, size=n) if law == "standard_t" else getattr(rng, law)(size=n) for law in laws]


@pytest.mark.parametrize("laws", LAWS)
def test_the_law_gives_the_test_s_own_p_value_back(laws):
    test = hsic_test(*columns(laws, 300))
    assert p_value_at(test.statistic, test) == pytest.approx(test.p_value, rel=1e-9)


@pytest.mark.parametrize("laws", LAWS)
def test_another_statistic_has_the_p_value_that_permutations_give_it(laws):
    a, b = columns(laws, 100)
    test = hsic_test(a, b)
    rng = np.random.default_rng(4)
    permuted = [hsic_test(a, rng.permutation(b)).statistic for _ in range(1000)]
    for share in (0.5, 0.1, 0.05):
        p = p_value_at(float(np.quantile(permuted, 1 - share)), test)
        assert abs(p - share) < 3.5 * np.sqrt(share * (1 - share) / 1000)


def test_a_constant_null_law_gives_every_statistic_one():
    a = np.arange(20.0)
    test = hsic_test(kernel_column(a, 1e-12), kernel_column(a[::-1].copy(), 1e-12))
    assert p_value_at(2 * test.statistic, test) == 1.0


def test_twice_the_statistic_is_rejected_more_often():
    cells = ({"noise": "gaussian", "knots": "none", "n": 200, "seed": seed} for seed in range(40))
    rows = [row for cell in cells for row in splitting.measure(cell)]
    assert all(0 < row["p_doubled"] < row["p_true"] <= 1 for row in rows)
