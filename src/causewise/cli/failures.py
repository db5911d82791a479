"""What is said, and with which exit code, when a command does not end well."""

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from causewise.cli.streams import STOPPED, STOPPED_EARLY, say
from causewise.errors import InputError

INPUT_AT_FAULT, OUR_FAULT = 2, 1

_EXTRAS = {"jax": "nn", "jaxlib": "nn", "pandas": "tables", "pyarrow": "tables"}
_EXTRAS |= dict.fromkeys(("fastapi", "starlette", "pydantic", "uvicorn", "h11", "python_multipart"), "web")
"""Optional modules and the extra that installs them."""

_UNUSABLE = (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)

# Typer carries its own copy of click in newer versions: the one class that both spell the same leads to the base.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]


def exit_code_of(problem: BaseException) -> int:
    """Say in one sentence what went wrong, and whose fault it is."""
    # A closed pipe is an OSError too, so it comes first: the reader has seen enough, as in `causewise methods | head`.
    if isinstance(problem, BrokenPipeError):
        _forget_standard_output()
        return 0
    if isinstance(problem, KeyboardInterrupt):
        say(STOPPED_EARLY)
        return STOPPED
    if isinstance(problem, InputError):
        say(str(problem))
        return INPUT_AT_FAULT
    extra = _EXTRAS.get((problem.name or "").split(".")[0]) if isinstance(problem, ImportError) else None
    if extra:
        say(f"This needs {problem.name}, which is not installed; install it with: pip install '.[{extra}]'")  # type: ignore[attr-defined]  # an ImportError here
        return INPUT_AT_FAULT
    if isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EDQUOT):
        say(f"Could not write everything ({problem.strerror}); make room or choose another place, and run this again.")
        _give_up_unwritten_output()
        return OUR_FAULT
    if isinstance(problem, _UNUSABLE) and problem.filename is not None:
        place = f"{str(problem.filename)!r} ({problem.strerror})"
        say(f"Could not use {place}; expected a place to write to: choose another.")
        return INPUT_AT_FAULT
    what = (
        "not enough memory" if isinstance(problem, MemoryError) else f"{type(problem).__name__}: {_first_line(problem)}"
    )
    say(f"causewise failed ({what}); this is not your input's fault. Set CAUSEWISE_DEBUG=1 to see the traceback.")
    return OUR_FAULT


@contextmanager
def resumable_job() -> Iterator[None]:
    """For commands that take hours: SIGTERM is as good as Ctrl-C, and the sentence says that what is done is kept."""
    from causewise.lab.benchmark.ledger import DiskError
    from causewise.worker_pool import WorkerError

    try:
        with kept_when_stopped():
            yield
    except InputError as problem:
        _leave(str(problem), INPUT_AT_FAULT)
    except (DiskError, WorkerError) as problem:
        _leave(str(problem), OUR_FAULT)


@contextmanager
def kept_when_stopped(place: Path | None = None, is_ours: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Ctrl-C, and SIGTERM as well, ends in a sentence that says what is kept.

    Nothing is before the file is there, nor while it may be somebody else's.
    """
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if place is not None and not (is_ours() and place.exists()):
            raise
        where = "" if place is None else f" in {place}"
        _leave(f"Stopped; what is finished is kept{where}, and the same command carries on from there.", STOPPED)
    finally:
        signal.signal(signal.SIGTERM, previous)


def is_usage_error(problem: BaseException) -> bool:
    """Whether the command line itself was wrong: an unknown option, a missing argument."""
    return isinstance(problem, _UsageError)


def report_usage_error(problem: Any) -> int:
    """One sentence, and where help is; a group called without a command shows its help."""
    if type(problem).__name__ == "NoArgsIsHelpError":
        problem.show()
        return INPUT_AT_FAULT
    command = problem.ctx.command_path if getattr(problem, "ctx", None) else "causewise"
    sentence = problem.format_message().strip().replace("Value error, ", "")
    say(f"{sentence}{'' if sentence.endswith(('.', '?')) else '.'} Type {command} --help to see what it takes.")
    return INPUT_AT_FAULT


def _leave(sentence: str, code: int) -> None:
    say(sentence)
    raise typer.Exit(code)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().split("\n")[0] or "no message")[:200]


def _give_up_unwritten_output() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        # It is standard output that has no room; a full disk elsewhere loses nothing that was printed.
        _forget_standard_output()


def _forget_standard_output() -> None:
    # Otherwise the interpreter fails once more when it flushes on its way out.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
