"""The child's side of a crew: one task after another, each answered, refused or failed in one message."""

import logging
import sys
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from causewise.errors import InputError
from causewise.parallel import follow_parent
from causewise.web.request_error import RequestError as Refusal
from causewise.web.request_error import list_choices as choices

Tell = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and of how much."""
_EVERY = 0.2
"""Seconds between two reports of progress."""


def serve(pipe: Connection, memory: int, module: str) -> None:
    """Do what a module's table `WORK` has, until the pipe ends; its `prepare` is called first."""
    follow_parent()
    logging.disable()  # what a library says of a table is nobody's business but the answer's
    room: Any = import_module(module)
    room.prepare()
    limit_memory(memory)
    pipe.send(("ready", None))
    while True:
        try:
            name, settings, content = pipe.recv()
        except EOFError:
            return
        pipe.send(("begun", None))
        pipe.send(_outcome(room.WORK[name], settings, content, _teller(pipe), memory))


def limit_memory(most: int) -> None:
    """Refuse memory beyond what the process has now, where the system can."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + most
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _outcome(work: Any, settings: dict[str, Any], content: bytes, tell: Tell, memory: int) -> tuple[str, Any]:
    try:
        return "answer", work(settings, content, tell)
    except Refusal as refusal:
        return "refusal", (refusal.status, refusal.sentence, refusal.choices)
    except InputError as problem:
        return "refusal", (422, str(problem), choices(problem))
    except MemoryError:
        return "refusal", (
            413,
            f"This needs more than {memory >> 20} MiB of memory, which is what a job may take; expected a smaller "
            "table: give fewer rows or columns, or use the command line.",
            (),
        )
    except ImportError as problem:
        return "refusal", (501, f"This needs {problem.name}, which is not installed where the server runs.", ())
    except Exception as problem:  # ours: the terminal is told, whoever asked is not
        import traceback

        return "failure", "".join(traceback.format_exception(problem))


def _teller(pipe: Connection) -> Tell:
    last = [0.0]

    def tell(what: str, done: int, of: int) -> None:
        if done == of or time.monotonic() - last[0] > _EVERY:
            last[0] = time.monotonic()
            pipe.send(("progress", (what, done, of)))

    return tell
