"""The tiles of a scan, and the parts of a graph, on a Dask cluster, of this machine or elsewhere.

A tile is a task, named by what it is: two scans that are the same share their work. The scorer is a task as well, so
that Dask keeps one copy a worker, and with it what is remembered about columns from one tile to the next. Of a Parquet
file a worker reads the columns that it needs; where it does not see the file, a scorer that holds them all is handed
over. Scattered data would be lost with the workers that hold it; a task's argument stays with the scheduler, and is
handed out again.

Dask does the tasks of a dead worker again and, after `allowed-failures` deaths, blames all that were there. Who is
blamed is done once more, in a process of its own beside the worker, and in halves where that dies: the worker survives
the pair that kills, and so does everybody else's work on the cluster.
"""

import json
import logging
import multiprocessing
import pkgutil
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple, cast

import numpy as np

from causewise.errors import InputError
from causewise.pair import FloatArray
from causewise.parallel import limit_processors, prepare_spawn
from causewise.scanning.pair_scorer import PairScorer, Tile, pool_of_workers, screen_pairs, this_process
from causewise.scanning.table import FileColumns, UnseenError
from causewise.version import VERSION
from causewise.worker import Work
from causewise.worker_pool import InProcess, WorkerError, WorkerPool

LOCAL = "local"
INSTALL = "This needs Dask, which is not installed; install it with: pip install '.[dask]'"
_GPU = "GPU"
"""The resource by which a worker declares that it has one."""
LOST_WORKER = "distributed.deploy.lost-worker-timeout"
"""How long a `LocalCluster` waits for a worker that is being restarted before it closes its place for good: 15 seconds
unless told, which a busy machine takes to start Python and its libraries."""
_PATIENCE = 10
"""Seconds for a scheduler to answer."""
_LOOK, _MOST_ALONE = 5.0, 60.0
"""Seconds between two looks at whether the cluster still has workers, and after which nobody brings new ones."""
_PAUSE = 0.02
_OFTEN = 5
"""A tile that is blamed more often, though it is worked on beside its worker, shows that workers die by themselves."""


class ClusterError(WorkerError):
    """The cluster failed, not the input; a sentence."""


class Shared(NamedTuple):
    """What all tasks of a scan or a graph work with."""

    hand_over: Callable[[], Any]
    """What is sent to the cluster."""
    here: Callable[[Any], InProcess]
    """On a worker, who does a task with it: this process."""
    beside: Callable[[Any, int], WorkerPool]
    """And another one, where the task may crash it."""
    read: Any = None
    """The same for workers that see the file."""
    wants_gpu: bool = False
    what: str = "scan"
    """What is computed, in words."""


def on_dask(
    scorer: PairScorer, there: FileColumns | None, where: Any, workers: int, identity: str, journal: str | None
) -> "AbstractContextManager[DaskPool]":
    """A cluster that knows the scorer; `there` are the columns for workers that see their file."""
    shared = Shared(
        lambda: replace(scorer, values=np.asarray(scorer.values)),
        this_process,
        pool_of_workers,
        there and replace(scorer, values=cast(FloatArray, there)),
        # Networks train where there is a GPU, if anybody says so; a worker without one would take a thousand times.
        getattr(scorer.build_method(), "wants_gpu", False),
    )
    return open_cluster(shared, where, workers, identity, journal)


@contextmanager
def open_cluster(shared: Shared, where: Any, workers: int, identity: str, journal: str | None) -> "Iterator[DaskPool]":
    """A cluster that knows what tasks share: `local`, the address of a scheduler, or a client.

    `identity` names the scan or graph, `journal` the file that it goes on from when it was cut short.
    """
    with _client(where, workers) as client:
        _check_versions(client)
        loss = _describe_loss(client.scheduler.address, journal, shared.what)
        cluster = DaskPool(client, shared, identity, loss)
        try:
            yield cluster
        finally:
            cluster.release()


