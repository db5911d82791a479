"""Clean pairs, what can be wrong with a pair, and what the check before the fit says of it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from causewise.data_checks import DataWarning, Severity, check
from causewise.pair import Pair

SEEDS = st.integers(0, 2**32 - 1)


def clean(seed: int, n: int = 600) -> Pair:
    """A location-scale pair with a curved mean, a changing scale and one of several causes."""
    rng = np.random.default_rng(seed)
    cause = [rng.normal(size=n), rng.uniform(-2, 2, size=n), rng.gamma(3, size=n) - 3][rng.integers(3)]
    bend, size = rng.uniform(0.5, 2, size=2)
    mean = [np.tanh(2 * cause) + 0.1 * cause, bend * np.sin(2 * cause) + cause, np.abs(cause) ** 1.5][rng.integers(3)]
    noise = [rng.normal(size=n), rng.uniform(-1.7, 1.7, size=n), rng.laplace(size=n) / 1.4][rng.integers(3)]
    return Pair.of(cause, mean + size * (0.2 + 0.4 / (1 + np.exp(-2 * cause))) * noise)


def kinds(pair: Pair) -> dict[str, Severity]:
    return {warning.kind: warning.severity for warning in check(pair)}


def changed(pair: Pair, x=None, y=None) -> Pair:
    return Pair.of(pair.x if x is None else x, pair.y if y is None else y)


def rows(pair: Pair, order: np.ndarray) -> Pair:
    return replace(pair, x=pair.x[order], y=pair.y[order])


def one(pair: Pair, kind: str) -> DataWarning:
    (warning,) = (warning for warning in check(pair) if warning.kind == kind)
    return warning


DEFECTS: dict[str, Callable[[Pair, np.random.Generator], Pair]] = {
    "exact_line": lambda p, rng: changed(p, y=1.8 * p.x + 32),
    "linear_gaussian": lambda p, rng: Pair.of(g := rng.normal(size=p.n), rng.uniform(-3, 3) * g + rng.normal(size=p.n)),
    "row_identifiers": lambda p, rng: changed(p, x=np.cumsum(rng.integers(1, 4, p.n))),
    "few_levels": lambda p, rng: changed(p, x=np.digitize(p.x, np.quantile(p.x, [0.3, 0.6]))),
    "point_mass": lambda p, rng: changed(p, x=np.maximum(p.x, np.quantile(p.x, 0.3))),
    "few_rows": lambda p, rng: Pair.of(p.x[:60], p.y[:60]),
    "ties": lambda p, rng: changed(p, x=np.round(3 * p.x)),
    "common_steps": lambda p, rng: Pair.of(
        np.where(rng.random(p.n) < 0.6, rng.choice([8, 12], p.n), rng.integers(20, size=p.n)), np.round(20 * p.y)
    ),
    "outliers": lambda p, rng: changed(p, y=np.append(p.y[:-1], 200.0)),
    "repeated_rows": lambda p, rng: Pair.of(np.append(p.x, p.x[:100]), np.append(p.y, p.y[:100])),
    "dependent_rows": lambda p, rng: Pair.of(np.cumsum(rng.normal(size=p.n)), p.y),
    "nearly_deterministic": lambda p, rng: changed(p, y=np.tanh(p.x) + 0.003 * rng.normal(size=p.n)),
    "alternating_rows": lambda p, rng: Pair.of(np.diff(rng.uniform(size=p.n + 1)), p.y),
    "sorted_rows": lambda p, rng: rows(p, np.argsort(p.x)),
    "missing_rows": lambda p, rng: Pair.of(np.append(p.x, np.nan), np.append(p.y, 1.0), nan_policy="omit"),
    "reading_notes": lambda p, rng: Pair.of([2**60 + int(1e9 * value) for value in p.x], p.y),
}
