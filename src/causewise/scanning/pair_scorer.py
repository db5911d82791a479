"""Score one pair of a table: is it related, and which causes which? As `infer` does, columns prepared once."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.inference import decide_pairs, half_samples, prepare_method
from causewise.knowledge.background import Knowledge
from causewise.methods.combined.method import THRESHOLD
from causewise.methods.combined.outcomes import NO_DIRECTION
from causewise.methods.combined.words import KINDS
from causewise.numerics.columns import ColumnCache, once, shared_columns
from causewise.numerics.hsic import hsic_test, kernel_column
from causewise.pair import FloatArray, Pair, standardise
from causewise.parallel import limit_processors, processors
from causewise.protocol import Method, batch_size
from causewise.scanning.mapped import MappedColumns, map_columns
from causewise.scanning.scan_row import ScanRow, apply_knowledge
from causewise.worker_pool import InProcess, WorkerPool

REMEMBERED = 2 << 30
"""Bytes of what is remembered about columns in one process, where there is room."""
_AT_HAND = 64
"""Columns kept as they are, of those that were asked for last: more than a tile has."""


class Screening(NamedTuple):
    """The test whether two columns are related."""

    i: int
    j: int
    n: int
    missing: int
    dependence: float | None
    p: float | None
    message: str
    seconds: float


@dataclass(frozen=True, eq=False)
class PairScorer:
    """The columns of a table, and the method that orients two of them."""

    names: Sequence[str]
    values: FloatArray | MappedColumns
    """One line a column."""
    method: str | Method
    """By its name, or somebody's own."""
    seed: int
    settings: Mapping[str, Any]
    knowledge: Knowledge
    stability: bool = False
    """Whether random halves of the rows are decided as well."""
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By column, what had to be understood to make numbers of it."""
    remembered: int = REMEMBERED
    """Bytes of what is remembered about columns in one process."""

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}  # not what this process remembers

    def share_columns(self) -> AbstractContextManager[None]:
        """Inside, what depends on one column alone is computed once, as long as this scorer lives."""
        return shared_columns(self._memory)

    @cached_property
    def _memory(self) -> ColumnCache:
        return ColumnCache(self.remembered)

    @cached_property
    def _column(self) -> Callable[[int], FloatArray]:
        most = self.remembered // (8 * max(1, self.values.shape[1]))
        return lru_cache(min(max(2, most), _AT_HAND))(self._read)

    def _read(self, i: int) -> FloatArray:
        column = np.asarray(self.values[i]).view()
        column.flags.writeable = False
        return column

    def pair(self, i: int, j: int) -> Pair:
        """The complete rows of two columns."""
        x, y = self._column(i), self._column(j)
        missing = np.isnan(x) | np.isnan(y)
        if not missing.any() and not np.array_equal(x, y):  # checked already, column by column
            pair = Pair(x, y, self.names[i], self.names[j])
        else:
            pair = Pair.of(x, y, x_name=self.names[i], y_name=self.names[j], nan_policy="omit")
        notes = [note for name in (pair.x_name, pair.y_name) for note in self.notes.get(name, ())]
        return replace(pair, notes=tuple(dict.fromkeys(notes))) if notes else pair

    def count_missing(self, i: int, j: int) -> int:
        """Rows that lack a value in one of two columns."""
        return int(np.count_nonzero(np.isnan(self._column(i)) | np.isnan(self._column(j))))

    def screen(self, i: int, j: int) -> Screening:
        """HSIC of the two columns over its mean under independence, and its p-value."""
        start = time.perf_counter()
        missing = self.count_missing(i, j)
        n, dependence, p, message = self.values.shape[1] - missing, None, None, ""
        try:
            pair = self.pair(i, j)
            test = hsic_test(once(_prepare_kernel, pair.x), once(_prepare_kernel, pair.y))
            dependence, p = test.statistic / test.null_mean if test.null_mean > 0 else 0.0, test.p_value
        except InputError as refusal:
            message = str(refusal)
        except ArithmeticError as problem:
            message = f"The test of independence broke down on this pair ({problem})."
        return Screening(i, j, n, missing, dependence, p, message, time.perf_counter() - start)

    def orient(self, screening: Screening, adjusted: float) -> ScanRow:
        """Which of two related columns causes the other."""
        (row,) = self.orient_all([(screening, adjusted)])
        return row

    def orient_all(self, related: Sequence[tuple[Screening, float]]) -> list[ScanRow]:
        """Which of two related columns causes the other, for several pairs; batched methods see many at once."""
        method = self.build_method()
        size = batch_size(method)
        parts = [related[k : k + size] for k in range(0, len(related), size)]
        return [row for part in parts for row in self._orient_batch(method, part)]

    def _orient_batch(self, method: Method, related: Sequence[tuple[Screening, float]]) -> Iterator[ScanRow]:
        start = time.perf_counter()
        decisions = decide_pairs([self.pair(each.i, each.j) for each, _ in related], method, self.seed)
        shared = (time.perf_counter() - start) / len(related)  # of a batch nobody knows whose time it was
        for (screening, adjusted), decision in zip(related, decisions, strict=True):
            start = time.perf_counter()
            row = self.apply_knowledge(_fill_row(blank_row(self.names, screening, adjusted), decision))
            leans = row.score is not None and {decision.status, row.status} <= {"oriented", "undecided"}
            if self.stability and leans:
                row = _add_stability(row, decision, self.seed, method)
            seconds = screening.seconds + shared + time.perf_counter() - start
            yield replace(row, warnings=tuple(map(str, row.warnings)), seconds=seconds)

    def decide(self, i: int, j: int) -> Decision:
        """What the data alone say about two columns, with the fits of both directions."""
        (decision,) = decide_pairs([self.pair(i, j)], self.build_method(), self.seed)
        return decision

    def apply_knowledge(self, row: ScanRow) -> ScanRow:
        """The row once the background knowledge about its columns is applied."""
        return apply_knowledge(row, self.knowledge.on(row.x, row.y), self.threshold)

    @cached_property
    def threshold(self) -> float:
        """The confidence that an answer needs."""
        return float(getattr(self.build_method(), "threshold", THRESHOLD))

    @property
    def method_name(self) -> str:
        """The method as it was asked for, with its settings."""
        return self.method if isinstance(self.method, str) else self.method.name

    def build_method(self) -> Method:
        """The method, ready to decide."""
        return prepare_method(self.method, self.seed, self.settings)


def _prepare_kernel(column: FloatArray) -> Any:
    return kernel_column(standardise(column))


def blank_row(names: Sequence[str], screening: Screening, adjusted: float | None) -> ScanRow:
    """The row of a pair that is not oriented: its columns are unrelated, or it could not be tested."""
    return ScanRow(
        names[screening.i],
        names[screening.j],
        screening.n,
        screening.missing,
        screening.dependence,
        screening.p,
        adjusted,
        status="failed" if screening.p is None else "unrelated",
        reason=screening.message,
        seconds=screening.seconds,
    )


def _fill_row(row: ScanRow, decision: Decision) -> ScanRow:
    terms: dict[str, Any] = {name: decision.contributions.get(name) for name in KINDS}
    return replace(
        row,
        status=decision.status,
        direction=decision.direction.value,
        cause=decision.cause,
        effect=decision.effect,
        confidence=decision.confidence,
        neither=decision.probabilities.get(NO_DIRECTION),
        score=None if math.isnan(decision.score) else decision.score,
        **terms,
        weight=decision.weight,
        rows_judged=decision.rows_judged,
        p_forward=decision.forward.p_value,
        p_backward=decision.backward.p_value,
        warnings=tuple(decision.warnings),
        reason=decision.explanation if decision.direction is Direction.UNDECIDED else "",
    )


def _add_stability(row: ScanRow, decision: Decision, seed: int, method: Method) -> ScanRow:
    """The row with what halves of its rows say; where they say nothing, a note says why.

    The seed draws the same rows for every pair without holes, so the halves of a column too are prepared once.
    """
    try:
        halves = half_samples(decision, seed=seed, built=method)
    except InputError as problem:
        return replace(row, warnings=(*row.warnings, str(problem)))
    return replace(row, agreement=halves.agreement, half_low=halves.low, half_high=halves.high)


def adjust_p_values(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's (1995) adjustment, None left out: below q the false discovery rate is at most q."""
    from scipy.stats import false_discovery_control  # half a second to import

    adjusted = iter(false_discovery_control([p for p in p_values if p is not None]).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


Tile = Sequence[Any]


def pool_of_workers(scorer: PairScorer, jobs: int) -> WorkerPool:
    """Workers that map the columns into their memory from one file."""
    if isinstance(scorer.values, np.ndarray):
        scorer = replace(scorer, values=map_columns(scorer.values))
    return WorkerPool(jobs, _share_columns, (scorer, jobs))


def this_process(scorer: PairScorer) -> InProcess:
    """The tiles one after the other, here."""
    return InProcess(_share_columns, (scorer, 1))


@contextmanager
def _share_columns(scorer: PairScorer, jobs: int) -> Iterator[PairScorer]:
    if jobs > 1:
        limit_processors(processors() // jobs)
    with scorer.share_columns():
        yield scorer


def screen_pairs(scorer: PairScorer, pairs: Tile) -> list[Any]:
    """Of each pair (i, j), the fields of `Screening`."""
    return [list(scorer.screen(*pair)) for pair in pairs]


def orient_pairs(scorer: PairScorer, related: Tile) -> list[Any]:
    """Of each related pair, given as those fields and its adjusted p-value, the fields of its row."""
    return [asdict(row) for row in scorer.orient_all([(Screening(*fields), p) for *fields, p in related])]


def describe_crash(scorer: PairScorer, item: Any) -> Any:
    """What is said of a pair that crashed its worker, in the form of either kind of work."""
    why = "The process that scored this pair died; look at the two columns for degenerate values."
    if len(item) == 2:
        i, j = item
        missing = scorer.count_missing(i, j)
        return list(Screening(i, j, scorer.values.shape[1] - missing, missing, None, None, why, 0.0))
    *fields, adjusted = item
    row = replace(blank_row(scorer.names, Screening(*fields), adjusted), status="failed", reason=why)
    return asdict(scorer.apply_knowledge(row))
