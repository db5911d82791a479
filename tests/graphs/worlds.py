"""Tables with a known graph: location-scale noise, every column standardised so that no variance tells the order."""

import numpy as np

CHAIN = {("a", "b"), ("b", "c")}


def chain(n: int = 500, seed: int = 0) -> dict[str, np.ndarray]:
    """a moves b's mean and spread, b moves c's mean; d is alone."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = unit(np.sin(2 * a) + 0.4 * np.exp(0.5 * a) * rng.normal(size=n))
    c = unit(np.tanh(2 * b) + 0.4 * rng.uniform(-1, 1, n))
    return {"c": c, "a": a, "d": rng.laplace(size=n), "b": b}


def world(columns: int, n: int, seed: int, share: float = 0.5) -> tuple[np.ndarray, set[tuple[int, int]]]:
    """One line a column, and the edges."""
    rng = np.random.default_rng(seed)
    order, lines, edges = rng.permutation(columns), np.zeros((columns, n)), set()
    for k, child in enumerate(order):
        noise = rng.normal(size=n) if rng.random() < 0.5 else rng.uniform(-1.7, 1.7, n)
        for parent in order[:k]:
            if rng.random() < share:
                u, shift = lines[parent], rng.uniform(-1, 1)
                noise = (0.4 + 0.3 * np.abs(u)) * noise + rng.choice([-1, 1]) * np.tanh(2 * u + shift)
                edges.add((int(parent), int(child)))
        lines[child] = unit(noise)
    return lines, edges


def unit(column: np.ndarray) -> np.ndarray:
    return (column - column.mean()) / column.std()
