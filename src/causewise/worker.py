"""A spawned process that does one task after the other, and may crash, hang or exhaust memory meanwhile.

Processes, not threads: the Python between the compiled loops holds the interpreter's lock (`benchmarks/parallel.py`).
Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will release. Two threads of the
parent move the messages of a worker and do nothing else: whatever a worker leaves undone, stopped in the middle of a
message for one, the parent goes on and kills it when its time is up.
"""

import os
import pickle
import queue
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from weakref import finalize

from causewise.parallel import ONE_THREAD, follow_parent, prepare_spawn

START_SECONDS = 180.0
"""Allowed for a process to start."""

Open = Callable[..., AbstractContextManager[Any]]
"""Opens what the tasks of one process share."""
Work = Callable[[Any, Sequence[Any]], list[Any]]
"""Given what was opened and the items of a task, one result for each item, which does not depend on the others."""


class Worker:
    """A process; what it says comes into `inbox` as (worker, message).

    A message is (kind, value): *ready*, then for each task *begun*, any number of *report*, and *result* or *raised*.
    It is None when the process has ended. With `captures`, what the process prints is kept from the terminal.
    """

    def __init__(
        self,
        opener: Open,
        arguments: Sequence[Any] = (),
        inbox: "queue.Queue[tuple[Worker, Any]] | None" = None,
        environment: Mapping[str, str] | None = None,
        captures: bool = False,
    ) -> None:
        self.inbox = queue.Queue[tuple[Worker, Any]]() if inbox is None else inbox
        self.task: Any = None
        """What its owner has it do."""
        self.is_ready = self.has_begun = self.has_reported = False
        self.since = time.monotonic()
        """When it was last heard of."""
        # A file, not a pipe: a method that writes much to standard error cannot block on a reader.
        handle, path = tempfile.mkstemp(prefix="causewise-") if captures else (None, "")
        self._printed = None if handle is None else (os.fdopen(handle, "rb"), Path(path))
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, ONE_THREAD | dict(environment or {}), path))
        with prepare_spawn():
            self._process.start()
        theirs.close()
        # A process that is no daemon, so that a method may start its own, is waited for at the end of the program.
        finalize(self, self._process.kill)
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._listen, self._speak)]
        for thread in self._threads:
            thread.start()
        self._outbox.put(pickle.dumps((opener, arguments)))

    def submit(self, work: Work, items: Sequence[Any]) -> None:
        """Hand over a task."""
        self.has_begun = self.has_reported = False
        self.since = time.monotonic()
        self._outbox.put(pickle.dumps((work, items)))

    def note(self, kind: str) -> None:
        """Remember how far it is, by the kind of a message of its own."""
        self.is_ready |= kind == "ready"
        self.has_begun |= kind == "begun"
        self.has_reported |= kind == "report"
        self.since = time.monotonic()

    def end(self) -> None:
        """Kill it and let go of everything it held."""
        self._process.kill()
        self._process.join()
        self._outbox.put(None)
        for thread in self._threads:
            thread.join()
        self._pipe.close()
        if self._printed is not None:
            file, path = self._printed
            file.close()
            path.unlink(missing_ok=True)

    def describe_end(self) -> str:
        """How the process ended, with the last line it wrote."""
        self._process.join()
        code = self._process.exitcode or 0
        how = f"died of signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"
        lines = []
        if self._printed is not None:
            file, _ = self._printed
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4000))
            lines = file.read().decode(errors="replace").strip().splitlines()
        return f"Its process {how}." + (f" Its last words: {lines[-1].strip()[:200]}" if lines else "")

    def _listen(self) -> None:
        while True:
            try:
                message = pickle.loads(self._pipe.recv_bytes())
            except Exception:  # the pipe ended, or ended in the middle of a message
                message = None
            self.inbox.put((self, message))
            if message is None:
                return

    def _speak(self) -> None:
        with suppress(OSError):  # it has just died: the end of its pipe is on the way to the inbox
            while (message := self._outbox.get()) is not None:
                self._pipe.send_bytes(message)


class CrashError(Exception):
    """The process of a task died."""


def call_apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process of its own, which it may crash; in a worker, which is one, right here."""
    if _pipe is not None:
        return work(*arguments)
    worker = Worker(nullcontext, captures=True)
    try:
        worker.submit(_call_each, [(work, arguments)])
        while True:
            _, message = worker.inbox.get()
            if message is None:
                raise CrashError(worker.describe_end())
            kind, value = message
            if kind == "result":
                return value[0]
            if kind == "raised":
                raise value
    finally:
        worker.end()


def _call_each(shared: Any, calls: Sequence[Any]) -> list[Any]:
    return [work(*arguments) for work, arguments in calls]


_pipe: Connection | None = None
"""In a worker, the way to its parent."""


def report(value: Any = None) -> None:
    """In a worker: tell the parent something while a task goes on, whose clock starts anew."""
    if _pipe is not None:
        _pipe.send_bytes(pickle.dumps(("report", value)))


def _serve(pipe: Connection, environment: Mapping[str, str], printed: str) -> None:
    """The process itself: one task after the other, until the pipe ends."""
    global _pipe
    follow_parent()
    # Before a numerical library is loaded, which reads it then: messages are unpickled below.
    os.environ.update(environment)
    if printed:
        file = os.open(printed, os.O_WRONLY | os.O_APPEND)
        with suppress(OSError):  # a file that is open can be removed everywhere but on Windows
            Path(printed).unlink()
        os.dup2(file, 1)
        os.dup2(file, 2)
    _pipe = pipe
    with suppress(EOFError, ConnectionError), ExitStack() as lasting:  # until the parent ends
        message = pipe.recv_bytes()
        try:
            opener, arguments = pickle.loads(message)
            shared = lasting.enter_context(opener(*arguments))
        except BaseException as problem:
            pipe.send_bytes(_pickle_problem(problem))
            return
        pipe.send_bytes(pickle.dumps(("ready", None)))
        while True:
            message = pipe.recv_bytes()
            pipe.send_bytes(pickle.dumps(("begun", None)))
            pipe.send_bytes(_answer(shared, message))


def _answer(shared: Any, message: bytes) -> bytes:
    try:
        work, items = pickle.loads(message)
        return pickle.dumps(("result", work(shared, items)))
    except BaseException as problem:  # also SystemExit: a task must not end the process
        return _pickle_problem(problem)


def _pickle_problem(problem: BaseException) -> bytes:
    """What was raised, with its traceback as a note; in words where it does not pickle."""
    words = "".join(traceback.format_exception(problem))
    problem.add_note(words)
    try:
        message = pickle.dumps(("raised", problem))
        pickle.loads(message)
    except Exception:
        plain = RuntimeError(f"{type(problem).__name__}: {problem}")
        plain.add_note(words)
        message = pickle.dumps(("raised", plain))
    return message
