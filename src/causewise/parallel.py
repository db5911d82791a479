"""Threads of numerical libraries, processors, memory, and what a process is spawned with.

Numerical libraries use one thread, and no other file gives a number: the matrices of a decision are small, and handing
them to several BLAS threads costs up to twenty times the CPU seconds and gains nothing. The limit is set at the
outermost call and lifted after it.
"""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from causewise.errors import between

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES} | {"VECLIB_MAXIMUM_THREADS": "1"}
"""The environment in which a BLAS, whichever it is, is loaded with one thread."""

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how many."""


@dataclass(frozen=True)
class Engine:
    """How a scan or a graph is computed; what comes out does not depend on it.

    Examples
    --------
    >>> import causewise
    >>> causewise.Engine(jobs=2).jobs
    2
    """

    jobs: int | None = None
    """Processes; as many as there are processors, and as fit in memory, unless given."""
    dask: Any = None
    """Work on a Dask cluster: `local` (`jobs` workers on this machine), the address of a scheduler, or a client."""
    journal: str | os.PathLike[str] | None = None
    """A file in which finished pairs, or parts of a graph, are kept; the same scan or graph begun again goes on from
    there. A file that is not its own is refused."""
    on_progress: OnProgress = field(default=lambda what, done, of: None, repr=False)
    """Called as the work goes on."""
    on_forecast: Callable[[Any], None] | None = field(default=None, repr=False)
    """Called before a scan begins with the `ScanForecast` of its time and memory, for which some pairs are tried
    first; what it raises ends the scan."""

    def __post_init__(self) -> None:
        if self.jobs is not None:
            between("", 1, MOST_JOBS, jobs=self.jobs)


MOST_JOBS = 10_000
DEFAULT_ENGINE = Engine()
_lock = threading.Lock()
_spawn_lock = threading.Lock()
_inside = 0
_limit: Any = None
_most_processors: int | None = None


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS works with one thread inside; calls may nest and overlap, the last one out lifts the limit."""
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _release()
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _release()
                _limit.restore_original_limits()
                _release()


def processors() -> int:
    """Processors that this process may use."""
    seen = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return seen if _most_processors is None else min(seen, _most_processors)


def limit_processors(most: int) -> None:
    """From now on this process counts no more processors than these: others work beside it."""
    global _most_processors
    _most_processors = max(1, most)


def single_threaded() -> dict[str, str]:
    """This process's environment for a child whose numerical libraries, whichever they are, use one thread each."""
    xla = os.environ.get("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    return dict(os.environ) | ONE_THREAD | {"XLA_FLAGS": xla}


def _release() -> None:
    # threadpoolctl lets only the thread that first set a number set it again; ours may be entered and left by others.
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def _controller() -> Any:
    """Looking for the libraries takes milliseconds, so it is done once, when all of them are loaded."""
    import scipy.linalg  # noqa: F401  # brings a BLAS of its own
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # it has no stubs

    return ThreadpoolController()


def follow_parent() -> None:
    """In a worker: ignore Ctrl-C; on Linux, end when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Elsewhere the closed pipe ends the worker after its current task.
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


@contextmanager
def prepare_spawn() -> Iterator[None]:
    """Processes spawned inside never hear Ctrl-C, and do not run the caller's script again; one thread at a time.

    Python would have them run it to find names in it, and none of ours lie there. A script without the guard
    `if __name__ == "__main__"` would ask anew in every worker, and crash it.
    """
    main = sys.modules["__main__"]
    with _spawn_lock, defer_interrupts(), _block_interrupts():
        spec, file = main.__spec__, main.__dict__.pop("__file__", None)
        main.__spec__ = None
        try:
            yield
        finally:
            main.__spec__ = spec
            if file is not None:
                main.__file__ = file


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Signals that Python handles wait for the end: a process that is half spawned complains, or is lost.

    The system gives a signal to any thread that does not block it; its handler runs in the main one all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    handled = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    deferred = [each for each, handler in handled.items() if callable(handler)]
    for number in deferred:
        signal.signal(number, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        for number in deferred:
            signal.signal(number, handled[number])
        for each in dict.fromkeys(heard):
            signal.raise_signal(each)


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Processes started inside have SIGINT blocked, even while they import; this one hears it at the end."""
    # Blocked, not ignored: a mask is inherited as well, and loses no signal.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Starting the tracker of multiprocessing, as the first child does, would lift the mask of the thread it is done in.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def limit_memory(most: int, *, on_top: bool = False) -> None:
    """Refuse this process memory beyond `most` bytes of address space, or so many on top of what it has now.

    A limit that is passed already is a MemoryError. Where the system knows no limit there is none.
    """
    if sys.platform != "linux":
        return
    import resource

    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    if not on_top and has > most:
        raise MemoryError(f"The process alone takes {has} bytes.")
    limit = has + most if on_top else most
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes that programs can still get, in a container no more than its limit; None where nobody says."""
    said = []
    try:
        lines = (root / "proc" / "meminfo").read_text().splitlines()
        said += [next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))]
    except (OSError, ValueError, StopIteration):
        with suppress(AttributeError, ValueError, OSError):  # not on Windows
            said += [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError, ValueError):  # "max" where there is no limit
        said += [int((root / "sys" / "fs" / "cgroup" / "memory.max").read_text())]
    return min(said, default=None)
