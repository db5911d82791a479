"""Which terms come into a column's model: the tests keep their level under noise of any law, and see through it."""

from collections.abc import Callable

import numpy as np
import pytest

from causewise.models.additive import SIZES, AdditiveTerm, Smooths
from causewise.pair import standardise
from causewise.parallel import one_thread

Law = Callable[[np.random.Generator, int], np.ndarray]
LAWS: dict[str, Law] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
    "long tails": lambda rng, n: rng.standard_t(3, n),
}


def spread_p_values(law: Law, bent: float, tables: int, n: int = 400) -> np.ndarray:
    """Of the spread, in tables where a column moves the mean, and by `bent` the size of the noise."""
    out = []
    with one_thread():
        for seed in range(tables):
            rng = np.random.default_rng(seed)
            u = rng.normal(size=n)
            v = 2 * np.tanh(u) + np.exp(bent * np.sin(u)) * law(rng, n)
            v = standardise(v)
            smooths = Smooths([standardise(u), v])
            means = [term for term in smooths.fit(v, [0], alpha=1e-3).terms if not term.spread]
            assert means
            out.append(smooths.test(v, means, AdditiveTerm(0, True, SIZES[1], 1.0)).p)
    return np.array(out)


@pytest.mark.parametrize("law", LAWS)
def test_a_spread_that_is_not_moved_is_let_in_at_the_level(law):
    """Absolute residuals alone would let in a third of those with skewed noise at 0.05."""
    p_values = spread_p_values(LAWS[law], 0.0, tables=250)
    assert np.mean(p_values < 0.05) < 0.13
    assert np.mean(p_values < 0.01) < 0.06


@pytest.mark.parametrize("law", LAWS)
def test_a_spread_that_is_moved_is_seen_under_noise_of_any_law(law):
    """By squares of the residuals, two thirds of those with long tails were missed."""
    assert np.mean(spread_p_values(LAWS[law], 0.6, tables=40) < 0.001) > 0.8
