"""The tiles of a scan on a Dask cluster, of this machine or elsewhere.

A tile is a task, named by what it is: two scans that are the same share their work. The judge with its columns is a
task as well, so that Dask keeps one copy a worker. Scattered data would be lost with the workers that hold it; a task's
argument stays with the scheduler, and is handed out again.

Dask does the tasks of a dead worker again and, after `allowed-failures` deaths, blames all that were there. Who is
blamed is done once more, in a process of its own beside the worker, and in halves where that dies: the worker survives
the pair that kills, and so does everybody else's work on the cluster.
"""

import json
import logging
import multiprocessing
import pkgutil
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from hashlib import blake2b
from typing import Any

from whence.pair import InputError
from whence.scanning.engine import InProcess, Run, Tile, Work, alone
from whence.scanning.judging import Judge
from whence.signals import deaf_children
from whence.version import VERSION

LOCAL = "local"
INSTALL = "This needs Dask, which is not installed; install it with: pip install 'whence[dask]'"
_PATIENCE = 10
"""Seconds for a scheduler to answer."""
_OFTEN = 5
"""A tile that is blamed more often, though it is worked on beside its worker, shows that workers die by themselves."""


class ClusterError(Exception):
    """The cluster failed, not the input; a sentence."""


@contextmanager
def on_dask(judge: Judge, where: Any, workers: int, identity: str, journal: str | None) -> Iterator[Run]:
    """A cluster that knows the judge: `local`, the address of a scheduler, or a client.

    `identity` names the scan, `journal` the file that a scan which is cut short goes on from.
    """
    with _client(where, workers) as client:
        _check_versions(client)
        address = client.scheduler.address
        with warnings.catch_warnings():
            # Dask advises to scatter what is large.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            held = client.submit(_held, judge, key=f"whence-judge-{identity}")
        try:
            yield partial(_results, client, held, identity, _cut_short(address, journal))
        finally:
            held.release()


@contextmanager
def _client(where: Any, workers: int) -> Iterator[Any]:
    try:
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
            with deaf_children():
                where = opened.enter_context(LocalCluster(n_workers=workers, threads_per_worker=1, **settings))
        try:
            client = Client(where, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError):
            raise InputError(
                f"Got {where!r} as the Dask cluster, and no scheduler answers there; expected {LOCAL} or the address "
                "of one that runs, such as tcp://host:8786: start one with dask scheduler, or use the first."
            ) from None
        opened.callback(_closed, client)
        yield client


def _check_versions(client: Any) -> None:
    """Refuse a cluster without this version: a worker that cannot read its task closes, and nobody says why."""
    # A function of the standard library, which is there whatever else is missing.
    asked = (pkgutil.resolve_name, "whence.version:VERSION")
    try:
        found = {"the scheduler": client.run_on_scheduler(*asked)}
    except ImportError as missing:
        found = {"the scheduler": missing}
    for place, version in (found | client.run(*asked, on_error="return")).items():
        _check_version(version, place)


def _check_version(version: Any, place: str) -> None:
    if version != VERSION:
        raise InputError(
            f"Got {f'whence {version}' if isinstance(version, str) else 'no whence'} at {place} of the Dask cluster; "
            f"expected {VERSION}, as everywhere: install it on the scheduler and on every worker."
        )


def _closed(client: Any) -> None:
    # Where the scheduler is gone there is nobody to say goodbye to.
    with suppress(OSError, CancelledError):
        client.close(timeout=1)


def _results(
    client: Any, held: Any, identity: str, cut_short: str, work: Work, tiles: Sequence[Tile]
) -> Iterator[tuple[int, list[Any]]]:
    """Each tile's number and results, in the order in which they finish."""
    from distributed import KilledWorker, as_completed

    blamed: Counter[int] = Counter()

    def given(k: int) -> Any:
        if held.cancelled():  # as all is when the connection is lost
            raise ClusterError(cut_short)
        what = json.dumps([identity, work.__module__, work.__qualname__, tiles[k], blamed[k]])
        key = f"whence-{blake2b(what.encode(), digest_size=16).hexdigest()}"
        # Those that were blamed come last: by then nobody is left who kills the worker they wait on.
        return client.submit(
            _alone if blamed[k] else _tile, held, work, tiles[k], VERSION, key=key, priority=-blamed[k]
        )

    numbers = {given(k): k for k in range(len(tiles))}
    arriving = as_completed(list(numbers), loop=client.loop)
    try:
        for future in arriving:
            k = numbers.pop(future)
            try:
                problem = future.exception()
                if problem is None:
                    results = future.result()
            except (CancelledError, OSError):
                raise ClusterError(cut_short) from None
            if problem is None:
                yield k, results
            elif isinstance(problem, KilledWorker) and blamed[k] < _OFTEN:
                blamed[k] += 1
                again = given(k)
                numbers[again] = k
                arriving.add(again)
            elif isinstance(problem, KilledWorker):
                raise ClusterError(cut_short)
            else:
                raise problem
    finally:
        with suppress(OSError, CancelledError):
            client.cancel(list(numbers))


def _cut_short(address: str, journal: str | None) -> str:
    kept = (
        f"what is finished is kept in {journal!r}: start the same scan again to go on from there."
        if journal
        else "nothing is kept of it: give the scan a file to write to, and start it again."
    )
    return f"The Dask cluster at {address} went away, or its workers died one after the other; {kept}"


def _held(judge: Judge) -> Judge:
    return judge


def _tile(judge: Judge, work: Work, tile: Tile, version: str) -> list[Any]:
    """On a worker: the results of one tile."""
    _check_version(version, "the side that asks")  # this worker may have come later
    with InProcess(judge) as run:
        [(_, results)] = run(work, [tile])
    return results


def _alone(judge: Judge, work: Work, tile: Tile, version: str) -> list[Any]:
    """On a worker: the results of a tile that may kill, which it does to another process."""
    # Dask starts its workers as daemons, to which multiprocessing denies children; `alone` ends those it starts.
    this: Any = multiprocessing.current_process()
    this._config["daemon"] = False
    return alone(judge, work, tile)
