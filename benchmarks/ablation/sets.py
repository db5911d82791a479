"""The sets that are scored: cells of the robustness grid, look-alikes, recorded sets, warped pairs.

Generated pairs have a seed of their own, which neither training nor any choice has seen; recorded sets are read where
WHENCE_DATA is set.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ablation.warps import warped_labels
from whence.datasets import generators, load
from whence.datasets.collection import Collection, LabelledPair, LazyPairs
from whence.datasets.generators import generate, generator_names
from whence.pair import FloatArray

SEED = 411
AGAIN = 412
"""Seed of the pairs on which suspicious cells are looked at a second time."""
RECORDED = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue")
PAIRS = {"grid": 60, "alike": 100, "warps": 100, "again": 300, "small": 3}
"""Pairs a set, by kind."""
SHORT = 300
"""Rows of the pairs that networks are trained on."""


@dataclass(frozen=True)
class Set:
    """Labelled pairs, drawn or read when asked for."""

    name: str
    kind: str
    pairs: LazyPairs

    @property
    def truth(self) -> NDArray[np.int64]:
        """+1 where the first column causes the second."""
        return np.array([label.truth for label in self.pairs.labels])

    @property
    def weight(self) -> FloatArray:
        """Weights of the pairs."""
        return np.array([label.weight for label in self.pairs.labels])

    @property
    def stream(self) -> str:
        """Sets with the same stream are resampled alike: the cells of an axis start from the same numbers."""
        return "/".join(self.name.split("/")[:2]) if self.kind in ("grid", "again", "warps") else self.name

    def __len__(self) -> int:
        return len(self.pairs.labels)

    def listed(self) -> list[LabelledPair]:
        """Every pair, kept by nobody."""
        return list(LazyPairs(self.name, self.pairs.labels))


def grid(pairs: int = PAIRS["grid"], seed: int = SEED, names: Sequence[str] | None = None) -> list[Set]:
    """Cells of the grid, all or those named."""
    chosen = [name for name in generator_names() if name.startswith("grid/")] if names is None else names
    return [_generated("grid" if seed == SEED else "again", name, pairs, seed) for name in chosen]


def alike(pairs: int = PAIRS["alike"]) -> list[Set]:
    """Look-alikes of published simulators, and those simulators that are public."""
    return [_generated("alike", name, pairs, SEED) for name in generator_names() if not name.startswith("grid/")]


def recorded() -> list[Set]:
    """The ten recorded sets; none where WHENCE_DATA does not say where they are."""
    if not os.environ.get("WHENCE_DATA"):
        return []
    return [Set(name, "recorded", _lazy(load(name))) for name in RECORDED]


def warps(pairs: int = PAIRS["warps"]) -> list[Set]:
    """Pairs whose cause and noise are warped by maps of held-out kinds, beside the same pairs without."""
    return [Set(name, "warps", LazyPairs(name, labels)) for name, labels in warped_labels(pairs, SEED).items()]


def small(pairs: int = PAIRS["small"]) -> Set:
    """A few short pairs of every cell, each cell with a seed of its own, as one set: what networks can afford."""
    cells = [cell for cell in generators.grid() if (cell.fixed_rows or 0) <= SHORT]
    drawn = [
        generate(cell.name, pairs, None if cell.fixed_rows else SHORT, SEED + 1000 + place).pairs
        for place, cell in enumerate(cells)
    ]
    labels = [label for each in drawn if isinstance(each, LazyPairs) for label in each.labels]
    return Set(f"grid-{SHORT}", "small", LazyPairs(f"grid-{SHORT}", labels))


def _generated(kind: str, name: str, pairs: int, seed: int) -> Set:
    return Set(name, kind, _lazy(generate(name, pairs, seed=seed)))


def _lazy(collection: Collection) -> LazyPairs:
    pairs = collection.pairs
    if not isinstance(pairs, LazyPairs):
        raise TypeError(f"the pairs of {collection.name} are not read on demand")
    return pairs


KINDS = {"grid": grid, "alike": alike, "warps": warps, "recorded": recorded}