@contextmanager
def _client(where: Any, workers: int) -> Iterator[Any]:
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise InputError(INSTALL) from None
    if isinstance(where, Client):
        yield where
        return
    with ExitStack() as opened:
        opened.enter_context(silence_logging_cmgr(logging.CRITICAL))
        if where == LOCAL:
            # No limit of memory a worker, as on plain processes; any free port for the page, whoever has the usual one.
            settings = {"memory_limit": 0, "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
            opened.enter_context(dask.config.set({LOST_WORKER: "10 minutes"}))
            with prepare_spawn():
                where = opened.enter_context(LocalCluster(n_workers=workers, threads_per_worker=1, **settings))
        try:
            client = Client(where, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError):
            raise InputError(
                f"Got {where!r} as the Dask cluster, and no scheduler answers there; expected {LOCAL} or the address "
                "of one that runs, such as tcp://host:8786: start one with dask scheduler, or use the first."
            ) from None
        opened.callback(_close, client)
        yield client


def _check_versions(client: Any) -> None:
    """Refuse a cluster without this version: a worker that cannot read its task closes, and nobody says why."""
    # A function of the standard library, which is there whatever else is missing.
    asked = (pkgutil.resolve_name, "causewise.version:VERSION")
    try:
        found = {"the scheduler": client.run_on_scheduler(*asked)}
    except ImportError as missing:
        found = {"the scheduler": missing}
    for place, version in (found | client.run(*asked, on_error="return")).items():
        _check_version(version, place)


def _check_version(version: Any, place: str) -> None:
    if version != VERSION:
        raise InputError(
            f"Got {f'causewise {version}' if isinstance(version, str) else 'no causewise'} at {place} of the Dask "
            f"cluster; expected {VERSION}, as everywhere: install it on the scheduler and on every worker."
        )


def _close(client: Any) -> None:
    # Where the scheduler is gone there is nobody to say goodbye to.
    with suppress(OSError, CancelledError):
        client.close(timeout=1)


class DaskPool:
    """What tasks share, on a cluster: handed over when it is first needed, kept there until it is released."""

    def __init__(self, client: Any, shared: Shared, identity: str, loss: str) -> None:
        self._client, self._shared, self._identity, self._loss = client, shared, identity, loss
        self._held: dict[bool, Any] = {}
        self._lost = 0
        self.workers, self.gpu = client.run_on_scheduler(_count_workers)
        self.gpu = self.gpu and shared.wants_gpu

    def release(self) -> None:
        """Dask may forget what is shared, and all that was remembered with it."""
        for held in self._held.values():
            held.release()

    def map(self, work: Work, tasks: Sequence[Tile]) -> Iterator[tuple[int, list[Any]]]:
        """Each tile's number and results, in the order in which they finish."""
        from distributed import KilledWorker, as_completed

        blamed: Counter[int] = Counter()
        unseen: set[int] = set()

        def submit(k: int) -> Any:
            return self._submit(work, tasks[k], blamed[k], k in unseen)

        numbers = {submit(k): k for k in range(len(tasks))}
        arriving = as_completed(list(numbers), loop=self._client.loop)
        try:
            for future in self._wait(arriving):
                k = numbers.pop(future)
                problem, results = self._fetch(future)
                if problem is None:
                    yield k, results
                    continue
                if isinstance(problem, UnseenError) and k not in unseen:
                    unseen.add(k)
                elif isinstance(problem, KilledWorker) and blamed[k] < _OFTEN:
                    blamed[k] += 1
                elif isinstance(problem, KilledWorker):
                    raise ClusterError(self._loss)
                else:
                    raise problem
                again = submit(k)
                numbers[again] = k
                arriving.add(again)
        finally:
            with suppress(OSError, CancelledError):
                self._client.cancel(list(numbers))

    def _wait(self, arriving: Any) -> Iterator[Any]:
        """Futures as they end, however long they take while there are workers.

        Dask would wait for new ones for ever. A cluster that gave its workers up (`LOST_WORKER`), or whose workers have
        nobody to restart them, gets none.
        """
        looked = seen = time.monotonic()
        while not arriving.is_empty():
            if batch := arriving.next_batch(block=False):
                yield from batch
                looked = seen = time.monotonic()
                continue
            time.sleep(_PAUSE)
            if time.monotonic() > looked + _LOOK:
                has_workers = self._has_workers()
                looked = time.monotonic()
                seen = looked if has_workers else seen
                if looked > seen + _MOST_ALONE:
                    raise ClusterError(self._loss)

    def _fetch(self, future: Any) -> tuple[Any, Any]:
        """What a task raised, and what came out of it; done again where it was lost with its worker."""
        while True:
            try:
                problem = future.exception(_MOST_ALONE)
                return problem, future.result(_MOST_ALONE) if problem is None else None
            except TimeoutError:
                if not self._has_workers():
                    raise ClusterError(self._loss) from None
            except (CancelledError, OSError):
                raise ClusterError(self._loss) from None
            except Exception as problem:  # of the task that was done again
                return problem, None

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.sync(self._client.scheduler.ncores, callback_timeout=_PATIENCE))
        except (OSError, CancelledError):
            return False

    def _submit(self, work: Work, tile: Tile, blamed: int, unseen: bool) -> Any:
        shared = self._shared
        held = self._hold(read=shared.read is not None and not unseen)
        if held.cancelled():  # as all is when the connection is lost
            raise ClusterError(self._loss)
        what = json.dumps([self._identity, work.__module__, work.__qualname__, tile, blamed, unseen])
        key = f"causewise-{blake2b(what.encode(), digest_size=16).hexdigest()}"
        needed = {"resources": {_GPU: 1}} if self.gpu and work is not screen_pairs else {}
        # Those that were blamed come last: by then nobody is left who kills the worker they wait on.
        do, pool = (_alone, shared.beside) if blamed else (_tile, shared.here)
        return self._client.submit(do, held, work, tile, VERSION, pool, key=key, priority=-blamed, **needed)

    def _hold(self, read: bool) -> Any:
        """A scorer that reads its columns, or one that holds them: their own file is on this machine only."""
        if read in self._held and self._held[read].status == "error":  # it was at hand when a worker died
            self._held.pop(read).release()
            self._lost += 1
        if read not in self._held:
            held = self._shared.read if read else self._shared.hand_over()
            with warnings.catch_warnings():
                # Dask advises to scatter what is large.
                warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
                key = f"causewise-scorer-{self._identity}-{'read' if read else 'handed-over'}-{self._lost}"
                self._held[read] = self._client.submit(_hold, held, key=key)
        return self._held[read]


