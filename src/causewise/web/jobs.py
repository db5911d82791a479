"""The job manager: work for the worker pools, and the LRU caches of tables and answers."""

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from starlette.requests import Request

from causewise.serving.job_pool import JobPool, PoolTask
from causewise.serving.limits import RequestError, closing_error, queue_full_error
from causewise.web.limits import ServerLimits, not_found_error

WORKER_TASKS = "causewise.web.worker_tasks"
_CHECK_SECONDS = 2.0
"""Between two looks for abandoned jobs."""
T = TypeVar("T")


@dataclass(frozen=True)
class CachedTable:
    """An uploaded table and its overview."""

    name: str
    content: bytes = field(repr=False)
    reading: dict[str, Any]
    """The options it is read with."""
    overview: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class CachedAnswer:
    """An answer: its title, what `--json` prints, and its page with the mark that stands for a nonce."""

    title: str
    record: str = field(repr=False)
    page: str = field(repr=False)
    mark: str = field(repr=False)
    table: str
    """Under which name its table is cached, or was."""

    def page_with_nonce(self, nonce: str) -> str:
        """The page under a policy that allows this nonce and no other script or style."""
        return self.page.replace(self.mark, nonce)

    def page_as_file(self) -> str:
        """The page as it is kept in a file, which brings its policy along."""
        return self.page.replace(f' nonce="{self.mark}"', "").replace(f"'nonce-{self.mark}'", "'unsafe-inline'")


class Cache(Generic[T]):
    """An LRU cache bounded in entries and bytes, under names that cannot be guessed; threads may share it."""

    def __init__(self, what: str, most: int, most_bytes: int) -> None:
        self._what, self._most, self._most_bytes = what, most, most_bytes
        self._entries: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, value: T, size: int) -> str:
        """Cache a value of so many bytes under a new name; the newest stays, whatever its size."""
        identity = secrets.token_urlsafe(12)
        with self._lock:
            self._entries[identity] = value, size
            while len(self._entries) > 1 and (len(self._entries) > self._most or self._bytes() > self._most_bytes):
                self._entries.popitem(last=False)
        return identity

    def get(self, identity: str) -> T:
        """The value under a name, or the error that says there is none."""
        with self._lock:
            if identity not in self._entries:
                raise not_found_error(self._what, identity)
            self._entries.move_to_end(identity)
            return self._entries[identity][0]

    def __contains__(self, identity: str) -> bool:
        return identity in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def _bytes(self) -> int:
        return sum(size for _, size in self._entries.values())


@dataclass(eq=False)
class Job:
    """A task that clients ask about by its name."""

    kind: str
    pool: JobPool
    task: PoolTask
    asked_at: float
    """When a client last asked about it."""
    answer: str = ""
    """The name of its answer, once there is one."""

    def status(self) -> dict[str, Any]:
        """Where it stands, as JSON."""
        task = self.task
        status: dict[str, Any] = {"kind": self.kind, "state": "waiting", "ahead": self.pool.ahead(task), "step": None}
        status |= {"done": None, "of": None, "seconds_left": None, "detail": None, "answer": None}
        if self.answer:
            return status | {"state": "done", "answer": f"/answers/{self.answer}"}
        problem = task.future.exception() if task.future.done() else task.unwanted
        if problem is not None:
            cancelled = not task.future.done() or (isinstance(problem, RequestError) and problem.status == 409)
            return status | {"state": "cancelled" if cancelled else "failed", "detail": str(problem)}
        if task.progress:
            at = task.progress
            status |= {"step": at.step, "done": at.done, "of": at.of, "seconds_left": at.seconds_left}
        return status | ({"state": "working"} if task.working else {})


class JobManager:
    """The worker pools, the jobs they have, and the caches; nothing of it outlives the server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        memory, queued = limits.memory_bytes, limits.in_flight_bytes
        self.quick = JobPool(limits.processes, limits.waiting, limits.seconds, memory, WORKER_TASKS, queued)
        # Whole tables have processes of their own, so that they never keep a pair waiting.
        self.long = JobPool(
            max(1, limits.processes // 2), limits.waiting, limits.scan_seconds, memory, WORKER_TASKS, queued
        )
        self.tables: Cache[CachedTable] = Cache("table", limits.cached_tables, limits.cached_bytes)
        self.answers: Cache[CachedAnswer] = Cache("answer", limits.cached_answers, limits.cached_bytes)
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self) -> None:
        """Start the workers."""
        self.quick.start()
        self.long.start()

    def close(self) -> None:
        """End all work."""
        self.quick.close()
        self.long.close()

    async def run(self, work: str, settings: dict[str, Any], content: bytes, request: Request) -> Any:
        """The result of a short task, which is stopped when the client disconnects."""
        task = self.quick.submit(work, settings, content)
        result, disconnect = asyncio.wrap_future(task.future), asyncio.create_task(_wait_for_disconnect(request))
        try:
            await asyncio.wait({result, disconnect}, return_when=asyncio.FIRST_COMPLETED)
            if not result.done():
                self.quick.stop(task, RequestError(400, "The connection was closed before the answer was ready."))
            return await result
        except asyncio.CancelledError:
            self.quick.stop(task, closing_error())
            result.cancel()
            raise
        finally:
            disconnect.cancel()

    def begin(self, kind: str, settings: dict[str, Any], content: bytes, table: str = "") -> str:
        """Begin a job, of a `pair`, a whole `table` or its `graph`, unless too many wait; its name."""
        while len(self._jobs) >= self.limits.jobs:
            oldest = next((name for name, job in self._jobs.items() if job.task.future.done()), None)
            if oldest is None:
                raise queue_full_error(len(self._jobs))
            del self._jobs[oldest]
        pool = self.quick if kind == "pair" else self.long
        job = Job(kind, pool, pool.submit(kind, settings, content), time.monotonic())
        identity = secrets.token_urlsafe(12)
        self._jobs[identity] = job
        job.task.future.add_done_callback(lambda future: self._store(job, future, table))
        return identity

    def get(self, identity: str) -> Job:
        """A job that a client asks about."""
        if identity not in self._jobs:
            raise not_found_error("job", identity)
        job = self._jobs[identity]
        job.asked_at = time.monotonic()
        return job

    def cancel(self, identity: str) -> None:
        """Stop a job."""
        job = self.get(identity)
        job.pool.stop(job.task, RequestError(409, "Cancelled."))

    async def watch(self) -> None:
        """Stop abandoned jobs, for as long as the server runs."""
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            self.stop_abandoned()

    def stop_abandoned(self) -> None:
        """Stop what nobody has asked about for so long that nobody waits for it."""
        now, patience = time.monotonic(), self.limits.patience
        for job in list(self._jobs.values()):
            if not job.task.future.done() and now - job.asked_at > patience:
                why = f"Given up, since nobody asked about it for {patience:g} seconds."
                job.pool.stop(job.task, RequestError(409, why))

    def _store(self, job: Job, future: Any, table: str) -> None:
        if future.exception() is None:
            answer = CachedAnswer(**future.result(), table=table)
            job.answer = self.answers.put(answer, len(answer.record) + len(answer.page))


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
