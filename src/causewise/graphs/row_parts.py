"""Random halves of the rows, on each of which the whole graph is found anew: here, in processes or on a cluster."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.graphs.graph_columns import Constraints
from causewise.graphs.graph_search import GraphSearch, Guide, search_graph
from causewise.graphs.reversals import Arrow
from causewise.graphs.structural_model import StructuralModel, build_model
from causewise.numerics.native import FloatArray
from causewise.parallel import Engine, processors
from causewise.scanning.journal import GraphIdentity, Journal
from causewise.scanning.on_dask import Shared, open_cluster
from causewise.version import VERSION
from causewise.worker_pool import InProcess, Lost, TaskPool, WorkerError, WorkerPool

LEAST_PART = 100
"""Rows of a part, where the table has as many."""
LOOSER = 10.0
"""Times the significance level, on half of the rows: an edge that all rows show should show there."""
OnDraw = Callable[[int, int], None]
"""Called with how many parts are done, and of how many."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Parts of the rows of some columns, each found by its number alone: who finds which does not matter.

    Half of the rows without replacement vary as much as the table itself does (Politis & Romano 1994); a row drawn
    twice would close a gap from which the noise's density is taken.
    """

    columns: FloatArray
    constraints: Constraints
    alpha: float
    seed: int

    def fit(self, number: int, guide: Guide) -> StructuralModel:
        """The model of one part."""
        return self._build(*self._search(number, guide))

    def find(self, number: int, whole: "Whole") -> "Part":
        """What one part says, also of the arrows that all rows have."""
        columns, found = self._search(number, whole.guide)
        leans = [found.reversal_loss(arrow) for arrow in whole.arrows]
        model = self._build(columns, found)
        return Part(model.arrows, dict(zip(whole.arrows, leans, strict=True)), model)

    def _search(self, number: int, guide: Guide) -> tuple[FloatArray, GraphSearch]:
        columns = self.columns[:, draw_half(self.columns.shape[1], self.seed, number)]
        return columns, search_graph(columns, self.constraints, min(LOOSER * self.alpha, 0.5), guide=guide)

    @staticmethod
    def _build(columns: FloatArray, found: GraphSearch) -> StructuralModel:
        return build_model(columns, found, levels=256)

    @property
    def identity(self) -> GraphIdentity:
        """What the parts depend on; not how many there are, so that more of them go on from fewer."""
        stated = [getattr(self.constraints, each.name).tolist() for each in fields(self.constraints)]
        others = blake2b(json.dumps([self.alpha, stated]).encode(), digest_size=8).hexdigest()
        table = blake2b(np.ascontiguousarray(self.columns).data, digest_size=16).hexdigest()
        return GraphIdentity(VERSION, "arrows, leans", table, "graph", self.seed, others)


class Whole(NamedTuple):
    """What all rows have, of which the parts are asked."""

    arrows: Sequence[Arrow]
    guide: Guide


class Part(NamedTuple):
    """What was found on one part of the rows."""

    arrows: frozenset[Arrow]
    leans: Mapping[Arrow, float]
    """Nats by which the part prefers each arrow that all rows have to its reversal."""
    model: StructuralModel | None
    """None where the rest was read from a journal."""


def find_on_parts(
    count: int, whole: Whole, pool: TaskPool, journal: Journal, on_draw: OnDraw = lambda done, of: None
) -> list[Part]:
    """What is found on each part, in the order of their numbers, whoever found it and whenever."""
    keys = [f"part {number}" for number in range(count)]
    found = {key: _read_part(journal.known[key], whole.arrows) for key in keys if key in journal.known}
    todo = [number for number in range(count) if keys[number] not in found]
    on_draw(len(found), count)
    for place, [part] in pool.map(_find_parts, [[(number, whole)] for number in todo]):
        number = todo[place]
        if isinstance(part, Lost):
            raise WorkerError(f"The graph of part {number + 1} of the rows could not be found. {part.reason}")
        found[keys[number]] = part
        journal.add(keys[number], [sorted(part.arrows), [part.leans[arrow] for arrow in whole.arrows]])
        on_draw(len(found), count)
    return [found[key] for key in keys]


def draw_half(rows: int, seed: int, number: int) -> NDArray[np.intp]:
    """Half of the rows, ascending; of a short table more."""
    rng = np.random.default_rng([seed, number])
    return np.sort(rng.choice(rows, size=max(rows // 2, min(LEAST_PART, rows * 4 // 5)), replace=False))


def share_of_parts(parts: Sequence[Part], arrow: Arrow) -> float:
    """The share of parts of the rows in which an arrow is found."""
    return sum(arrow in part.arrows for part in parts) / len(parts)


def _find_parts(draws: Draws, tasks: Sequence[tuple[int, Whole]]) -> list[Part]:
    return [draws.find(number, whole) for number, whole in tasks]


def _read_part(kept: Sequence[Any], arrows: Sequence[Arrow]) -> Part:
    found, leans = kept
    return Part(frozenset((a, b) for a, b in found), dict(zip(arrows, leans, strict=True)), None)


def _draw_here(draws: Draws) -> InProcess:
    return InProcess(nullcontext, [draws])


def _draw_beside(draws: Draws, workers: int) -> WorkerPool:
    return WorkerPool(workers, nullcontext, [draws])


def open_parts_cluster(draws: Draws, engine: Engine) -> AbstractContextManager[TaskPool]:
    """The pool of a Dask cluster that has the rows."""
    shared = Shared(lambda: draws, _draw_here, _draw_beside, what="graph")
    journal = None if engine.journal is None else os.fspath(engine.journal)
    return open_cluster(shared, engine.dask, engine.jobs or processors(), draws.identity.digest, journal)
