"""Pairs to try the default method on, and the method alone, without what `infer` does around it."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from causewise.decision import Decision
from causewise.methods.combined.method import causewise as built
from causewise.pair import FloatArray, Pair

Columns = tuple[FloatArray, FloatArray]
seeds = st.integers(0, 10**6)
some = settings(max_examples=15)


def related(seed: int, n: int = 150) -> Columns:
    """One of several relations, some of them rounded."""
    rng = np.random.default_rng(seed)
    u = (rng.normal(size=n), rng.uniform(-2, 2, n), rng.gamma(2.0, size=n))[seed % 3]
    e = rng.normal(size=n)
    curves = (np.tanh(2 * u) + (0.2 + 0.2 * np.abs(u)) * e, np.sin(2 * u) + 0.5 * e, np.exp(u / 2) + 0.3 * e)
    v = (*curves, u**3 + (1 + np.abs(u) / 2) * e)[seed % 4]
    return (np.round(u, 1), np.round(v, 1)) if seed % 5 == 0 else (u, v)


def clear(seed: int, n: int = 400) -> Columns:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x, x**2 + 0.3 * rng.normal(size=n)


def decide(x: FloatArray, y: FloatArray, **chosen: Any) -> Decision:
    return built(**chosen).decide_many([Pair.of(x, y)])[0]


def independent(seed: int, n: int = 200) -> Columns:
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.gamma(1.0, size=n)
