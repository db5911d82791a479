"""Methods × data sets × seeds → rows. What is stored is skipped, and only that; a row is committed as it is made.

Several runners may share a store: each claims a few pairs before it works on them, and waits at the end for those that
another is at, so that a run is over when all its rows are there. In a worker process methods are built and pairs
decided, and whatever happens is an outcome.
"""

import itertools
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from causewise.catalogue import cost, import_object
from causewise.data_checks import check
from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.formatting import duration
from causewise.inference import add_warnings
from causewise.lab.benchmark.ledger import DiskError, StoreError
from causewise.lab.benchmark.sets import RESOLVER, Contender, Item, by_fold, items
from causewise.lab.benchmark.store import Key, Outcome, Row, Status, Store, no_answer, outcome_of
from causewise.lab.datasets import Collection
from causewise.pair import Pair
from causewise.parallel import limit_memory, single_threaded
from causewise.protocol import Method
from causewise.worker import report
from causewise.worker_pool import Lost, StartError, WorkerPool

CHUNK = 8
"""At most so many single pairs are claimed at once."""


@dataclass(frozen=True)
class Limits:
    """What one pair may cost."""

    seconds: float = 600.0
    """0 = no limit."""
    memory_bytes: int = 0
    """Address space per worker; 0 = as much as there is."""


@dataclass(frozen=True, eq=False)
class Task:
    """Batches of pairs for one contender, claimed together; a method that is not batched gets batches of one."""

    contender: Contender
    batches: tuple[tuple[Item, ...], ...]


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
class RunTotals:
    """How a run went."""

    made: int = 0
    broken: int = 0
    """Rows that are listed as failed: failed, timeout, crashed."""

    def plus(self, rows: Sequence[Row]) -> "RunTotals":
        """Count some more rows."""
        return RunTotals(self.made + len(rows), self.broken + sum(Status(each.status).broken for each in rows))


def plan(contenders: Sequence[Contender], sets: Sequence[Collection], stored: Container[Key], jobs: int = 1) -> Plan:
    """What of methods × sets is not stored yet."""
    tasks: list[Task] = []
    asked = 0
    for contender in contenders:
        for collection in sets:
            everything = items(collection.name, collection.pairs, contender.seed)
            asked += len(everything)
            for fitted_without, part in by_fold(contender, everything):
                missing = (
                    tuple(item for item in batch if key(contender, item) not in stored)
                    for batch in _batches(part, contender.batch_size)
                )
                tasks += _tasks(fitted_without, list(filter(None, missing)), jobs)
    done = Plan(tuple(tasks), 0)
    return replace(done, there=asked - done.todo)


def sample(plan: Plan, known: Mapping[str, float], jobs: int) -> Plan:
    """The first few pairs, or one batch, of every method whose cost is not known; their rows are kept as well."""
    # Each worker's first pair pays for compiling, so there are enough for the median to be a later one.
    enough = 2 * jobs + 1
    taken: Counter[str] = Counter()
    tasks = []
    for task in plan.tasks:
        method = task.contender.method
        for batch in task.batches:
            if method not in known and taken[method] < enough:
                taken[method] += len(batch)
                tasks.append(Task(task.contender, (batch,)))
    return replace(plan, tasks=tuple(tasks))


@dataclass
class Forecast:
    """Forecasts from the seconds each method took so far, or else from its measured cost (`causewise.catalogue`)."""

    todo: Counter[str]
    jobs: int = 1
    known: Mapping[str, float] = field(default_factory=dict)
    """Seconds per pair of a method, from earlier runs."""
    done: Counter[str] = field(default_factory=Counter)
    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    broken: int = 0

    def learn(self, rows: Sequence[Row]) -> None:
        """Some rows were made."""
        for row in rows:
            self.done[row.method] += 1
            self.broken += Status(row.status).broken
            # The first pair of a method in each worker pays for compiling.
            if self.done[row.method] > self.jobs:
                self.spent[row.method] += row.seconds

    def words(self) -> str | None:
        """`about 9 s`, `at least 9 s` where what some of the work costs is not known, None where nothing is."""
        left = {method: count - self.done[method] for method, count in self.todo.items() if count > self.done[method]}
        pace = self._pace()
        costs = {method: self._seconds(method, pace) for method in left}
        known = {method: seconds for method, seconds in costs.items() if seconds is not None}
        if left and not known:
            return None
        work = sum(left[method] * seconds for method, seconds in known.items()) / self.jobs
        return f"{'at least' if len(known) < len(left) else 'about'} {duration(work)}"

    def remark(self) -> str:
        """What is said beside a bar: how many rows are listed as failed, and how long the rest will take."""
        left = self.words()
        failed = f"{self.broken} failed, " if self.broken else ""
        return failed + ("how long is not known yet" if left is None else f"{left} left")

    def _seconds(self, method: str, pace: float) -> float | None:
        """Of a pair, on this machine: as timed, else as measured elsewhere."""
        timed, measured = self._mean_seconds(method), _measured_seconds(method)
        return pace * measured if timed is None and measured is not None else timed

    def _pace(self) -> float:
        """Seconds here for one on the machine of the measured costs, over the methods that were timed here as well."""
        both = [(self._mean_seconds(method), _measured_seconds(method)) for method in self.todo]
        timed = [(here, there) for here, there in both if here is not None and there is not None]
        return sum(here for here, _ in timed) / sum(there for _, there in timed) if timed else 1.0

    def _mean_seconds(self, method: str) -> float | None:
        if self.done[method] > self.jobs:
            return self.spent[method] / (self.done[method] - self.jobs)
        return self.known.get(method)


