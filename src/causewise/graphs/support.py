"""How far the edges depend on which rows happened to be there: the graph found anew on random parts of the rows.

Rows are drawn without replacement: a row that is drawn twice would close a gap between residuals, and the noise's
entropy is taken from these gaps. A part has four fifths of the rows: on simulated tables the share of such parts that
have an edge comes closest to the share of edges that are true. With half of them, or 63.2 %, as many as a bootstrap
sample has different ones, edges that need all rows are found too seldom (`benchmarks/graph_studies.py support`).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.order_search import fit_graph
from causewise.numerics.native import FloatArray
from causewise.parallel import deaf_children, follow_parent, one_thread

SHARE = 0.8
OnDraw = Callable[[int, int], None]
"""Called with how many parts are done, and of how many."""
Arrows = frozenset[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Draws:
    """Parts of the rows of some columns, each found by its number alone: who finds which does not matter."""

    columns: FloatArray
    constraints: Constraints
    alpha: float
    seed: int

    def arrows(self, number: int) -> Arrows:
        """The edges found on one part."""
        n = self.columns.shape[1]
        rng = np.random.default_rng([self.seed, number])
        rows = np.sort(rng.choice(n, size=round(SHARE * n), replace=False))
        return fit_graph(self.columns[:, rows], self.constraints, self.alpha).arrows


def support(
    draws: Draws, count: int, jobs: int, on_draw: OnDraw = lambda done, of: None
) -> dict[tuple[int, int], float]:
    """The share of parts in which each edge is found, for all edges found in any."""
    times: Counter[tuple[int, int]] = Counter()
    for done, arrows in enumerate(_all(draws, count, min(jobs, count)), start=1):
        times.update(arrows)
        on_draw(done, count)
    return {arrow: found / count for arrow, found in times.items()}


def _all(draws: Draws, count: int, jobs: int) -> Iterator[Arrows]:
    """Of every part, in any order."""
    if jobs == 1:
        yield from map(draws.arrows, range(count))
        return
    # Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will release.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _enter, (draws,))
    try:  # from here on, since a pool that is left alone finishes all its work before the program ends
        with deaf_children():
            waiting = [pool.submit(_arrows, number) for number in range(count)]
        for each in as_completed(waiting):
            yield each.result()
    finally:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:  # after Ctrl-C, what is still at work has nobody left to report to
            process.kill()
            process.join()


_here: tuple[Draws, ExitStack] | None = None
"""In a worker: what it draws from, and the contexts that last as long as the process."""


def _enter(draws: Draws) -> None:
    global _here
    follow_parent()
    lasting = ExitStack()
    lasting.enter_context(one_thread())
    _here = draws, lasting


def _arrows(number: int) -> Arrows:
    assert _here is not None
    return _here[0].arrows(number)
