"""Where output goes: any encoding will do, and any width from 40 columns on. Nothing else prints. What is said, and
with which exit code, when a command does not end well.

Whatever is printed goes through `formatting`: what a file, a name or a message says cannot give a terminal orders.
"""

import codecs
import errno
import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from causewise.errors import InputError
from causewise.formatting import json_text, plain_value, visible, visible_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    from causewise.parallel import OnProgress


STOPPED = 130
"""Exit code after Ctrl-C."""
STOPPED_EARLY = "Stopped before the answer was ready."
_PLAIN = {
    "→": "->",
    "←": "<-",
    "↔": "<->",
    "—": "--",
    "−": "-",
    "–": "-",
    "·": "*",
    "×": "x",
    "±": "+/-",
    "≥": ">=",
    "≤": "<=",
    "…": "...",
    "σ": "sigma",
    "\u202f": " ",
    "█": "#",
    "▒": "=",
    "░": ".",
    "▲": "^",
    "│": "|",
}
_NAMED = 20
"""Columns named in a sentence; the file has them all."""
_POWER = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))


def accept_any_encoding() -> None:
    """Write arrows as `->` where the terminal has no arrow, and into the void where a stream is closed: never fail."""
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    codecs.register_error("causewise", _ascii_fallback)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="causewise")


def accept_any_size() -> None:
    """A terminal of no columns or no lines is one whose size is not known."""
    for name in ("COLUMNS", "LINES"):
        if os.environ.get(name, "").isdecimal() and int(os.environ[name]) == 0:
            del os.environ[name]


def say(sentence: str) -> None:
    """One line on standard error, where progress and remarks go."""
    with suppress(OSError):
        print(visible(sentence), file=sys.stderr, flush=True)  # noqa: T201  # the place where sentences are printed


def put(line: object) -> None:
    """One line on standard output, where results go."""
    put_lines(visible(line))


def put_lines(text: str) -> None:
    """A result of several lines, whose breaks are our own."""
    print(visible_lines(text.removesuffix("\n")), flush=True)  # noqa: T201  # the place where results are printed


def say_columns(left_out: Mapping[str, str], kinds: Mapping[str, str], notes: Iterable[str] = ()) -> None:
    """One sentence each, on the error stream; nothing where there is nothing to say."""
    for note in notes:
        say(visible(note))
    for title, columns in (("Not continuous", _list_coarse(kinds)), ("Left out", left_out)):
        if columns:
            some = [f"{visible(name)} ({visible(what)})" for name, what in list(columns.items())[:_NAMED]]
            more = f" and {len(columns) - _NAMED} more" if len(columns) > _NAMED else ""
            say(f"{title}: {'; '.join(some)}{more}.")


def _list_coarse(kinds: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for name, kind in kinds.items() if kind != "continuous"}


def as_text(record: Any) -> str:
    """JSON, in plain ASCII where standard output can carry no more."""
    # NaN is no JSON: Decision.to_dict has turned it into null.
    narrow = "utf" not in (sys.stdout.encoding or "").lower()
    return json_text(record, ascii_only=narrow, default=plain_value)


def terminal(stream: TextIO | None = None) -> "Console":
    """A Rich console that prints what it is given: no emoji, no markup, no colouring of stray numbers, no orders."""
    from rich.console import Console
    from rich.segment import Segment

    # Made on use, since Rich is imported on use. Rich itself exits with 1 when the pipe is closed; a reader who has
    # seen enough is no failure.
    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render_str(self, text: str, **options: Any) -> "Text":
            return super().render_str(visible_lines(text), **options)

        # What was made into rich text by somebody else, such as a column of a progress bar.
        def render(self, *what: Any, **options: Any) -> "Iterable[Segment]":
            for part in super().render(*what, **options):
                yield part if part.control else Segment(visible_lines(part.text), part.style)

    return Terminal(file=stream, emoji=False, markup=False, highlight=False)


def paragraph(console: "Console", text: str, style: str = "", bullet: str = "") -> None:
    """Text broken at the console's width, without the blanks that Rich leaves at the end of a line."""
    import textwrap

    indent = " " * len(bullet)
    lines = textwrap.fill(visible(text), max(console.width, 40), initial_indent=bullet, subsequent_indent=indent)
    console.print(lines, style=style or None, soft_wrap=True)


def _ascii_fallback(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    # Encoders hand over a whole run of letters at once, so one ^ stands before a whole exponent.
    letters = str(problem.object[problem.start : problem.end])
    raised = "^" if letters[0] in _POWER else ""
    return raised + "".join(_PLAIN.get(letter) or _POWER.get(letter, "?") for letter in letters), problem.end


_QUIET = 10.0
"""Seconds between two lines."""


@contextmanager
def progress(units: Mapping[str, str], remark: Callable[[], str] | None = None) -> "Iterator[OnProgress]":
    """A bar for each thing that is done; `units` says what is counted of each.

    The time left is what the work so far took, unless there is a `remark` that knows better.
    """
    console = terminal(sys.stderr)
    if not console.is_terminal:
        yield _say_now_and_then(units, remark)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    last = TimeRemainingColumn() if remark is None else TextColumn("{task.fields[remark]}", markup=False)
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        last,
        console=console,
        transient=True,
    )
    tasks: dict[str, Any] = {}

    def on_progress(what: str, done: int, of: int) -> None:
        bars.start()  # not earlier: a bar that moves would write over a question
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=of, remark="")
        bars.update(tasks[what], completed=done, remark="" if remark is None else remark())
        if done == of:
            bars.stop()  # what follows may print

    try:
        yield on_progress
    finally:
        bars.stop()


def _say_now_and_then(units: Mapping[str, str], remark: Callable[[], str] | None) -> "OnProgress":
    last = time.monotonic()

    def on_progress(what: str, done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > _QUIET:
            last = time.monotonic()
            name = f"{what}: " if what else ""
            say(f"{name}{done} of {of} {units[what]}" + ("" if remark is None else f", {remark()}"))

    return on_progress


# ---- commands that do not end well

INPUT_AT_FAULT, OUR_FAULT = 2, 1

_EXTRAS = {"jax": "nn", "jaxlib": "nn", "pandas": "tables", "pyarrow": "tables"}
_EXTRAS |= dict.fromkeys(("fastapi", "starlette", "pydantic", "uvicorn", "h11", "python_multipart"), "web")
_EXTRAS |= {"mcp": "mcp"}
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
def workers_may_fail() -> Iterator[None]:
    """Processes or a cluster at fault are a sentence."""
    from causewise.worker_pool import WorkerError

    try:
        yield
    except WorkerError as problem:
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
