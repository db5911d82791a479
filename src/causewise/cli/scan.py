"""`causewise scan`: every pair of a table."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causewise.cli.options import (
    BytesOption,
    ColumnsOption,
    DecimalOption,
    DirectOption,
    ExcludeOption,
    FileArgument,
    FirstOption,
    HeaderOption,
    KnownOption,
    LastOption,
    NeitherOption,
    RecordingOption,
    RowsOption,
    SepOption,
    SheetOption,
    ThresholdOption,
    check_output,
    check_targets,
    hint_at_options,
    knowledge_options,
    method_options,
    reading_options,
    split_names,
)
from causewise.cli.streams import (
    STOPPED,
    kept_when_stopped,
    progress,
    put,
    put_lines,
    say,
    say_columns,
    workers_may_fail,
)
from causewise.formatting import duration, percent, visible
from causewise.tables.source import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from causewise.scanning.forecast import ScanForecast
    from causewise.scanning.result import Scan
    from causewise.scanning.scan_row import ScanRow

UNITS = {"screening": "pairs", "orienting": "pairs", "adjusting": "columns"}
"""What is counted of each thing that a scan does."""
SHOWN = 20
"""Arrows printed; the file has them all."""
WORTH_SAYING, WORTH_ASKING = 10.0, 3600.0
"""Seconds that a scan may take at most before this is said beforehand, and before it is asked for."""


def scan(
    file: FileArgument,
    columns: ColumnsOption = None,
    exclude: ExcludeOption = None,
    target: Annotated[str | None, typer.Option(metavar="COL", help="Only pairs with this column.")] = None,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only the pairs of a CSV file, two columns a line.")
    ] = None,
    adjust: Annotated[
        str | None,
        typer.Option(
            metavar="COL,…", help="Score what these columns leave of all others: a common cause is accounted for."
        ),
    ] = None,
    known: KnownOption = None,
    first: FirstOption = None,
    last: LastOption = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A name from `causewise methods`, with settings as NAME:key=value, or your own as module:object.",
        ),
    ] = "causewise",
    fdr: Annotated[
        float, typer.Option(metavar="0.05", help="False discovery rate of the test whether two columns are related.")
    ] = 0.05,
    threshold: ThresholdOption = None,
    neither: NeitherOption = None,
    direct: DirectOption = False,
    no_recording: RecordingOption = False,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability", help="Also decide 20 random halves of each related pair's rows: columns agreement* of --out."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="OUT.csv", help="Write all pairs (csv, parquet or json); the same command goes on later."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option(metavar="OUT.dot", help="Also write the arrows (graphml, json, dot, txt for Tetrad).")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="OUT.png", help="Also draw the matrix of all pairs (png, svg, pdf).")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="OUT.html", help="Also write a page: matrix, graph, and a table that opens every pair."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="In CSV, leave cells that a spreadsheet would run as they are.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes; one a processor unless told.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Dask cluster: tcp://host:port, or local for one here."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Begin without asking, however long it may take.")] = False,
    seed: Annotated[int, typer.Option(help="For methods and halves that are drawn at random.")] = 0,
    decimal: DecimalOption = None,
    header: HeaderOption = None,
    sep: SepOption = None,
    sheet: SheetOption = None,
    max_bytes: BytesOption = MAX_BYTES,
    max_rows: RowsOption = MAX_ROWS,
) -> None:
    """Which columns of a table are related, and which of two causes the other?

    Columns that are not dependent are unrelated, and not oriented.

    Arrows between pairs are no map of the whole table: a common cause can stand behind any of them.

    A long scan says beforehand what it will take, and asks beyond an hour.
    """
    from causewise.catalogue import is_elsewhere, resolve_method
    from causewise.errors import InputError
    from causewise.parallel import Engine
    from causewise.scanning.graph_files import GRAPH_FORMATS
    from causewise.scanning.result import FORMATS
    from causewise.scanning.scanner import scan as scan_table

    stated = method_options([method], threshold, neither, direct, no_recording)[method]
    if target is not None and pairs is not None:
        raise InputError("Got both a target and pairs; expected one of the two: leave the other out.")
    check_targets(report, plot)
    check_output(out, FORMATS)
    check_output(graph, GRAPH_FORMATS)
    part = None if out is None else out.with_name(out.name + ".part")
    begun = set[str]()
    # What stands there is this scan's from its first screening on: before, nobody has looked whose it is.
    kept = nullcontext() if part is None else kept_when_stopped(part, lambda: "screening" in begun)
    with kept, hint_at_options(), workers_may_fail(), progress(UNITS) as on_progress:

        def tell(what: str, done: int, of: int) -> None:
            begun.add(what)
            on_progress(what, done, of)

        found = scan_table(
            file,
            method=resolve_method(method, seed) if is_elsewhere(method) else method,
            columns=split_names(columns),
            exclude=split_names(exclude),
            pairs=target if pairs is None else pairs,
            adjust=split_names(adjust) or (),
            knowledge=knowledge_options(known, first, last),
            fdr=fdr,
            **stated,
            stability=stability,
            seed=seed,
            engine=Engine(jobs, dask, part, tell, lambda foreseen: _ask(foreseen, yes)),
            **reading_options(decimal, header, sep, sheet, max_bytes, max_rows),
        )
    # First the files, so that `| head` does not cost them; the answer even where there is no room for them.
    try:
        if out is not None:
            found.write(out, raw)
        if graph is not None:
            found.write_graph(graph)
        if plot is not None:
            found.plot(plot)
        if report is not None:
            found.report(report)
    finally:
        _show(found)
    for what, path in (("All pairs", out), ("Arrows", graph), ("Picture", plot), ("Page", report)):
        if path is not None:
            put(f"{what}: {path}")
    if out is None and report is None and any(row.status == "undecided" and row.score for row in found.rows):
        say("Where the undecided pairs lean is told by --out pairs.csv, and why they stay so by --report scan.html.")


def _ask(foreseen: "ScanForecast", yes: bool) -> None:
    """Say what a long scan will take; a very long one is asked for where somebody can answer."""
    from causewise.scanning.forecast import processes, size

    if foreseen.seconds <= WORTH_SAYING:
        return
    say(
        f"{foreseen.pairs:,} pairs on {processes(foreseen.jobs)}: about {duration(foreseen.screening)} to screen them, "
        f"at most {duration(foreseen.orienting)} to orient them if all are related, {size(foreseen.memory)} of memory."
    )
    if foreseen.hint:
        say(foreseen.hint)
    if (
        foreseen.seconds > WORTH_ASKING
        and not yes
        and sys.stdin.isatty()
        and sys.stderr.isatty()
        and not _ask_to_begin()
    ):
        say("Nothing was begun.")
        raise typer.Exit(STOPPED)


def _ask_to_begin() -> bool:
    try:
        return typer.confirm("Begin?", err=True)
    except typer.Abort:  # Ctrl-C, or the end of the input
        return False


def _show(found: "Scan") -> None:
    put(f"{found}.")
    oriented = [row for row in found.rows if row.status == "oriented"]
    # What was found before what is given, the surest first; methods without a confidence by the size of their score.
    oriented.sort(key=lambda row: (row.is_given, -(row.confidence or 0.0), -abs(row.score or 0.0)))
    if oriented:
        put_lines("\n".join(_lines(oriented[:SHOWN], found.threshold)))
        if len(oriented) > SHOWN:
            put(f"… and {len(oriented) - SHOWN} more.")
    if len(oriented) > 1:
        put(found.quality().words)
    say_columns(found.left_out, found.kinds, found.notes)


def _lines(rows: "list[ScanRow]", threshold: float) -> "Iterator[str]":
    from causewise.report.score_bars import draw_line_bar, explain_line_bar

    arrows = [f"{visible(row.cause or '')} → {visible(row.effect or '')}" for row in rows]
    width = max(map(len, arrows))
    for arrow, row in zip(arrows, rows, strict=True):
        sure = "" if row.score is None else f"{row.score:+.3g}"
        if row.is_given:
            sure = f"given{'' if row.confidence is None else f', {percent(row.confidence):>4} by the data alone'}"
        elif row.confidence is not None:
            bar = draw_line_bar(row.confidence, row.neither or 0.0, threshold)
            sure = f"{percent(row.confidence):>5}  {bar}{row.doubt}"
        warnings = f"   {len(row.warnings)} warning{'s' * (len(row.warnings) > 1)}" if row.warnings else ""
        halves = "" if row.agreement is None else f"   halves {percent(row.agreement)}"
        yield f"  {arrow:{width}}  {sure}   n = {row.scored_of}{halves}{warnings}"
    if any(row.confidence is not None and not row.is_given for row in rows):
        yield explain_line_bar(threshold)