def _describe_loss(address: str, journal: str | None, what: str) -> str:
    kept = (
        f"what is finished is kept in {journal!r}: start the same {what} again to go on from there."
        if journal
        else f"nothing is kept of it: give the {what} a file to write to, and start it again."
    )
    return f"The Dask cluster at {address} went away, or its workers died one after the other; {kept}"


def _count_workers(dask_scheduler: Any) -> tuple[int, bool]:
    """On the scheduler: how many tasks are done at the same time, and whether a worker has declared a GPU."""
    workers = dask_scheduler.workers.values()
    return max(1, sum(each.nthreads for each in workers)), any(each.resources.get(_GPU) for each in workers)


def _hold(shared: Any) -> Any:
    return shared


def _tile(shared: Any, work: Work, tile: Tile, version: str, here: Callable[[Any], InProcess]) -> list[Any]:
    """On a worker: the results of one tile."""
    from distributed import get_worker

    _check_version(version, "the side that asks")  # this worker may have come later
    limit_processors(get_worker().state.nthreads)
    with here(shared) as pool:
        [(_, results)] = pool.map(work, [tile])
    return results


def _alone(shared: Any, work: Work, tile: Tile, version: str, beside: Callable[[Any, int], WorkerPool]) -> list[Any]:
    """On a worker: the results of a tile that may crash its process, in another one."""
    # Dask starts its workers as daemons, to which multiprocessing denies children; the pool ends those it starts.
    this: Any = multiprocessing.current_process()
    this._config["daemon"] = False
    with beside(shared, 1) as pool:
        [(_, results)] = pool.map(work, [tile])
    return results
