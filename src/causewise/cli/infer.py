"""`causewise infer`: one pair, one answer; or one a method."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causewise.cli.streams import put, put_lines, say
from causewise.formatting import json_text, plain_value, shell_word
from causewise.tables.source import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from causewise.consensus import Answer
    from causewise.decision import Decision
    from causewise.pair import Pair
    from causewise.protocol import Method

OnProgress = Callable[[int, int], None]
"""Called with how many pairs are done, and of how many."""


class Missing(StrEnum):
    """What to do with rows that lack a value."""

    RAISE = "raise"
    OMIT = "omit"


class Decimal(StrEnum):
    """What stands before decimals."""

    POINT = "."
    COMMA = ","


# How a table is read, for every command that reads one.
DecimalOption = Annotated[
    Decimal | None, typer.Option(help="Decimal mark of a text table; found out unless told.", show_default=False)
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether its first line holds names; found out unless told."),
]
BytesOption = Annotated[
    int, typer.Option(metavar="N", min=1, help="Refuse a table that is longer, unpacked, than this.")
]
RowsOption = Annotated[int, typer.Option(metavar="N", min=1, help="Refuse a table of more rows.")]

# What is known beforehand, for every command that decides pairs.
NeitherOption = Annotated[
    float | None,
    typer.Option(
        metavar="0.3",
        help="How often two related columns like these have no direction, before a look at them.",
        show_default=False,
    ),
]
DirectOption = Annotated[bool, typer.Option("--direct", help="One of the two surely causes the other: --neither 0.")]
RecordingOption = Annotated[
    bool, typer.Option("--no-recording", help="Leave out how coarsely the columns are recorded.")
]


class Device(StrEnum):
    """Where networks are fitted."""

    AUTO = "auto"
    CPU = "cpu"
    GPU = "gpu"


def infer(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="CSV, TSV or Parquet file, plain or gzipped; - reads standard input.")
    ],
    x: Annotated[
        str | None, typer.Option("-x", metavar="COL", help="First column: its name, or its number from 1.")
    ] = None,
    y: Annotated[str | None, typer.Option("-y", metavar="COL", help="Second column.")] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME…]",
            help="A name from `causewise methods`, with settings as NAME:key=value; several are compared.",
        ),
    ] = "causewise",
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON and nothing else.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.html", help="Also write a page to read and keep, with what was asked: halves, other methods."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.png", help="Also draw both directions (png, svg, pdf); of several methods, the first's."
        ),
    ] = None,
    nan_policy: Annotated[
        Missing, typer.Option(help="Rows with a missing value: refuse the table, or leave them out and say how many.")
    ] = Missing.RAISE,
    decimal: DecimalOption = None,
    header: HeaderOption = None,
    max_bytes: BytesOption = MAX_BYTES,
    max_rows: RowsOption = MAX_ROWS,
    threshold: Annotated[
        float | None, typer.Option(metavar="0.8", help="Confidence an answer needs; below it the pair is undecided.")
    ] = None,
    neither: NeitherOption = None,
    direct: DirectOption = False,
    no_recording: RecordingOption = False,
    stability: Annotated[
        bool, typer.Option("--stability", help="Also decide 20 random halves of the rows, and say how many agree.")
    ] = False,
    seed: Annotated[
        int, typer.Option(help="For methods and halves that are drawn at random; the same seed, the same answer.")
    ] = 0,
    device: Annotated[Device, typer.Option(help="Where the neural methods run.")] = Device.AUTO,
) -> None:
    """Which of two columns causes the other?

    Without -x and -y the table must have exactly two columns of numbers.

    Several methods (--method causewise,mdl,loci-h) get a row each, and a line says what most answer.
    """
    from causewise.catalogue import blamed_on_settings, seeded_method
    from causewise.cli.compare import method_names
    from causewise.tables import read_pair

    check_targets(report, plot)
    names = method_names(method)
    stated = method_options(names, threshold, neither, direct, no_recording)
    settings = {name: _device_settings(name, device.value) | stated[name] for name in names}
    # Built once here already, so that a misspelt method is refused before a large table is read.
    for name in names:
        with blamed_on_settings(name):
            seeded_method(name, seed, **settings[name])
    with hint_at_options():
        said = {"decimal": decimal and decimal.value, "header": header, "max_bytes": max_bytes, "max_rows": max_rows}
        pair = read_pair(file, x, y, nan_policy.value, **said)
    answers = [_answer(pair, name, seed, stability, quiet=as_json, **settings[name]) for name in names]
    # First the files, so that `| head` does not cost them; the answer even where there is no room for them.
    try:
        write_files(answers[0].decision, report, plot, answers if len(answers) > 1 else ())
    finally:
        _print_answers(answers, as_json)
    whose = f" of {names[0]}" if len(names) > 1 else ""
    for what, path in (("Picture", plot), ("Report", report)):
        if path is not None:
            (say if as_json else put)(f"{what}{whose}: {path}")


def check_targets(report: Path | None, plot: Path | None) -> None:
    """Refuse a file name that cannot be written to before any time is spent on the answer."""
    from causewise.errors import InputError

    for target in filter(None, (report, plot)):
        check_folder(target)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"Got {str(report)!r} for the page; expected a name that ends in .html.")
    if plot is not None:
        from causewise.report.picture import format_of

        format_of(plot)


def check_folder(target: Path) -> None:
    """Refuse a place where no file can be."""
    from causewise.errors import InputError

    if target.is_dir() or not target.parent.is_dir():
        found = "a folder of that name" if target.is_dir() else f"no folder {str(target.parent)!r}"
        raise InputError(f"Cannot write {str(target)!r}: there is {found}; expected the name of a new file.")


def _answer(pair: "Pair", method: str, seed: int, stability: bool, quiet: bool, **settings: Any) -> "Answer":
    from causewise.consensus import Answer

    start = time.perf_counter()
    decision = decide(pair, method, seed, quiet, **settings)
    seconds = time.perf_counter() - start
    return Answer(method, with_halves(decision, method, seed, quiet, **settings) if stability else decision, seconds)


def decide(pair: "Pair", method: str, seed: int, quiet: bool = False, **settings: Any) -> "Decision":
    """The answer for one pair, with a sign of life where a method takes its time."""
    from causewise.catalogue import blamed_on_settings, entry, sample_hint, seeded_method
    from causewise.inference import infer as infer_pair

    if hint := sample_hint(method, pair.n):
        say(hint)

    # The spline methods answer before a spinner could be seen, unless the rows are very many.
    text = f"{method} on {pair.n:,} rows …"
    slow = entry(method.split(":")[0]).family != "loci" or pair.n > 200_000
    with blamed_on_settings(method):
        chosen: Any = seeded_method(method, seed, **settings)
        with _sign_of_life(text, chosen, slow, quiet or not sys.stderr.isatty()) as alive:
            return infer_pair(pair, method=alive)


def with_halves(decision: "Decision", method: str, seed: int, quiet: bool = False, **settings: Any) -> "Decision":
    """The decision with what random halves of its rows say; as it was, with a word on why, where they say nothing."""
    from causewise.catalogue import seeded_method
    from causewise.errors import InputError
    from causewise.stability import half_samples

    chosen: Any = seeded_method(method, seed, **settings)
    alive = chosen if hasattr(chosen, "with_progress") else Stepwise(chosen)
    try:
        with _sign_of_life("random halves of the rows …", alive, True, quiet or not sys.stderr.isatty()) as built:
            return replace(decision, half_samples=half_samples(decision, seed=seed, built=built))
    except InputError as problem:
        say(f"--stability: {problem}")  # the answer itself stands
        return decision


@contextmanager
def hint_at_options() -> Iterator[None]:
    """What a table leaves open is said by arguments in Python and by options here."""
    from causewise.errors import InputError, UnclearError

    try:
        yield
    except UnclearError as problem:
        ways = " or ".join(" ".join(map(shell_word, answer)) for answer in problem.answers)
        raise InputError(f"{problem} On the command line: {ways}.") from None


def as_text(record: Any) -> str:
    """JSON, in plain ASCII where standard output can carry no more."""
    # NaN is no JSON: Decision.to_dict has turned it into null.
    narrow = "utf" not in (sys.stdout.encoding or "").lower()
    return json_text(record, ascii_only=narrow, default=plain_value)


def write_files(decision: "Decision", report: Path | None, plot: Path | None, answers: "Sequence[Answer]" = ()) -> None:
    """The page, with what other methods said, and the picture."""
    if plot is not None:
        from causewise.report.picture import draw

        draw(decision, plot)
    if report is not None:
        decision.report(str(report), methods=answers)


def _print_answers(answers: "list[Answer]", as_json: bool) -> None:
    if as_json:
        from causewise.cli.compare import record

        put_lines(as_text(record(answers)))
    elif len(answers) > 1:
        from causewise.cli.side_by_side import show_all

        show_all(answers)
    else:
        from causewise.cli.answer import show

        show(answers[0].decision)


def _device_settings(method: str, device: str) -> dict[str, str]:
    """`device` for the methods that have a choice; the others run on the CPU, and say so when a GPU was asked for."""
    if device == "auto" or "device" in method:
        return {}
    from causewise.catalogue import accepts

    if accepts(method, "device"):
        return {"device": device}
    if device == "gpu":
        say(f"{method} has no use for a GPU and runs on the CPU.")
    return {}


def method_options(
    methods: "Sequence[str]",
    threshold: float | None = None,
    neither: float | None = None,
    direct: bool = False,
    no_recording: bool = False,
) -> dict[str, dict[str, Any]]:
    """Of each method, the settings that these options are; one that no method takes is refused."""
    from causewise.catalogue import stated_settings
    from causewise.errors import InputError

    if direct and neither is not None:
        raise InputError(
            f"Got --neither {neither:g} and --direct; expected one of them: --direct says that one of the two columns "
            "causes the other, which is --neither 0."
        )
    options = {
        "threshold": (threshold, f"--threshold {threshold}"),
        "neither": (neither, f"--neither {neither}"),
        "direct": (direct or None, "--direct"),
        "recording": (False if no_recording else None, "--no-recording"),
    }
    stated = {name: value for name, (value, _) in options.items() if value is not None}
    return stated_settings(methods, stated, {name: text for name, (_, text) in options.items()})


@dataclass(frozen=True)
class Stepwise:
    """A method that decides pairs one after another and tells how many are done."""

    method: "Method"
    on_progress: OnProgress | None = None

    @property
    def name(self) -> str:
        """Of the method itself."""
        return self.method.name

    def with_progress(self, on_progress: OnProgress) -> "Stepwise":
        """The same, telling somebody."""
        return replace(self, on_progress=on_progress)

    def decide_many(self, pairs: "Sequence[Pair]") -> "list[Decision]":
        """One decision per pair, in order."""
        decided: list[Decision] = []
        for pair in pairs:
            if self.on_progress:
                self.on_progress(len(decided), len(pairs))
            decided += self.method.decide_many([pair])
        return decided


@contextmanager
def _sign_of_life(text: str, method: Any, slow: bool, quiet: bool) -> Iterator[Any]:
    """The method, with a progress bar if it tells how far it is, or with a spinner if it is merely slow."""
    from causewise.cli.streams import terminal

    # Always on standard error, and gone when done: standard output holds the answer alone.
    if not quiet and hasattr(method, "with_progress"):
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        said = TextColumn("{task.description}", markup=False)
        columns = (said, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=terminal(sys.stderr), transient=True) as bar:
            task = bar.add_task(text, total=None)
            yield method.with_progress(lambda done, total: bar.update(task, completed=done, total=total))
    elif slow and not quiet:
        from rich.text import Text

        with terminal(sys.stderr).status(Text(text)):
            yield method
    else:
        yield method
