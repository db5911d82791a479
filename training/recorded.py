"""Recorded pairs: Tübingen, whose labels teach what generated pairs cannot, and Lisbon, which only evaluates.

Both are read from the folder that `CAUSEWISE_DATA` names. Pairs of one source table resemble each other, so that folds
are made of sources, never of pairs: a pair is scored with constants that saw no pair of its table.
"""

import csv
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from causewise.lab.datasets import load
from causewise.pair import FloatArray

FOLDS = 10
SOURCES: dict[str, tuple[int, ...]] = {
    "weather stations": (1, 2, 3, 4, 20, 21),
    "abalone": (5, 6, 7, 8, 9, 10, 11),
    "census": (12, 17),
    "cars": (13, 14, 15, 16),
    "urine": (18,),
    "geyser": (19,),
    "arrhythmia": (22, 23, 24),
    "concrete": (25, 26, 27, 28, 29, 30, 31, 32),
    "liver": (33, 34, 35, 36, 37),
    "pima": (38, 39, 40, 41),
    "furtwangen": (42, 77),
    "reanalysis": (43, 44, 45, 46),
    "indoor": (48,),
    "ozone": (49, 50, 51),
    "united nations": (56, 57, 58, 59, 60, 61, 62, 63, 64, 73, 74, 75),
    "stocks": (65, 66, 67),
    "server": (68,),
    "attic": (69,),
    "sunspots": (72,),
    "food": (76,),
    "ecosystem": (78, 79, 80),
    "carbon flux": (81, 82, 83),
    "employment": (84,),
    "milk": (85,),
    "rents": (86,),
    "snow": (87,),
    "bones": (88,),
    "soil": (89, 90, 91, 92),
    "runoff": (93,),
    "electricity": (94, 95, 96),
    "ball track": (97, 98, 102, 103, 104),
    "schools": (99,),
    "processors": (100,),
    "screen": (101,),
    "motor": (106,),
    "rotation": (108,),
}
"""Pairs of every source table of the Tübingen collection, as its README lists them."""
FOLD_OF = {pair: k % FOLDS for k, pairs in enumerate(SOURCES.values()) for pair in pairs}


class Case(NamedTuple):
    """Two columns, +1 where the first causes the second, weight, family, and the fold of its source (−1: none)."""

    x: FloatArray
    y: FloatArray
    truth: int
    share: float
    family: str
    fold: int = -1


def tuebingen() -> list[Case]:
    """The 99 pairs of one-dimensional columns, weighted as published."""
    pairs = load("Tue").pairs
    return [Case(p.pair.x, p.pair.y, p.truth, p.weight, "Tue", FOLD_OF[int(p.pair_id)]) for p in pairs]


def lisbon() -> list[Case]:
    """196 pairs of 58 sources, each source counting one; the labels are "feature → target" and often debatable."""
    folder = Path(os.environ["CAUSEWISE_DATA"]) / "Lisbon"
    with (folder / "meta.csv").open(encoding="utf-8") as lines, np.load(folder / "pairs.npz") as pairs:
        return [
            _shuffled(Case(*pairs[row["id"]].T.astype(float), 1, float(row["weight"]), "Lisbon"), k)
            for k, row in enumerate(csv.DictReader(lines))
        ]


def _shuffled(case: Case, number: int) -> Case:
    """In the order that a coin tosses: the files have every cause first."""
    if np.random.default_rng(number).random() < 0.5:
        return case
    return case._replace(x=case.y, y=case.x, truth=-case.truth)
