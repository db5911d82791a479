"""Made-up rows, as a store would hold them, for tests of tables, figures and the page."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from causewise.lab.benchmark.store import Row

SHARES = {"loci-m": 0.9, "loci-h": 0.8, "anm-m": 0.6, "anm-h": 0.3, "grci": 0.75, "mine": 0.5}


def rows(
    sets: Sequence[str] = ("AN", "LS"),
    methods: Sequence[str] = tuple(SHARES),
    pairs: int = 20,
    failed: int = 0,
    seed: int = 0,
    withheld: int = 0,
) -> list[Row]:
    """In every set, `failed` pairs fail for the last method; the first withholds its `withheld` least sure answers."""
    rng = np.random.default_rng(seed)
    made = []
    for method in methods:
        for dataset in sets:
            for index in range(1, pairs + 1):
                truth = 1 if index % 2 else -1
                right = rng.random() < SHARES.get(method, 0.5)
                broken = method == methods[-1] and index <= failed
                made.append(_row(method, dataset, index, truth, right, broken, float(rng.exponential())))
    return [_hesitant(row, made, withheld) if withheld and row.method == methods[0] else row for row in made]


def _hesitant(row: Row, rows: Sequence[Row], withheld: int) -> Row:
    sizes = sorted(abs(each.score) for each in rows if (each.method, each.dataset) == (row.method, row.dataset))
    unsure = abs(row.score) <= sizes[withheld - 1]
    confidence = 1 / (1 + math.exp(-abs(row.score)))
    return replace(row, confidence=confidence, withheld=unsure, message="too unsure" if unsure else "")


def _row(method: str, dataset: str, index: int, truth: int, right: bool, broken: bool, size: float) -> Row:
    score = float("nan") if broken else size * truth * (1 if right else -1)
    return Row(
        dataset=dataset,
        pair_id=str(index),
        method=method,
        seed=0,
        settings_hash="0",
        version="0.1.0",
        score=score,
        forward=score,
        backward=0.0,
        confidence=math.nan,
        decision="undecided" if broken else ("x->y" if score > 0 else "y->x"),
        withheld=False,
        truth=truth,
        weight=1.0,
        correct=right and not broken,
        flipped=False,
        seconds=size / 50,
        status="failed" if broken else "ok",
        message="it broke" if broken else "",
        n=100,
        settings="{}",
    )
