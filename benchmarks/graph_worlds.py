"""Simulated tables with a known graph: location-scale models as `causewise.order` fits them, and worlds beyond these.

Every column is standardised before its children are made, and signal and noise have the same share of it wherever it
stands: neither variance nor noise level tells the order.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Edges = set[tuple[int, int]]
Mechanism = Callable[[np.random.Generator, list[np.ndarray], np.ndarray], np.ndarray]
"""A column from its parents (at least one) and its noise, which has variance one."""
LAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
    "exponential": lambda rng, n: rng.choice([-1, 1]) * (rng.exponential(size=n) - 1),
    "t3": lambda rng, n: rng.standard_t(3, n),
}
PLAIN = ("normal", "Laplace", "uniform")


def curve(rng: np.random.Generator, u: np.ndarray) -> np.ndarray:
    """One of four kinds of smooth functions."""
    size, shift, pace = rng.uniform(0.5, 2) * rng.choice([-1, 1]), rng.uniform(-1, 1), rng.uniform(0.7, 2)
    return [
        lambda: 1.2 * np.tanh(size * pace * (u - shift)),
        lambda: np.sign(size) * np.sin(pace * u + shift),
        lambda: 0.5 * size * (u - shift) ** 2 / (1 + 0.2 * u**2),
        lambda: 0.5 * size * u + 0.5 * np.sin(2 * u + shift),
    ][rng.integers(4)]()


def location_scale(heteroscedastic: bool) -> Mechanism:
    """A sum of curves, and noise whose size is a product of others."""

    def column(rng: np.random.Generator, parents: list[np.ndarray], noise: np.ndarray) -> np.ndarray:
        mean = sum(curve(rng, u) for u in parents)
        bent = [rng.uniform(0.4, 1.0) * curve(rng, u) for u in parents if rng.random() < 0.7]
        scale = np.exp(np.clip(sum(bent), -3, 2)) if heteroscedastic and bent else np.ones(len(noise))
        return mean / np.std(mean) + rng.uniform(0.5, 1.0) * scale / np.sqrt(np.mean(scale**2)) * noise

    return column


def products(rng: np.random.Generator, parents: list[np.ndarray], noise: np.ndarray) -> np.ndarray:
    """The product of a curve of each parent, and noise of one size."""
    mean = np.prod([curve(rng, u) for u in parents], axis=0)
    return mean / np.std(mean) + rng.uniform(0.5, 1.0) * noise


def network(rng: np.random.Generator, parents: list[np.ndarray], noise: np.ndarray) -> np.ndarray:
    """Twenty hidden units that see the parents and the noise together."""
    seen = np.column_stack([*parents, noise])
    return np.tanh(seen @ rng.normal(size=(seen.shape[1], 20)) + rng.normal(size=20)) @ rng.normal(size=20)


def post_nonlinear(rng: np.random.Generator, parents: list[np.ndarray], noise: np.ndarray) -> np.ndarray:
    """A sum of curves and noise, seen through a function that only rises."""
    mean = sum(curve(rng, u) for u in parents)
    inner = mean / np.std(mean) + rng.uniform(0.5, 1.0) * noise
    return [np.exp, lambda z: z**3 + z, lambda z: np.tanh(z)][rng.integers(3)](0.8 * inner)


def linear(rng: np.random.Generator, parents: list[np.ndarray], noise: np.ndarray) -> np.ndarray:
    """Straight lines."""
    mean = sum(rng.uniform(0.5, 1.0) * rng.choice([-1, 1]) * u for u in parents)
    return mean / np.std(mean) + rng.uniform(0.5, 1.0) * noise


WORLDS: dict[str, tuple[Mechanism, tuple[str, ...]]] = {
    "heteroscedastic": (location_scale(True), PLAIN),
    "homoscedastic": (location_scale(False), PLAIN),
    "skewed noise": (location_scale(True), ("exponential",)),
    "long-tailed noise": (location_scale(True), ("t3",)),
    "products": (products, PLAIN),
    "network": (network, PLAIN),
    "post-nonlinear": (post_nonlinear, PLAIN),
    "linear, not normal": (linear, ("Laplace", "uniform", "exponential")),
    "linear, normal": (linear, ("normal",)),
}


@dataclass(frozen=True)
class Setting:
    """A kind of table; `parents` is the number of edges over the number of columns."""

    columns: int
    rows: int
    parents: float
    world: str

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.world} {self.columns} × {self.rows} {'sparse' if self.parents == 1 else 'dense'}"


GRID = [
    Setting(columns, rows, parents, world)
    for columns, rows in ((5, 500), (10, 500), (5, 2000), (20, 500), (10, 2000), (20, 2000))
    for world in ("heteroscedastic", "homoscedastic")
    for parents in (1.0, 2.0)
]
"""By their cost."""
BEYOND = [Setting(columns, 500, 2.0, world) for columns in (5, 10) for world in list(WORLDS)[2:]]
SETTINGS = [*GRID, *BEYOND]


def simulated(setting: Setting, seed: int) -> tuple[np.ndarray, Edges]:
    """Rows of a table over a random graph, and its edges."""
    number = list(WORLDS).index(setting.world)
    rng = np.random.default_rng([seed, setting.columns, setting.rows, round(2 * setting.parents), number])
    mechanism, laws = WORLDS[setting.world]
    order, n = rng.permutation(setting.columns), setting.rows
    share = min(1.0, 2 * setting.parents / (setting.columns - 1))
    rows, edges = np.zeros((n, setting.columns)), Edges()
    for k, child in enumerate(order):
        parents = [int(other) for other in order[:k] if rng.random() < share]
        edges |= {(parent, int(child)) for parent in parents}
        noise = LAWS[laws[rng.integers(len(laws))]](rng, n)
        noise /= noise.std()
        made = mechanism(rng, [rows[:, p] for p in parents], noise) if parents else noise
        rows[:, child] = (made - made.mean()) / made.std()
    return rows, edges
