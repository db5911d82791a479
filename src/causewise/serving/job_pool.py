"""The server's worker processes, each with a limit of time and memory a task, and the bounded queue of their tasks.

One thread a worker: it takes a task, hands it over, waits for the answer, the deadline or a wish to stop, and replaces
the worker where it is gone. Everything that reads what a stranger sent is done there.
"""

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from causewise.errors import InputError
from causewise.parallel import OnProgress, limit_memory
from causewise.serving.limits import RequestError, closing_error, list_choices, queue_full_error
from causewise.worker import START_SECONDS, Worker, report

_LOOK = 0.1
"""Seconds between two looks at whether a task is still wanted."""
_IDLE = 0.5
"""Seconds between two looks at whether a worker at rest is still alive."""
_EVERY = 0.2
"""Seconds between two reports of progress."""
_log = logging.getLogger("causewise.serving")

_TOO_LONG = (
    "This takes longer than the {:g} seconds that a job may take; expected less work: give fewer rows or columns, "
    "choose another method, or use the command line."
)
_TOO_LARGE = (
    "This needs more than {} MiB of memory, which is what a job may take; expected a smaller table: give fewer rows or "
    "columns, or use the command line."
)
_CRASHED = (
    "The process that worked on this died, of too little memory or of a fault in a library, and took the answer with "
    "it; expected an answer: try again, with a smaller table if it happens twice."
)
_NOT_STARTED = "The process for this could not be started; try again."
_FAILED = "causewise failed on this, and not by a fault of yours; the terminal of the server says more."


class TaskProgress(NamedTuple):
    """How far a task is."""

    step: str
    done: int
    of: int
    since: float
    """When the step was first heard of."""

    @property
    def seconds_left(self) -> float | None:
        """Until the step ends, if it goes on as it went; None where that cannot be told yet."""
        elapsed = time.monotonic() - self.since
        return round(elapsed * (self.of - self.done) / self.done, 1) if self.done and elapsed > 1 else None


@dataclass(eq=False)
class PoolTask:
    """One thing to do; the future ends with its answer or with a refusal."""

    work: str
    settings: dict[str, Any]
    content: bytes
    future: "Future[Any]" = field(default_factory=Future)
    progress: TaskProgress | None = None
    working: bool = False
    unwanted: RequestError | None = None
    """Why it is to be stopped."""

    def end(self, answer: Any) -> None:
        """Its answer, or the refusal that stands for it."""
        self.content = b""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(answer) if isinstance(answer, RequestError) else self.future.set_result(answer)


