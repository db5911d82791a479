"""One worker process as its parent sees it: start, hand over, deadline, end."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whence.benchmark.contest import Contender, Item
from whence.threads import single_threaded

START_SECONDS = 180.0
"""Allowed for starting a process or building a method, on top of the time limit per pair."""


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


class Process:
    """A running worker, what it is working on, and since when."""

    def __init__(self, limits: Limits, inbox: "queue.Queue[tuple[Process, Any]]") -> None:
        self._limits = limits
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (held until `end`)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "whence.benchmark.worker", str(limits.memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment(),
        )
        self.greeted = False
        self.ready = False
        self.task: Task | None = None
        self.done = 0
        self.since = time.monotonic()
        self._listener = threading.Thread(target=self._listen, args=(inbox,), daemon=True)
        self._listener.start()

    @property
    def deadline(self) -> float:
        """When patience with it ends."""
        if not self.greeted:
            return self.since + START_SECONDS
        if self.task is None or self._limits.seconds <= 0:
            return float("inf")
        if not self.ready:
            return self.since + START_SECONDS + self._limits.seconds
        return self.since + self._limits.seconds * len(self.task.batches[self.done])

    def give(self, task: Task, resolver: str) -> None:
        """Hand over a task."""
        self.task, self.ready, self.done, self.since = task, False, 0, time.monotonic()
        pairs = [[each.pair for each in batch] for batch in task.batches]
        message = pickle.dumps((task.contender.source, task.contender.seed, resolver, pairs))
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has just died; its end of file is already on the way to the inbox
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

    def obituary(self) -> str:
        """How it died, with the last line it wrote."""
        code = self._process.wait()
        how = f"died of signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"
        return f"Its process {how}.{self._last_words()}"

    def _last_words(self) -> str:
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
            inbox.put((self, message))
            if message is None:
                return


def environment() -> dict[str, str]:
    """What a worker inherits: one thread for each numerical library, and the parent's import path."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return single_threaded() | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"}
