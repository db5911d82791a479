"""How far the edges depend on which rows happened to be there: the graph found anew on random parts of the rows.

Rows are drawn without replacement: a row that is drawn twice would close a gap between residuals, and the noise's
entropy is taken from these gaps. A part has four fifths of the rows: on simulated tables the share of such parts that
have an edge comes closest to the share of edges that are true. With half of them, or 63.2 %, as many as a bootstrap
sample has different ones, edges that need all rows are found too seldom (`benchmarks/graph_studies.py support`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.order_search import fit_graph
from causewise.numerics.native import FloatArray
from causewise.worker_pool import Lost, WorkerError, open_pool

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
    with open_pool(min(jobs, count), nullcontext, [draws]) as pool:
        parts = pool.map(_find_arrows, [[number] for number in range(count)])
        for done, (number, [arrows]) in enumerate(parts, start=1):
            if isinstance(arrows, Lost):
                raise WorkerError(f"The graph of part {number + 1} of the rows could not be found. {arrows.reason}")
            times.update(arrows)
            on_draw(done, count)
    return {arrow: found / count for arrow, found in times.items()}


def _find_arrows(draws: Draws, numbers: Sequence[int]) -> list[Arrows]:
    return [draws.arrows(number) for number in numbers]
