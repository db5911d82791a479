"""Worker processes heed their parent alone: Ctrl-C, which reaches the whole group, is the parent's to answer.

And they know of causewise alone: the script that asked is not run again in them.
"""

import ctypes
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


def follow_parent() -> None:
    """In a worker: ignore Ctrl-C; on Linux, end when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Elsewhere the closed pipe ends the worker after its current pair.
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started inside never hear Ctrl-C, not even while they import; this one hears it at the end."""
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


@contextmanager
def without_script() -> Iterator[None]:
    """Processes spawned inside do not run the caller's script again, as Python would have it to find names in it.

    None of ours lie there. A script without `if __name__ == "__main__"` would ask anew in every worker, and kill it.
    """
    main = sys.modules["__main__"]
    spec, file = main.__spec__, main.__dict__.pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file
