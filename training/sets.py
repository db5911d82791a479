"""The pairs of every set by name, in a fixed order: a pair has the same number wherever it is read."""

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np

from training import doubtful, foreign, second, world
from whence.pair import FloatArray

SEEDS = {"first": 1, "second": 2}
PAIRS = {"first": 6000, "second": 2000}
SEED = 77
COUNT = {"foreign": 100, "doubtful": 200}
"""Of every family."""
RECORDED = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue")


class Case(NamedTuple):
    """Two columns, +1 where the first causes the second, weight, family."""

    x: FloatArray
    y: FloatArray
    truth: int
    share: float
    family: str


def foreign_pairs() -> list[Case]:
    """Families that no constant was fitted to."""
    return [
        Case(x, y, truth, 1.0, name)
        for name in foreign.FAMILIES
        for x, y, truth in foreign.pairs(name, COUNT["foreign"], SEED)
    ]


def shuffled_pairs() -> list[Case]:
    """The foreign pairs, the second column's rows in random order: the columns are as they were, their relation gone.

    What still speaks for the true direction here reads the columns' own shapes.
    """
    return [
        case._replace(y=np.random.default_rng((SEED, number)).permutation(case.y))
        for number, case in enumerate(foreign_pairs())
    ]


def doubtful_pairs() -> list[Case]:
    """Pairs on which an answer should be withheld; a hidden common cause at the 600 rows of the trial."""
    rows = {"common_cause_strict": (600, 600)}
    return [
        Case(x, y, truth, 1.0, name)
        for name in doubtful.DOUBTFUL
        for x, y, truth in doubtful.pairs(name, COUNT["doubtful"], SEED, rows.get(name, (200, 1500)))
    ]


def recorded_pairs() -> list[Case]:
    """The ten public sets, from the folder that `WHENCE_DATA` names."""
    from whence.datasets import load

    return [Case(p.pair.x, p.pair.y, p.truth, p.weight, name) for name in RECORDED for p in load(name).pairs]


def _generated(name: str, module: ModuleType) -> list[Case]:
    drawn = (module.pair(index, SEEDS[name]) for index in range(PAIRS[name]))
    return [Case(pair.x, pair.y, pair.truth, 1.0, pair.family) for pair in drawn]


SETS: dict[str, Callable[[], list[Case]]] = {
    "first": lambda: _generated("first", world),
    "second": lambda: _generated("second", second),
    "foreign": foreign_pairs,
    "shuffled": shuffled_pairs,
    "doubtful": doubtful_pairs,
    "recorded": recorded_pairs,
}