def _measured_seconds(method: str) -> float | None:
    measured = cost(method.split(":")[0])
    return None if measured is None else measured.seconds


def run(
    plan: Plan,
    store: Store,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    resolver: str = RESOLVER,
    on_rows: Callable[[Sequence[Row]], None] = lambda rows: None,
) -> RunTotals:
    """Do what is planned; `on_rows` is called after every commit. An interrupt at any moment keeps what is finished."""
    tally, limits = RunTotals(), limits or Limits()
    claims = _Claims(store, plan.tasks, resolver)
    try:
        with WorkerPool(
            jobs,
            open_methods,
            [limits.memory_bytes],
            seconds=limits.seconds,
            retries=0,
            environment=single_threaded() | {"MPLBACKEND": "Agg"},
            captures=True,
        ) as pool:
            for number, outcomes in pool.map(decide_batch, claims.batches(), store.renew):
                contender, batch = claims.handed_out.pop(number)
                rows = [score_row(contender, each, outcome) for each, outcome in zip(batch, outcomes, strict=True)]
                store.add(rows)
                tally = tally.plus(rows)
                on_rows(rows)
    except StartError as problem:
        if not limits.memory_bytes:
            raise
        limit = f"{limits.memory_bytes / 2**30:.3g} GiB"
        raise InputError(
            f"No worker process could start within {limit}: {problem.why} Give it more, or 0 for no limit."
        ) from None
    finally:
        # What cannot be released now lapses; the reason for stopping is the one to report.
        with suppress(DiskError, StoreError):
            store.release()
    return tally


def key(contender: Contender, item: Item) -> Key:
    """What makes a row the same row."""
    who = (contender.method, contender.seed, contender.settings_hash, contender.version)
    return (item.dataset, item.pair_id, *who)


def score_row(contender: Contender, item: Item, outcome: Outcome | Lost) -> Row:
    """Turn an outcome back into file orientation, and compare it with the truth."""
    if isinstance(outcome, Lost):
        outcome = no_answer(Status.TIMEOUT if outcome.is_late else Status.CRASHED, outcome.reason, outcome.seconds)
    score = math.nan if outcome.status.broken else outcome.score
    forward, backward = outcome.forward, outcome.backward
    # Stored as if nothing had been swapped: whoever reads the rows need not know of the coin.
    if item.flipped:
        score, forward, backward = -score, backward, forward
    return Row(
        *key(contender, item),
        score=score,
        forward=forward,
        backward=backward,
        confidence=math.nan if outcome.status.broken else outcome.confidence,
        decision=Direction.of(score).value,
        withheld=outcome.withheld,
        truth=item.truth,
        weight=item.weight,
        correct=outcome.status.answered and score * item.truth > 0,
        flipped=item.flipped,
        seconds=outcome.seconds,
        status=outcome.status.value,
        message=outcome.message,
        n=item.pair.n,
        settings=contender.settings,
    )


@dataclass(frozen=True, eq=False)
class _Claims:
    """Tasks of which only those are handed out that no other runner has claimed."""

    store: Store
    tasks: Iterable[Task]
    resolver: str
    handed_out: dict[int, tuple[Contender, tuple[Item, ...]]] = field(default_factory=dict)

    def batches(self) -> Iterator[list[Any] | None]:
        """Each batch as `decide_batch` takes it; None while another runner is at all that are left."""
        waiting, count = deque(self.tasks), itertools.count()
        while waiting:
            # Each task is asked for once: what others are at goes back to the end of the queue until the next beat.
            for _ in range(len(waiting)):
                task = waiting.popleft()
                who = task.contender
                mine, others = self.store.claim(key(who, each) for batch in task.batches for each in batch)
                if left := _part(task, others):
                    waiting.append(left)
                for batch in (_part(task, mine) or replace(task, batches=())).batches:
                    self.handed_out[next(count)] = who, batch
                    yield [(who.source, who.seed, self.resolver, each.pair) for each in batch]
            if waiting:
                yield None


