"""Worker processes that may hang, crash or exhaust memory without taking the server down, and their queue.

One thread a process: it takes a task, hands it over, waits for the answer, the deadline or a wish to stop, and starts
the process anew where the old one is gone. Everything that reads what a stranger sent is done there.
"""

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import Any, NamedTuple

from causewise.parallel import deaf_children
from causewise.web.crew_member import serve
from causewise.web.request_error import RequestError as Refusal
from causewise.web.request_error import queue_full_error as busy

START_SECONDS = 120.0
"""For a process to import everything."""
_LOOK = 0.1
"""Seconds between two looks at whether a task is still wanted."""
_log = logging.getLogger("causewise.web")


class TaskProgress(NamedTuple):
    """How far a task is."""

    step: str
    done: int
    of: int
    since: float
    """When the step was first heard of."""


@dataclass(eq=False)
class CrewTask:
    """One thing to do; the future ends with its answer or with a refusal."""

    work: str
    settings: dict[str, Any]
    content: bytes
    future: "Future[Any]" = field(default_factory=Future)
    progress: TaskProgress | None = None
    working: bool = False
    unwanted: Refusal | None = None
    """Why it is to be stopped."""

    def stop(self, why: Refusal) -> None:
        """Let it be; whoever waits for it is told why."""
        self.unwanted = self.unwanted or why

    def end(self, answer: Any) -> None:
        """Its answer, or the refusal that stands for it."""
        self.content = b""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(answer) if isinstance(answer, Refusal) else self.future.set_result(answer)


class Crew:
    """So many processes, so many tasks and bytes in the queue, so many seconds and bytes of memory a task."""

    def __init__(
        self, processes: int, waiting: int, seconds: float, memory: int, module: str, held: int = 256 << 20
    ) -> None:
        self._held = held
        self._most, self._seconds, self._start = waiting, seconds, lambda: _Process(memory, module)
        self._queue: deque[CrewTask] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._keep, daemon=True) for _ in range(processes)]

    def start(self) -> None:
        """Start the processes; tasks are taken from now on."""
        for thread in self._threads:
            thread.start()

    def submit(self, work: str, settings: dict[str, Any], content: bytes) -> CrewTask:
        """Put a task into the queue; refused where that is full."""
        task = CrewTask(work, settings, content)
        with self._changed:
            bytes_held = len(content) + sum(len(each.content) for each in self._queue)
            if self._closed or len(self._queue) >= self._most or (self._queue and bytes_held > self._held):
                raise busy(len(self._queue))
            self._queue.append(task)
            self._changed.notify()
        return task

    def ahead(self, task: CrewTask) -> int:
        """How many tasks come before one that waits."""
        with self._changed:
            return self._queue.index(task) if task in self._queue else 0

    def stop(self, task: CrewTask, why: Refusal) -> None:
        """Take a task out of the queue, or end the process that is at it."""
        task.stop(why)
        with self._changed:
            if task not in self._queue:
                return
            self._queue.remove(task)
        task.end(why)

    def close(self) -> None:
        """End every process and every task."""
        with self._changed:
            self._closed = True
            left, self._queue = list(self._queue), deque()
            self._changed.notify_all()
        for task in left:
            task.end(_closing())
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _keep(self) -> None:
        """A thread's life: a process at hand, a task, its end."""
        process = self._start()
        try:
            while (task := self._next()) is not None:
                task.working = True
                answer = self._answer(process, task)
                if answer is None:  # the process had died before it heard of the task
                    process.end()
                    process = self._start()
                    answer = self._answer(process, task) or _dead()
                if not process.ready:  # it was given up, or has died
                    process.end()
                    process = self._start()
                task.end(answer)
        finally:
            process.end()

    def _next(self) -> CrewTask | None:
        with self._changed:
            while not self._queue and not self._closed:
                self._changed.wait()
            return None if self._closed else self._queue.popleft()

    def _answer(self, process: "_Process", task: CrewTask) -> Any:
        """What came back, or why nothing did; None where the process never began.

        The process is no longer `ready` where it must not be used again.
        """
        if not (process.ready or self._started(process, task)):
            why = _closing() if self._closed else task.unwanted
            return why or Refusal(500, "The process for this could not be started; try again.")
        process.ready = begun = False
        try:
            process.pipe.send((task.work, task.settings, task.content))
            deadline = time.monotonic() + self._seconds
            while (why := self._given_up(task, deadline)) is None:
                if process.heard(_LOOK):
                    kind, value = process.pipe.recv()
                    begun = True
                    if kind == "progress":
                        task.progress = _next_progress(task.progress, *value)
                    elif kind != "begun":
                        process.ready = True
                        return _outcome(kind, value)
            return why
        except (EOFError, OSError):
            return _dead() if begun else None

    def _started(self, process: "_Process", task: CrewTask) -> bool:
        """Whether a process that was just started is ready to work."""
        deadline = time.monotonic() + START_SECONDS
        with suppress(EOFError, OSError):
            while time.monotonic() < deadline and not (task.unwanted or self._closed):
                if process.heard(_LOOK):
                    process.ready = process.pipe.recv()[0] == "ready"
                    return process.ready
        return False

    def _given_up(self, task: CrewTask, deadline: float) -> Refusal | None:
        if self._closed:
            return _closing()
        if task.unwanted is None and time.monotonic() > deadline:
            task.stop(
                Refusal(
                    422,
                    f"This takes longer than the {self._seconds:g} seconds that a job may take; expected less work: "
                    "give fewer rows or columns, choose another method, or use the command line.",
                )
            )
        return task.unwanted


class _Process:
    """A running worker."""

    def __init__(self, memory: int, module: str) -> None:
        # Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will release.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, memory, module), daemon=True)
        with deaf_children():
            self._process.start()
        theirs.close()
        self.ready = False

    def heard(self, seconds: float) -> bool:
        """Whether it says something within this time; a dead process ends the pipe, which is heard as well."""
        return bool(wait([self.pipe], seconds))

    def end(self) -> None:
        """Kill it and let go of everything it held."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def _next_progress(last: TaskProgress | None, step: str, done: int, of: int) -> TaskProgress:
    since = last.since if last and last.step == step else time.monotonic()
    return TaskProgress(step, done, of, since)


def _outcome(kind: str, value: Any) -> Any:
    if kind == "answer":
        return value
    if kind == "refusal":
        status, sentence, choices = value
        return Refusal(status, sentence, choices)
    _log.error("A job failed:\n%s", value)
    return Refusal(500, "causewise failed on this, and not by a fault of yours; the terminal of the server says more.")


def _dead() -> Refusal:
    return Refusal(
        500,
        "The process that worked on this died, of too little memory or of a fault in a library, and took the answer "
        "with it; expected an answer: try again, with a smaller table if it happens twice.",
    )


def _closing() -> Refusal:
    return Refusal(503, "The server is closing; expected one that runs: start it anew.")
