"""Causal graphs built by hand, with edges of every kind."""

from dataclasses import replace

import numpy as np
from scans import HOSTILE

from causewise.graphs.causal_graph import CausalGraph, Edge

NAMES = ("age", "dose", "weight", "response", "left", "right", "alone")


def mixed_graph(names: tuple[str, ...] = NAMES, n: int = 400) -> CausalGraph:
    """Arrows, an edge without a direction, a common cause and two given edges; one column alone."""
    rng = np.random.default_rng(0)
    age, dose, weight, response, left, right, alone = names
    columns = {name: rng.normal(size=n) for name in names}
    columns[age] = rng.integers(0, 2, n).astype(float)
    columns[response] = np.sin(2 * columns[dose]) + np.exp(0.5 * columns[dose]) * 0.3 * rng.normal(size=n)
    columns[right] = 1e6 * (columns[left] + 0.5 * rng.normal(size=n))
    edges = (
        Edge(age, response, "->", True, False, 1e-20, None, None, 1.0, direction_given=True),
        Edge(dose, response, "->", True, True, 1e-50, 1e-9, 0.987, 1.0),
        Edge(dose, weight, "->", False, True, None, 1e-12, 0.95, 0.75),
        Edge(weight, left, "--", True, False, 0.0004, None, 0.62, 0.5, reason="either way fits as well"),
        Edge(left, right, "<->", True, False, 1e-300, None, 0.9, 1.0, reason="the noise depends on both"),
        Edge(age, right, "->", False, False, 0.3, None, None, 0.0, required=True, direction_given=True),
    )
    return CausalGraph(
        (age, dose, weight, left, response, right, alone),
        edges,
        dict.fromkeys(names, 0.5) | {age: None, right: 1e-5},
        dict.fromkeys(names, "sums, normal noise"),
        -3.0,
        n,
        7,
        {"</td>site": "it is 1 in every row"},
        dict.fromkeys(names, "continuous") | {age: "two values"},
        (f"The noise of {right!r} depends on columns before it.",),
        {"alpha": 0.001, "threshold": 0.9, "bootstrap": 8, "seed": 0, "version": "0"},
        columns,
    )


def hostile_graph() -> CausalGraph:
    """The same under names that are markup."""
    return mixed_graph(HOSTILE[: len(NAMES)])


def empty_graph() -> CausalGraph:
    """No edge, and no columns kept."""
    return replace(mixed_graph(), edges=(), values={}, warnings=(), left_out={})
