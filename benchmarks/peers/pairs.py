"""The pairs that both sides are timed on: x causes y in each, but every other one is handed over turned round."""

import numpy as np

from causewise.pair import Pair


def cubic(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The textbook additive pair: x uniform on (−2, 2), y = x³ + noise."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x, x**3 + rng.normal(size=n)


def location_scale(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A bent curve, with noise that grows away from the middle."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.tanh(1.5 * x) + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=n)


def pairs(n: int, count: int) -> list[Pair]:
    """The cubic pair first, then pairs of both kinds in turn."""
    kinds = (cubic, location_scale)
    made = [Pair.of(*kinds[k % 2](n, k)) for k in range(count)]
    return [pair.swap() if k % 2 else pair for k, pair in enumerate(made)]
