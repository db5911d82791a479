"""Jobs that are asked about by their link, given up when nobody asks; tables and answers while the server runs."""

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from causewise.web.job_pool import JobPool, PoolTask
from causewise.web.limits import ServerLimits
from causewise.web.refusal import Refusal, busy, nowhere
from causewise.web.shelf import Shelf

WORK = "causewise.web.work"


@dataclass(frozen=True)
class Table:
    """What was uploaded, and what was understood."""

    name: str
    content: bytes = field(repr=False)
    asked: dict[str, Any]
    seen: dict[str, Any] = field(repr=False)

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.content) + 400 * len(self.seen["columns"])


@dataclass(frozen=True)
class KeptAnswer:
    """An answer: its title, what `--json` prints, and its page with the mark that stands for a nonce."""

    kind: str
    title: str
    record: str = field(repr=False)
    page: str = field(repr=False)
    mark: str = field(repr=False)
    table: str = ""
    """Under which name its table is kept, or was."""

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.record) + len(self.page)


@dataclass(eq=False)
class Job:
    """Work that takes its time."""

    kind: str
    crew: JobPool
    task: PoolTask
    asked: float
    """When somebody last asked."""
    answer: str = ""
    """The name of its answer, once there is one."""


class FrontDesk:
    """Everything that is remembered, and everybody who works."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        memory, held = limits.memory_bytes, limits.in_flight_bytes
        self.quick = JobPool(limits.processes, limits.waiting, limits.seconds, memory, WORK, held)
        # Whole tables have processes of their own, so that they never keep a pair waiting.
        self.long = JobPool(max(1, limits.processes // 2), limits.waiting, limits.scan_seconds, memory, WORK, held)
        self.tables: Shelf[Table] = Shelf("table", limits.kept_tables, limits.kept_bytes)
        self.answers: Shelf[KeptAnswer] = Shelf("answer", limits.kept_answers, limits.kept_bytes)
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self) -> None:
        """Start the processes."""
        self.quick.start()
        self.long.start()

    def close(self) -> None:
        """End all work and forget everything."""
        self.quick.close()
        self.long.close()
        self.tables.clear()
        self.answers.clear()

    def begin(self, kind: str, settings: dict[str, Any], content: bytes, table: str = "") -> str:
        """Begin a job, of a `pair` or a whole `table`; refused where too many wait."""
        self._forget_the_oldest()
        crew = self.long if kind == "table" else self.quick
        job = Job(kind, crew, crew.submit(kind, settings, content), time.monotonic())
        identity = secrets.token_urlsafe(12)
        self._jobs[identity] = job
        job.task.future.add_done_callback(lambda future: self._keep(job, future, table))
        return identity

    def job(self, identity: str) -> Job:
        """A job that somebody asks about."""
        if identity not in self._jobs:
            raise nowhere("job", identity)
        job = self._jobs[identity]
        job.asked = time.monotonic()
        return job

    def cancel(self, identity: str) -> Job:
        """Give a job up."""
        job = self.job(identity)
        job.crew.stop(job.task, Refusal(409, "Cancelled."))
        return job

    def give_up_forgotten(self) -> None:
        """Stop what nobody has asked about for so long that nobody waits for it."""
        now = time.monotonic()
        for job in list(self._jobs.values()):
            if not job.task.future.done() and now - job.asked > self.limits.patience:
                why = f"Given up, since nobody asked about it for {self.limits.patience:g} seconds."
                job.crew.stop(job.task, Refusal(409, why))

    def _keep(self, job: Job, future: Any, table: str) -> None:
        if future.exception() is None:
            found = future.result()
            answer = KeptAnswer(job.kind, found["title"], found["record"], found["page"], found["mark"], table)
            job.answer = self.answers.put(answer)

    def _forget_the_oldest(self) -> None:
        while len(self._jobs) >= self.limits.kept_jobs:
            done = next((name for name, job in self._jobs.items() if job.task.future.done()), None)
            if done is None:
                raise busy(len(self._jobs))
            del self._jobs[done]


def state(job: Job) -> dict[str, Any]:
    """Where a job stands, as JSON."""
    task = job.task
    told: dict[str, Any] = {"kind": job.kind, "state": "waiting", "ahead": job.crew.ahead(task), "step": None}
    told |= {"done": None, "of": None, "seconds_left": None, "detail": None, "answer": None}
    if job.answer:
        return told | {"state": "done", "answer": f"/answers/{job.answer}"}
    problem = task.future.exception() if task.future.done() else None
    if problem is not None:
        cancelled = isinstance(problem, Refusal) and problem.status == 409
        return told | {"state": "cancelled" if cancelled else "failed", "detail": str(problem)}
    if task.unwanted:
        return told | {"state": "cancelled", "detail": str(task.unwanted)}
    if task.progress:
        step, done, of, since = task.progress
        told |= {"step": step, "done": done, "of": of, "seconds_left": _left(done, of, time.monotonic() - since)}
    return told | ({"state": "working"} if task.working else {})


def _left(done: int, of: int, elapsed: float) -> float | None:
    """Seconds until a step ends, if it goes on as it went."""
    return round(elapsed * (of - done) / done, 1) if done and elapsed > 1 else None