class JobPool:
    """So many workers, so many tasks and bytes in the queue, so many seconds and bytes of memory a task.

    What can be done is the table `WORK` of a module, whose `prepare` every worker calls first.
    """

    def __init__(
        self, workers: int, waiting: int, seconds: float, memory: int, module: str, held: int = 256 << 20
    ) -> None:
        self._most, self._held, self._seconds = waiting, held, seconds
        self._start = lambda: Worker(_open_work, (module, memory))
        self._queue: deque[PoolTask] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._keep_worker, daemon=True) for _ in range(workers)]

    def start(self) -> None:
        """Start the processes; tasks are taken from now on."""
        for thread in self._threads:
            thread.start()

    def submit(self, work: str, settings: dict[str, Any], content: bytes) -> PoolTask:
        """Put a task into the queue; refused where that is full."""
        task = PoolTask(work, settings, content)
        with self._changed:
            bytes_held = len(content) + sum(len(each.content) for each in self._queue)
            if self._closed:
                raise closing_error()
            if len(self._queue) >= self._most or (self._queue and bytes_held > self._held):
                raise queue_full_error(len(self._queue))
            self._queue.append(task)
            self._changed.notify()
        return task

    def ahead(self, task: PoolTask) -> int:
        """How many tasks come before one that waits."""
        with self._changed:
            return self._queue.index(task) if task in self._queue else 0

    def stop(self, task: PoolTask, why: RequestError) -> None:
        """Take a task out of the queue, or end the worker that is at it."""
        task.unwanted = task.unwanted or why
        with self._changed:
            if task not in self._queue:
                return
            self._queue.remove(task)
        task.end(why)

    def close(self) -> None:
        """End every worker and every task."""
        with self._changed:
            self._closed = True
            left, self._queue = list(self._queue), deque()
            self._changed.notify_all()
        for task in left:
            task.end(closing_error())
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _keep_worker(self) -> None:
        """A thread's life: a worker at hand, a task, its end."""
        worker = self._start()
        try:
            while not self._closed:
                task = self._next()
                if task is None:
                    if self._has_died(worker):
                        worker.end()
                        worker = self._start()
                    continue
                task.working = True
                answer = self._answer(worker, task)
                if answer is None:  # the worker had died before it heard of the task
                    worker.end()
                    worker = self._start()
                    answer = self._answer(worker, task) or RequestError(500, _CRASHED)
                if worker.task is not None:  # it was given up, or has died
                    worker.end()
                    worker = self._start()
                task.end(answer)
        finally:
            worker.end()

    def _next(self) -> PoolTask | None:
        """The next task; None where none has come for a while."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed, _IDLE)
            return self._queue.popleft() if self._queue and not self._closed else None

    def _has_died(self, worker: Worker) -> bool:
        """Whether a worker at rest, which was ready, is gone. One that never was is the next task's to hear of."""
        if worker.inbox.empty():
            return False
        _, message = worker.inbox.get()
        if message is None and worker.is_ready:
            return True
        if message is None:
            worker.inbox.put((worker, None))
        elif message[0] == "raised":
            _log.error("A worker could not start:\n%s", "".join(message[1].__notes__))
        else:
            worker.note(message[0])
        return False

    def _answer(self, worker: Worker, task: PoolTask) -> Any:
        """What came back, or why nothing did; None where a worker that was ready never began.

        The worker still has the task where it must not be used again.
        """
        worker.task = task
        worker.submit(_do_task, [(task.work, task.settings, task.content)])
        deadline = time.monotonic() + (self._seconds if worker.is_ready else START_SECONDS)
        while (why := self._reason_to_stop(task, worker, deadline)) is None:
            try:
                _, message = worker.inbox.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if message is None:
                if worker.is_ready and not worker.has_begun:
                    return None
                return RequestError(500, _CRASHED if worker.is_ready else _NOT_STARTED)
            kind, value = message
            worker.note(kind)
            if kind == "begun":
                deadline = time.monotonic() + self._seconds
            elif kind == "report":
                (step, done, of), last = value, task.progress
                since = last.since if last and last.step == step else time.monotonic()
                task.progress = TaskProgress(step, done, of, since)
            elif kind == "raised":
                _log.error("A job failed:\n%s", "".join(value.__notes__))
                worker.task = None if worker.is_ready else task
                return RequestError(500, _FAILED if worker.is_ready else _NOT_STARTED)
            elif kind == "result":
                worker.task = None
                return value[0]
        return why

    def _reason_to_stop(self, task: PoolTask, worker: Worker, deadline: float) -> RequestError | None:
        if self._closed:
            return closing_error()
        if task.unwanted is None and time.monotonic() > deadline:
            late = RequestError(422, _TOO_LONG.format(self._seconds))
            task.unwanted = late if worker.is_ready else RequestError(500, _NOT_STARTED)
        return task.unwanted


@contextmanager
def _open_work(module: str, memory: int) -> Iterator[tuple[dict[str, Any], int]]:
    """In a worker: what it can do, and the bytes that a task may take."""
    logging.disable()  # what a library says of a table is nobody's business but the answer's
    known: Any = import_module(module)
    known.prepare()
    limit_memory(memory, on_top=True)
    yield known.WORK, memory


def _do_task(shared: tuple[dict[str, Any], int], tasks: Sequence[tuple[str, dict[str, Any], bytes]]) -> list[Any]:
    """In a worker: the answer to a task, or why it is refused."""
    [(name, settings, content)], (work, memory) = tasks, shared
    try:
        return [work[name](settings, content, _report_now_and_then())]
    except RequestError as refusal:
        return [refusal]
    except InputError as problem:
        return [RequestError(422, str(problem), list_choices(problem))]
    except MemoryError:
        return [RequestError(413, _TOO_LARGE.format(memory >> 20))]
    except ImportError as problem:
        return [RequestError(501, f"This needs {problem.name}, which is not installed where the server runs.")]


def _report_now_and_then() -> OnProgress:
    last = 0.0

    def on_progress(what: str, done: int, of: int) -> None:
        nonlocal last
        if done == of or time.monotonic() - last > _EVERY:
            last = time.monotonic()
            report((what, done, of))

    return on_progress
