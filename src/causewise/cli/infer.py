"""`causewise infer`: one pair, one answer; or one a method."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causewise.cli.options import (
    BytesOption,
    DecimalOption,
    DirectOption,
    FileArgument,
    HeaderOption,
    NeitherOption,
    RecordingOption,
    RowsOption,
    SepOption,
    SheetOption,
    ThresholdOption,
    check_targets,
    hint_at_options,
    method_options,
    reading_options,
    split_methods,
)
from causewise.cli.streams import as_text, put, put_lines, say
from causewise.tables.source import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from causewise.decision import Decision
    from causewise.inference import Answer
    from causewise.pair import Pair
    from causewise.protocol import Method

OnProgress = Callable[[int, int], None]
"""Called with how many pairs are done, and of how many."""


class Missing(StrEnum):
    """What to do with rows that lack a value."""

    RAISE = "raise"
    OMIT = "omit"


class Device(StrEnum):
    """Where networks are fitted."""

    AUTO = "auto"
    CPU = "cpu"
    GPU = "gpu"


def infer(
    file: FileArgument,
    x: Annotated[
        str | None, typer.Option("-x", metavar="COL", help="First column: its name, or its number from 1.")
    ] = None,
    y: Annotated[str | None, typer.Option("-y", metavar="COL", help="Second column.")] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME…]",
            help="A name from `causewise methods`, with settings as NAME:key=value, or your own as module:object; "
            "several are compared.",
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
    sep: SepOption = None,
    sheet: SheetOption = None,
    max_bytes: BytesOption = MAX_BYTES,
    max_rows: RowsOption = MAX_ROWS,
    threshold: ThresholdOption = None,
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
    from causewise.catalogue import blame_settings, resolve_method
    from causewise.tables import read_pair

    check_targets(report, plot)
    names = split_methods(method)
    stated = method_options(names, threshold, neither, direct, no_recording)
    settings = {name: _device_settings(name, device.value) | stated[name] for name in names}
    built: dict[str, Method] = {}
    for name in names:  # a misspelt method is refused before a large table is read
        with blame_settings(name):
            built[name] = resolve_method(name, seed, **settings[name])
    with hint_at_options():
        pair = read_pair(
            file, x, y, nan_policy.value, **reading_options(decimal, header, sep, sheet, max_bytes, max_rows)
        )
    quiet = as_json or not sys.stderr.isatty()
    answers = [_answer(pair, name, chosen, seed, stability, quiet) for name, chosen in built.items()]
    # First the files, so that `| head` does not cost them; the answer even where there is no room for them.
    try:
        write_files(answers[0].decision, report, plot, answers if len(answers) > 1 else ())
    finally:
        _print_answers(answers, as_json)
    whose = f" of {names[0]}" if len(names) > 1 else ""
    for what, path in (("Picture", plot), ("Report", report)):
        if path is not None:
            (say if as_json else put)(f"{what}{whose}: {path}")


def _answer(pair: "Pair", name: str, method: "Method", seed: int, stability: bool, quiet: bool) -> "Answer":
    from causewise.inference import Answer

    start = time.perf_counter()
    decision = decide(pair, name, method, seed, quiet)
    seconds = time.perf_counter() - start
    return Answer(name, add_halves(decision, method, seed, quiet) if stability else decision, seconds)


def decide(pair: "Pair", name: str, method: "Method", seed: int, quiet: bool) -> "Decision":
    """The answer for one pair, with a sign of life where a method takes its time; `name` is how it was asked for."""
    from causewise.catalogue import blame_settings, entry, is_elsewhere, sample_hint
    from causewise.inference import infer as infer_pair

    if hint := sample_hint(name, pair.n):
        say(hint)
    # The spline methods answer before a spinner could be seen, unless the rows are very many.
    slow = is_elsewhere(name) or entry(name.split(":")[0]).family != "loci" or pair.n > 200_000
    with blame_settings(name), _sign_of_life(f"{name} on {pair.n:,} rows …", method, slow, quiet) as alive:
        decision = infer_pair(pair, method=alive, seed=seed)
        return replace(decision, asked=name) if is_elsewhere(name) else decision


def add_halves(decision: "Decision", method: "Method", seed: int, quiet: bool) -> "Decision":
    """The decision with what random halves of its rows say; as it was, with a word on why, where they say nothing."""
    from causewise.errors import InputError
    from causewise.inference import half_samples

    stepwise = method if hasattr(method, "with_progress") else Stepwise(method)
    try:
        with _sign_of_life("random halves of the rows …", stepwise, True, quiet) as alive:
            return replace(decision, half_samples=half_samples(decision, seed=seed, built=alive))
    except InputError as problem:
        say(f"--stability: {problem}")  # the answer itself stands
        return decision


def write_files(decision: "Decision", report: Path | None, plot: Path | None, answers: "Sequence[Answer]" = ()) -> None:
    """The page, with what other methods said, and the picture."""
    if plot is not None:
        from causewise.report.decision_picture import draw

        draw(decision, plot)
    if report is not None:
        decision.report(str(report), methods=answers)


def _print_answers(answers: "list[Answer]", as_json: bool) -> None:
    if as_json:
        put_lines(as_text(record_answers(answers)))
    elif len(answers) > 1:
        from causewise.cli.answer import show_all

        show_all(answers)
    else:
        from causewise.cli.answer import show

        show(answers[0].decision)


def record_answers(answers: "Sequence[Answer]") -> dict[str, Any]:
    """One method's own record; of several each one's, and the consensus. Without seconds, the same bytes every time."""
    from causewise.inference import consensus

    methods = [answer.decision.to_dict() for answer in answers]
    return {"methods": methods, "consensus": asdict(consensus(answers))} if len(methods) > 1 else methods[0]


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
