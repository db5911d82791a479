"""CPU time of a decision of `whence` as rows grow, beside `loci-h`; and whether two processes say the same bytes."""

import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

from ablation.board import markdown
from ablation.sets import SEED
from whence.catalogue import method
from whence.datasets.generators import generate
from whence.pair import FloatArray, Pair

ROWS = (250, 500, 1000, 2000, 4000, 16000)
CELLS = ("laws/t3-exponential", "laws/bimodal-beta", "mechanism/anm", "mechanism/surface-3", "damage/round-30-both")
METHODS = ("whence", "loci-h")
REPEATS = 3


@dataclass(frozen=True)
class Costs:
    """Milliseconds by method, number of rows × pair; and whether the answers were the same bytes."""

    milliseconds: dict[str, FloatArray]
    same: bool

    def median(self, name: str, rows: int) -> float:
        """Of the pairs with so many rows."""
        return float(np.median(self.milliseconds[name][ROWS.index(rows)]))


def measured() -> Costs:
    """One thread, nothing else of ours running; the fastest of some decisions, after one that compiles."""
    with threadpool_limits(1):
        found = {name: np.array([[_fastest(name, pair) for pair in _pairs(n)] for n in ROWS]) for name in METHODS}
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, fresh) as one, ProcessPoolExecutor(1, fresh) as two:
        first, second = (pool.submit(answers, 1000) for pool in (one, two))
        return Costs(found, first.result() == second.result())


def answers(rows: int) -> str:
    """What `whence` says, to the last digit."""
    return json.dumps([decision.to_dict() for decision in method("whence").decide_many(_pairs(rows))], sort_keys=True)


def table(costs: Costs) -> list[str]:
    """Median and largest of the pairs, in milliseconds."""
    head = ["rows", *(f"`{name}`, ms" for name in METHODS), "slowest pair, ms"]
    rows = [
        [str(n), *(f"{costs.median(name, n):.1f}" for name in METHODS), f"{costs.milliseconds['whence'][i].max():.1f}"]
        for i, n in enumerate(ROWS)
    ]
    return markdown(head, rows)


def _fastest(name: str, pair: Pair) -> float:
    judge = method(name)
    judge.decide_many([pair])
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        judge.decide_many([pair])
        times.append(time.process_time() - start)
    return 1000 * min(times)


def _pairs(rows: int) -> Sequence[Pair]:
    return [next(iter(generate(f"grid/{cell}", 1, rows, SEED).pairs)).pair for cell in CELLS]
