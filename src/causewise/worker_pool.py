"""Tasks mapped over worker processes: what comes out depends neither on how many there are nor on who crashes.

A worker that has died is replaced. The task it was at is done again, since the worker may have been killed from
outside; a task that crashes once more, or takes too long, is done in halves, until the one item at fault is found.
"""

import math
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from causewise.parallel import defer_interrupts, one_thread
from causewise.worker import START_SECONDS, Open, Work, Worker

BEAT_SECONDS = 1.0
"""At least so often a pool asks for tasks where there were none."""
_STARTS = 3
"""So many workers in a row end before they are ready, and then none will ever be."""
_MISSING = object()


class WorkerError(Exception):
    """The workers are at fault, not the input; the message is one sentence."""


class StartError(WorkerError):
    """No worker could be started."""

    def __init__(self, why: str) -> None:
        super().__init__(f"A worker process could not be started: {why}")
        self.why = why


@dataclass(frozen=True)
class Lost:
    """Stands for the result of an item whose worker crashed or ran out of time."""

    item: Any
    reason: str = ""
    seconds: float = 0.0
    is_late: bool = False


class TaskPool(Protocol):
    """Who does tasks: this process, several, or a cluster."""

    @property
    def workers(self) -> int:
        """Tasks that are worked on at the same time."""

    def map(self, work: Work, tasks: Sequence[Sequence[Any]]) -> Iterator[tuple[int, list[Any]]]:
        """Each task's number and results, in any order."""


def open_pool(workers: int, opener: Open, arguments: Sequence[Any] = ()) -> "InProcess | WorkerPool":
    """So many workers, or this process where one will do."""
    return InProcess(opener, arguments) if workers == 1 else WorkerPool(workers, opener, arguments)


class InProcess:
    """Tasks one after the other, in this process."""

    workers = 1

    def __init__(self, opener: Open, arguments: Sequence[Any] = ()) -> None:
        self._opener, self._arguments, self._lasting = opener, arguments, ExitStack()

    def __enter__(self) -> Self:
        self._lasting.enter_context(one_thread())
        self._shared = self._lasting.enter_context(self._opener(*self._arguments))
        return self

    def __exit__(self, *problem: object) -> None:
        self._lasting.close()

    def map(self, work: Work, tasks: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[Any]]]:
        """Each task's number and results, in their order."""
        for number, items in enumerate(tasks):
            yield number, work(self._shared, items)


@dataclass(frozen=True)
class _Part:
    """Items of a task from a place in it on, and how often a worker crashed on them."""

    number: int
    first: int
    items: Sequence[Any]
    crashes: int = 0


_Finished = Iterator[tuple[_Part, list[Any]]]


class WorkerPool:
    """Tasks on several workers, which are started when they are first needed and live as long as the pool.

    `seconds` is what one item may take (0: as long as it likes), not counting what comes before a task's first report;
    `retries` how often a task is done again after a crash; `environment` and `captures` are those of `Worker`.
    """

    def __init__(
        self,
        workers: int,
        opener: Open,
        arguments: Sequence[Any] = (),
        *,
        seconds: float = 0.0,
        retries: int = 1,
        environment: Mapping[str, str] | None = None,
        captures: bool = False,
    ) -> None:
        self.workers, self._seconds, self._retries = workers, seconds, retries
        self._inbox: queue.Queue[tuple[Worker, Any]] = queue.Queue()
        self._start = lambda: Worker(opener, arguments, self._inbox, environment, captures)
        self._started: list[Worker] = []
        self._failed_starts = 0
        self._again: deque[_Part] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        while self._started:
            self._started.pop().end()

    def map(
        self, work: Work, tasks: Iterable[Sequence[Any] | None], on_beat: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[int, list[Any]]]:
        """Each task's number and results, in the order in which they finish.

        Tasks are asked for when a worker is free; None says that there may be one later. `on_beat` is called at least
        every `BEAT_SECONDS`.
        """
        source, is_open, count = iter(tasks), True, 0
        unfinished: dict[int, list[Any]] = {}
        finished: list[tuple[_Part, list[Any]]] = []
        try:
            while is_open or unfinished:
                on_beat()
                while (is_open or self._again) and len(self._busy()) < self.workers:
                    if not self._again:
                        items: Any = next(source, _MISSING)
                        is_open = items is not _MISSING
                        if items is None or not is_open:
                            break
                        unfinished[count] = [_MISSING] * len(items)
                        self._again.append(_Part(count, 0, items))
                        count += 1
                    self._hand_out(work, self._again.popleft())
                for part, results in finished:  # now that nobody waits for the caller
                    whole = unfinished[part.number]
                    whole[part.first : part.first + len(part.items)] = results
                    if not any(each is _MISSING for each in whole):
                        yield part.number, unfinished.pop(part.number)
                finished = list(self._finish_next()) if is_open or unfinished else []
        finally:
            self._again.clear()
            for worker in self._busy():
                self._discard(worker)

    def _busy(self) -> list[Worker]:
        return [worker for worker in self._started if worker.task is not None]

    def _hand_out(self, work: Work, part: _Part) -> None:
        worker = next((each for each in self._started if each.task is None), None)
        if worker is None:
            with defer_interrupts():  # a worker that is in no list is ended by nobody
                worker = self._start()
                self._started.append(worker)
        worker.task = part
        worker.submit(work, part.items)

    def _finish_next(self) -> _Finished:
        """What the next message, or the next deadline, brings to an end."""
        soonest = min(map(self._deadline, self._started), default=math.inf)
        try:
            worker, message = self._inbox.get(timeout=min(max(0.0, soonest - time.monotonic()), BEAT_SECONDS))
        except queue.Empty:
            for late in [each for each in self._started if self._deadline(each) <= time.monotonic()]:
                yield from self._give_up(late, f"It took longer than the limit of {self._seconds:g} s.", is_late=True)
            return
        # The last message of a worker that was ended may still be on its way.
        if worker not in self._started:
            return
        if message is None:
            yield from self._give_up(worker, worker.describe_end())
            return
        kind, value = message
        worker.note(kind)
        if kind == "ready":
            self._failed_starts = 0
        elif kind == "raised" and not worker.is_ready:
            raise StartError(f"{type(value).__name__}: {value}") from value
        elif kind == "raised":
            raise value
        elif kind == "result" and worker.task is not None:
            part, worker.task = worker.task, None
            yield part, value

    def _give_up(self, worker: Worker, why: str, is_late: bool = False) -> _Finished:
        """A worker crashed or ran late: its task is done again, in halves, or known to be at fault."""
        part, elapsed = worker.task, time.monotonic() - worker.since
        self._discard(worker)
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts == _STARTS:
                raise StartError(why)
        if part is None:
            return
        if not (worker.is_ready and (is_late or worker.has_begun)):  # it never heard of the task
            self._again.appendleft(part)
        elif not is_late and part.crashes < self._retries:
            self._again.appendleft(replace(part, crashes=part.crashes + 1))
        elif len(part.items) > 1:
            middle = len(part.items) // 2
            self._again.appendleft(replace(part, first=part.first + middle, items=part.items[middle:]))
            self._again.appendleft(replace(part, items=part.items[:middle]))
        else:
            yield part, [Lost(part.items[0], why, elapsed, is_late)]

    def _deadline(self, worker: Worker) -> float:
        if not worker.is_ready:
            return worker.since + START_SECONDS
        if worker.task is None or self._seconds <= 0:
            return math.inf
        return worker.since + self._seconds * len(worker.task.items) + START_SECONDS * (not worker.has_reported)

    def _discard(self, worker: Worker) -> None:
        self._started.remove(worker)
        worker.end()
