"""Methods × data sets × seeds → rows. What is stored is skipped, and only that; a row is committed as it is made."""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Protocol

from whence.benchmark.contest import RESOLVER, Contender, Item, enter, items, key, row
from whence.benchmark.pool import Pool
from whence.benchmark.process import Limits, Task
from whence.benchmark.row import Row, Status
from whence.benchmark.store import Key, Store
from whence.protocol import Method

CHUNK = 8
"""At most so many single pairs are handed to a worker at once; their rows still come back one by one."""


class Labelled(Protocol):
    """A set of labelled pairs; each has pair_id, pair, truth (±1, file orientation) and weight."""

    @property
    def name(self) -> str:
        """The name its rows are filed under."""

    @property
    def pairs(self) -> Sequence[Any]:
        """The pairs, in file order."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done, known before anything is."""

    tasks: tuple[Task, ...]
    there: int
    """Rows asked for that are already stored."""

    @property
    def todo(self) -> int:
        """Rows to be made."""
        return sum(len(batch) for task in self.tasks for batch in task.batches)

    @property
    def todo_by_method(self) -> Counter[str]:
        """Rows to be made, per method."""
        counts: Counter[str] = Counter()
        for task in self.tasks:
            counts[task.contender.method] += sum(map(len, task.batches))
        return counts


@dataclass(frozen=True)
class Tally:
    """How a run went."""

    made: int = 0
    broken: int = 0
    """Rows that are listed as failed: failed, timeout, crashed."""

    def plus(self, rows: Sequence[Row]) -> "Tally":
        """Count some more rows."""
        return Tally(self.made + len(rows), self.broken + sum(Status(each.status).broken for each in rows))


def field(methods: Sequence[str | Method], seeds: Sequence[int], resolver: str = RESOLVER) -> list[Contender]:
    """Every method under every seed."""
    return [enter(source, seed, resolver) for source in methods for seed in seeds]


def plan(contenders: Sequence[Contender], sets: Sequence[Labelled], stored: Collection[Key], jobs: int = 1) -> Plan:
    """What of methods × sets is not stored yet."""
    tasks: list[Task] = []
    asked = 0
    for contender in contenders:
        for collection in sets:
            found = items(collection.name, collection.pairs, contender.seed)
            asked += len(found)
            missing = [_missing(contender, batch, stored) for batch in _cut(found, contender.batch_size)]
            tasks += _tasks(contender, [batch for batch in missing if batch], jobs)
    done = Plan(tuple(tasks), 0)
    return replace(done, there=asked - done.todo)


def run(
    plan: Plan,
    store: Store,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    resolver: str = RESOLVER,
    on_rows: Callable[[Sequence[Row]], None] = lambda rows: None,
) -> Tally:
    """Do what is planned; `on_rows` hears of every commit. Interrupt it at any moment: what is finished is kept."""
    tally = Tally()
    pool = Pool(jobs, limits or Limits(), resolver)
    with closing(_outcomes(pool, plan, store)) as outcomes:
        for rows in outcomes:
            store.add(rows)
            tally = tally.plus(rows)
            on_rows(rows)
    return tally


def _outcomes(pool: Pool, plan: Plan, store: Store) -> Generator[list[Row], None, None]:
    def wanted(task: Task) -> Task | None:
        found = store.present(key(task.contender, each) for batch in task.batches for each in batch)
        left = [_missing(task.contender, batch, found) for batch in task.batches]
        return replace(task, batches=tuple(filter(None, left))) if any(left) else None

    with closing(pool.finished(plan.tasks, wanted)) as finished:
        for contender, batch, outcomes in finished:
            yield [row(contender, each, outcome) for each, outcome in zip(batch, outcomes, strict=True)]


def _missing(contender: Contender, batch: Sequence[Item], stored: Collection[Key]) -> tuple[Item, ...]:
    return tuple(each for each in batch if key(contender, each) not in stored)


def _cut(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    # A batch is made of neighbours in the file, whatever was done before: its pairs are stored together or not at
    # all, so that a resumed run shows a batched method the very batches an uninterrupted one would.
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _tasks(contender: Contender, batches: Sequence[tuple[Item, ...]], jobs: int) -> Iterator[Task]:
    at_once = 1 if contender.batch_size > 1 else max(1, min(CHUNK, len(batches) // (4 * jobs)))
    for start in range(0, len(batches), at_once):
        yield Task(contender, tuple(batches[start : start + at_once]))