def _part(task: Task, keys: Container[Key]) -> Task | None:
    left = (tuple(each for each in batch if key(task.contender, each) in keys) for batch in task.batches)
    batches = tuple(filter(None, left))
    return replace(task, batches=batches) if batches else None


def _batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    # A batch is made of neighbours in the file, whatever was done before: its pairs are stored together or not at
    # all, so that a resumed run shows a batched method the very batches an uninterrupted one would.
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _tasks(contender: Contender, batches: Sequence[tuple[Item, ...]], jobs: int) -> Iterator[Task]:
    # Small enough that no worker is left with a long tail at the end, large enough to save round trips.
    at_once = 1 if contender.batch_size > 1 else max(1, min(CHUNK, len(batches) // (4 * jobs)))
    for start in range(0, len(batches), at_once):
        yield Task(contender, tuple(batches[start : start + at_once]))


# ---- in a worker process

Built = dict[tuple[str, int], Method]
"""Methods by what they are named and their seed."""


@contextmanager
def open_methods(memory: int) -> Iterator[Built]:
    """What has been built in this process, which may take so many bytes of address space (0 = no limit)."""
    if memory:
        limit_memory(memory)
    yield {}


def decide_batch(built: Built, batch: Sequence[tuple[Any, int, str, Pair]]) -> list[Outcome]:
    """The outcomes of pairs that come with their method, each as source, seed and resolver, or the method itself."""
    source, seed, resolver, _ = batch[0]
    method, pairs = _build(source, seed, resolver, built), [pair for *_, pair in batch]
    report()  # a method's own time begins here
    return _fail_all(method, pairs) if isinstance(method, str) else decide(method, pairs)


def decide(method: Method, pairs: Sequence[Pair]) -> list[Outcome]:
    """One outcome per pair, whatever the method does short of ending the process."""
    start = time.perf_counter()
    try:
        decisions = method.decide_many(pairs)
        each = (time.perf_counter() - start) / len(pairs)
        decided = zip(_check_decisions(decisions, len(pairs)), pairs, strict=True)
        return [outcome_of(_add_warnings(decision, pair), each) for decision, pair in decided]
    except MemoryError:
        problem = "It ran out of memory."
    except BaseException as raised:  # also SystemExit: a method must not end the run
        problem = _describe(raised)
    return _fail_all(problem, pairs, (time.perf_counter() - start) / len(pairs))


def _add_warnings(decision: Decision, pair: Pair) -> Decision:
    """Some rows withhold the answer of a method that has a confidence, and never its score.

    `infer` shows no number of what a warning stops; here the lean of every pair is counted, answered or not. Nor are
    the rows beside a point mass scored alone: a score here is one of all rows.
    """
    if decision.confidence is None:
        return decision
    warned = add_warnings(decision, check(pair))
    return replace(decision, warnings=warned.warnings, reason=warned.reason)


def _build(source: Any, seed: int, resolver: str, built: Built) -> Method | str:
    """The method, or the sentence that says why it could not be built."""
    if not isinstance(source, str):
        return source  # unpickled; the parent checked it
    try:
        if (source, seed) not in built:
            built[source, seed] = import_object(resolver)(source, seed)
        return built[source, seed]
    except BaseException as raised:
        return f"It could not be built: {_describe(raised)}"


def _check_decisions(decisions: Any, expected: int) -> list[Decision]:
    decided = list(decisions)
    if len(decided) != expected:
        raise ValueError(f"decide_many returned {len(decided)} decisions for {expected} pairs.")
    if wrong := [each for each in decided if not isinstance(each, Decision)]:
        raise TypeError(f"decide_many returned a {type(wrong[0]).__name__} where a causewise.Decision was expected.")
    return decided


def _fail_all(problem: Any, pairs: Sequence[Pair], seconds: float = 0.0) -> list[Outcome]:
    return [no_answer(Status.FAILED, str(problem), seconds) for _ in pairs]


def _describe(raised: BaseException) -> str:
    said = " ".join(str(raised).split())
    return f"{type(raised).__name__}: {said}"[:500] if said else f"{type(raised).__name__}."
