"""Worker processes that may crash, hang or eat memory without taking the run down.

Everything is decided in one thread: it hands out tasks, waits for the next message or the next deadline, and yields
outcomes. One small thread per worker only moves its messages into the common inbox.
"""

import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from whence.benchmark.contest import RESOLVER, Contender, Item
from whence.benchmark.process import Limits, Process, Task
from whence.benchmark.row import Outcome, Status, nothing

Finished = tuple[Contender, tuple[Item, ...], list[Outcome]]
Wanted = Callable[[Task], Task | None]


class PoolError(Exception):
    """No worker could be started; the message is one sentence."""


class Pool:
    """Runs tasks on `jobs` workers; iterate over `finished`, and close it to kill what is still running."""

    def __init__(self, jobs: int, limits: Limits, resolver: str = RESOLVER) -> None:
        self._jobs, self._limits, self._resolver = jobs, limits, resolver
        self._inbox: queue.Queue[tuple[Process, Any]] = queue.Queue()
        self._workers: list[Process] = []
        self._waiting: deque[Task] = deque()

    def finished(self, tasks: Iterable[Task], wanted: Wanted) -> Generator[Finished, None, None]:
        """Outcomes as they come. `wanted` may drop, at the last moment, what another runner has finished meanwhile."""
        self._waiting.extend(tasks)
        try:
            while self._waiting or self._busy():
                self._hand_out(wanted)
                if self._busy() or not all(worker.greeted for worker in self._workers):
                    yield from self._next()
        finally:
            for worker in self._workers:
                worker.end()
            self._workers.clear()

    def _busy(self) -> int:
        return sum(worker.task is not None for worker in self._workers)

    def _hand_out(self, wanted: Wanted) -> None:
        while len(self._workers) < min(self._jobs, len(self._waiting) + self._busy()):
            self._workers.append(Process(self._limits, self._inbox))
        for worker in self._workers:
            while worker.greeted and worker.task is None and self._waiting:
                task = wanted(self._waiting.popleft())
                if task is not None:
                    worker.give(task, self._resolver)

    def _next(self) -> Iterator[Finished]:
        soonest = min(worker.deadline for worker in self._workers)
        try:
            worker, message = self._inbox.get(timeout=min(max(0.0, soonest - time.monotonic()), 3600.0))
        except queue.Empty:
            yield from self._overdue()
            return
        if worker not in self._workers:
            return  # the last message of a worker that was ended
        if message is None:
            yield from self._lost(worker, Status.CRASHED, worker.obituary())
        elif message == "hello":
            worker.greeted = True
        elif message == "ready":
            worker.ready, worker.since = True, time.monotonic()
        elif worker.task is not None:
            who, batch = worker.task.contender, worker.task.batches[worker.done]
            worker.advance()
            yield who, batch, message

    def _overdue(self) -> Iterator[Finished]:
        now = time.monotonic()
        for worker in [each for each in self._workers if each.deadline <= now]:
            yield from self._lost(
                worker, Status.TIMEOUT, f"It took longer than the limit of {self._limits.seconds:g} s."
            )

    def _lost(self, worker: Process, status: Status, why: str) -> Iterator[Finished]:
        """A worker crashed or ran late: its pair is a failed row, the rest of its task goes back to the queue."""
        elapsed = time.monotonic() - worker.since
        worker.end()
        self._workers.remove(worker)
        if not worker.greeted:
            raise PoolError(f"A worker process could not be started: {why}")
        task = worker.task
        if task is None:
            return
        culprit, rest = task.batches[worker.done], task.batches[worker.done + 1 :]
        if rest:
            self._waiting.appendleft(Task(task.contender, rest))
        if len(culprit) > 1:  # find the one pair at fault
            self._waiting.appendleft(Task(task.contender, tuple((each,) for each in culprit)))
        else:
            yield task.contender, culprit, [nothing(status, why, elapsed)]
