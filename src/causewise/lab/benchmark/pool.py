"""Worker processes that may crash, hang or exhaust memory without taking the run down: the parent's side.

Everything is decided in one thread: it hands out tasks, waits for the next message or the next deadline, and yields
outcomes. One small thread per worker only moves its messages into the common inbox.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from causewise.errors import InputError
from causewise.lab.benchmark.contenders import RESOLVER, Contender
from causewise.lab.benchmark.sets import Item
from causewise.lab.benchmark.store import BEAT_SECONDS, Outcome, Status, no_answer
from causewise.parallel import deaf_children, single_threaded

START_SECONDS = 180.0
"""Allowed for starting a process or building a method, on top of the time limit per pair."""


class PoolError(Exception):
    """No worker could be started; the message is one sentence."""


@dataclass(frozen=True)
class Limits:
    """What one pair may cost."""

    seconds: float = 600.0
    """0 = no limit."""
    memory_bytes: int = 0
    """Address space per worker; 0 = as much as there is."""


@dataclass(frozen=True, eq=False)
class Task:
    """Batches of pairs for one contender; a method that is not batched gets batches of one."""

    contender: Contender
    batches: tuple[tuple[Item, ...], ...]


Finished = tuple[Contender, tuple[Item, ...], list[Outcome]]


class Desk(Protocol):
    """Where work is claimed that several runners may share."""

    def claim(self, task: Task) -> tuple[Task | None, Task | None]:
        """The part of a task to be done here and now, and the part to ask about again since another is at it."""

    def renew(self) -> None:
        """Hold on to what is claimed; called at least every `BEAT_SECONDS`."""


class Pool:
    """Runs tasks on `jobs` workers; iterate over `finished`, and close it to kill what is still running."""

    def __init__(self, jobs: int, limits: Limits, resolver: str = RESOLVER) -> None:
        self._jobs, self._limits, self._resolver = jobs, limits, resolver
        self._inbox: queue.Queue[tuple[Process, Any]] = queue.Queue()
        self._workers: list[Process] = []
        self._waiting: deque[Task] = deque()

    def finished(self, tasks: Iterable[Task], desk: Desk) -> Generator[Finished, None, None]:
        """Outcomes as they come, of what the desk gives out; ends when nothing is left there."""
        self._waiting.extend(tasks)
        try:
            while self._waiting or self._busy():
                desk.renew()
                self._hand_out(desk)
                if self._waiting or self._busy():
                    yield from self._next()
        finally:
            for worker in self._workers:
                worker.end()
            self._workers.clear()

    def _busy(self) -> int:
        return sum(worker.task is not None for worker in self._workers)

    def _hand_out(self, desk: Desk) -> None:
        while len(self._workers) < min(self._jobs, len(self._waiting) + self._busy()):
            self._workers.append(Process(self._limits, self._inbox))
        idle = deque(worker for worker in self._workers if worker.started and worker.task is None)
        # Each task is asked for once: what others are at goes back to the end of the queue until the next beat.
        for _ in range(len(self._waiting)):
            if not idle:
                return
            ours, others = desk.claim(self._waiting.popleft())
            if others is not None:
                self._waiting.append(others)
            if ours is not None:
                idle.popleft().give(ours, self._resolver)

    def _next(self) -> Iterator[Finished]:
        soonest = min(worker.deadline for worker in self._workers)
        try:
            worker, message = self._inbox.get(timeout=min(max(0.0, soonest - time.monotonic()), BEAT_SECONDS))
        except queue.Empty:
            yield from self._overdue()
            return
        # The last message of a worker that was ended may still be on its way.
        if worker not in self._workers:
            return
        if message is None:
            yield from self._lost(worker, Status.CRASHED, worker.exit_description())
        elif message == "hello":
            worker.started = True
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

    def _lost(self, worker: "Process", status: Status, why: str) -> Iterator[Finished]:
        """A worker crashed or ran late: its pair is a failed row, the rest of its task goes back to the queue."""
        elapsed = time.monotonic() - worker.since
        worker.end()
        self._workers.remove(worker)
        if not worker.started and self._limits.memory_bytes:
            limit = f"{self._limits.memory_bytes / 2**30:.3g} GiB"
            raise InputError(f"No worker process could start within {limit}: {why} Give it more, or 0 for no limit.")
        if not worker.started:
            raise PoolError(f"A worker process could not be started: {why}")
        task = worker.task
        if task is None:
            return
        culprit, rest = task.batches[worker.done], task.batches[worker.done + 1 :]
        if rest:
            self._waiting.appendleft(Task(task.contender, rest))
        if len(culprit) > 1:
            # Any pair of the batch may be at fault: each is tried on its own, and only that one becomes a failed row.
            self._waiting.appendleft(Task(task.contender, tuple((each,) for each in culprit)))
        else:
            yield task.contender, culprit, [no_answer(status, why, elapsed)]


class Process:
    """A running worker, what it is working on, and since when."""

    def __init__(self, limits: Limits, inbox: "queue.Queue[tuple[Process, Any]]") -> None:
        self._limits = limits
        # A file, not a pipe: a method that writes much to standard error cannot block on a reader.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # held until `end`
        # A program of its own, not a fork: nothing the parent has loaded or locked is shared, and one that dies of a
        # signal or eats all memory takes nothing with it.
        command = [sys.executable, "-m", "causewise.lab.benchmark.worker", str(limits.memory_bytes)]
        pipe = subprocess.PIPE
        with deaf_children():
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors, env=environment())
        self.started = False
        self.ready = False
        self.task: Task | None = None
        self.done = 0
        self.since = time.monotonic()
        self._listener = threading.Thread(target=self._listen, args=(inbox,), daemon=True)
        self._listener.start()

    @property
    def deadline(self) -> float:
        """When it is given up."""
        if not self.started:
            return self.since + START_SECONDS
        if self.task is None or self._limits.seconds <= 0:
            return float("inf")
        # Importing and compiling come before the first pair, and are no part of its time.
        if not self.ready:
            return self.since + START_SECONDS + self._limits.seconds
        return self.since + self._limits.seconds * len(self.task.batches[self.done])

    def give(self, task: Task, resolver: str) -> None:
        """Hand over a task."""
        self.task, self.ready, self.done, self.since = task, False, 0, time.monotonic()
        pairs = [[each.pair for each in batch] for batch in task.batches]
        message = pickle.dumps((task.contender.source, task.contender.seed, resolver, pairs))
        assert self._process.stdin is not None
        # Where it has just died, its end of file is already on the way to the inbox.
        with suppress(BrokenPipeError):
            self._process.stdin.write(message)
            self._process.stdin.flush()

    def advance(self) -> None:
        """One batch has come back."""
        self.done, self.since = self.done + 1, time.monotonic()
        if self.task is not None and self.done == len(self.task.batches):
            self.task = None

    def end(self) -> None:
        """Kill it and let go of everything it held."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what was left to send has no reader any more
                    pipe.close()

    def exit_description(self) -> str:
        """How the process ended, with the last line it wrote."""
        code = self._process.wait()
        how = f"died of signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"
        return f"Its process {how}.{self._last_line()}"

    def _last_line(self) -> str:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 4000))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f" Its last words: {lines[-1].strip()[:200]}" if lines else ""

    def _listen(self, inbox: "queue.Queue[tuple[Process, Any]]") -> None:
        assert self._process.stdout is not None
        while True:
            try:
                message = pickle.load(self._process.stdout)
            except Exception:  # the pipe ended, or ended in the middle of a message
                message = None
            # None says that the process is gone: methods cannot send it.
            inbox.put((self, message))
            if message is None:
                return


def environment() -> dict[str, str]:
    """What a worker inherits: one thread for each numerical library, and the parent's import path."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return single_threaded() | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"}
